// G20: damage to any part of a file costs that part alone, and what comes out is sound.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "base/sanitizers.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/salvage_tools.hpp"
#include "inspect/swept_file.hpp"
#include "support/records.hpp"
#include "support/source_folder.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace salvage_test {
namespace {

#if HDB_HAS_ASAN
constexpr std::size_t kFewer = 13;  // cases tried under sanitizers: every thirteenth
#else
constexpr std::size_t kFewer = 3;
#endif

// What is damaged is lost as a whole; what else is kept of it: salvage_neighbours_test.cpp.
const SalvageOptions kDropping{.drops_damaged_records = true};

Bytes read_fixture(const std::string& name) {
  std::ifstream in(in_sources("fixtures/v0/" + name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

const std::map<std::string, Bytes>& files() {
  static const std::map<std::string, Bytes> kFiles = [] {
    World world;
    world.churn(400, 5);
    World on_demand(Compaction::on_demand, Storage::stable);
    on_demand.churn(300, 8);
    return std::map<std::string, Bytes>{
        {"swept", build_swept({.packs = false})},
        {"plain", build_swept({.codec = Codec::none, .packs = false})},
        {"packed", build_swept()},
        {"blobs", saved(world.db.capture())},
        {"blobs with holes", saved(on_demand.db.capture())},
        {"three_tables", read_fixture("three_tables.hdb")},
        {"every_field", read_fixture("every_field.hdb")},
        {"resources", read_fixture("resources.hdb")},
        {"odd_names", read_fixture("odd_names.hdb")},
        {"empty", read_fixture("empty.hdb")},
    };
  }();
  return kFiles;
}

void flip(Bytes& file, std::uint64_t at) { file[static_cast<std::size_t>(at)] ^= std::byte{0x40}; }

// Where to damage a block: bytes of its head, index, chunks and padding.
std::vector<std::uint64_t> places_in(const BlockInfo& block) {
  std::vector<std::uint64_t> at{0, 6, 20, 45, 79};
  const std::uint64_t payload = format::kBlockHeadBytes;
  for (const unsigned part : {0U, 1U, 2U, 3U, 4U})
    at.push_back(payload + part * (block.stored_bytes - 1) / 4);
  at.push_back(payload + std::min<std::uint64_t>(block.stored_bytes - 1, 30));
  for (std::uint64_t i = payload + block.stored_bytes; i < block.total_bytes; ++i) at.push_back(i);
  return at;
}

std::set<GroupKey> reported_lost(const Repaired& result) {
  std::set<GroupKey> lost;
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    for (const LostGroups& groups : result.tables[i].lost_groups) {
      for (std::uint64_t g = groups.first_group; g < groups.end_group; ++g) lost.insert({i, g});
    }
  }
  return lost;
}

// Bytes that are cut off may be those that stand for them: zeros. Then a block is whole all the
// same, as its hash shows.
bool is_within(const std::set<GroupKey>& some, const std::set<GroupKey>& all) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// Tables with handles of lost records differ where these became null.
bool has_nulled(const Repaired& result) {
  return std::any_of(result.tables.begin(), result.tables.end(),
                     [](const TableSalvage& table) { return table.references_nulled != 0; });
}

struct Tally {
  std::size_t cases = 0;
  std::size_t failures = 0;
  void expect(bool holds, const std::string& what) {
    ++cases;
    if (holds) return;
    ++failures;
    if (failures <= 10) ADD_FAILURE() << what;
  }
  void print(const char* name) const {
    std::printf("G20 %s: cases=%zu failures=%zu\n", name, cases, failures);
    EXPECT_NE(cases, 0u);
  }
};

Hash128 state_hash_of(std::span<const std::byte> file) {
  const auto reader = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  return reader ? (*reader)->info().state_hash : Hash128{};
}

// Damages a block, with or without its directory, and checks that only it is lost.
void check_block(const std::string& name, const Bytes& file, const BlockInfo& block,
                 std::uint64_t place, bool with_directory, Tally& tally) {
  Bytes damaged = file;
  flip(damaged, block.offset + place);
  if (!with_directory) flip(damaged, damaged.size() - 1);
  const Repaired result = repair(damaged, kDropping);
  const std::string at = name + ": block of type " + std::to_string(block.type) + " at " +
                         std::to_string(block.offset) + " + " + std::to_string(place) +
                         (with_directory ? "" : ", no directory");
  if (result.error || !result.fault.empty()) {
    return tally.expect(false, at + ": " + (result.error ? result.error->message() : result.fault));
  }
  const auto type = static_cast<format::BlockType>(block.type);
  const bool in_payload =
      place >= format::kBlockHeadBytes && place < format::kBlockHeadBytes + block.stored_bytes;
  const bool in_head = place < format::kBlockHeadBytes;
  const bool gone = in_payload || (in_head && !with_directory);
  const std::set<GroupKey> lost = gone ? groups_in(file, block) : std::set<GroupKey>{};
  const bool lossy = gone && type != format::BlockType::catalog;
  const bool free_lists =
      !(gone && (type == format::BlockType::free_list || type == format::BlockType::pack));
  std::string wrong;
  // A damaged index may still name all chunks, whose own hashes are right.
  const bool is_whole =
      !result.error && !result.has_loss && state_hash_of(result.bytes) == state_hash_of(file);
  if (is_whole ? !reported_lost(result).empty() : reported_lost(result) != lost)
    wrong = "other groups are reported as lost";
  if (result.has_loss != lossy && !is_whole)
    wrong = lossy ? "no loss is reported" : "a loss is reported";
  if (result.is_sound) wrong = "it is called sound";
  if (wrong.empty() && !has_nulled(result))
    wrong = difference(file, result.bytes, lost, free_lists);
  tally.expect(wrong.empty(), at + ": " + wrong);
}

TEST(Salvage, ADamagedBlockIsAllThatIsLost) {  // G20, SV1, SV2
  Tally tally;
  std::size_t turn = 0;
  for (const auto& [name, file] : files()) {
    for (const BlockInfo& block : blocks_of(file)) {
      for (const std::uint64_t place : places_in(block)) {
        if (turn++ % kFewer != 0) continue;
        check_block(name, file, block, place, tally.cases % 2 == 0, tally);
      }
    }
  }
  tally.print("blocks");
}

TEST(Salvage, LostHeaderDirectoryAndFooterLoseNothing) {  // G20
  Tally tally;
  for (const auto& [name, file] : files()) {
    const std::vector<BlockInfo> blocks = blocks_of(file);
    const std::uint64_t directory = blocks.back().offset + blocks.back().total_bytes;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> frames{{0, 64},
                                                                {directory, file.size() - 64},
                                                                {file.size() - 64, file.size()},
                                                                {directory, file.size()}};
    for (std::uint64_t at = 0; at < 64; at += 5 * kFewer) frames.emplace_back(at, at + 1);
    for (std::uint64_t at = directory; at < file.size(); at += 11 * kFewer)
      frames.emplace_back(at, at + 1);
    for (const auto& [begin, end] : frames) {
      Bytes damaged = file;
      for (std::uint64_t at = begin; at < end; ++at) flip(damaged, at);
      const Repaired result = repair(damaged);
      // A minor version or mask can only differ when the header's hash says so; then it is damage
      // like any other.
      const bool whole = !result.error && result.fault.empty() && !result.has_loss &&
                         !result.is_sound && difference(file, result.bytes, {}).empty() &&
                         state_hash_of(result.bytes) == state_hash_of(file);
      tally.expect(whole, name + ": bytes " + std::to_string(begin) + " to " + std::to_string(end));
    }
    Bytes all = file;
    for (std::uint64_t at = 0; at < 64; ++at) flip(all, at);
    for (std::uint64_t at = directory; at < all.size(); ++at) flip(all, at);
    const Repaired result = repair(all);
    tally.expect(!result.has_loss && state_hash_of(result.bytes) == state_hash_of(file),
                 name + ": all three");
  }
  tally.print("header, directory, footer");
}

TEST(Salvage, ASoundFileComesOutWithTheSameState) {
  for (const auto& [name, file] : files()) {
    const Repaired result = repair(file);
    EXPECT_TRUE(result.is_sound) << name;
    EXPECT_EQ(result.fault, "") << name;
    EXPECT_EQ(difference(file, result.bytes, {}), "") << name;
    EXPECT_EQ(state_hash_of(result.bytes), state_hash_of(file)) << name;
  }
}

// The groups whose blocks are not whole within [0, size).
std::set<GroupKey> cut_groups(const Bytes& file, const std::vector<BlockInfo>& blocks,
                              std::uint64_t size) {
  std::set<GroupKey> lost;
  for (const BlockInfo& block : blocks) {
    if (block.offset + format::kBlockHeadBytes + block.stored_bytes > size)
      lost.merge(groups_in(file, block));
  }
  return lost;
}

TEST(Salvage, WhatIsWholeOfATruncatedFileSurvives) {  // G20
  Tally tally;
  for (const auto& [name, file] : files()) {
    const std::vector<BlockInfo> blocks = blocks_of(file);
    std::uint64_t catalog_end = 0;
    for (const BlockInfo& block : blocks) {
      if (catalog_end == 0 &&
          static_cast<format::BlockType>(block.type) == format::BlockType::catalog)
        catalog_end = block.offset + format::kBlockHeadBytes + block.stored_bytes;
    }
    for (const BlockInfo& block : blocks) {
      for (const std::uint64_t size :
           {block.offset, block.offset + 40, block.offset + block.total_bytes / 2,
            block.offset + block.total_bytes - 1}) {
        const Repaired result =
            repair(std::span(file).first(static_cast<std::size_t>(size)), kDropping);
        const std::string at = name + " cut at " + std::to_string(size);
        if (size < catalog_end) {
          tally.expect(result.error.has_value() && !result.error->message().empty(), at);
          continue;
        }
        const std::set<GroupKey> lost = cut_groups(file, blocks, size);
        const bool holds = !result.error && result.fault.empty() &&
                           is_within(reported_lost(result), lost) &&
                           (has_nulled(result) ||
                            difference(file, result.bytes, reported_lost(result), false).empty());
        tally.expect(holds, at + ": " + result.fault);
      }
    }
  }
  tally.print("truncation");
}

TEST(Salvage, HolesInsertionsAndDeletionsLoseOnlyWhatTheyTouch) {  // G20
  Tally tally;
  for (const char* name : {"swept", "plain", "packed", "blobs"}) {
    const Bytes& file = files().at(name);
    const std::vector<BlockInfo> blocks = blocks_of(file);
    for (std::size_t i = 3; i < blocks.size(); ++i) {
      const BlockInfo& block = blocks[i];
      const auto middle = static_cast<std::ptrdiff_t>(block.offset + block.total_bytes / 2);
      Bytes hole = file;
      std::fill_n(hole.begin() + static_cast<std::ptrdiff_t>(block.offset), block.total_bytes,
                  std::byte{0});
      Bytes longer = file;
      longer.insert(longer.begin() + middle, 5, std::byte{0x33});
      Bytes shorter = file;
      shorter.erase(shorter.begin() + middle, shorter.begin() + middle + 3);
      Bytes gone = file;
      gone.erase(gone.begin() + static_cast<std::ptrdiff_t>(block.offset),
                 gone.begin() + static_cast<std::ptrdiff_t>(block.offset + block.total_bytes));
      for (const Bytes* damaged : {&hole, &longer, &shorter, &gone}) {
        const Repaired result = repair(*damaged, kDropping);
        const std::set<GroupKey> lost = groups_in(file, block);
        const bool holds = !result.error && result.fault.empty() &&
                           is_within(reported_lost(result), lost) &&
                           (has_nulled(result) ||
                            difference(file, result.bytes, reported_lost(result), false).empty());
        tally.expect(holds, std::string(name) + ": block at " + std::to_string(block.offset) +
                                ": " + (result.error ? result.error->message() : result.fault));
      }
    }
  }
  tally.print("holes, insertions, deletions");
}

// Any damage at all: something sound comes out, or a reason.
TEST(Salvage, AnyDamageGivesASoundFileOrAReason) {  // G20, SV4
  Tally tally;
  Random random(77);
  for (const auto& [name, file] : files()) {
    for (std::size_t round = 0; round < 120 / kFewer; ++round) {
      Bytes damaged = file;
      for (std::uint64_t edits = 1 + random.below(6); edits != 0; --edits) {
        const auto size = std::min<std::uint64_t>(1 + random.below(200), damaged.size());
        const auto at = static_cast<std::ptrdiff_t>(random.below(damaged.size() - size + 1));
        const auto from = static_cast<std::ptrdiff_t>(random.below(damaged.size() - size + 1));
        const auto begin = damaged.begin() + at;
        switch (random.below(5)) {
          case 0: flip(damaged, static_cast<std::uint64_t>(at)); break;
          case 1: std::fill_n(begin, size, std::byte{0}); break;
          case 2: {
            const Bytes piece(damaged.begin() + from,
                              damaged.begin() + from + static_cast<std::ptrdiff_t>(size));
            std::copy(piece.begin(), piece.end(), begin);
            break;
          }
          case 3: damaged.erase(begin, begin + static_cast<std::ptrdiff_t>(size / 4)); break;
          default: damaged.insert(begin, size, std::byte{0xb1}); break;
        }
        if (damaged.empty()) damaged.push_back(std::byte{0});
      }
      SalvageOptions options;
      if (round % 3 == 0) options.references = LostReferences::drop;
      const Repaired result = repair(damaged, options);
      tally.expect(result.fault.empty() && (!result.error || !result.error->message().empty()),
                   name + ": " + result.fault);
    }
  }
  tally.print("any damage");
}

// Two saves of one game with the same sequence number: nothing of the one passes for the other's.
TEST(Salvage, PartsOfAnotherSaveAreLostNotMixed) {
  Database db;
  auto& units = db.create_table<Unit>("units", {.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 3000; ++i) handles.push_back(units.insert({.hp = i}));
  const Bytes before = saved(db.capture());
  units.erase(handles[17]);
  units.insert({.hp = 1});
  units.erase(handles[40]);
  const Bytes after = saved(db.capture());
  const auto block_of = [](const Bytes& file, format::BlockType type) {
    const auto blocks = blocks_of(file);
    return *std::find_if(blocks.begin(), blocks.end(), [&](const BlockInfo& block) {
      return static_cast<format::BlockType>(block.type) == type;
    });
  };
  const BlockInfo theirs = block_of(before, format::BlockType::rows);
  const BlockInfo ours = block_of(after, format::BlockType::rows);
  for (const bool with_directory : {true, false}) {
    Bytes mixed = after;
    const auto at = mixed.begin() + static_cast<std::ptrdiff_t>(ours.offset);
    mixed.erase(at, at + static_cast<std::ptrdiff_t>(ours.total_bytes));
    const auto from = before.begin() + static_cast<std::ptrdiff_t>(theirs.offset);
    mixed.insert(mixed.begin() + static_cast<std::ptrdiff_t>(ours.offset), from,
                 from + static_cast<std::ptrdiff_t>(theirs.total_bytes));
    if (!with_directory) mixed.resize(mixed.size() - 100);
    const Repaired result = repair(mixed);
    ASSERT_EQ(result.fault, "");
    EXPECT_TRUE(result.has_loss);
    EXPECT_EQ(result.table("units").records_after, 0U) << "records of another save are here";
    const bool told =
        std::any_of(result.faults.begin(), result.faults.end(), [](const FrameFault& fault) {
          return fault.effect.find("no state hash to compare") != std::string::npos;
        });
    EXPECT_TRUE(told || with_directory);
  }
}

TEST(Salvage, TwoFilesInOneAreToldApart) {  // G20
  const Bytes& one = files().at("swept");
  const Bytes& other = files().at("blobs");
  const auto joined = [](const Bytes& a, const Bytes& b) {
    Bytes both = a;
    both.insert(both.end(), b.begin(), b.end());
    return both;
  };
  const Repaired twice = repair(joined(one, one));
  EXPECT_FALSE(twice.has_loss);
  EXPECT_EQ(difference(one, twice.bytes, {}), "");
  const Repaired first = repair(joined(one, other));
  EXPECT_EQ(difference(one, first.bytes, {}), "") << "the header's file comes out";
  // The second copy replaces what is damaged in the first.
  Bytes damaged = one;
  for (const BlockInfo& block : blocks_of(one)) {
    if (!groups_in(one, block).empty()) flip(damaged, block.offset + format::kBlockHeadBytes);
  }
  const Repaired mended = repair(joined(damaged, one));
  EXPECT_FALSE(mended.has_loss);
  EXPECT_EQ(difference(one, mended.bytes, {}), "");
  const Bytes junk(77, std::byte{0xb1});
  const Repaired behind_junk = repair(joined(junk, one));
  EXPECT_FALSE(behind_junk.has_loss);
  EXPECT_EQ(difference(one, behind_junk.bytes, {}), "");
}

}  // namespace
}  // namespace salvage_test
}  // namespace hdb::test
