// G4 for tools: every allocation of a check, a comparison and a repair fails once. Memory that is
// missing is reported as that, or was not needed: it never becomes a finding, a difference or a
// loss.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/salvage.hpp"
#include "inspect/salvage_tools.hpp"
#include "inspect/swept_file.hpp"
#include "support/allocation_watch.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::inspect_out_of_memory_test {
namespace {

std::unique_ptr<ByteSource> borrowed(const Bytes& file) {
  return std::make_unique<MemorySource>(MemorySource::borrowing(file));
}

// A text of the result; none if the call reported that memory is missing.
using Call = std::function<std::optional<std::string>()>;

std::optional<std::string> lacks_memory(const Error& error) {
  if (error.code == ErrorCode::memory_budget) return std::nullopt;
  return "the error " + error.message();
}

// Fails the n-th allocation, for each n, until it is beyond the last one.
void sweep(const char* name, const Call& call) {
  const std::optional<std::string> wanted = call();
  ASSERT_TRUE(wanted);
  std::size_t cases = 0;
  std::size_t refused = 0;
  bool is_over = false;
  for (std::size_t n = 1; !is_over; n += scaled_stride()) {
    ASSERT_LT(++cases, 200'000U);
    std::optional<std::string> seen;
    fail_allocation(n);
    try {
      seen = call();
    } catch (const std::bad_alloc&) {
    }
    is_over = allocation_is_to_fail();
    fail_allocation(0);
    refused += seen ? 0 : 1;
    if (seen) {
      ASSERT_EQ(*seen, *wanted) << "allocation " << n;
    }
  }
  EXPECT_GT(refused, 50U / scaled_stride());
  std::printf("G4 %s: cases=%zu failures=%d\n", name, cases, testing::Test::HasFailure() ? 1 : 0);
}

std::optional<std::string> validated(const Bytes& file, const ValidationOptions& options) {
  const Validation found = validate(borrowed(file), options);
  if (found.trouble) return lacks_memory(*found.trouble);
  std::string text = std::to_string(found.records) + " records";
  for (const Finding& finding : found.findings) {
    if (finding.error.code == ErrorCode::memory_budget) return std::nullopt;
    text += '\n' + finding.error.message() + '\n' + finding.effect;
  }
  if (found.state_hash) text += '\n' + found.state_hash->hex();
  for (const ReferenceCount& count : found.references)
    text += '\n' + std::to_string(count.live) + ' ' + std::to_string(count.stale);
  return text;
}

std::optional<std::string> compared(const Bytes& a, const Bytes& b) {
  const auto before = Reader::open(borrowed(a));
  if (!before) return lacks_memory(before.error());
  const auto after = Reader::open(borrowed(b));
  if (!after) return lacks_memory(after.error());
  const auto found = diff(**before, **after);
  if (!found) return lacks_memory(found.error());
  std::string text = found->first();
  for (const TableDiff& table : found->tables) {
    text += '\n' + table.name + ' ' + std::to_string(table.records());
    for (const TableNote& note : table.notes) text += '\n' + note.what + note.detail;
    for (const RecordDiff& record : table.details) {
      text += '\n' + std::to_string(record.slot);
      for (const FieldChange& field : record.fields)
        text += ' ' + field.path + ' ' + field.old_value.value_or("") + ' ' +
                field.new_value.value_or("");
    }
  }
  return text;
}

std::optional<std::string> repaired(const Bytes& file, const Bytes* neighbour = nullptr) {
  std::string text;
  SalvageOptions options;
  options.references = LostReferences::drop;
  options.on_lost_slot = [&](const LostSlot& lost) {
    text += std::string(lost.table_name) + ':' + std::to_string(lost.slot) + ' ';
  };
  options.on_lost_reference = [&](const LostReference& lost) { text += lost.path + ' '; };
  options.on_lost_value = [&](const LostValue& lost) { text += lost.json; };
  std::vector<Neighbour> neighbours;
  if (neighbour != nullptr) neighbours.push_back({"other", borrowed(*neighbour)});
  const auto salvaged = salvage(borrowed(file), options, std::move(neighbours));
  if (!salvaged) return lacks_memory(salvaged.error());
  MemorySink sink;
  const auto written = write_image(*salvaged->image, sink);
  if (!written) return lacks_memory(written.error());
  return text + std::to_string(salvaged->faults.size()) + ' ' + written->state_hash.hex();
}

// One byte of the content of each third block.
Bytes damaged(Bytes file) {
  const std::vector<BlockInfo> blocks = blocks_of(file);
  for (std::size_t i = 0; i < blocks.size(); i += 3) {
    const std::uint64_t last = blocks[i].offset + format::kBlockHeadBytes + blocks[i].stored_bytes;
    file[static_cast<std::size_t>(last) - 1] ^= std::byte{1};
  }
  return file;
}

// The file after some changes.
Bytes changed(const Bytes& file) {
  Database db;
  declare_swept(db);
  EXPECT_TRUE(db.load(std::make_unique<MemorySource>(file)));
  auto& heroes = *db.find_table<Hero>("heroes");
  heroes.insert({.name = "a hero of a name that is longer than a string", .items = {1, 2, 3}});
  heroes.edit_each([](Handle<Hero>, Hero& hero) { hero.mana = 2.5F; });
  auto& tiles = *db.find_table<Tile>("zones");
  tiles.erase((*tiles.entries().begin()).first);
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

TEST(InspectOutOfMemory, ACheckFindsWhatThereIsOrReportsIt) {
  for (const bool packs : {false, true}) {
    const Bytes sound = build_swept({.packs = packs});
    for (const Bytes& file : {sound, damaged(sound)}) {
      sweep("validate", [&] { return validated(file, {.level = ValidationLevel::deep}); });
      sweep("validate with threads", [&] { return validated(file, {.threads = 2}); });
    }
  }
}

TEST(InspectOutOfMemory, AComparisonFindsWhatDiffersOrReportsIt) {
  const Bytes before = build_swept({});
  const Bytes after = changed(before);
  sweep("diff", [&] { return compared(before, after); });
}

TEST(InspectOutOfMemory, ARepairLosesOnlyWhatIsDamagedOrReportsIt) {
  for (const bool packs : {false, true}) {
    const Bytes sound = build_swept({.packs = packs});
    sweep("repair of a sound file", [&] { return repaired(sound); });
    const Bytes file = damaged(sound);
    sweep("repair", [&] { return repaired(file); });
    const Bytes other = changed(sound);
    sweep("repair from another save", [&] { return repaired(file, &other); });
  }
}

}  // namespace
}  // namespace hdb::test::inspect_out_of_memory_test
