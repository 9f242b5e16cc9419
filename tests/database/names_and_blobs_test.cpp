// Names, blobs and unfinished sorts through capture, restore, save and load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace {

class NamesAndBlobs : public testing::TestWithParam<std::tuple<Compaction, Storage>> {};

TEST_P(NamesAndBlobs, AreRestoredExactly) {
  World world(std::get<0>(GetParam()), std::get<1>(GetParam()));
  world.churn(300, 3);
  const Snapshot before = world.db.capture();
  const Hash128 hash = before.state_hash();
  const std::byte* const buffer = world.meshes.bytes().data();
  world.churn(300, 4);
  const Snapshot after = world.db.capture();
  const Hash128 hash_after = after.state_hash();
  EXPECT_NE(hash, hash_after);
  ASSERT_TRUE(world.db.restore(before));
  world.expect_sound();
  EXPECT_EQ(world.meshes.bytes().data(), buffer) << "the buffer never moves";
  EXPECT_EQ(world.db.state_hash(), hash);
  ASSERT_TRUE(world.db.restore(after));
  world.expect_sound();
  EXPECT_EQ(world.db.state_hash(), hash_after);
}

TEST_P(NamesAndBlobs, AreSavedAndLoadedExactlyAndHaveAnEqualFuture) {
  World world(std::get<0>(GetParam()), std::get<1>(GetParam()));
  world.churn(400, 5);
  const Snapshot snapshot = world.db.capture();
  const Hash128 id{1, 2};
  const Bytes one = saved(snapshot, {.write = {.threads = 1, .file_id = id}});
  EXPECT_EQ(one, saved(snapshot, {.write = {.threads = 3, .file_id = id}}))
      << "the same bytes from any number of threads";
  World other(std::get<0>(GetParam()), std::get<1>(GetParam()));
  LoadOptions options;
  options.threads = 2;
  options.verify_state_hash = true;
  const auto loaded = other.db.load(std::make_unique<MemorySource>(one), options);
  ASSERT_TRUE(loaded) << loaded.error().message();
  other.expect_sound();
  EXPECT_EQ(other.db.state_hash(), snapshot.state_hash());
  EXPECT_TRUE(std::ranges::equal(other.meshes.bytes(), world.meshes.bytes()));
  for (const auto& [handle, unit] : world.units.entries()) {
    EXPECT_EQ(other.units.name(handle), world.units.name(handle));
    if (world.units.name(handle).empty()) continue;
    EXPECT_EQ(other.units.find_named(world.units.name(handle)), handle);
  }
  other.blocks = world.blocks;
  other.handles = world.handles;
  world.churn(300, 6);
  other.churn(300, 6);
  EXPECT_EQ(other.blocks, world.blocks) << "the same handles are issued";
  EXPECT_EQ(other.handles, world.handles);
  EXPECT_EQ(other.db.state_hash(), world.db.state_hash());
  other.expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Kinds, NamesAndBlobs,
                         testing::Combine(testing::Values(Compaction::at_release,
                                                          Compaction::on_demand),
                                          testing::Values(Storage::dense, Storage::stable)));

TEST(Names, ARenameAloneChangesTheStateHash) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    World world(Compaction::at_release, storage);
    world.churn(100, 8);
    const Hash128 before = world.db.state_hash();
    const auto handle = world.units.begin().handle();
    const std::string name(world.units.name(handle));
    ASSERT_TRUE(world.units.rename(handle, "somebody else"));
    const Hash128 renamed = world.db.state_hash();
    EXPECT_NE(renamed, before);
    ASSERT_TRUE(world.units.rename(handle, name));
    EXPECT_EQ(world.db.state_hash(), before);
  }
}

TEST(Blobs, AByteOfABlockChangesTheStateHash) {
  World world;
  world.churn(50, 9);
  const auto block = world.meshes.insert({}, pattern(100, 1)).value();
  const Hash128 before = world.db.state_hash();
  world.meshes.edit(block)[99] ^= std::byte{1};
  EXPECT_NE(world.db.state_hash(), before);
  world.meshes.edit(block)[99] ^= std::byte{1};
  EXPECT_EQ(world.db.state_hash(), before);
}

TEST(Blobs, MayHaveNamesToo) {
  const BlobOptions options{.capacity_bytes = 4096, .names = RecordNames::ignore_case};
  Database db;
  auto& meshes = db.create_blob_table<Mesh>("meshes", options);
  const auto imp = meshes.insert_named("Imp", {.vertices = 5}, pattern(100, 1)).value();
  EXPECT_EQ(meshes.find_named("IMP"), imp);
  EXPECT_EQ(meshes.insert_named("imp", {}, pattern(1, 1)).error().code, ErrorCode::duplicate_name);
  const auto other = meshes.insert({}, pattern(10, 2)).value();
  EXPECT_TRUE(meshes.rename(other, "other"));
  EXPECT_FALSE(meshes.rename(other, "imp"));
  const Snapshot snapshot = db.capture();
  meshes.erase(imp);
  EXPECT_FALSE(meshes.find_named("imp"));
  Database second;
  auto& loaded = second.create_blob_table<Mesh>("meshes", options);
  ASSERT_TRUE(second.load(std::make_unique<MemorySource>(saved(snapshot))));
  EXPECT_EQ(second.state_hash(), snapshot.state_hash());
  EXPECT_EQ(loaded.find_named("imp"), imp);
  EXPECT_EQ(loaded.name(other), "other");
  EXPECT_EQ(loaded.meta(imp)->vertices, 5u);
  EXPECT_EQ(second.check_invariants(), nullptr);
}

TEST(Blobs, MetadataOfTheWrongTypeIsNotGiven) {
  World world;
  EXPECT_NE(world.db.find_blob_table<Mesh>("meshes"), nullptr);
  EXPECT_EQ(world.db.find_blob_table<Unit>("meshes"), nullptr);
  EXPECT_EQ(world.db.find_table<Mesh>("meshes"), nullptr) << "not a table of records";
  Database other;
  other.create_blob_table<Hero>("meshes", {.capacity_bytes = 1u << 20, .alignment = 32});
  world.churn(20, 1);
  const Bytes file = saved(world.db.capture());
  const auto loaded = other.load(std::make_unique<MemorySource>(file));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::type_mismatch);
}

TEST(Handles, OfAnotherDatabaseAreNeverUndefined) {
  World one;
  World two;
  one.churn(200, 1);
  two.churn(50, 2);
  for (const auto handle : one.handles) {
    static_cast<void>(two.units.find(handle));
    static_cast<void>(two.units.name(handle));
    two.units.rename(handle, "");
    if (handle.index() % 2 == 0) two.units.erase(handle);
  }
  for (const auto block : one.blocks) {
    static_cast<void>(two.meshes.find(block));
    two.meshes.erase(block);
  }
  two.expect_sound();
}

TEST(Names, OtherRulesThanTheFilesKeepTheNames) {
  World world;
  world.churn(20, 1);
  const Bytes file = saved(world.db.capture());
  Database other;
  auto& units = other.create_table<Unit>("units", {.names = RecordNames::exact});
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file)));
  EXPECT_EQ(units.size(), world.units.size());
  for (const auto handle : world.handles) EXPECT_EQ(units.name(handle), world.units.name(handle));
}

TEST(Blobs, AnotherBufferThanTheFilesIsRefused) {
  World world;
  world.churn(20, 1);
  const Bytes file = saved(world.db.capture());
  for (const BlobOptions& options :
       {BlobOptions{.capacity_bytes = 1u << 19, .alignment = 32},
        BlobOptions{.capacity_bytes = 1u << 20, .alignment = 16},
        BlobOptions{
            .capacity_bytes = 1u << 20, .alignment = 32, .compaction = Compaction::on_demand}}) {
    Database other;
    other.create_blob_table<Mesh>("meshes", options);
    const auto loaded = other.load(std::make_unique<MemorySource>(file));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::storage_mismatch);
  }
  Database other;
  EXPECT_EQ(other.try_create_blob_table<Mesh>("meshes", {.capacity_bytes = 5, .alignment = 3})
                .error()
                .code,
            ErrorCode::bad_options);
}

struct Cheat {
  int value = 0;
  template <class A>
  void serialize(A& a) {
    a(cereal::make_nvp("@name", value));
  }
};

TEST(Names, FieldsThatLookLikeThemAreRefused) {
  Database db;
  const auto made = db.try_create_table<Cheat>("cheats");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::refused_type);
}

TEST(Sorting, IsGoneOnWithAfterALoad) {
  const auto by_hp = [](const Unit& a, const Unit& b) { return a.hp < b.hp; };
  Database db;
  auto& units = db.create_table<Unit>("units");
  Random random(4);
  for (int i = 0; i < 3000; ++i) units.insert({.hp = static_cast<std::int32_t>(random.below(500))});
  EXPECT_FALSE(units.sort_step(by_hp, 4000));
  const Snapshot middle = db.capture();
  Database other;
  auto& others = other.create_table<Unit>("units");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(saved(middle))));
  EXPECT_EQ(other.state_hash(), middle.state_hash());
  bool done = false;
  for (int step = 0; !done; ++step) {
    ASSERT_LT(step, 10'000);
    done = units.sort_step(by_hp, 500);
    ASSERT_EQ(others.sort_step(by_hp, 500), done);
    if (step % 10 == 0 || done) {
      ASSERT_EQ(other.state_hash(), db.state_hash()) << step;
    }
  }
  EXPECT_TRUE(std::is_sorted(units.begin(), units.end(), by_hp));
  const Snapshot sorted = db.capture();
  Database third;
  auto& thirds = third.create_table<Unit>("units");
  ASSERT_TRUE(third.load(std::make_unique<MemorySource>(saved(sorted))));
  EXPECT_TRUE(thirds.sort_step(by_hp, 1)) << "that it is sorted is known after a load too";
}

}  // namespace
}  // namespace hdb::test
