// Random programs over EnTT registries: no future differs after a restore or a load.
#include <gtest/gtest.h>

#include "entt/entt_subject.hpp"

namespace entt_test {
namespace {

using hdb::test::run_cases;

template <class Entity, Groups G>
std::unique_ptr<Subject> subject(std::uint32_t) {
  return std::make_unique<EnttSubject<Entity>>(G);
}
// Versions of 4, 12 and 32 bits, with and without groups.
std::string run_all(std::uint32_t cases) {
  return run_cases("EnTT, 32 bits", 0, cases, subject<entt::entity, Groups::none>) +
         run_cases("EnTT, 64 bits", 1, cases, subject<std::uint64_t, Groups::none>) +
         run_cases("EnTT, 4-bit versions", 2, cases, subject<SmallEntity, Groups::none>) +
         run_cases("EnTT, owning group", 3, cases, subject<entt::entity, Groups::owning>) +
         run_cases("EnTT, free group", 4, cases, subject<SmallEntity, Groups::free>) +
         run_cases("EnTT, both groups", 5, cases, subject<entt::entity, Groups::both>);
}

TEST(EnttPrograms, RestoredAndLoadedRegistriesHaveTheSameFuture) { EXPECT_EQ(run_all(2'000), ""); }

}  // namespace
}  // namespace entt_test
