// Handles of any table, tables made and dropped at run time, families of them in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::typed_handles_test {
namespace {

using testing::ElementsAre;

struct Door {
  std::int32_t state = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(state));
  }
};
struct Torch {
  float fuel = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(fuel));
  }
};
/// What happened to whom: handles of several types in one list.
struct Event {
  std::vector<AnyHandle> subjects;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(subjects));
  }
};

Bytes saved(const Snapshot& snapshot) {
  MemorySink sink;
  EXPECT_TRUE(save(snapshot, sink));
  return sink.take();
}

Result<LoadReport> load(Database& db, const Bytes& bytes, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(bytes), options);
}

struct World {
  Database db;
  Table<Door, TypedLayout>& doors = db.create_table<Door, TypedLayout>("doors");
  Table<Torch, TypedLayout>& torches = db.create_table<Torch, TypedLayout>("torches");
  Table<Event>& events = db.create_table<Event>("events");
};

TEST(TypedHandles, AMessageOfATableNamesItOnce) {
  Database db;
  const auto& bosses = db.create_table<Door>("bosses");
  try {
    static_cast<void>(bosses.at({}));
    ADD_FAILURE() << "no exception";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "table 'bosses': the handle is null");
  }
}

TEST(TypedHandles, TheTypeIdFindsTheTableAndIsChecked) {
  World world;
  const AnyHandle door = any_handle(world.doors.insert({.state = 3}));
  const AnyHandle torch = any_handle(world.torches.insert({.fuel = 0.5f}));
  EXPECT_EQ(world.db.table_of(door), "doors");
  EXPECT_EQ(world.db.table_of(torch), "torches");
  EXPECT_EQ(world.db.find<Door>(door)->state, 3);
  EXPECT_EQ(world.db.find<Torch>(door), nullptr) << "another type";
  EXPECT_EQ(world.db.find<Torch>(torch)->fuel, 0.5f);
  EXPECT_EQ(world.doors.find(handle_as<Door>(torch)), nullptr) << "the id is another table's";
  world.db.edit<Door>(door)->state = 4;
  EXPECT_EQ(world.doors.find(handle_as<Door>(door))->state, 4);
  EXPECT_TRUE(world.db.contains(door));
  EXPECT_TRUE(world.db.erase(door));
  EXPECT_FALSE(world.db.erase(door));
  EXPECT_FALSE(world.db.contains(door));
  EXPECT_EQ(world.db.find<Door>(door), nullptr);
  EXPECT_EQ(world.db.edit<Door>(door), nullptr);
}

TEST(TypedHandles, NoBitsWhateverAreUndefined) {
  World world;
  const AnyHandle door = any_handle(world.doors.insert({}));
  for (unsigned bit = 0; bit < 64; ++bit) {
    const auto other = AnyHandle::from_bits(door.bits() ^ (std::uint64_t{1} << bit));
    EXPECT_FALSE(world.db.contains(other)) << bit;
    EXPECT_EQ(world.db.find<Door>(other), nullptr) << bit;
    EXPECT_FALSE(world.db.erase(other)) << bit;
  }
  EXPECT_FALSE(world.db.contains({}));
  EXPECT_TRUE(world.db.contains(door));
}

TEST(TypedHandles, ListsOfMixedHandlesAreFieldsAndAreSaved) {
  World world;
  const AnyHandle door = any_handle(world.doors.insert({.state = 1}));
  const AnyHandle torch = any_handle(world.torches.insert({}));
  const auto event = world.events.insert({.subjects = {torch, door, {}, torch}});
  const Snapshot snapshot = world.db.capture();
  World other;
  ASSERT_TRUE(load(other.db, saved(snapshot)));
  EXPECT_EQ(other.db.state_hash(), snapshot.state_hash());
  EXPECT_THAT(other.events.find(event)->subjects, ElementsAre(torch, door, AnyHandle(), torch));
  EXPECT_EQ(other.db.find<Door>(other.events.find(event)->subjects[1])->state, 1);
}

TEST(TypedHandles, SeveralTablesOfOneTypeAreToldApart) {
  Database db;
  auto& first = db.create_table<Door, TypedLayout>("level 1");
  auto& second = db.create_table<Door, TypedLayout>("level 2");
  const auto a = first.insert({.state = 1});
  const auto b = second.insert({.state = 2});
  EXPECT_EQ(a.index(), b.index());
  EXPECT_FALSE(first.contains(b));
  EXPECT_FALSE(second.contains(a));
  EXPECT_EQ(db.find<Door>(any_handle(a))->state, 1);
  EXPECT_EQ(db.find<Door>(any_handle(b))->state, 2);
  EXPECT_THAT(db.table_names(), ElementsAre("level 1", "level 2"));
}

TEST(TypedHandles, ABlobTableReportsTheTypeIdThatAFileOrRestoreGaveIt) {
  struct Mesh;
  struct Sound;
  const BlobOptions options{.capacity_bytes = 1024};
  Database from;
  const auto mesh = from.create_blob_table<Door, TypedLayout, Mesh>("mesh", options).insert({}, 8);
  from.create_blob_table<Door, TypedLayout, Sound>("sound", options);
  Database db;
  db.create_blob_table<Door, TypedLayout, Sound>("sound", options);
  auto& meshes = db.create_blob_table<Door, TypedLayout, Mesh>("mesh", options);
  const Snapshot before = db.capture();
  EXPECT_EQ(meshes.options().type_id, 2);
  ASSERT_TRUE(load(db, saved(from.capture())));
  EXPECT_EQ(meshes.options().type_id, 1);
  EXPECT_TRUE(meshes.contains(*mesh));
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(meshes.options().type_id, 2);
}

TEST(DroppedTables, TheirTypeIdIsNeverGivenAgain) {
  Database db;
  const auto old = any_handle(db.create_table<Door, TypedLayout>("level 1").insert({.state = 1}));
  EXPECT_TRUE(db.drop_table("level 1"));
  EXPECT_FALSE(db.drop_table("level 1"));
  EXPECT_FALSE(db.contains(old));
  EXPECT_EQ((db.find_table<Door, TypedLayout>("level 1")), nullptr);
  const auto fresh = any_handle(db.create_table<Door, TypedLayout>("level 1").insert({}));
  EXPECT_NE(fresh.type_id(), old.type_id());
  EXPECT_FALSE(db.contains(old)) << "a stale handle stays stale";
  EXPECT_TRUE(db.contains(fresh));
  EXPECT_EQ(db.check_invariants(), nullptr);
}

TEST(DroppedTables, TheHighestTypeIdIsStateAndIsSaved) {
  World world;
  world.db.create_table<Door, TypedLayout>("gone");
  const Snapshot with = world.db.capture();
  world.db.drop_table("gone");
  const Snapshot without = world.db.capture();
  EXPECT_NE(with.state_hash(), without.state_hash());
  World other;
  EXPECT_NE(other.db.state_hash(), without.state_hash()) << "other ids come next";
  ASSERT_TRUE(load(other.db, saved(without)));
  EXPECT_EQ(other.db.state_hash(), without.state_hash());
  const auto next = [](World& w) {
    return w.db.create_table<Torch, TypedLayout>("next").insert({}).type_id();
  };
  EXPECT_EQ(next(other), next(world));
}

TEST(DroppedTables, ARestoreBringsThemBack) {
  World world;
  const auto handle = world.db.create_table<Door, TypedLayout>("level 1").insert({.state = 9});
  const Snapshot before = world.db.capture();
  const Hash128 hash = before.state_hash();
  EXPECT_TRUE(world.db.drop_table("level 1"));
  world.doors.insert({});
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    ASSERT_TRUE(world.db.restore(before, {.mode = mode}));
    auto* const back = world.db.find_table<Door, TypedLayout>("level 1");
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(back->find(handle)->state, 9);
    EXPECT_EQ(world.db.find<Door>(any_handle(handle))->state, 9);
    if (mode == TimelineMode::exact) {
      EXPECT_EQ(world.db.state_hash(), hash);
    }
    EXPECT_EQ(world.db.check_invariants(), nullptr);
    EXPECT_TRUE(world.db.drop_table("level 1"));
  }
}

TEST(DroppedTables, TablesMadeSinceTheCaptureStayAndKeepTheirIds) {
  World world;
  const Snapshot before = world.db.capture();
  auto& later = world.db.create_table<Door, TypedLayout>("later");
  later.insert({.state = 1});
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_TRUE(later.empty());
  const auto door = any_handle(later.insert({.state = 2}));
  EXPECT_EQ(world.db.find<Door>(door)->state, 2);
  const auto next = any_handle(world.db.create_table<Torch, TypedLayout>("next").insert({}));
  EXPECT_GT(next.type_id(), door.type_id());
}

TEST(DroppedTables, ARestoreIsRefusedWhereAnotherTookTheirPlace) {
  Database db;
  db.create_table<Hero>("heroes");
  db.create_table<Unit>("units").insert({.hp = 1});
  const Snapshot before = db.capture();
  db.drop_table("units");
  auto& anew = db.create_table<Unit>("units");
  anew.insert({.hp = 2});
  const auto restored = db.restore(before);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::foreign_snapshot);
  EXPECT_THAT(restored.error().message(), testing::HasSubstr("created again"));
  EXPECT_EQ(anew.begin()->hp, 2) << "nothing changed";
  db.drop_table("units");
  db.create_table<Unit>("other name");
  EXPECT_FALSE(db.restore(before)) << "its handles are another table's now";
  db.drop_table("other name");
  EXPECT_TRUE(db.restore(before));
  EXPECT_EQ(db.find_table<Unit>("units")->begin()->hp, 1);
}

TEST(DroppedTables, ASnapshotOfThemCanStillBeSavedAndOutlivesAll) {
  Snapshot snapshot;
  {
    World world;
    world.db.create_table<Hero, TypedLayout>("party").insert({.name = "gone"});
    snapshot = world.db.capture();
    world.db.drop_table("party");
  }
  World other;
  auto& party = other.db.create_table<Hero, TypedLayout>("party");
  ASSERT_TRUE(load(other.db, saved(snapshot)));
  EXPECT_EQ(party.begin()->name, "gone");
}

// What a program wrote, with another highest type id.
class Claim final : public ImageSource {
 public:
  Claim(std::unique_ptr<ImageSource> image, std::uint16_t highest)
      : image_(std::move(image)), highest_(highest) {}
  const Metadata& metadata() const override { return image_->metadata(); }
  const Bytes& thumbnail() const override { return image_->thumbnail(); }
  const std::vector<Field>& schemas() const override { return image_->schemas(); }
  const std::vector<TableDescriptor>& tables() const override { return image_->tables(); }
  DatabaseDescriptor database() const override { return {highest_}; }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    return image_->read_group(table, group, with_hash, out);
  }
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    return image_->read_free_list(table, first, out);
  }

 private:
  std::unique_ptr<ImageSource> image_;
  std::uint16_t highest_;
};

TEST(TypedHandles, AFileThatClaimsToHaveGivenAllTypeIdsLeavesNoneToGive) {
  for (const std::uint16_t highest : {std::uint16_t{32767}, std::uint16_t{65535}}) {
    World world;
    MemorySink sink;
    ASSERT_TRUE(write_image(Claim(world.db.capture().image({}), highest), sink));
    ASSERT_TRUE(load(world.db, sink.bytes()));
    const auto made = world.db.try_create_table<Hero, TypedLayout>("party");
    ASSERT_FALSE(made) << "a type id of 0 would be none";
    EXPECT_EQ(made.error().code, ErrorCode::bad_options);
  }
}

TEST(Families, MakeTheTablesThatAFileHolds) {
  World game;
  game.db.create_table<Door, TypedLayout>("level 2", {.free_list = FreeList::fifo});
  const auto handle =
      game.db.create_table<Door, TypedLayout>("level 7", {.free_list = FreeList::fifo})
          .insert({.state = 7});
  game.db.drop_table("level 2");
  const Snapshot snapshot = game.db.capture();
  const Bytes file = saved(snapshot);

  World other;
  other.db.register_family<Door, TypedLayout>("level ", {.free_list = FreeList::fifo});
  const auto loaded = load(other.db, file);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_TRUE(loaded->unknown_tables.empty());
  EXPECT_EQ(other.db.find<Door>(any_handle(handle))->state, 7);
  EXPECT_EQ(other.db.state_hash(), snapshot.state_hash());

  World refusing;
  refusing.db.register_family<Door, TypedLayout>("level ");  // another policy than the file's
  const Hash128 untouched = refusing.db.state_hash();
  EXPECT_FALSE(load(refusing.db, file, {.allow_policy_changes = false}));
  EXPECT_EQ(refusing.db.state_hash(), untouched) << "and no table is left behind";
  EXPECT_EQ(refusing.db.table_names().size(), 3u);
}

}  // namespace
}  // namespace hdb::test::typed_handles_test
