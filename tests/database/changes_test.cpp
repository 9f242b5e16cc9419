// changes_between: what was created, erased and changed, against a map kept beside; and the same
// from restore and load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::changes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Random {
  std::uint64_t state = 17;
  std::uint64_t below(std::uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  }
};

struct World {
  explicit World(Storage storage = Storage::dense, RecordNames names = RecordNames::none)
      : units(db.create_table<Unit>("units", {.storage = storage, .names = names})),
        heroes(db.create_table<Hero>("heroes", {.storage = storage})) {}
  Database db;
  Table<Unit>& units;
  Table<Hero>& heroes;
};

// What a table holds, by handle.
std::map<std::uint64_t, std::string> content(const World& world) {
  std::map<std::uint64_t, std::string> all;
  for (const auto& [handle, unit] : world.units.entries()) {
    all[handle.bits()] =
        std::to_string(unit.hp) + "/" +
        (world.units.has_names() ? std::string(world.units.name(handle)) : std::string());
  }
  return all;
}

TableChanges expected(const std::map<std::uint64_t, std::string>& before,
                      const std::map<std::uint64_t, std::string>& after) {
  TableChanges changes;
  const auto by_slot = [](std::uint64_t a, std::uint64_t b) {
    return std::pair(a & 0xffff'ffffu, a) < std::pair(b & 0xffff'ffffu, b);
  };
  for (const auto& [handle, text] : before) {
    const auto other = after.find(handle);
    if (other == after.end())
      changes.erased.push_back(handle);
    else if (other->second != text)
      changes.changed.push_back(handle);
  }
  for (const auto& entry : after) {
    if (!before.contains(entry.first)) changes.created.push_back(entry.first);
  }
  for (auto* list : {&changes.created, &changes.erased, &changes.changed}) {
    std::sort(list->begin(), list->end(), by_slot);
  }
  return changes;
}

class ChangesModel : public testing::TestWithParam<std::tuple<Storage, RecordNames>> {};

TEST_P(ChangesModel, AnyTwoMomentsAreToldApartExactly) {
  const auto [storage, names] = GetParam();
  World world(storage, names);
  Random random;
  std::vector<Handle<Unit>> handles;
  struct Moment {
    Snapshot snapshot;
    std::map<std::uint64_t, std::string> content;
  };
  std::vector<Moment> moments;
  std::size_t cases = 0;
  std::size_t told = 0;
  for (int step = 0; step < 12; ++step) {
    const std::uint64_t count = step % 3 == 0 ? 3000 : 5;  // many pages, or a few records of a page
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t what = random.below(10);
      if (what < 5 || handles.empty()) {
        Unit unit;
        unit.hp = static_cast<std::int32_t>(random.below(1000));
        handles.push_back(names == RecordNames::none
                              ? world.units.insert(unit)
                              : world.units.insert_named("u" + std::to_string(random.state), unit));
        continue;
      }
      const Handle<Unit> handle = handles[random.below(handles.size())];
      if (what < 7)
        world.units.erase(handle);
      else if (what == 7 && names != RecordNames::none)
        world.units.rename(handle, "r" + std::to_string(random.state));
      else if (Unit* const unit = world.units.edit(handle))
        unit->hp ^= static_cast<int>(i & 1);
    }
    if (step == 8) world.units.clear();
    moments.push_back({world.db.capture(), content(world)});
    for (std::size_t k = 0; k < moments.size(); ++k) {
      for (const bool forward : {true, false}) {
        const Moment& a = forward ? moments[k] : moments.back();
        const Moment& b = forward ? moments.back() : moments[k];
        const Changes changes = changes_between(a.snapshot, b.snapshot);
        const TableChanges wanted = expected(a.content, b.content);
        const TableChanges& found = changes.of("units");
        ASSERT_EQ(found.created, wanted.created);
        ASSERT_EQ(found.erased, wanted.erased);
        ASSERT_EQ(found.changed, wanted.changed);
        ASSERT_EQ(changes.empty(), wanted.empty());
        told += found.changed.size();
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 100u);
  EXPECT_GT(told, 100u);
}
INSTANTIATE_TEST_SUITE_P(Tables, ChangesModel,
                         testing::Combine(testing::Values(Storage::dense, Storage::stable),
                                          testing::Values(RecordNames::none, RecordNames::exact)));

TEST(Changes, RecordsWithContainersAreComparedByValue) {
  World world;
  std::vector<Handle<Hero>> heroes;
  for (int i = 0; i < 500; ++i) heroes.push_back(world.heroes.insert({.name = std::to_string(i)}));
  const Snapshot before = world.db.capture();
  world.heroes.edit(heroes[3])->items.push_back(1);
  world.heroes.edit(heroes[4])->name = "4";  // written, and the same
  const Changes changes = changes_between(before, world.db.capture());
  EXPECT_THAT(handles_as<Handle<Hero>>(changes.of("heroes").changed), ElementsAre(heroes[3]));
  EXPECT_EQ(changes.tables.size(), 1u);
  EXPECT_TRUE(changes.of("no such table").empty());
}

TEST(Changes, ARecordFarFromItsSlotInTheDenseOrderIsFound) {
  World world;
  std::vector<Handle<Unit>> units;
  for (int i = 0; i < 10'000; ++i) units.push_back(world.units.insert({.hp = i}));
  world.units.sort([](const Unit& a, const Unit& b) { return a.hp > b.hp; });
  const Snapshot before = world.db.capture();
  world.units.edit(units[7])->hp = -1;
  EXPECT_THAT(changes_between(before, world.db.capture()).of("units").changed,
              ElementsAre(units[7].bits()));
}

TEST(Changes, PaddingIsNoChange) {
  World world;
  const auto handle = world.units.insert({.hp = 1});
  const Snapshot before = world.db.capture();
  auto* const bytes = reinterpret_cast<unsigned char*>(world.units.edit(handle));
  bytes[offsetof(Unit, kind) + 1] ^= 0xff;
  EXPECT_TRUE(changes_between(before, world.db.capture()).empty());
}

TEST(Changes, BytesAndOffsetsOfBlobsCount) {
  Database db;
  auto& blobs = db.create_blob_table<Unit>(
      "blobs", {.capacity_bytes = 1u << 20, .compaction = Compaction::at_release});
  const Bytes bytes(1000, std::byte{1});
  const auto a = *blobs.insert({}, bytes);
  const auto b = *blobs.insert({}, bytes);
  const auto c = *blobs.insert({}, bytes);
  const Snapshot first = db.capture();
  blobs.edit(b)[999] = std::byte{2};
  const Snapshot second = db.capture();
  blobs.erase(a);  // the others move
  const Snapshot third = db.capture();
  EXPECT_THAT(handles_as<Handle<Unit>>(changes_between(first, second).of("blobs").changed),
              ElementsAre(b));
  const Changes moved = changes_between(second, third);
  EXPECT_THAT(handles_as<Handle<Unit>>(moved.of("blobs").changed), ElementsAre(b, c));
  EXPECT_THAT(handles_as<Handle<Unit>>(moved.of("blobs").erased), ElementsAre(a));
  EXPECT_TRUE(changes_between(third, third).empty());
}

TEST(Changes, TablesThatOneSideLacksAreCreatedOrErasedWhole) {
  Database db;
  db.create_table<Clock>("kept").insert({});
  const Snapshot before = db.capture();
  const auto made = db.create_table<Hero>("level 1").insert({});
  const Snapshot after = db.capture();
  EXPECT_THAT(changes_between(before, after).of("level 1").created, ElementsAre(made.bits()));
  EXPECT_THAT(changes_between(after, before).of("level 1").erased, ElementsAre(made.bits()));
  EXPECT_EQ(changes_between(Snapshot(), after).tables.size(), 2u);
  EXPECT_TRUE(changes_between(Snapshot(), Snapshot()).empty());
  // Another form under one name.
  db.drop_table("level 1");
  const auto other = db.create_table<Unit>("level 1").insert({});
  const Changes replaced = changes_between(after, db.capture());
  EXPECT_THAT(replaced.of("level 1").erased, ElementsAre(made.bits()));
  EXPECT_THAT(replaced.of("level 1").created, ElementsAre(other.bits()));
}

TEST(Changes, SnapshotsOfTwoDatabasesAreComparedByValue) {
  World a;
  World b;
  for (World* const world : {&a, &b}) {
    for (int i = 0; i < 3000; ++i) world->units.insert({.hp = i});
  }
  const auto odd = b.units.insert({.hp = 0});
  ASSERT_EQ(a.units.insert({.hp = 0}), odd);
  EXPECT_TRUE(changes_between(a.db.capture(), b.db.capture()).empty());
  b.units.edit(odd)->hp = -1;
  EXPECT_THAT(changes_between(a.db.capture(), b.db.capture()).of("units").changed,
              ElementsAre(odd.bits()));
}

struct Fragile {
  std::int32_t value = 0;
  std::vector<std::int32_t> more = {};
  static inline bool throws = false;
  template <class A>
  void serialize(A& a) {
    if (throws) throw std::runtime_error("fragile");
    a(CEREAL_NVP(value), CEREAL_NVP(more));
  }
};

TEST(Changes, ARecordThatCannotBeComparedCountsAsChanged) {
  Database db;
  auto& table = db.create_table<Fragile>("fragile");
  const auto handle = table.insert({});
  const Snapshot before = db.capture();
  table.edit(handle)->value = 0;
  Fragile::throws = true;
  const Changes changes = changes_between(before, db.capture());
  Fragile::throws = false;
  EXPECT_THAT(changes.of("fragile").changed, ElementsAre(handle.bits()));
}

TEST(Changes, RestoreAndLoadTellWhatTheyDid) {
  World world;
  const auto kept = world.units.insert({.hp = 1});
  const auto lost = world.units.insert({.hp = 2});
  const Snapshot before = world.db.capture();
  MemorySink sink;
  ASSERT_TRUE(save(before, sink));
  const Bytes file = sink.take();
  const Bytes garbage(10);
  for (const bool from_file : {false, true}) {
    world.units.edit(kept)->hp = 10;
    world.units.erase(lost);
    const auto fresh = world.heroes.insert({.name = "fresh"});
    Changes changes;
    if (from_file) {
      LoadOptions options;
      options.changes = &changes;
      ASSERT_TRUE(world.db.load(std::make_unique<MemorySource>(file), options));
    } else {
      ASSERT_TRUE(world.db.restore(before, {.changes = &changes}));
    }
    EXPECT_THAT(changes.of("units").changed, ElementsAre(kept.bits()));
    EXPECT_THAT(changes.of("units").created, ElementsAre(lost.bits()));
    EXPECT_THAT(changes.of("heroes").erased, ElementsAre(fresh.bits()));
    // One that fails leaves the list alone.
    const Changes told = changes;
    LoadOptions options;
    options.changes = &changes;
    EXPECT_FALSE(world.db.load(std::make_unique<MemorySource>(garbage), options));
    EXPECT_FALSE(world.db.restore(Snapshot(), {.changes = &changes}));
    EXPECT_EQ(changes.tables.size(), told.tables.size());
  }
}

}  // namespace
}  // namespace hdb::test::changes_test
