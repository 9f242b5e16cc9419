// A registry that is mirrored goes on in the same way after a restore and a load.
#include <gtest/gtest.h>

#include "base/sanitizers.hpp"
#include "entt/model_subject.hpp"

namespace hdb::test {
namespace {

constexpr std::uint32_t kCases = HDB_HAS_ASAN ? 1'000 : 25'000;  // in each part

class ModelPrograms : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ModelPrograms, RestoredAndLoadedRegistriesHaveTheSameFuture) {  // MI1
  const auto make = [](std::uint32_t variant) -> std::unique_ptr<Subject> {
    return std::make_unique<ModelSubject>(variant);
  };
  EXPECT_EQ(run_cases("model registry", GetParam() * kCases, kCases, make), "");
}

// 100,000 cases, side by side.
INSTANTIATE_TEST_SUITE_P(Part, ModelPrograms, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace hdb::test
