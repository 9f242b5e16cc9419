// Kept component tables of tables that the program has: components go with their records (KC1).
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdb/component_table.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/inspect/validate.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_test {
namespace {

struct Being {
  std::int32_t number = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number));
  }
};
struct Scar {
  std::string story = {};
  std::vector<std::int32_t> depths = {};
  friend bool operator==(const Scar&, const Scar&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(story), CEREAL_NVP(depths));
  }
};

/// What the newer game has.
struct NewGame {
  explicit NewGame(const ComponentOptions& options = {})
      : scars(db.create_component_table<Scar>("scars", beings, options)) {}

  Database db;
  Table<Being>& beings = db.create_table<Being>("beings");
  ComponentTable<Scar, Being>& scars;
};
struct OldGame {
  Database db;
  Table<Being>& beings = db.create_table<Being>("beings");
};

Scar scar_of(std::int32_t number) {
  return {"scar " + std::to_string(number), {number, 2 * number, 3}};
}

/// 1,000 beings; every second one has a scar. The order of the scars is not that of the slots.
std::vector<Handle<Being>> fill(NewGame& game) {
  std::vector<Handle<Being>> handles;
  for (std::int32_t i = 0; i < 1000; ++i) handles.push_back(game.beings.insert({i}));
  for (std::size_t i = 1000; i-- > 0;) {
    if (i % 2 == 0) game.scars.insert(handles[i], scar_of(static_cast<std::int32_t>(i)));
  }
  for (std::size_t i = 0; i < 1000; i += 10) game.scars.erase(handles[i]);
  return handles;
}

std::vector<std::int32_t> order_of(const ComponentTable<Scar, Being>& scars) {
  std::vector<std::int32_t> order;
  for (auto [handle, scar] : scars.entries()) order.push_back(scar.depths[0]);
  return order;
}

void expect_deeply_valid(const Bytes& file, Database& db) {
  const Validation found =
      validate(std::make_unique<MemorySource>(file), {.level = ValidationLevel::deep});
  for (const Finding& finding : found.findings) ADD_FAILURE() << finding.error.message();
  EXPECT_EQ(found.state_hash, db.state_hash());
}

class KeptComponents : public testing::TestWithParam<ComponentOptions> {};

TEST_P(KeptComponents, GoWithTheirRecordsAndOthersStay) {
  NewGame before(GetParam());
  const std::vector<Handle<Being>> handles = fill(before);
  const Bytes file = saved(before.db.capture());

  OldGame old;
  const auto report = load(old.db, file, {.keep_unknown = true});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->kept_tables, std::vector<std::string>{"scars"});
  EXPECT_EQ(old.db.state_hash(), before.db.state_hash());
  const Snapshot untouched = old.db.capture();
  for (std::size_t i = 0; i < 1000; i += 7) EXPECT_TRUE(old.beings.erase(handles[i]));
  // The slots have new records, and there are more slots than before.
  for (std::int32_t i = 0; i < 400; ++i) old.beings.insert({2000 + i});
  const Bytes visited = saved(old.db.capture());
  expect_deeply_valid(visited, old.db);

  NewGame after(GetParam());
  const auto loaded = load(after.db, visited, {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(after.db.check_invariants(), nullptr);
  std::vector<std::int32_t> expected;
  for (const std::int32_t number : order_of(before.scars)) {
    if (number % 7 != 0) expected.push_back(number);
  }
  EXPECT_EQ(order_of(after.scars), expected);
  for (std::size_t i = 0; i < 1000; ++i) {
    const Scar* const scar = after.scars.find(handles[i]);
    ASSERT_EQ(scar != nullptr, i % 2 == 0 && i % 10 != 0 && i % 7 != 0) << i;
    if (scar == nullptr) continue;
    EXPECT_EQ(*scar, scar_of(static_cast<std::int32_t>(i)));
  }

  ASSERT_TRUE(old.db.restore(untouched));
  EXPECT_EQ(old.db.state_hash(), before.db.state_hash());
  NewGame again(GetParam());
  ASSERT_TRUE(load(again.db, saved(old.db.capture()), {.verify_state_hash = true}));
  EXPECT_EQ(order_of(again.scars), order_of(before.scars));
}

TEST_P(KeptComponents, AResetForgetsThemAll) {
  NewGame before(GetParam());
  fill(before);
  OldGame old;
  ASSERT_TRUE(load(old.db, saved(before.db.capture()), {.keep_unknown = true}));
  old.beings.reset();
  for (std::int32_t i = 0; i < 1000; ++i) old.beings.insert({i});  // the same handles again
  const Bytes visited = saved(old.db.capture());
  expect_deeply_valid(visited, old.db);
  NewGame after(GetParam());
  ASSERT_TRUE(load(after.db, visited));
  EXPECT_EQ(after.scars.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Storages, KeptComponents,
    testing::Values(ComponentOptions{}, ComponentOptions{.storage = Storage::stable},
                    ComponentOptions{.storage = Storage::dense, .removal = Removal::in_place}));

TEST(KeptComponentTables, GoWithTheirOwner) {
  NewGame before;
  fill(before);
  OldGame old;
  ASSERT_TRUE(load(old.db, saved(before.db.capture()), {.keep_unknown = true}));
  const Snapshot kept = old.db.capture();
  EXPECT_TRUE(old.db.drop_table("beings"));
  const Bytes without = saved(old.db.capture());
  expect_deeply_valid(without, old.db);
  ASSERT_TRUE(old.db.restore(kept));
  EXPECT_EQ(old.db.state_hash(), before.db.state_hash());
}

TEST(KeptComponentTables, ADiffShowsThoseThatWentWithTheirRecord) {
  NewGame before;
  const auto handles = fill(before);
  OldGame old;
  ASSERT_TRUE(load(old.db, saved(before.db.capture()), {.keep_unknown = true}));
  const Snapshot one = old.db.capture();
  old.beings.erase(handles[2]);  // has a scar
  old.beings.erase(handles[3]);  // has none
  const auto found = diff(one, old.db.capture());
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->tables.size(), 2U);
  EXPECT_EQ(found->tables[0].removed, 2U);
  EXPECT_EQ(found->tables[1].removed, 1U);
}

// Else no later save could be written: components are not hashed without their records.
TEST(KeptComponentTables, AreHashedOnlyIfTheirOwnerIs) {
  NewGame before;
  fill(before);
  Database old;
  old.create_table<Being>("beings", {.scope = Scope::unhashed});
  ASSERT_TRUE(load(old, saved(before.db.capture()), {.keep_unknown = true}));
  const Bytes visited = saved(old.capture());
  expect_deeply_valid(visited, old);
  NewGame after;
  ASSERT_TRUE(load(after.db, visited));
  EXPECT_EQ(order_of(after.scars), order_of(before.scars));
}

TEST(KeptComponentTables, GoWhenATableOfTheProgramTakesThePlaceOfTheirOwner) {
  NewGame before;
  before.db.create_table<Quest>("quests");
  fill(before);
  Database old;  // knows neither the beings nor their scars
  old.create_table<Quest>("quests");
  ASSERT_TRUE(load(old, saved(before.db.capture()), {.keep_unknown = true}));
  const Snapshot kept = old.capture();
  old.create_table<Being, Layout<16, 16>>("beings");
  expect_deeply_valid(saved(old.capture()), old);
  ASSERT_TRUE(old.restore(kept));
  expect_deeply_valid(saved(old.capture()), old);
}

TEST(KeptComponentTables, OfATableThatSavesLeaveOutAreUnknown) {
  NewGame before;
  fill(before);
  Database old;
  old.create_table<Being>("beings", {.scope = Scope::unsaved});
  old.create_table<Quest>("quests");
  const auto report = load(old, saved(before.db.capture()), {.keep_unknown = true});
  EXPECT_FALSE(report);  // nothing in common
}

}  // namespace
}  // namespace hdb::test::kept_test
