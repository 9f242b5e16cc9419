// overview: every slot, byte, reference and change is in exactly one bin, whatever the bins; damage
// is reported and the rest remains.
#include "hdb/inspect/overview.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::overview_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::unique_ptr<Reader> opened(const Bytes& file) {
  auto reader = Reader::open(std::make_unique<MemorySource>(file));
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
  return std::move(*reader);
}

FileOverview looked_over(const Reader& reader, const OverviewOptions& options = {}) {
  auto found = overview(reader, options);
  EXPECT_TRUE(found) << (found ? "" : found.error().message());
  return *std::move(found);
}

// A table with live, free and retired slots in several row groups.
struct Park {
  Park() {
    for (std::uint32_t i = 0; i < 300; ++i) tiles.push_back(zones.emplace());
    for (std::size_t i = 100; i < 120; ++i) zones.erase(tiles[i]);
    for (const std::size_t i : {7U, 250U, 31U, 199U, 32U}) zones.erase(tiles[i]);
    for (int i = 0; i < 4095; ++i) units.erase(units.emplace());  // slot 0 is retired
    for (int i = 0; i < 90; ++i) dogs.push_back(units.insert({.hp = i}));
    for (std::size_t i = 0; i < 90; i += 4) units.erase(dogs[i]);
  }
  Database db;
  Table<Tile>& zones =
      db.create_table<Tile>("zones", {.storage = Storage::stable, .free_list = FreeList::fifo});
  Table<Unit, Layout<20, 12>>& units = db.create_table<Unit, Layout<20, 12>>("units");
  std::vector<Handle<Tile>> tiles;
  std::vector<Handle<Unit, Layout<20, 12>>> dogs;
};

void expect_bins_of(const Reader& reader, const TableOverview& table) {
  const TableDescriptor& descriptor = reader.tables()[table.table];
  SlotLookup lookup(reader);
  std::uint64_t next = 0;
  for (const SlotBin& bin : table.slots) {
    ASSERT_EQ(bin.first_slot, next);
    SlotBin counted{.first_slot = bin.first_slot, .slots = bin.slots};
    double generations = 0;
    for (; next < bin.first_slot + bin.slots; ++next) {
      const SlotFacts facts = **lookup.find(table.table, next);
      counted.live += facts.state == SlotState::live ? 1 : 0;
      counted.free += facts.state == SlotState::free ? 1 : 0;
      counted.retired += facts.state == SlotState::retired ? 1 : 0;
      if (facts.state != SlotState::live) continue;
      generations += facts.generation;
      EXPECT_GE(facts.generation, bin.lowest_generation);
      EXPECT_LE(facts.generation, bin.highest_generation);
    }
    EXPECT_EQ(bin.live, counted.live) << "from slot " << bin.first_slot;
    EXPECT_EQ(bin.free, counted.free) << "from slot " << bin.first_slot;
    EXPECT_EQ(bin.retired, counted.retired) << "from slot " << bin.first_slot;
    EXPECT_EQ(bin.unread, 0u);
    const double live = static_cast<double>(std::max<std::uint64_t>(bin.live, 1));
    EXPECT_DOUBLE_EQ(bin.mean_generation, generations / live);
  }
  EXPECT_EQ(next, descriptor.slot_count);
}

TEST(Overview, EverySlotIsInOneBinWhateverTheirNumber) {
  Park park;
  const Bytes file = saved(park.db.capture());
  const auto reader = opened(file);
  std::size_t cases = 0;
  for (const std::size_t bins : {1U, 2U, 7U, 64U, 100000U}) {
    const FileOverview found = looked_over(*reader, {.max_slot_bins = bins});
    ASSERT_THAT(found.tables, SizeIs(2));
    for (const TableOverview& table : found.tables) {
      EXPECT_LE(table.slots.size(), bins);
      expect_bins_of(*reader, table);
      std::uint64_t slots = reader->tables()[table.table].unissued_count();
      for (const GenerationBin& bin : table.generations) slots += bin.live + bin.vacant;
      EXPECT_EQ(slots, reader->tables()[table.table].slot_count);
      ++cases;
    }
    EXPECT_THAT(found.faults, IsEmpty());
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Overview, AnUsedUpSlotIsInTheMapAndInTheLastGeneration) {
  Park park;
  const Bytes file = saved(park.db.capture());
  const auto reader = opened(file);
  const TableOverview units = looked_over(*reader, {.max_slot_bins = 1000}).tables[0];
  EXPECT_EQ(reader->tables()[units.table].name, "units");
  EXPECT_EQ(units.slots[0].retired, 1u);
  EXPECT_EQ(units.slots[1].retired, 0u);
  EXPECT_LE(units.generations.size(), 16u);
  EXPECT_EQ(units.generations.back().highest, 4095u);
  EXPECT_EQ(units.generations.back().vacant, 1u);
  EXPECT_EQ(units.generations.front().lowest, 1u);
  EXPECT_EQ(units.generations.front().live, 67u);
}

TEST(Overview, GenerationsOfACounterAreInBinsOfOneWidth) {
  Database db;
  auto& table = db.create_table<Unit>("units", {.generations = Generations::table_counter});
  for (int i = 0; i < 1000; ++i) table.insert({.hp = i});
  const Bytes file = saved(db.capture());
  const auto reader = opened(file);
  const auto bins = looked_over(*reader, {.max_generation_bins = 10}).tables[0].generations;
  ASSERT_THAT(bins, SizeIs(10));
  for (const GenerationBin& bin : bins) EXPECT_EQ(bin.live, 100u);
  EXPECT_EQ(bins.front().lowest, 1u);
  EXPECT_EQ(bins.back().highest, 1000u);
}

TEST(Overview, TheFreeListsRunsAndJumpsAreCounted) {
  Park park;
  const Bytes file = saved(park.db.capture());
  const auto reader = opened(file);
  for (const std::size_t bins : {1U, 4U, 256U}) {
    const OrderProfile list = looked_over(*reader, {.max_order_bins = bins}).tables[1].free_list;
    EXPECT_EQ(list.entries, 25u);  // 100 to 119, 7, 250, 31, 199, 32
    EXPECT_EQ(list.runs, 6u);
    EXPECT_EQ(list.longest_run, 20u);
    EXPECT_EQ(list.near_steps, 19u);
    EXPECT_DOUBLE_EQ(list.mean_step, (19 + 112 + 243 + 219 + 168 + 167) / 24.0);
    EXPECT_LE(list.bins.size(), bins);
    std::uint64_t entries = 0;
    for (const OrderBin& bin : list.bins) {
      EXPECT_EQ(bin.first, entries);
      entries += bin.entries;
    }
    EXPECT_EQ(entries, 25u);
    EXPECT_EQ(std::max_element(list.bins.begin(), list.bins.end(),
                               [](const auto& a, const auto& b) { return a.highest < b.highest; })
                  ->highest,
              250u);
  }
}

TEST(Overview, TheDenseOrderIsThatOfTheRecords) {
  Database db;
  auto& table = db.create_table<Unit>("units");
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(table.insert({.hp = i}));
  table.erase(handles[2]);  // the last one takes its place: 0 1 9 3 4 5 6 7 8
  const Bytes file = saved(db.capture());
  const OrderProfile order = looked_over(*opened(file)).tables[0].dense_order;
  EXPECT_EQ(order.entries, 9u);
  EXPECT_EQ(order.runs, 3u);
  EXPECT_EQ(order.longest_run, 6u);
  ASSERT_THAT(order.bins, SizeIs(9));
  EXPECT_EQ(order.bins[8].lowest, 2u);  // slot 9 at position 2
}

TEST(Overview, EveryByteOfTheFileIsSomewhere) {
  Park park;
  World world;
  world.churn(150, 3);
  for (Database* const db : {&park.db, &world.db}) {
    const Bytes file = saved(db->capture());
    const auto reader = opened(file);
    const FileOverview found = looked_over(*reader);
    std::uint64_t bytes = 0;
    for (const TableOverview& table : found.tables) {
      std::uint64_t stored = 0;
      for (const FieldBytes& part : table.bytes) stored += part.stored;
      EXPECT_EQ(stored, table.stored_bytes);
      EXPECT_TRUE(std::is_sorted(table.bytes.begin(), table.bytes.end(),
                                 [](const auto& a, const auto& b) { return a.stored > b.stored; }));
      bytes += stored;
    }
    for (const FieldBytes& part : found.others) {
      bytes += part.stored;
      if (part.path != "header, directory and footer") continue;
      // It is what is left; here, that nothing else was left with it.
      const std::uint64_t least = format::kHeaderBytes + format::kFooterBytes +
                                  format::kDirectoryHeadBytes +
                                  reader->blocks().size() * format::kDirectoryEntryBytes;
      EXPECT_GE(part.stored, least);
      EXPECT_LE(part.stored, least + 2 * sizeof(Hash128));
    }
    EXPECT_EQ(bytes, file.size());
  }
}

TEST(Overview, AFieldsBytesAreThoseOfItsColumns) {
  Database db;
  auto& heroes = db.create_table<Hero>("heroes");
  for (int i = 0; i < 50; ++i) heroes.insert({.name = "four", .mana = 1.0F});
  const Bytes file = saved(db.capture());
  const TableOverview table = looked_over(*opened(file)).tables[0];
  const auto raw_of = [&](const std::string& path) {
    const auto at = std::find_if(table.bytes.begin(), table.bytes.end(),
                                 [&](const FieldBytes& part) { return part.path == path; });
    return at == table.bytes.end() ? 0 : at->raw;
  };
  EXPECT_EQ(raw_of("name"), 50u * 5);      // a length and four letters
  EXPECT_EQ(raw_of("mana"), 50u * 4 + 7);  // values, and a bit each
  EXPECT_EQ(raw_of("pet"), 50u * 8);
}

TEST(Overview, ReferencesAreCountedByTheTableThatTheyName) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  auto& heroes = db.create_table<Hero>("heroes");
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 6; ++i) handles.push_back(units.insert({.hp = i}));
  for (const auto& handle : handles) heroes.insert({.pet = handle});
  heroes.insert({});
  units.erase(handles[1]);
  units.erase(handles[2]);
  const Bytes file = saved(db.capture());
  const auto reader = opened(file);
  const FileOverview found = looked_over(*reader);
  EXPECT_TRUE(found.references_known);
  ASSERT_THAT(found.references, SizeIs(2));
  const ReferenceCount& pets = found.references[0];
  EXPECT_EQ(pets.path, "pet");
  EXPECT_EQ(pets.null, 1u);
  ASSERT_THAT(pets.targets, SizeIs(1));
  EXPECT_EQ(reader->tables()[pets.targets[0].table].name, "units");
  EXPECT_EQ(pets.targets[0].live, 4u);
  EXPECT_EQ(pets.targets[0].stale, 2u);
  EXPECT_FALSE(looked_over(*reader, {.references = false}).references_known);
}

TEST(Overview, DamagedRowGroupsAreToldAndTheRestIsCounted) {
  Park park;
  Bytes file = saved(park.db.capture());
  const auto sound = opened(file);
  BlockInfo victim;
  for (const BlockInfo& block : sound->blocks()) {
    if (block.type == static_cast<std::uint8_t>(format::BlockType::rows) && block.table == 1 &&
        block.group == 2)
      victim = block;
  }
  ASSERT_NE(victim.offset, 0u);
  const auto at = static_cast<std::size_t>(victim.offset + format::kBlockHeadBytes + 20);
  file[at] ^= std::byte{1};
  const auto reader = opened(file);
  const FileOverview found = looked_over(*reader, {.max_slot_bins = 1000});
  EXPECT_FALSE(found.faults.empty());
  const TableOverview& zones = found.tables[1];
  std::uint64_t unread = 0;
  std::uint64_t all = 0;
  for (const SlotBin& bin : zones.slots) {
    unread += bin.unread;
    all += bin.unread + bin.live + bin.free + bin.retired;
  }
  EXPECT_EQ(unread, 64u);
  EXPECT_EQ(all, 300u);
  EXPECT_EQ(zones.slots[127].unread, 0u);
  EXPECT_EQ(zones.slots[128].unread, 1u);
  EXPECT_EQ(found.tables[0].slots.size(), 91u) << "the other table is whole";
}

TEST(Overview, EveryDifferenceIsInOneBinAndInTheRanking) {
  Park park;
  const Bytes before = saved(park.db.capture());
  for (std::size_t i = 1; i < 90; i += 4) park.units.edit(park.dogs[i])->hp += 1;
  for (std::size_t i = 1; i < 90; i += 8) park.units.edit(park.dogs[i])->x = 2;
  park.units.erase(park.dogs[2]);
  park.units.erase(park.dogs[6]);
  for (int i = 0; i < 3; ++i) park.units.insert({.hp = -1});
  for (int i = 0; i < 40; ++i) park.units.insert({.hp = -1});
  park.zones.erase(park.tiles[299]);
  const Bytes after = saved(park.db.capture());
  const auto a = opened(before);
  const auto b = opened(after);
  for (const std::size_t bins : {1U, 5U, 64U, 1000U}) {
    std::vector<RecordDiff> records;
    DiffOptions options;
    options.on_record = [&](const RecordDiff& record) { records.push_back(record); };
    const auto found = change_overview(*a, *b, options, bins);
    ASSERT_TRUE(found);
    ASSERT_THAT(*found, SizeIs(2));
    for (const TableChangeMap& table : *found) {
      EXPECT_LE(table.slots.size(), bins);
      ChangeBin sum;
      for (const ChangeBin& bin : table.slots) {
        const auto in_bin = std::count_if(records.begin(), records.end(), [&](const auto& record) {
          return record.table == table.difference.name && record.slot >= bin.first_slot &&
                 record.slot - bin.first_slot < bin.slots;
        });
        EXPECT_EQ(bin.records(), static_cast<std::uint64_t>(in_bin));
        sum.added += bin.added;
        sum.removed += bin.removed;
        sum.changed += bin.changed;
        sum.reused += bin.reused;
      }
      EXPECT_EQ(sum.added, table.difference.added);
      EXPECT_EQ(sum.removed, table.difference.removed);
      EXPECT_EQ(sum.changed, table.difference.changed);
      EXPECT_EQ(sum.reused, table.difference.reused);
    }
    const TableChangeMap& units = (*found)[0];
    EXPECT_GT(units.difference.added, 0u);
    EXPECT_GT(units.difference.reused, 0u);
    ASSERT_THAT(units.fields, SizeIs(2));
    EXPECT_EQ(units.fields[0].path, "hp");
    EXPECT_EQ(units.fields[0].records, 23u);
    EXPECT_EQ(units.fields[1].path, "x");
    EXPECT_EQ(units.fields[1].records, 12u);
    EXPECT_EQ((*found)[1].difference.removed, 1u);
  }
}

TEST(Overview, ElementsOfAListAreOneFieldOfTheRanking) {
  Database db;
  auto& heroes = db.create_table<Hero>("heroes");
  const auto handle = heroes.insert({.items = {1, 2, 3, 4}});
  const auto other = heroes.insert({.items = {1}});
  const Bytes before = saved(db.capture());
  heroes.edit(handle)->items = {9, 2, 9, 9};
  heroes.edit(other)->items = {2};
  const Bytes after = saved(db.capture());
  const auto found = change_overview(*opened(before), *opened(after));
  ASSERT_TRUE(found);
  ASSERT_THAT((*found)[0].fields, SizeIs(1));
  EXPECT_EQ((*found)[0].fields[0].path, "items[]");
  EXPECT_EQ((*found)[0].fields[0].records, 2u) << "each record once";
}

TEST(Overview, AnEmptyFileHasNothing) {
  Database db;
  db.create_table<Unit>("units");
  const Bytes file = saved(db.capture());
  const TableOverview table = looked_over(*opened(file)).tables[0];
  EXPECT_THAT(table.slots, IsEmpty());
  EXPECT_THAT(table.generations, IsEmpty());
  EXPECT_EQ(table.free_list.entries, 0u);
  EXPECT_EQ(table.dense_order.runs, 0u);
}

}  // namespace
}  // namespace hdb::test::overview_test
