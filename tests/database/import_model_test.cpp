// An import equals inserting the records and rewriting their handles by hand: random worlds,
// compared by their state hashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "database/import_world.hpp"
#include "hdb/changes.hpp"
#include "hdb/import.hpp"

namespace hdb::test::import_test {
namespace {

// The handles of another world and what became of them.
struct Reference {
  std::map<std::uint64_t, NodeHandle> nodes;
  std::map<std::uint64_t, ItemHandle> items;
  std::map<std::uint64_t, AnyHandle> any;
  std::map<std::uint64_t, Handle<Skin>> skins;
  mutable std::uint64_t unresolved = 0;
  UnresolvedHandles policy = UnresolvedHandles::make_null;

  template <class H>
  H look(const std::map<std::uint64_t, H>& map, H old) const {
    const auto found = map.find(old.bits());
    if (found != map.end()) return found->second;
    if (old.is_null()) return old;
    ++unresolved;
    return policy == UnresolvedHandles::keep ? old : H();
  }
  NodeHandle operator()(NodeHandle old) const { return look(nodes, old); }
  ItemHandle operator()(ItemHandle old) const { return look(items, old); }
  AnyHandle operator()(AnyHandle old) const { return look(any, old); }
  Handle<Skin> operator()(Handle<Skin> old) const { return look(skins, old); }
};

bool is_wanted(const ImportOptions& options, const std::string& table) {
  return options.tables.empty() || std::ranges::count(options.tables, table) != 0;
}

// Inserts copies of the records of one table, in the order in which iteration visits them.
template <class TableType, class Map, class Wrap>
auto copies(const TableType& from, TableType& to, Map& map, const Wrap& wrap) {
  std::vector<typename TableType::HandleType> made;
  for (const auto& [handle, record] : from.entries()) {
    made.push_back(to.insert(record));
    map[handle.bits()] = wrap(made.back());
  }
  return made;
}

// The same for records with names.
template <class TableType, class Map>
auto named_copies(const TableType& from, TableType& to, Map& map, const ImportOptions& options) {
  std::vector<typename TableType::HandleType> made;
  for (const auto& [handle, record] : from.entries()) {
    const std::string name(from.name(handle));
    const auto twin = to.find_named(name);
    if (twin && options.name_clash == NameClash::use_existing) {
      map[handle.bits()] = twin;
      continue;
    }
    made.push_back(to.insert_named(twin ? std::string() : name, record));
    map[handle.bits()] = made.back();
  }
  return made;
}

// Imports `from` into `to` by ordinary calls.
Reference import_by_hand(World& from, World& to, const ImportOptions& options) {
  Reference reference;
  reference.policy = options.unresolved_handles;
  std::vector<NodeHandle> nodes;
  std::vector<ItemHandle> items;
  std::vector<DoorHandle> doors;
  std::vector<TypedHandle<Torch>> torches;
  const auto same = [](auto handle) { return handle; };
  const auto any = [](auto handle) { return AnyHandle::from_bits(handle.bits()); };
  if (is_wanted(options, "nodes"))
    nodes = named_copies(from.nodes, to.nodes, reference.nodes, options);
  if (is_wanted(options, "items")) items = copies(from.items, to.items, reference.items, same);
  if (is_wanted(options, "doors")) doors = copies(from.doors, to.doors, reference.any, any);
  if (is_wanted(options, "torches")) torches = copies(from.torches, to.torches, reference.any, any);
  if (is_wanted(options, "skins"))
    named_copies(from.skins.table(), to.skins.table(), reference.skins, options);
  for (const NodeHandle node : nodes) rewrite(*to.nodes.edit(node), reference);
  for (const ItemHandle item : items) rewrite(*to.items.edit(item), reference);
  for (const DoorHandle door : doors) rewrite(*to.doors.edit(door), reference);
  for (const auto torch : torches) rewrite(*to.torches.edit(torch), reference);
  return reference;
}

ImportOptions random_options(Random& random) {
  ImportOptions options;
  options.name_clash = random.one_in(2) ? NameClash::use_existing : NameClash::drop_name;
  if (random.one_in(3)) options.unresolved_handles = UnresolvedHandles::keep;
  options.threads = random.one_in(2) ? 1 : 3;
  options.max_unresolved_listed = random.below(3) * 50;
  if (random.one_in(2)) return options;
  for (const char* const name : {"nodes", "items", "doors", "torches", "skins"}) {
    if (!random.one_in(3)) options.tables.emplace_back(name);
  }
  return options;
}

void expect_equal_map(const ImportReport& report, const Reference& reference) {
  for (const auto& [old, now] : reference.nodes)
    EXPECT_EQ(report.find(NodeHandle::from_bits(old)), now);
  for (const auto& [old, now] : reference.items) {
    const auto bits = static_cast<ItemHandle::Bits>(old);
    EXPECT_EQ(report.find(ItemHandle::from_bits(bits)), now);
  }
  for (const auto& [old, now] : reference.any)
    EXPECT_EQ(report.find(AnyHandle::from_bits(old)), now);
  for (const auto& [old, now] : reference.skins)
    EXPECT_EQ(report.find(Handle<Skin>::from_bits(old)), now);
}

class ImportModel : public testing::TestWithParam<int> {};

TEST_P(ImportModel, EqualsInsertingTheRecordsAndRewritingTheirHandlesByHand) {
  Random random(static_cast<std::uint64_t>(GetParam()) * 7919 + 3);
  World source(random.one_in(2));
  source.churn(static_cast<int>(random.below(300)), random, "name ");
  const Bytes file = saved(source.db);

  World target(random.one_in(2));
  target.churn(static_cast<int>(random.below(200)), random, "name 1");
  World expected(target.first_torches != nullptr);
  ASSERT_TRUE(expected.db.load(std::make_unique<MemorySource>(saved(target.db))));
  const Snapshot before = target.db.capture();
  const Hash128 hash_before = before.state_hash();

  for (int round = 0; round < 3; ++round) {
    ImportOptions options = random_options(random);
    Changes changes;
    options.changes = &changes;
    const Snapshot earlier = target.db.capture();
    const Reference reference = import_by_hand(source, expected, options);
    const auto report = import_from(target.db, file, options);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(target.db.check_invariants(), nullptr);
    EXPECT_EQ(target.db.state_hash(), expected.db.state_hash()) << "round " << round;
    expect_equal_map(*report, reference);
    EXPECT_EQ(report->unresolved_count, reference.unresolved);
    EXPECT_EQ(report->unresolved.size(),
              std::min<std::uint64_t>(reference.unresolved, options.max_unresolved_listed));
    const Changes found = changes_between(earlier, target.db.capture());
    ASSERT_EQ(changes.tables.size(), found.tables.size());
    for (std::size_t i = 0; i < found.tables.size(); ++i) {
      EXPECT_EQ(changes.tables[i].table, found.tables[i].table);
      EXPECT_EQ(changes.tables[i].created, found.tables[i].created);
      EXPECT_TRUE(found.tables[i].erased.empty() && found.tables[i].changed.empty());
    }
    // The future is the same too.
    expected.old_nodes = target.old_nodes;
    expected.old_items = target.old_items;
    expected.old_any = target.old_any;
    expected.old_skins = target.old_skins;
    Random future(random.next());
    Random same_future = future;
    target.churn(20, future, "later " + std::to_string(round));
    expected.churn(20, same_future, "later " + std::to_string(round));
  }
  EXPECT_EQ(before.state_hash(), hash_before) << "captures do not see imports";
  ASSERT_TRUE(target.db.restore(before));
  EXPECT_EQ(target.db.state_hash(), hash_before);
}
INSTANTIATE_TEST_SUITE_P(Seeds, ImportModel, testing::Range(0, 40));

}  // namespace
}  // namespace hdb::test::import_test
