// Lost columns: what is kept of their records, and what other saves supply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/sanitizers.hpp"
#include "format/forge.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/salvage_tools.hpp"
#include "inspect/swept_file.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/source_folder.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace salvage_neighbours_test {
namespace {

using testing::HasSubstr;

#if HDB_HAS_ASAN
constexpr std::uint64_t kFewer = 23;
#else
constexpr std::uint64_t kFewer = 5;
#endif

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<const Reader> opened(const Bytes& file) {
  auto reader = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  EXPECT_TRUE(reader) << reader.error().message();
  return *std::move(reader);
}

void flip(Bytes& file, std::uint64_t at) { file[static_cast<std::size_t>(at)] ^= std::byte{0x40}; }

// A copy of a file in which the chunk of a column is damaged.
Bytes with_lost_column(const Bytes& file, std::size_t table, std::uint64_t group,
                       const std::string& path) {
  const auto reader = opened(file);
  const std::vector<Column> columns = columns_of(reader->schemas()[reader->tables()[table].schema]);
  Bytes damaged = file;
  const auto chunks = reader->chunks(table, group);
  for (const ChunkInfo& chunk : *chunks) {
    if (chunk.column >= format::kFirstSchemaColumn && chunk.stored_bytes != 0 &&
        columns[chunk.column - format::kFirstSchemaColumn].path == path)
      flip(damaged, chunk.offset);
  }
  EXPECT_NE(damaged, file) << path;
  return damaged;
}

// The values of a field by slot, as JSON.
std::map<std::uint64_t, std::string> values_of(const Bytes& file, std::size_t table,
                                               const std::string& path) {
  std::map<std::uint64_t, std::string> values;
  const auto reader = opened(file);
  const TableDescriptor& descriptor = reader->tables()[table];
  RowDecoder decoder(reader->schemas()[descriptor.schema]);
  RowGroup group;
  Value row;
  for (std::uint64_t g = 0; g < descriptor.group_count(); ++g) {
    EXPECT_TRUE(reader->read_group(table, g, group));
    decoder.begin(group.columns);
    for (std::size_t i = 0; i < group.states.size(); ++i) {
      if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
      EXPECT_TRUE(decoder.next(row));
      values[group.first_slot + i] =
          value_json(*find_value(row, path), HandleNamer(reader->tables()));
    }
  }
  return values;
}

// A game whose units change from save to save.
struct Game {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units", {.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;

  explicit Game(int count = 2000) {
    for (int i = 0; i < count; ++i)
      handles.push_back(
          units.insert({.hp = i * 7,
                        .kind = static_cast<std::uint8_t>(i % 5),
                        .x = i * 0.25,
                        .target = handles.empty() ? Handle<Unit>{} : handles.back()}));
  }
  [[nodiscard]] Bytes save() { return saved(db.capture(), {.write = {.packs = false}}); }
};

struct Listed {
  std::map<std::uint64_t, std::string> json;
  std::map<std::uint64_t, std::string> source;
  SalvageOptions options;
  Listed() {
    options.on_lost_value = [this](const LostValue& value) {
      json[value.slot] = value.json;
      source[value.slot] = value.source;
    };
  }
};

TEST(SalvageNeighbours, ALostColumnCostsOnlyItsValues) {
  std::size_t cases = 0;
  for (const Bytes& file :
       {build_swept({.packs = false}), build_swept({.codec = Codec::none, .packs = false}),
        read_file(in_sources("fixtures/v0/every_field.hdb")),
        read_file(in_sources("fixtures/v0/resources.hdb"))}) {
    const auto reader = opened(file);
    for (std::size_t table = 0; table < reader->tables().size(); ++table) {
      const TableDescriptor& descriptor = reader->tables()[table];
      const std::vector<Column> columns = columns_of(reader->schemas()[descriptor.schema]);
      for (std::uint64_t group = 0; group < descriptor.group_count(); ++group) {
        RowGroup before;
        ASSERT_TRUE(reader->read_group(table, group, before));
        const auto chunks = reader->chunks(table, group);
        for (const ChunkInfo& chunk : *chunks) {
          if (chunk.column < format::kFirstSchemaColumn || chunk.stored_bytes == 0) continue;
          if (chunk.offset + chunk.stored_bytes > file.size()) continue;
          const Column& lost = columns[chunk.column - format::kFirstSchemaColumn];
          Bytes damaged = file;
          flip(damaged, chunk.offset + chunk.stored_bytes / 2);
          const Repaired result = repair(damaged);
          const TableSalvage& report = result.table(descriptor.name);
          ASSERT_EQ(result.fault, "") << lost.path;
          if (lost.path == "@offset" || report.lost_fields.empty()) continue;  // a pack; a place
          EXPECT_EQ(report.records_after, report.records_before) << lost.path;
          ASSERT_EQ(report.lost_fields.size(), 1U);
          EXPECT_TRUE(lost.path.starts_with(report.lost_fields[0].path)) << lost.path;
          EXPECT_EQ(report.lost_fields[0].defaulted(), before.live_count());
          const auto after = opened(result.bytes);
          RowGroup now;
          ASSERT_TRUE(after->read_group(table, group, now));
          EXPECT_EQ(now.states, before.states);
          EXPECT_EQ(now.generations, before.generations);
          EXPECT_EQ(now.positions, before.positions);
          for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].path.starts_with(report.lost_fields[0].path)) continue;
            // Handles of lost records become null, blocks of a blob table move together.
            if (columns[i].kind != FieldKind::handle && columns[i].path != "@offset") {
              EXPECT_EQ(now.columns[i], before.columns[i]) << columns[i].path;
            }
          }
          const Bytes& column = now.columns[chunk.column - format::kFirstSchemaColumn];
          if (lost.role == ColumnRole::bytes) {
            EXPECT_TRUE(column.empty()) << lost.path;
          } else {
            EXPECT_EQ(column, Bytes(column.size(), std::byte{0})) << lost.path;
          }
          ++cases;
        }
      }
    }
  }
  std::printf("G20 lost columns: cases=%zu failures=0\n", cases);
  EXPECT_GT(cases, 40U);
}

// The hashes of blocks and chunks prove that the bytes of the other file are those that were lost.
TEST(SalvageNeighbours, TheUndamagedFileSuppliesEverything) {
  std::size_t cases = 0;
  World world;
  world.churn(300, 5);
  for (const Bytes& file :
       {build_swept({.packs = false}), build_swept({.codec = Codec::none, .packs = false}),
        build_swept(), saved(world.db.capture()),
        read_file(in_sources("fixtures/v0/three_tables.hdb")),
        read_file(in_sources("fixtures/v0/resources.hdb"))}) {
    for (const BlockInfo& block : blocks_of(file)) {
      if (groups_in(file, block).empty()) continue;
      const std::uint64_t end = format::kBlockHeadBytes + block.stored_bytes;
      for (std::uint64_t at = 0; at < end; at += 1 + end / (150 / kFewer)) {
        Bytes damaged = file;
        flip(damaged, block.offset + at);
        const Repaired result = repair(damaged, {}, {file});
        ASSERT_EQ(result.fault, "");
        EXPECT_FALSE(result.has_loss);
        EXPECT_FALSE(result.is_sound);
        EXPECT_EQ(opened(result.bytes)->info().state_hash, opened(file)->info().state_hash)
            << "type " << int{block.type} << " at " << block.offset << " + " << at;
        ++cases;
      }
    }
  }
  std::printf("G20 undamaged neighbour: cases=%zu failures=0\n", cases);
  EXPECT_GT(cases, 100U);
}

// The hash of an index shows which byte of it is wrong, if it is only one.
TEST(SalvageNeighbours, OneWrongByteOfAnIndexCostsNothing) {
  const Bytes file = build_swept({.packs = false});
  std::size_t cases = 0;
  for (const BlockInfo& block : blocks_of(file)) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows) continue;
    const std::uint64_t payload = block.offset + format::kBlockHeadBytes;
    const auto chunks = load_le<std::uint32_t>(file.data() + payload);
    // The hash covers as many chunks as the index says first.
    for (std::uint64_t at = 4; at < format::index_bytes(chunks); at += 5 * kFewer) {
      Bytes damaged = file;
      flip(damaged, payload + at);
      if (cases % 2 == 0) flip(damaged, file.size() - 1);  // no directory
      const Repaired result = repair(damaged);
      EXPECT_TRUE(!result.has_loss && !result.is_sound) << at;
      EXPECT_EQ(opened(result.bytes)->info().state_hash, opened(file)->info().state_hash);
      ++cases;
      if (cases % 8 != 0) continue;
      flip(damaged, payload + (at == 4 ? 5 : 4));
      EXPECT_TRUE(repair(damaged).has_loss) << at;
    }
  }
  std::printf("G20 indexes: cases=%zu failures=0\n", cases);
  EXPECT_GT(cases, 20U);
}

TEST(SalvageNeighbours, WithoutItsPositionsARecordComesLast) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  for (int i = 0; i < 9; ++i) units.insert({.hp = i});
  units.erase((*units.entries().begin()).first);  // moves the last one to the front
  const Bytes file = saved(db.capture(), {.write = {.packs = false}});
  Bytes damaged = file;
  const auto chunks = opened(file)->chunks(0, 0);
  ASSERT_TRUE(chunks.has_value());
  for (const ChunkInfo& chunk : *chunks) {
    if (chunk.column == format::kColumnPositions) flip(damaged, chunk.offset);
  }
  const Repaired result = repair(damaged);
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(result.table("units").lost_fields.at(0).path, "@position");
  EXPECT_EQ(values_of(result.bytes, 0, "hp"), values_of(file, 0, "hp"));
  RowGroup now;
  ASSERT_TRUE(opened(result.bytes)->read_group(0, 0, now));
  EXPECT_THAT(now.positions, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(SalvageNeighbours, AnOlderSaveSuppliesTheValuesOfTheSameRecords) {
  Game game;
  const Bytes older = game.save();
  for (const std::size_t i : {3U, 40U, 1999U}) game.units.edit(game.handles[i])->hp = -1;
  game.units.erase(game.handles[7]);
  const std::uint64_t reused = game.units.insert({.hp = -2}).index();
  const std::uint64_t born = game.units.insert({.hp = -3}).index();
  ASSERT_EQ(reused, 7U);
  const Bytes newer = game.save();
  Listed listed;
  const Repaired result =
      repair(with_lost_column(newer, 0, 0, "hp"), listed.options, {game.save(), older});
  const Repaired from_older = repair(with_lost_column(newer, 0, 0, "hp"), listed.options, {older});
  EXPECT_FALSE(result.has_loss) << "the first has the same bytes";
  ASSERT_EQ(from_older.fault, "");
  EXPECT_TRUE(from_older.has_loss);
  const LostField& lost = from_older.table("units").lost_fields.at(0);
  EXPECT_EQ(lost.path, "hp");
  EXPECT_EQ(lost.records, 2001U);
  ASSERT_EQ(lost.taken.size(), 1U);
  EXPECT_EQ(lost.taken[0].values, 1999U);
  EXPECT_EQ(lost.defaulted(), 2U);
  const auto now = values_of(from_older.bytes, 0, "hp");
  for (const auto& [slot, value] : values_of(older, 0, "hp")) {
    if (slot == reused) continue;
    EXPECT_EQ(now.at(slot), value) << slot;
    EXPECT_EQ(listed.source.at(slot), "0");
  }
  EXPECT_EQ(now.at(reused), "0") << "another record than that of the older save";
  EXPECT_EQ(now.at(born), "0");
  EXPECT_EQ(listed.source.at(born), "");
  EXPECT_EQ(listed.json, now);
  EXPECT_EQ(difference(newer, from_older.bytes, {{0, 0}}), "");
}

TEST(SalvageNeighbours, OfSeveralTheMostSimilarComesFirst) {
  Game game(100);
  game.units.edit(game.handles[0])->hp = 1;
  for (int i = 0; i < 40; ++i) game.units.edit(game.handles[static_cast<std::size_t>(i)])->x = 9;
  const Bytes oldest = game.save();
  for (int i = 0; i < 40; ++i) game.units.edit(game.handles[static_cast<std::size_t>(i)])->x = 1;
  game.units.edit(game.handles[0])->hp = 2;
  const Bytes older = game.save();
  game.units.edit(game.handles[0])->hp = 3;
  game.units.edit(game.handles[1])->x = 2;
  const Bytes damaged = with_lost_column(game.save(), 0, 0, "hp");
  for (const auto& others : {std::vector<Bytes>{oldest, older}, std::vector<Bytes>{older, oldest}})
    EXPECT_EQ(values_of(repair(damaged, {}, others).bytes, 0, "hp").at(0), "2");
  // What is damaged in the nearest comes from the next.
  const Repaired next = repair(damaged, {}, {with_lost_column(older, 0, 0, "hp"), oldest});
  EXPECT_EQ(values_of(next.bytes, 0, "hp").at(0), "1");
  EXPECT_EQ(next.table("units").lost_fields[0].taken.at(0).name, "1");
}

TEST(SalvageNeighbours, LiarsAreRefused) {
  Game game(100);
  const Bytes damaged = with_lost_column(game.save(), 0, 0, "hp");
  const auto refused = [&](const Bytes& other) {
    const Repaired result = repair(damaged, {}, {other});
    EXPECT_EQ(result.fault, "");
    const TableSalvage& units = result.table("units");
    EXPECT_EQ(units.lost_fields.at(0).defaulted(), 100U);
    return units.refused_neighbours.empty() ? "" : units.refused_neighbours[0].reason;
  };
  Game liar(100);
  for (const Handle<Unit> handle : liar.handles) *liar.units.edit(handle) = {.hp = 5, .x = -1};
  EXPECT_THAT(refused(liar.save()), HasSubstr("sound values of the same records are equal"));
  Database other;
  other.create_table<Hero>("units", {.storage = Storage::stable}).emplace();
  EXPECT_THAT(refused(saved(other.capture())), HasSubstr("other fields"));
  Database none;
  EXPECT_THAT(refused(saved(none.capture())), HasSubstr("no table of this name"));
  Database strangers;
  auto& units = strangers.create_table<Unit>("units", {.storage = Storage::stable});
  for (int i = 0; i < 100; ++i) units.erase(units.emplace());
  EXPECT_THAT(refused(saved(strangers.capture())), HasSubstr("can be compared"));
  // Of kind, x and target, half of the values are enough.
  Game half(100);
  for (std::size_t i = 0; i < 100; ++i) {
    Unit& unit = *half.units.edit(half.handles[i]);
    unit.hp = 8;
    unit.x = -1;
    if (i >= 50) unit.target = {};
  }
  EXPECT_EQ(repair(damaged, {}, {half.save()}).table("units").lost_fields.at(0).defaulted(), 0U);
  half.units.edit(half.handles[49])->target = {};
  EXPECT_THAT(refused(half.save()), HasSubstr("only 149 of 300 sound values"));
}

// SV3: a save of a later time names records that the damaged one has not made yet.
TEST(SalvageNeighbours, HandlesOfLaterRecordsBecomeNull) {
  Game game(100);
  const Bytes older = game.save();
  const Handle<Unit> born = game.units.insert({});
  game.units.edit(game.handles[5])->target = born;
  game.units.erase(game.handles[9]);
  game.units.edit(game.handles[6])->target = game.units.insert({});
  const Bytes newer = game.save();
  for (const auto how : {LostReferences::null, LostReferences::keep}) {
    std::vector<std::string> nulled;
    SalvageOptions options;
    options.references = how;
    options.on_lost_reference = [&](const LostReference& lost) {
      EXPECT_TRUE(lost.is_nulled);
      nulled.push_back(lost.name);
    };
    const Repaired result = repair(with_lost_column(older, 0, 0, "target"), options, {newer});
    ASSERT_EQ(result.fault, "");
    EXPECT_THAT(nulled, testing::ElementsAre("units:100@1", "units:9@2"));
    const auto now = values_of(result.bytes, 0, "target");
    EXPECT_EQ(now.at(5), "null");
    EXPECT_EQ(now.at(6), "null");
    EXPECT_EQ(now.at(4), "\"units:3@1\"");
  }
}

TEST(SalvageNeighbours, DamagedAndForeignFilesDoNoHarm) {
  Game game(100);
  const Bytes damaged = with_lost_column(game.save(), 0, 0, "hp");
  Bytes headless = game.save();
  flip(headless, 3);
  flip(headless, headless.size() - 1);
  EXPECT_FALSE(repair(damaged, {}, {headless}).has_loss) << "the blocks are sound";
  const Repaired junk = repair(damaged, {}, {Bytes(1000, std::byte{7}), {}, headless});
  EXPECT_EQ(junk.unusable.size(), 2U);
  EXPECT_EQ(junk.unusable.at(0).file, "0");
  EXPECT_FALSE(junk.has_loss);
  std::size_t cases = 0;
  const Bytes swept = build_swept();
  for (const char* folder : {"fixtures/invalid", "fixtures/regress", "fixtures/v0"}) {
    for (const auto& entry : std::filesystem::directory_iterator(in_sources(folder))) {
      if (!entry.is_regular_file()) continue;
      const Bytes file = read_file(entry.path().string());
      for (const Bytes& other : {swept, damaged, file}) {
        EXPECT_EQ(repair(file, {}, {other}).fault, "") << entry.path();
        EXPECT_EQ(repair(other, {}, {file}).fault, "") << entry.path();
        cases += 2;
      }
    }
  }
  EXPECT_GT(cases, 200U);
}

// Edits whose hashes fit: nothing that a file says makes a repair from or of it unsound.
TEST(SalvageNeighbours, ResealedEditsDoNoHarm) {
  Random random(43);
  const Bytes sound = build_swept({.codec = Codec::none, .packs = false});
  const ForgedFile parts(sound);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    if (static_cast<format::BlockType>(parts.blocks[i].head.info.type) == format::BlockType::rows)
      rows.push_back(i);
  }
  const std::size_t rounds = scaled(2000);
  for (std::size_t round = 0; round < rounds; ++round) {
    ForgedFile forged = parts;
    std::set<std::size_t> edited_blocks;
    for (std::uint64_t edits = 1 + random.below(3); edits != 0; --edits) {
      const std::size_t block = rows[static_cast<std::size_t>(random.below(rows.size()))];
      if (!edited_blocks.insert(block).second) continue;
      std::vector<ForgedChunk> chunks = forged.chunks(block);
      ForgedChunk& chunk = chunks[static_cast<std::size_t>(random.below(chunks.size()))];
      if (chunk.stored.empty()) continue;
      flip(chunk.stored, random.below(chunk.stored.size()));
      if (random.below(3) == 0) chunk.stored.pop_back();
      chunk.entry.info.filter = 0;
      chunk.entry.info.raw_bytes = chunk.stored.size();
      chunk.entry.info.raw_hash = hash128(chunk.stored);
      forged.set_chunks(block, chunks);
    }
    const Bytes edited = forged.sealed();
    Bytes damaged = random.below(2) == 0 ? sound : edited;
    for (const BlockInfo& block : blocks_of(sound)) {
      if (groups_in(sound, block).empty() || random.below(2) == 0) continue;
      const std::uint64_t at =
          block.offset + format::kBlockHeadBytes + random.below(block.stored_bytes);
      if (at < damaged.size()) flip(damaged, at);
    }
    EXPECT_EQ(repair(damaged, {}, {edited, sound}).fault, "") << round;
    EXPECT_EQ(repair(damaged, {}, {edited}).fault, "") << round;
  }
  std::printf("G20 re-sealed edits: cases=%zu failures=0\n", rounds);
}

}  // namespace
}  // namespace salvage_neighbours_test
}  // namespace hdb::test
