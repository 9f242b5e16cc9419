// Builds with assertions: a write through a pointer that was kept past a capture is found, and the
// message names where.
#include <gtest/gtest.h>

#include <optional>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

// A pointer from before a capture, into the second page of a table.
struct Trap {
  explicit Trap(Storage storage) : units(db.create_table<Unit>("units", options(storage))) {
    for (int i = 0; i < 260; ++i) kept = units.insert({.hp = 5});
    pointer = units.edit(kept);
    snapshot = db.capture();
  }
  static TableOptions options(Storage storage) { return {.storage = storage}; }
  void spring() { pointer->hp = 1000; }

  Database db;
  Table<Unit>& units;
  Handle<Unit> kept;
  Unit* pointer = nullptr;
  Snapshot snapshot;
};

class StalePointerDeathTest : public testing::TestWithParam<Storage> {
 protected:
  static constexpr const char* kMessages[] = {
      "the records of table 'units': page 1 \\(dense places 256 to 511\\) changed after it was "
      "captured.*kept from edit\\(\\)",
      "the records of table 'units': page 1 \\(slots 256 to 511\\) changed after it was "
      "captured.*kept from edit\\(\\)"};
  [[nodiscard]] static const char* message() {
    return kMessages[GetParam() == Storage::dense ? 0 : 1];
  }
};

INSTANTIATE_TEST_SUITE_P(Storages, StalePointerDeathTest,
                         testing::Values(Storage::dense, Storage::stable));

TEST_P(StalePointerDeathTest, AWriteIsFoundByTheNextEditOfThePage) {
  Trap trap(GetParam());
  trap.spring();
  EXPECT_DEATH(static_cast<void>(trap.units.edit(trap.kept)), message());
  trap.pointer->hp = 5;  // as it was: nothing is found
}

TEST_P(StalePointerDeathTest, AWriteIsFoundByTheNextCapture) {
  Trap trap(GetParam());
  trap.spring();
  EXPECT_DEATH(static_cast<void>(trap.db.capture()), message());
  trap.pointer->hp = 5;
}

TEST_P(StalePointerDeathTest, AWriteIsFoundByTheRestore) {
  Trap trap(GetParam());
  trap.spring();
  EXPECT_DEATH(static_cast<void>(trap.db.restore(trap.snapshot)), message());
  trap.pointer->hp = 5;
}

TEST_P(StalePointerDeathTest, AWriteIsFoundAtTheLatestWhenTheSnapshotIsDropped) {
  Trap trap(GetParam());
  trap.spring();
  EXPECT_DEATH(trap.snapshot = {}, message());
  trap.db.drop_table("units");
  EXPECT_DEATH(trap.snapshot = {}, message()) << "though the table is gone";
  trap.pointer->hp = 5;
}

TEST_P(StalePointerDeathTest, AWriteBehindADroppedSnapshotIsFoundByEditAndCapture) {
  Trap trap(GetParam());
  trap.snapshot = {};
  trap.spring();
  EXPECT_DEATH(static_cast<void>(trap.units.edit(trap.kept)), message());
  EXPECT_DEATH(static_cast<void>(trap.db.capture()), message());
  trap.pointer->hp = 5;
}

TEST_P(StalePointerDeathTest, AWriteBehindARestoreIsFoundByTheNextEdit) {
  Trap trap(GetParam());
  Unit* const fresh = trap.units.edit(trap.kept);
  fresh->hp = 7;
  ASSERT_TRUE(trap.db.restore(trap.snapshot));
  trap.spring();  // the page of the capture is the table's again
  EXPECT_DEATH(static_cast<void>(trap.units.edit(trap.kept)), message());
  trap.pointer->hp = 5;
}

TEST_P(StalePointerDeathTest, PointersTakenAnewAreFine) {
  Trap trap(GetParam());
  trap.units.edit(trap.kept)->hp = 1000;
  const Snapshot next = trap.db.capture();
  ASSERT_TRUE(trap.db.restore(trap.snapshot));
  trap.units.edit(trap.kept)->hp = 2000;
  trap.snapshot = {};
  ASSERT_TRUE(trap.db.restore(next));
  EXPECT_EQ(trap.units.at(trap.kept).hp, 1000);
}

#endif

// In every build: the loop would write into what the snapshot shares.
TEST(StalePointerDeathTest, ACaptureInsideAMutableIterationEndsTheProgram) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  units.insert({});
  EXPECT_DEATH(units.edit_each([&](Handle<Unit>, Unit&) { static_cast<void>(db.capture()); }),
               "inside a mutable iteration");
  const Snapshot snapshot = db.capture();
  EXPECT_DEATH(
      units.edit_each([&](Handle<Unit>, Unit&) { static_cast<void>(db.restore(snapshot)); }),
      "inside a mutable iteration");
}

}  // namespace
}  // namespace hdb::test
