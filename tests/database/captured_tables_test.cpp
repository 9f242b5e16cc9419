// Many tables: what captures share, and that a restore visits only tables that changed.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "database/tables/snapshot_data.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::captured_tables_test {
namespace {

constexpr std::size_t kTables = 150;  // several words of marks, several groups of states
using Numbers = Table<std::uint32_t, Layout<16, 12, 16>>;

struct World {
  Database db;
  std::vector<Numbers*> tables;
  World() {
    for (std::size_t i = 0; i < kTables; ++i) {
      tables.push_back(&db.create_table<std::uint32_t, Layout<16, 12, 16>>(
          "table " + std::to_string(100 + i),
          {.storage = i % 2 == 0 ? Storage::dense : Storage::stable}));
      tables.back()->insert(0);
    }
  }
  [[nodiscard]] TableCore& core(std::size_t table) { return core_of(*tables[table]); }
  [[nodiscard]] std::vector<std::size_t> changed() {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kTables; ++i) {
      if (core(i).is_changed()) found.push_back(i);
    }
    return found;
  }
};

const CapturedTables& states(const Snapshot& snapshot) { return *data_of(snapshot)->states; }

// The members whose state the two do not share.
std::vector<std::size_t> differing(const Snapshot& a, const Snapshot& b) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kTables; ++i) {
    if (&states(a)[i] != &states(b)[i]) found.push_back(i);
  }
  return found;
}

TEST(CapturedTables, CapturesShareTheStateOfTablesThatDidNotChange) {  // U5, T6
  World world;
  const Snapshot first = world.db.capture();
  EXPECT_TRUE(world.changed().empty());
  EXPECT_EQ(data_of(first)->states, data_of(world.db.capture())->states) << "nothing is copied";
  for (const std::size_t i : {3u, 64u, 149u}) world.tables[i]->insert(1);
  EXPECT_EQ(world.changed(), (std::vector<std::size_t>{3, 64, 149}));
  const Snapshot second = world.db.capture();
  EXPECT_EQ(differing(first, second), (std::vector<std::size_t>{3, 64, 149}));
}

TEST(CapturedTables, ChangesWhileNoCaptureIsOpenAreNoted) {  // T6
  World world;
  for (const std::size_t i : {2u, 3u, 4u, 5u})  // a free slot each, for the short way
    world.tables[i]->erase(world.tables[i]->insert(9));
  static_cast<void>(world.db.capture());
  for (const std::size_t i : {2u, 3u}) world.tables[i]->insert(1);
  for (const std::size_t i : {4u, 5u}) world.tables[i]->erase(world.tables[i]->begin().handle());
  EXPECT_EQ(world.changed(), (std::vector<std::size_t>{2, 3, 4, 5}));
  const Snapshot second = world.db.capture();
  EXPECT_EQ(second.tables()[2].live_count, 2u);
  EXPECT_EQ(second.tables()[5].live_count, 0u);
}

TEST(CapturedTables, EditedRecordsChangeNoState) {
  World world;
  const Snapshot first = world.db.capture();
  for (Numbers* const table : world.tables)
    table->edit_each([](auto, std::uint32_t& number) { number = 7; });
  EXPECT_TRUE(world.changed().empty());
  EXPECT_EQ(data_of(first)->states, data_of(world.db.capture())->states);
  ASSERT_TRUE(world.db.restore(first));
  EXPECT_TRUE(world.changed().empty()) << "none was visited";
  for (Numbers* const table : world.tables) EXPECT_EQ(*table->begin(), 0u);
}

TEST(CapturedTables, ARestoreVisitsTablesThatChangedBeforeOrAfterTheLastCapture) {
  World world;
  const Snapshot first = world.db.capture();
  world.tables[5]->insert(1);
  const Snapshot second = world.db.capture();
  world.tables[130]->insert(1);
  ASSERT_TRUE(world.db.restore(first));
  EXPECT_EQ(world.changed(), (std::vector<std::size_t>{5, 130}));
  EXPECT_EQ(world.db.state_hash(), first.state_hash());
  ASSERT_TRUE(world.db.restore(second));
  EXPECT_EQ(world.db.state_hash(), second.state_hash());
  EXPECT_EQ(world.tables[5]->size(), 2u);
}

// H9: a component table has the slots of its owner, which changed alone.
TEST(CapturedTables, ComponentTablesFollowAnOwnerThatChanged) {
  Database db;
  auto& owner = db.create_table<Unit>("owner");
  db.create_component_table<Clock>("component", owner);
  owner.insert({});
  const Snapshot first = db.capture();
  owner.insert({});
  owner.insert({});
  const Snapshot second = db.capture();
  for (const Snapshot* const snapshot : {&first, &second}) {
    const std::vector<TableDescriptor>& tables = snapshot->tables();
    EXPECT_EQ(tables[0].name, "component");
    EXPECT_EQ(tables[0].slot_count, tables[1].slot_count);
  }
  EXPECT_EQ(second.tables()[0].slot_count, 3u);
}

struct Counting final : TableObserver {
  void on_erased(std::uint32_t, std::uint32_t) noexcept override {}
  void on_cleared(bool) noexcept override {}
  void on_replaced() noexcept override { ++replaced; }
  int replaced = 0;
};

TEST(CapturedTables, ObserversHearOfARestoreThatChangesOnlyRecords) {
  World world;
  Counting early;
  Counting late;
  world.core(70).add_observer(early);
  const Snapshot first = world.db.capture();
  world.core(140).add_observer(late);
  ASSERT_TRUE(world.db.restore(first));
  EXPECT_EQ(early.replaced, 1);
  EXPECT_EQ(late.replaced, 1);
  world.core(70).remove_observer(early);
  ASSERT_TRUE(world.db.restore(first));
  EXPECT_EQ(early.replaced, 1);
  EXPECT_EQ(late.replaced, 2);
  world.core(140).remove_observer(late);
}

TEST(CapturedTablesDeathTest, ACaptureIsRefusedAmidAVisitOfATableThatDidNotChange) {
  World world;
  const Snapshot first = world.db.capture();
  const auto amid = [&](const auto& call) {
    world.tables[77]->edit_each([&](auto, std::uint32_t&) { call(); });
  };
  EXPECT_DEATH(amid([&] { static_cast<void>(world.db.capture()); }), "inside a mutable iteration");
  EXPECT_DEATH(amid([&] { static_cast<void>(world.db.restore(first)); }),
               "inside a mutable iteration");
  const Numbers& read = *world.tables[78];
  EXPECT_DEATH(read.for_each_span([&](auto) { static_cast<void>(world.db.capture()); }),
               "inside for_each_span");
}

// Against copies of all tables.
TEST(CapturedTables, AnyOrderOfChangesCapturesAndRestoresIsThatOfCopies) {
  World world;
  using Content = std::vector<std::vector<std::uint32_t>>;
  const auto content = [&world] {
    Content all;
    for (const Numbers* const table : world.tables) {
      std::vector<std::uint32_t>& numbers = all.emplace_back();
      for (const std::uint32_t& number : *table) numbers.push_back(number);
    }
    return all;
  };
  struct Kept {
    Snapshot snapshot;
    Content content;
    Hash128 hash;
  };
  std::vector<Kept> kept;
  Random random(17);
  for (std::size_t step = 0; step < scaled(20'000); ++step) {
    Numbers& table = *world.tables[random.below(kTables)];
    const auto number = static_cast<std::uint32_t>(step);
    switch (random.below(9)) {
      case 0:
      case 1: table.insert(number); break;
      case 2:
        if (!table.empty()) table.erase(table.begin().handle());
        break;
      case 3:
        if (!table.empty()) *table.edit(table.begin().handle()) = number;
        break;
      case 4:
        if (core_of(table).is_dense()) table.sort(std::less<>());
        break;
      case 5:
        if (random.one_in(8)) table.clear();
        break;
      case 6: table.reserve(random.below(300)); break;
      case 7:
        if (kept.size() > 4) kept.erase(kept.begin() + std::ptrdiff_t(random.below(kept.size())));
        kept.push_back({world.db.capture(), content(), world.db.state_hash()});
        break;
      default:
        if (kept.empty() || !random.one_in(3)) break;
        const Kept& back = kept[random.below(kept.size())];
        ASSERT_TRUE(world.db.restore(back.snapshot));
        ASSERT_EQ(content(), back.content) << step;
        ASSERT_EQ(world.db.state_hash(), back.hash) << step;
    }
  }
  ASSERT_EQ(world.db.check_invariants(), nullptr);
  for (const Kept& each : kept) EXPECT_EQ(each.snapshot.state_hash(), each.hash);
}

}  // namespace
}  // namespace hdb::test::captured_tables_test
