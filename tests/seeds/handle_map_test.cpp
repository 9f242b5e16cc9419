// Rows B1 to B14: "Game Engine Containers - handle_map". More of B11:
// tests/core/sort_step_test.cpp. B14: article_table_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/names/name_index.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/page_source.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

struct Item {
  std::int32_t value = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

using Items = Table<Item, TypedLayout>;
using Id = TypedHandle<Item>;
constexpr TableOptions kAsThere{
    .storage = Storage::dense, .free_list = FreeList::fifo, .type_id = 3};

std::vector<std::int32_t> values(const Items& items) {
  std::vector<std::int32_t> found;
  for (const Item& item : items) found.push_back(item.value);
  return found;
}

TEST(HandleMap, B1_AnIdOf64BitsHasIndexGenerationAndTypeAndIsOrdered) {
  static_assert(sizeof(Id) == 8);
  Items items(kAsThere);
  const Id a = items.insert({1});
  const Id b = items.insert({2});
  EXPECT_EQ(b.index(), 1u);
  EXPECT_EQ(b.generation(), 1u);
  EXPECT_EQ(b.type_id(), 3u);
  EXPECT_EQ(b.bits(), 0x0003'0001'0000'0001u) << "32 bits, 16 and 15, the highest is free";
  EXPECT_LT(a, b);
  EXPECT_EQ(a <=> a, std::strong_ordering::equal);
  items.erase(a);
  items.erase(b);
  EXPECT_LT(a, items.insert({3})) << "the same slot, a later generation";
}

TEST(HandleMap, B2_RecordsAreContiguousWhateverWasErased) {
  Items items(kAsThere);
  std::vector<Id> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(items.insert({i}));
  for (std::size_t i = 0; i < 1000; i += 2) items.erase(ids[i]);
  std::size_t seen = 0;
  std::size_t spans = 0;
  items.for_each_span([&](const auto& span) {
    seen += span.size();
    ++spans;
    for (std::size_t i = 0; i < span.size(); ++i) EXPECT_EQ(items.find(span.handle(i)), &span[i]);
  });
  EXPECT_EQ(seen, 500u);
  EXPECT_EQ(spans, 1u) << "one page, without holes";
}

TEST(HandleMap, B3_ErasingMovesTheLastRecordIntoTheHole) {
  Items items(kAsThere);
  const Id a = items.insert({1});
  items.insert({2});
  const Id c = items.insert({3});
  EXPECT_TRUE(items.erase(a));
  EXPECT_EQ(values(items), (std::vector<std::int32_t>{3, 2}));
  EXPECT_EQ(items.position(c), 0u);
  EXPECT_TRUE(items.erase(c)) << "the last but one, then the last: no free-list mark is lost";
  items.insert({4});
  items.insert({5});
  EXPECT_EQ(items.check_invariants(), nullptr);
}

// Counts how often records are moved or copied.
struct Movable {
  Movable() = default;
  Movable(const Movable& other) : value(other.value) { ++moves; }
  Movable(Movable&& other) noexcept : value(other.value) { ++moves; }
  Movable& operator=(const Movable& other) {
    value = other.value;
    ++moves;
    return *this;
  }
  Movable& operator=(Movable&& other) noexcept { return *this = std::as_const(other); }
  ~Movable() = default;
  std::int32_t value = 0;
  static inline std::size_t moves = 0;
};

TEST(HandleMap, B3_ErasingMovesOneRecordHoweverManyThereAre) {
  for (const std::size_t count : {std::size_t{10}, std::size_t{10'000}}) {
    Table<Movable> items({.storage = Storage::dense});
    std::vector<Handle<Movable>> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(items.emplace());
    Movable::moves = 0;
    EXPECT_NE(items.find(ids[0]), nullptr);
    EXPECT_EQ(Movable::moves, 0u);
    EXPECT_TRUE(items.erase(ids[0]));
    EXPECT_LE(Movable::moves, 1u) << count;
    EXPECT_TRUE(items.erase(ids[count - 2]));  // now the last: nothing moves
    Movable::moves = 0;
    EXPECT_TRUE(items.emplace());
    EXPECT_EQ(Movable::moves, 0u) << count;
  }
}

TEST(HandleMap, B4_TheTypeIdIsCheckedAndFindsTheTable) {
  Database db;
  auto& items = db.create_table<Item, TypedLayout>("items");
  auto& others = db.create_table<Item, TypedLayout>("others");
  const Id a = items.insert({1});
  // Both tables have a record in slot 0 with generation 1: nothing but the type id tells their ids
  // apart.
  const Id b = others.insert({2});
  ASSERT_EQ(a.index(), b.index());
  ASSERT_EQ(a.generation(), b.generation());
  EXPECT_NE(a, b);
  EXPECT_FALSE(others.contains(a));
  EXPECT_EQ(others.find(a), nullptr);
  EXPECT_EQ(others.edit(a), nullptr);
  EXPECT_FALSE(others.erase(a));
  EXPECT_THROW(static_cast<void>(others.at(a)), std::out_of_range);
  EXPECT_EQ(others.find(b)->value, 2);
  EXPECT_EQ(db.table_of(any_handle(a)), "items");
  EXPECT_EQ(db.table_of(any_handle(b)), "others");
  EXPECT_EQ(db.find<Item>(any_handle(a))->value, 1);
  // So in a program that makes the tables in another order and loads them.
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  Database other;
  auto& others_again = other.create_table<Item, TypedLayout>("others");
  auto& items_again = other.create_table<Item, TypedLayout>("items");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file.take())));
  EXPECT_EQ(others_again.find(a), nullptr);
  EXPECT_EQ(items_again.find(a)->value, 1);
  EXPECT_EQ(other.table_of(any_handle(a)), "items");
  EXPECT_EQ(other.find<Item>(any_handle(b))->value, 2);
}

TEST(HandleMap, B5_TheGenerationBeginsAtOneAndRisesWithEachTenant) {
  Items items(kAsThere);
  for (std::uint32_t expected = 1; expected < 100; ++expected) {
    const Id id = items.insert({});
    EXPECT_EQ(id.index(), 0u);
    EXPECT_EQ(id.generation(), expected);
    items.erase(id);
  }
  for (int i = 0; i < 70'000; ++i) items.erase(items.insert({}));
  EXPECT_GE(items.counters().retired_count, 1u) << "it never wraps to 0: the slot is retired";
}

TEST(HandleMap, B6_HolesAreFilledFirstFreedFirstUsed) {
  Items items(kAsThere);
  std::vector<Id> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(items.insert({i}));
  items.erase(ids[3]);
  items.erase(ids[1]);
  EXPECT_EQ(items.insert({}).index(), 3u);
  EXPECT_EQ(items.insert({}).index(), 1u);
  EXPECT_EQ(items.insert({}).index(), 5u) << "then it grows";
}

TEST(HandleMap, B7_ManyAreMadeAndErasedAtOnce) {
  Items items(kAsThere);
  std::vector<Id> ids(100);
  EXPECT_EQ(items.emplace_batch(100, ids, 7), 100u);
  EXPECT_EQ(items.at(ids[99]).value, 7);
  items.erase(ids[5]);
  EXPECT_EQ(items.erase_batch(ids), 99u) << "how many went";
  EXPECT_TRUE(items.empty());
  const std::vector<Item> more = {{1}, {2}, {3}};
  EXPECT_EQ(items.insert_batch(more, ids), 3u);
  EXPECT_EQ(items[ids[2]].value, 3);
}

TEST(HandleMap, B8_IdsAreAskedFoundAndPlaced) {
  Items items(kAsThere);
  const Id a = items.insert({1});
  const Id b = items.insert({2});
  EXPECT_TRUE(items.contains(a));
  EXPECT_EQ(items.at(b).value, 2);
  EXPECT_EQ(items[a].value, 1);
  EXPECT_EQ(items.position(b), 1u) << "the inner index";
  items.erase(a);
  EXPECT_FALSE(items.contains(a));
  EXPECT_THROW(static_cast<void>(items.at(a)), std::out_of_range);
  EXPECT_DEATH(static_cast<void>(items[a]), "stale");
  EXPECT_EQ(items.position(b), 0u) << "moved into the hole";
  EXPECT_EQ(items.handle_at(0), b) << "and back from the inner index";
  EXPECT_EQ(items.record_at(0), items.find(b));
  EXPECT_TRUE(items.handle_at(1).is_null());
}

TEST(HandleMap, B9_TheDenseSetAndWhatLiesBehindItCanBeRead) {
  Items items(kAsThere);
  std::vector<Id> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(items.insert({i}));
  items.erase(ids[4]);
  EXPECT_EQ(values(items), (std::vector<std::int32_t>{0, 1, 2, 3, 9, 5, 6, 7, 8}));
  EXPECT_EQ(items.begin().handle(), ids[0]);
  EXPECT_EQ(items.rbegin().handle(), ids[8]);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items.find(items.handle_at(i)), items.record_at(i));
    EXPECT_EQ(items.position(items.handle_at(i)), i);
  }
  EXPECT_GE(items.capacity(), 10u);
  EXPECT_EQ(items.counters().slot_count, 10u);
  EXPECT_EQ(items.counters().free_count, 1u);
  EXPECT_EQ(items.next_handle().index(), 4u) << "the front of the free list";
  std::uint32_t front = 0;
  detail::core_of(items).slots().read_free_list(0, {&front, 1});
  EXPECT_EQ(front, 4u);
}

TEST(HandleMap, B10_ClearKeepsTheSlotsAndResetForgetsThem) {
  Items items(kAsThere);
  const Id old = items.insert({1});
  items.clear();
  EXPECT_FALSE(items.contains(old));
  const Id fresh = items.insert({2});
  EXPECT_EQ(fresh.index(), old.index());
  EXPECT_NE(fresh, old) << "the stale handle stays detected";
  items.reset();
  EXPECT_EQ(items.counters().slot_count, 0u);
  EXPECT_EQ(items.insert({3}), old) << "as if new";
}

TEST(HandleMap, B11_ASortKeepsHandlesValidAndIsStable) {
  Items items(kAsThere);
  std::vector<Id> ids;
  for (int i = 0; i < 500; ++i) ids.push_back(items.insert({(i * 7919) % 50 * 1000 + i}));
  const auto by_thousands = [](const Item& a, const Item& b) {
    return a.value / 1000 < b.value / 1000;
  };
  items.sort(by_thousands);
  const auto sorted = values(items);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()))
      << "equal ones in the order of their making";
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(items.at(ids[i]).value % 1000, static_cast<int>(i));
}

// B12: an entity of components, and a scene graph.
struct Position {
  float x = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x));
  }
};
struct Node {
  TypedHandle<Node> parent;
  AnyHandle payload;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(parent), CEREAL_NVP(payload));
  }
};

TEST(HandleMap, B12_ComponentsAndSceneGraphsAreTablesOfTypedHandles) {
  Database db;
  auto& nodes = db.create_table<Node, TypedLayout>("nodes");
  auto& positions = db.create_table<Position, TypedLayout>("positions");
  auto& items = db.create_table<Item, TypedLayout>("items");
  const auto root = nodes.insert({});
  const auto child =
      nodes.insert({.parent = root, .payload = any_handle(positions.insert({2.5f}))});
  const auto other = nodes.insert({.parent = child, .payload = any_handle(items.insert({6}))});
  EXPECT_EQ(db.find<Position>(nodes.at(child).payload)->x, 2.5f);
  EXPECT_EQ(db.find<Item>(nodes.at(other).payload)->value, 6);
  EXPECT_EQ(db.find<Item>(nodes.at(child).payload), nullptr);
  EXPECT_EQ(nodes.at(nodes.at(other).parent).parent, root);
}

// B13: memory of the engine's own.
class CountingSource final : public PageSource {
 public:
  void* allocate(std::size_t size) noexcept override {
    bytes += size;
    return ::operator new(size, std::align_val_t(kPageAlignment), std::nothrow);
  }
  void deallocate(void* memory, std::size_t size) noexcept override {
    bytes -= size;
    ::operator delete(memory, std::align_val_t(kPageAlignment));
  }
  std::size_t bytes = 0;
};

TEST(HandleMap, B13_PagesComeFromTheEnginesOwnMemoryAndItemsMayHaveMetadata) {
  const auto source = std::make_shared<CountingSource>();
  {
    Database db({.page_source = source});
    auto& items = db.create_table<Item>("items");
    for (int i = 0; i < 100'000; ++i) items.insert({i});
    EXPECT_GT(source->bytes, 100'000 * (sizeof(Item) + 8));
    struct InBlobs;
    auto& blobs =
        db.create_blob_table<Item, DefaultLayout, InBlobs>("blobs", {.capacity_bytes = 1024});
    EXPECT_EQ(blobs.meta(blobs.insert({.value = 5}, 10).value())->value, 5);
  }
  EXPECT_EQ(source->bytes, 0u);
}

// Names of up to 15 bytes lie in the pages; longer ones are said to take memory from operator new.
TEST(HandleMap, B13_ShortNamesLieInPagesOfTheSource) {
  const auto source = std::make_shared<CountingSource>();
  Database db({.page_source = source});
  auto& items =
      db.create_table<Item>("items", {.storage = Storage::stable, .names = RecordNames::exact});
  const auto lies_in_itself = [&](std::string_view name) {
    const Handle<Item> handle = items.insert_named(name, Item{1});
    const std::string& stored = detail::core_of(items).names()->name(handle.index());
    const auto* const object = reinterpret_cast<const char*>(&stored);
    return stored == name && stored.data() >= object && stored.data() < object + sizeof stored;
  };
  EXPECT_TRUE(lies_in_itself("fifteen letters"));
  EXPECT_FALSE(lies_in_itself("a name that is too long for the object itself"));
}

}  // namespace
}  // namespace hdb::test
