// Arrays that no table uses any more, while captures need them or what was logged of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/arrays/undo_log.hpp"
#include "core/test_records.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Counted;
using test::Unit;

class RetiredArrays : public testing::TestWithParam<Addresses> {
 protected:
  std::shared_ptr<UndoLog> log_ = std::make_shared<UndoLog>();
};

INSTANTIATE_TEST_SUITE_P(Addresses, RetiredArrays,
                         testing::Values(Addresses::may_change, Addresses::stay));

// U4: a capture that is held keeps nothing of arrays that were made since.
TEST_P(RetiredArrays, ArraysThatComeAndGoLeaveNothingWithAnOldCapture) {
  auto oldest = log_->open();
  auto newest = log_->open();
  std::size_t most_bytes = 0;
  std::size_t most_arrays = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::unique_ptr<FlatArray>> arrays(20);
    for (auto& array : arrays) {
      array = std::make_unique<FlatArray>(log_, record_ops<Unit>(), GetParam());
      array->grow_to(100);
    }
    for (int frame = 0; frame < 2; ++frame) {
      newest = log_->open();
      for (auto& array : arrays) *reinterpret_cast<std::uint64_t*>(array->edit(0)) = 2;
    }
    arrays.clear();
    most_bytes = std::max(most_bytes, log_->logged_bytes());
    most_arrays = std::max(most_arrays, log_->retired_count());
    ASSERT_TRUE(i % 100 != 0 || log_->check());
  }
  EXPECT_LT(most_bytes, std::size_t{32} << 10);
  EXPECT_LT(most_arrays, 300u);
  newest.reset();
  oldest.reset();
  EXPECT_EQ(log_->retired_count(), 0u);
}

// U5: what is left of an array that no table uses costs captures nothing, and goes with the capture
// that needs it.
TEST_P(RetiredArrays, AnArrayThatNoTableUsesStaysWhileACaptureNeedsIt) {
  auto oldest = log_->open();
  const auto make_array = [&] {
    auto array = std::make_unique<FlatArray>(log_, record_ops<Unit>(), GetParam());
    array->grow_to(100);
    *reinterpret_cast<std::uint64_t*>(array->edit(0)) = 1;
    return array;
  };
  for (int i = 0; i < 10; ++i) make_array();
  EXPECT_EQ(log_->retired_count(), 0u) << "no capture saw them";

  auto array = make_array();
  auto seen = log_->open();
  array.reset();
  EXPECT_EQ(log_->retired_count(), 1u);
  auto newest = log_->open();
  seen.reset();
  EXPECT_EQ(log_->retired_count(), 0u) << "nothing was logged of it";

  std::vector<std::shared_ptr<const Moment>> later;
  for (int i = 0; i < 5; ++i) {
    array = make_array();
    later.push_back(log_->open());
    *reinterpret_cast<std::uint64_t*>(array->edit(0)) = 2;
    array.reset();
  }
  EXPECT_EQ(log_->retired_count(), 5u);
  std::swap(later[1], later[3]);
  for (auto& each : later) each.reset();
  EXPECT_EQ(log_->retired_count(), 5u) << "older captures have got the entries";
  EXPECT_TRUE(log_->check());
  oldest.reset();
  newest.reset();
  EXPECT_EQ(log_->retired_count(), 0u);
}

// U4: also of elements that are not plain bytes, a restore to the newest capture finds nothing of
// an array that is gone.
TEST_P(RetiredArrays, NothingIsLoggedOfAnArrayThatNoCaptureSees) {
  const auto capture = log_->open();
  for (const std::size_t count : {1u, 100u, 2000u}) {
    auto array = std::make_unique<FlatArray>(log_, record_ops<Counted>(), GetParam());
    for (std::size_t i = 0; i < count; ++i) {
      array->grow_to(i + 1);
      ::new (array->edit(i)) Counted(i);
      array->mark_constructed(i);
    }
    EXPECT_EQ(log_->logged_bytes(), 0u);
    EXPECT_TRUE(log_->check());
    array.reset();
    EXPECT_EQ(log_->retired_count(), 0u);
    log_->prepare_restore(*capture);
    log_->commit_restore();
  }
}

}  // namespace
}  // namespace hdb
