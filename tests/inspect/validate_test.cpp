// validate: deep levels resolve every handle as the running database does; references are found
// wherever they are in a record.
#include "hdb/inspect/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "format/forge.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/swept_file.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Validation validated(const Bytes& file, ValidationLevel level) {
  ValidationOptions options;
  options.level = level;
  return validate(std::make_unique<MemorySource>(file), options);
}

TEST(Validate, ResolvesHandlesAsTheRunningDatabaseDoes) {
  std::size_t cases = 0;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    World world(Compaction::at_release, storage);
    Random random(5);
    world.churn(200, 7);
    for (const auto& handle : world.handles) {
      Unit* const unit = world.units.edit(handle);
      if (unit != nullptr) unit->target = world.handles[random.below(world.handles.size())];
      if (unit != nullptr && random.one_in(4)) unit->target = {};
    }
    world.churn(60, 8);
    ReferenceCount expected;
    for (const Unit& unit : world.units) {
      ++(!unit.target                        ? expected.null
         : world.units.contains(unit.target) ? expected.live
                                             : expected.stale);
    }
    const Validation found = validated(saved(world.db.capture()), ValidationLevel::deep);
    ASSERT_TRUE(found.is_valid()) << found.findings[0].error.message();
    ASSERT_EQ(found.references.size(), 2u);  // of units and heroes
    const ReferenceCount& target = found.references[1];
    EXPECT_EQ(found.table_names[target.table] + '.' + target.path, "units.target");
    EXPECT_EQ(target.live, expected.live);
    EXPECT_EQ(target.stale, expected.stale);
    EXPECT_EQ(target.null, expected.null);
    EXPECT_GT(expected.live * expected.stale * expected.null, 0u);
    cases += expected.live + expected.stale + expected.null;
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Validate, FindsAColumnThatIsNotWhatItsRawHashSays) {
  WriteOptions write;
  write.packs = false;
  const ForgedFile sound(build_swept(write));
  ASSERT_TRUE(validated(sound.sealed(), ValidationLevel::full).is_valid());
  std::size_t cases = 0;
  for (std::size_t block = 0; block < sound.blocks.size(); ++block) {
    if (static_cast<format::BlockType>(sound.blocks[block].head.info.type) !=
        format::BlockType::rows)
      continue;
    for (std::size_t i = 0; i < sound.chunks(block).size(); ++i) {
      ForgedFile forged = sound;
      auto chunks = forged.chunks(block);
      chunks[i].entry.info.raw_hash.low ^= 1;
      forged.set_chunks(block, chunks);
      const Validation found = validated(forged.sealed(), ValidationLevel::full);
      ASSERT_FALSE(found.is_valid()) << "chunk " << i << " of block " << block;
      EXPECT_EQ(found.findings[0].error.code, ErrorCode::raw_hash_mismatch);
      ++cases;
    }
  }
  EXPECT_GT(cases, 20u);
  std::printf("cases=%zu failures=0\n", cases);
}

// 64 of them make a row group.
struct Tile {
  std::array<std::uint32_t, 4096> cells = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(cells));
  }
};

struct Floor : Tile {};

std::string reported(const Validation& found) {
  std::string text = found.state_hash.value_or(Hash128{}).hex();
  for (const Finding& finding : found.findings)
    text += '\n' + finding.error.message() + " | " + finding.effect;
  return text;
}

TEST(ValidateThreads, FindTheSame) {
  Database db;
  auto& dense = db.create_table<Tile>("dense");
  auto& stable = db.create_table<Floor>("stable", {.storage = Storage::stable});
  std::vector<Handle<Tile>> handles;
  for (std::uint32_t i = 0; i < 640; ++i) {
    handles.push_back(dense.insert({{i}}));
    if (i % 2 == 0) stable.insert({{{i}}});
  }
  for (std::size_t i = 0; i < handles.size(); i += 7) dense.erase(handles[i]);
  const Bytes sound = saved(db.capture());
  const auto reader = Reader::open(std::make_unique<MemorySource>(sound)).value();
  ASSERT_GE(reader->tables()[0].group_count(), 8u) << "two threads must be worth it";
  std::vector<Bytes> files = {sound};
  std::size_t offset = 0;
  for (const BlockInfo& block : reader->blocks()) {
    if (++offset % 3 != 0) continue;
    files.push_back(sound);
    files.back()[block.offset + block.total_bytes / 2] ^= std::byte{0x10};
  }
  ASSERT_GE(files.size(), 5u);
  std::size_t bad = 0;
  for (const Bytes& file : files) {
    ValidationOptions options;
    options.level = ValidationLevel::deep;
    const Validation serial = validate(std::make_unique<MemorySource>(file), options);
    bad += serial.is_valid() ? 0 : 1;
    for (const unsigned threads : {2u, 5u}) {
      options.threads = threads;
      const Validation parallel = validate(std::make_unique<MemorySource>(file), options);
      EXPECT_EQ(reported(parallel), reported(serial));
    }
  }
  EXPECT_EQ(bad, files.size() - 1);
}

struct Picture {
  std::uint32_t width = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width));
  }
};

struct Wall {
  Strong<Picture> front;
  Handle<Wall> opposite;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(front), CEREAL_NVP(opposite));
  }
};

TEST(Validate, TellsAStrongHandleThatNamesNothing) {
  Database db;
  auto& pictures = db.create_table<Picture>("pictures");
  auto& walls = db.create_table<Wall>("walls");
  const Handle<Picture> picture = pictures.insert({});
  const Handle<Wall> wall = walls.insert({picture, {}});
  walls.insert({{}, wall});
  EXPECT_TRUE(validated(saved(db.capture()), ValidationLevel::deep).is_valid());
  pictures.erase(picture);
  const Bytes file = saved(db.capture());
  EXPECT_TRUE(validated(file, ValidationLevel::full).is_valid()) << "the file is not damaged";
  const Validation deep = validated(file, ValidationLevel::deep);
  ASSERT_EQ(deep.findings.size(), 1u);
  const Error& error = deep.findings[0].error;
  EXPECT_EQ(error.code, ErrorCode::dangling_strong);
  EXPECT_EQ(error.where, "table walls > field front");
  EXPECT_EQ(error.what,
            "1 strong handle does not name a live record; the first is walls:0@1.front names "
            "pictures:0@1");
  EXPECT_NE(error.offset, kNoOffset);
  walls.erase(wall);  // a weak handle to it is only counted
  const Validation weak = validated(saved(db.capture()), ValidationLevel::deep);
  EXPECT_TRUE(weak.is_valid());
  EXPECT_EQ(weak.references[1].stale, 1u);
  EXPECT_EQ(weak.references[1].first_stale, "walls:1@1.opposite names walls:0@1");
}

TEST(Validate, AStateHashIsGivenOnlyIfItWasComputed) {
  Database db;
  db.create_table<Unit>("units").insert({});
  const Bytes file = saved(db.capture());
  EXPECT_FALSE(validated(file, ValidationLevel::quick).state_hash);
  EXPECT_FALSE(validated(file, ValidationLevel::full).state_hash);
  EXPECT_EQ(validated(file, ValidationLevel::deep).state_hash, db.state_hash());
}

struct Nest {
  Handle<Unit> plain;
  std::vector<Handle<Unit>> list;
  std::array<Handle<Unit>, 2> pair;
  std::optional<Handle<Unit>> maybe;
  std::variant<std::int32_t, Handle<Unit>> either;
  std::map<std::int32_t, Handle<Unit>> named;
  std::vector<std::vector<Handle<Unit>>> deep;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(plain), CEREAL_NVP(list), CEREAL_NVP(pair), CEREAL_NVP(maybe), CEREAL_NVP(either),
      CEREAL_NVP(named), CEREAL_NVP(deep));
  }
};

TEST(References, AreFoundWhereverTheyStand) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  auto& nests = db.create_table<Nest>("nests");
  const Handle<Unit> unit = units.insert({});
  nests.insert({});
  nests.insert({unit, {{}, unit}, {unit, {}}, unit, unit, {{4, unit}}, {{}, {{}, unit}}});
  const Bytes file = saved(db.capture());
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  std::vector<std::string> paths;
  std::size_t nulls = 0;
  ASSERT_TRUE(for_each_reference(**reader, 0, [&](const Reference& reference) {
    if (reference.bits == 0) {
      ++nulls;
    } else {
      EXPECT_EQ(reference.bits, unit.bits());
      EXPECT_EQ(reference.slot, 1u);
      paths.push_back(reference.path());
    }
    return true;
  }));
  EXPECT_THAT(paths, ElementsAre("plain", "list[1]", "pair[0]", "maybe", "either<1>",
                                 "named[0].value", "deep[1][1]"));
  EXPECT_EQ(nulls, 6u);
  std::size_t seen = 0;
  ASSERT_TRUE(for_each_reference(**reader, 0, [&](const Reference&) { return ++seen < 4; }));
  EXPECT_EQ(seen, 4u) << "until the visitor wants no more";
}

}  // namespace
}  // namespace hdb::test
