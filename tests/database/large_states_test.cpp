// States of ordinary games that are large or monotonous save and load with the default limits; a
// few bytes that would become gigabytes do not load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/vector.hpp>

#include "format/sample.hpp"
#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/constants.hpp"
#include "support/records.hpp"

namespace hdb::test::large_states_test {

struct Fog {
  std::vector<std::uint8_t> seen = {};
  std::vector<std::uint8_t> noise = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(seen), CEREAL_NVP(noise));
  }
};

struct Wide {
  std::array<std::optional<double>, 4096> v = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

namespace {

using ::testing::HasSubstr;

Bytes saved(Database& db, const SaveOptions& options = {}) {
  MemorySink sink;
  const auto report = save(db.capture(), sink, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().message());
  return sink.take();
}

TEST(LargeStates, AMapThatNobodyHasExploredYet) {
  constexpr std::size_t kTiles = std::size_t{8192} * 8192 + 1;
  for (const Codec codec : {Codec::zstd, Codec::none}) {
    Database db;
    db.singleton<Fog>("fog").edit().seen.assign(kTiles, 0);
    SaveOptions options;
    options.write.codec = codec;
    const Bytes file = saved(db, options);
    EXPECT_LT(file.size(), codec == Codec::zstd ? 200'000u : kTiles);
    Database loaded;
    auto& fog = loaded.singleton<Fog>("fog");
    const auto report = loaded.load(std::make_unique<MemorySource>(file));
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(fog.get().seen.size(), kTiles);
    EXPECT_EQ(loaded.state_hash(), db.state_hash());
  }
}

TEST(LargeStates, ManyMoreTablesThanGamesHave) {
  const auto name = [](std::size_t i) { return "chunk_" + std::to_string(i); };
  Database db;
  db.register_family<std::uint8_t, TypedLayout>("chunk_");
  for (std::size_t i = 0; i < format::kMaxTables; ++i)
    db.create_table<std::uint8_t, TypedLayout>(name(i)).insert(1);
  Database loaded;
  loaded.register_family<std::uint8_t, TypedLayout>("chunk_");
  const auto report = loaded.load(std::make_unique<MemorySource>(saved(db)));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(loaded.table_names().size(), format::kMaxTables);
  EXPECT_EQ(loaded.state_hash(), db.state_hash());
  db.create_table<std::uint8_t, TypedLayout>(name(format::kMaxTables));
  MemorySink sink;
  const auto refused = save(db.capture(), sink);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("4097 tables; the limit is 4096 of a file"));
}

// 20,000 records whose optional values are all absent: 10 MB of content, 1.3 GB of records.
Bytes wide_optionals() {
  constexpr std::size_t kRecords = 20'000;
  MemoryImage image;
  Field array =
      node(FieldKind::array, "v", {node(FieldKind::optional, "", {leaf(FieldKind::f64)})});
  array.count = 4096;
  image.schema_list = {record({array})};
  SampleTable table;
  table.descriptor.name = "t";
  table.descriptor.policy.storage = Storage::stable;
  table.descriptor.group_shift = format::kMaxGroupShift;
  table.descriptor.slot_count = table.descriptor.live_count = kRecords;
  table.descriptor.highest_generation = 1;
  RowGroup& group = table.groups.emplace_back();
  group.states.assign(kRecords, 1);
  group.generations.assign(group.states.size(), 1);
  group.columns = {Bytes(group.states.size() * 4096 / 8), {}};
  image.add(std::move(table));
  image.gives_hashes = false;
  return written(image);
}

TEST(LoadMemory, ArraysCountBeforeAnyRecordIsMade) {
  const Bytes file = wide_optionals();
  EXPECT_LT(file.size(), 50'000u);
  Database db;
  auto& table = db.create_table<Wide>("t", {.storage = Storage::stable});
  const auto loaded = db.load(std::make_unique<MemorySource>(file));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::memory_budget);
  EXPECT_THAT(loaded.error().message(), HasSubstr("max_content_ratio"));
  EXPECT_EQ(table.size(), 0u);
  const auto imported = db.import_records(std::make_unique<MemorySource>(file));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::memory_budget);
}

TEST(LoadMemory, WhatALoadWouldRefuseIsNotSaved) {
  Database db;
  auto& table = db.create_table<Wide>("t", {.storage = Storage::stable});
  for (int i = 0; i < 100; ++i) table.insert({});  // 6.5 MB, for which a load may take 1 MB
  SaveOptions options;
  options.write.limits.max_memory_bytes = 1 << 20;
  MemorySink sink;
  const auto refused = save(db.capture(), sink, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::memory_budget);
  EXPECT_THAT(refused.error().message(), HasSubstr("for slots and records"));
  LoadOptions load;
  load.limits = options.write.limits;
  EXPECT_FALSE(db.load(std::make_unique<MemorySource>(saved(db)), load));
}

}  // namespace
}  // namespace hdb::test::large_states_test
