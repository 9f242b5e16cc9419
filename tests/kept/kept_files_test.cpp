// Kept parts of large and of damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "format/forge.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/validate.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_test {

// Wide, so that few records make several row groups; the older build chooses larger groups.
template <bool New>
struct Chunk : OnlyIf<New, NewUnit> {
  std::int32_t a = 0;
  std::array<std::int32_t, New ? 512 : 4> cells = {};
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
    if constexpr (New) archive(cereal::make_nvp("notes", this->notes));
    archive(CEREAL_NVP(cells));
  }
};

struct Forecast {
  Handle<Weather> weather = {};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(weather));
  }
};

namespace {

using testing::HasSubstr;

TEST(KeptFiles, ThreadsKeepManyGroupsOfAnySize) {
  Database now;
  auto& chunks = now.create_table<Chunk<true>>("chunks");
  auto& others = now.create_table<Chunk<true>, TypedLayout>("others");
  for (int i = 0; i < 3000; ++i) {
    Chunk<true> chunk;
    chunk.a = i;
    chunk.notes.assign(static_cast<std::size_t>(i % 3), std::to_string(i));
    chunk.cells[511] = i;
    chunks.insert(chunk);
    others.insert(chunk);
  }
  for (int i = 0; i < 500; ++i) chunks.erase(chunks.handle_at(static_cast<std::uint64_t>(i) * 3));
  const Bytes file = saved(now.capture());
  for (const unsigned threads : {1u, 4u}) {
    Database old;
    auto& old_chunks = old.create_table<Chunk<false>>("chunks");
    const auto report = load(old, file, {.threads = threads, .keep_unknown = true});
    ASSERT_TRUE(report) << report.error().message();
    for (int i = 0; i < 700; ++i) old_chunks.insert({});
    const Bytes visited = saved(old.capture(), {.write = {.threads = threads}});
    const Validation found =
        validate(std::make_unique<MemorySource>(visited), {.level = ValidationLevel::deep});
    EXPECT_TRUE(found.findings.empty());
    EXPECT_EQ(found.state_hash, old.state_hash());

    Database back;
    auto& back_chunks = back.create_table<Chunk<true>>("chunks");
    auto& back_others = back.create_table<Chunk<true>, TypedLayout>("others");
    ASSERT_TRUE(load(back, visited));
    ASSERT_EQ(back_chunks.size(), 3200u);
    for (const auto& [handle, chunk] : chunks.entries()) {
      const Chunk<true>& same = back_chunks.at(handle);
      ASSERT_EQ(same.a, chunk.a);
      ASSERT_EQ(same.notes, chunk.notes);
      ASSERT_EQ(same.cells, chunk.cells);
    }
    ASSERT_EQ(back_others.size(), 3000u);
    for (const auto& [handle, chunk] : others.entries())
      ASSERT_EQ(back_others.at(handle).cells, chunk.cells);
  }
}

// A file with a table of quests, a free slot among them.
Bytes file_with_quests(bool packs) {
  Database now;
  auto& quests = now.create_table<Quest>("quests");
  for (int i = 0; i < 10; ++i) quests.insert({std::to_string(i), {i}});
  quests.erase(quests.handle_at(3));
  quests.erase(quests.handle_at(3));
  now.create_table<Plain<true>>("zones").insert({});
  return saved(now.capture(), {.write = {.packs = packs}});
}

TEST(KeptFiles, AKeptTableIsCheckedWhole) {
  const Bytes file = file_with_quests(false);
  ForgedFile forged(file);
  const std::size_t block = forged.find(format::BlockType::free_list, 0);
  Bytes list(8);
  list[4] = std::byte{1};
  forged.set_column(block, 0, list);  // slots 0 and 1, which are live
  Database old;
  old.create_table<Plain<false>>("zones").insert({});
  const Hash128 before = old.state_hash();
  const auto refused = load(old, forged.sealed(), kKeep);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_free_list);
  EXPECT_THAT(refused.error().message(), HasSubstr("table 'quests'"));
  EXPECT_EQ(old.state_hash(), before);
  EXPECT_TRUE(load(old, forged.sealed())) << "without the flag only hashes count";

  ForgedFile rows(file);
  const std::size_t states = rows.find(format::BlockType::rows, 0);
  rows.set_column(states, 0, Bytes(10, std::byte{1}));
  EXPECT_FALSE(load(old, rows.sealed(), kKeep));
}

TEST(KeptFiles, WhatNoSaveCouldHoldIsRefused) {
  Database now;
  now.create_table<Plain<true>>("zones").insert({});
  now.singleton<Quest>("weather");
  now.find_table<Quest>("weather")->clear();
  MemorySink sink;  // not by save, which refuses it
  ASSERT_TRUE(write_image(*now.capture().image({}), sink));
  Database old;
  old.create_table<Plain<false>>("zones");
  const auto empty = load(old, sink.bytes(), kKeep);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::storage_mismatch);

  Database crowded;
  crowded.create_table<Plain<false>>("zones");
  for (std::size_t i = 1; i < format::kMaxTables; ++i)
    crowded.create_table<Plain<false>, TypedLayout>("table " + std::to_string(i));
  const auto many = load(crowded, file_with_quests(true), kKeep);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(load(crowded, file_with_quests(true)));
}

// Else a load of the next save could not keep the first of the two any more.
TEST(KeptFiles, ATableThatAKeptOneNamesHasTheSameHandles) {  // TL4
  Database now;
  now.create_table<Plain<true>>("zones");
  now.create_table<Weather>("weathers").insert({});
  now.create_table<Forecast>("forecasts").insert({});
  Database old;
  old.create_table<Plain<false>>("zones");
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  const auto refused = old.try_create_table<Quest, Layout<16, 16>>("weathers");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_options);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("table 'forecasts', which the last load kept: the handles of field "
                        "'weather' are <32,31>, but those of table 'weathers' are <16,16>"));
  EXPECT_TRUE((old.try_create_table<Quest, Layout<16, 16>>("others")));
  EXPECT_TRUE((old.try_create_table<Quest>("weathers")));
  EXPECT_TRUE(load(old, saved(old.capture()), kKeep));
}

TEST(KeptFiles, ADamagedByteIsFoundWhereverItIs) {
  for (const bool packs : {false, true}) {
    const Bytes file = file_with_quests(packs);
    Database old;
    old.create_table<Plain<false>>("zones").insert({});
    const Hash128 before = old.state_hash();
    std::size_t refused = 0;
    for (std::size_t at = 0; at < file.size(); ++at) {
      Bytes damaged = file;
      damaged[at] ^= std::byte{0x10};
      if (load(old, damaged, kKeep)) continue;
      ++refused;
      ASSERT_EQ(old.state_hash(), before) << "byte " << at;
    }
    EXPECT_GE(refused + 64, file.size());  // bytes of the file id and the like
  }
}

TEST(KeptFiles, ATableThatTheNewerProgramRenamedComesBack) {
  Database now;
  const auto imp = now.create_table<Plain<true>>("enemies").insert({});
  now.find_table<Plain<true>>("enemies")->edit(imp)->weight = 9;
  now.create_table<Quest>("quests");
  now.declare_table_rename({.old_name = "monsters", .new_name = "enemies"});
  Database old;
  auto& monsters = old.create_table<Plain<false>>("monsters");
  old.create_table<Quest>("quests");
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  ASSERT_TRUE(load(now, saved(old.capture())));
  EXPECT_EQ(now.find_table<Plain<true>>("enemies")->at(imp).weight, 9);
  monsters.insert({});
  const auto refused = load(now, saved(old.capture()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rename_conflict);
}

}  // namespace
}  // namespace hdb::test::kept_test
