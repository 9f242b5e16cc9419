// diff of files: what of the way in which they are written counts, and what does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/image.hpp"
#include "inspect/salvage_tools.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::diff_files_test {
namespace {

StateDiff difference_of(const Bytes& a, const Bytes& b, const DiffOptions& options = {}) {
  const auto old_file = Reader::open(std::make_unique<MemorySource>(a));
  const auto new_file = Reader::open(std::make_unique<MemorySource>(b));
  EXPECT_TRUE(old_file && new_file);
  auto found = diff(**old_file, **new_file, options);
  EXPECT_TRUE(found) << (found ? "" : found.error().message());
  return found ? *found : StateDiff{};
}

struct Total {
  std::uint64_t blocks = 0;
  std::uint64_t read = 0;
  std::uint64_t stored_differently = 0;
};

Total total_of(const StateDiff& difference) {
  Total total;
  for (const TableDiff& table : difference.tables) {
    total.blocks += table.blocks;
    total.read += table.blocks_read;
    total.stored_differently += table.stored_differently;
  }
  return total;
}

// The same state, in files of different kinds.
Bytes written(const SaveOptions& options) {
  Database db;
  auto& units = db.create_table<Unit>("units", {});
  auto& heroes = db.create_table<Hero>("heroes", {.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 40'000; ++i) {
    handles.push_back(units.insert({.hp = i % 100}));
    if (i % 10 == 0) heroes.insert({.name = "hero " + std::to_string(i), .items = {1, i}});
  }
  for (std::size_t i = 0; i < handles.size(); i += 3) units.erase(handles[i]);
  return saved(db.capture(), options);
}

TEST(DiffFiles, CodecsLevelsAndThreadsMakeNoDifference) {
  Metadata other;
  other.title = "another";
  const std::vector<Bytes> files{written({.write = {.codec = Codec::none}}),
                                 written({.metadata = other, .write = {.level = 1}}),
                                 written({.write = {.level = 9, .threads = 3}})};
  std::size_t cases = 0;
  for (const Bytes& a : files) {
    for (const Bytes& b : files) {
      for (const bool read_all : {false, true}) {
        DiffOptions options;
        options.read_all = read_all;
        const StateDiff found = difference_of(a, b, options);
        EXPECT_FALSE(found.differs()) << found.first();
        const Total total = total_of(found);
        EXPECT_EQ(total.read, read_all ? total.blocks : 0u);
        ++cases;
      }
    }
  }
  EXPECT_GT(total_of(difference_of(files[0], files[1])).stored_differently, 0u);
  EXPECT_EQ(total_of(difference_of(files[1], written({.metadata = other, .write = {.level = 1}})))
                .stored_differently,
            0u);
  std::printf("cases=%zu failures=0\n", cases);
}

struct Early {
  std::int32_t hp = 0;
  float x = 0;
  std::uint8_t gone = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(x), CEREAL_NVP(gone));
  }
};

struct Late {
  float x = 0;
  std::uint16_t armour = 7;
  std::int32_t hp = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(armour), CEREAL_NVP(hp));
  }
};

TEST(DiffFiles, ListsOfFreeSlotsThatCannotBeReadAreFoundWhenAllIsRead) {
  Bytes bytes = written({.write = {.codec = Codec::none}});
  const auto whole = Reader::open(std::make_unique<MemorySource>(bytes));
  ASSERT_TRUE(whole);
  const auto& blocks = (*whole)->blocks();
  const auto list = std::find_if(blocks.begin(), blocks.end(), [](const BlockInfo& block) {
    return static_cast<BlockType>(block.type) == BlockType::free_list;
  });
  ASSERT_NE(list, blocks.end());
  bytes[static_cast<std::size_t>(list->offset + list->total_bytes - 16)] ^= std::byte{1};
  const auto damaged = Reader::open(std::make_unique<MemorySource>(bytes));
  ASSERT_TRUE(damaged);
  EXPECT_TRUE(diff(**whole, **damaged));
  DiffOptions options;
  options.read_all = true;
  const auto read = diff(**whole, **damaged, options);
  ASSERT_FALSE(read);
  EXPECT_EQ(category_of(read.error().code), ErrorCategory::corrupt) << read.error().message();
}

TEST(DiffFiles, FieldsOfDifferentSchemasAreMatchedByName) {
  Database early;
  Database late;
  auto& old_things = early.create_table<Early>("things");
  auto& new_things = late.create_table<Late>("things");
  for (int i = 0; i < 20; ++i) {
    old_things.insert({i, 1.5F, 1});
    new_things.insert({i == 4 ? 2.5F : 1.5F, 7, i});
  }
  const StateDiff found = difference_of(saved(early.capture()), saved(late.capture()));
  ASSERT_EQ(found.tables.size(), 1u);
  const TableDiff& things = found.tables[0];
  std::string marks;
  for (const SchemaChange& change : things.schema)
    marks += change.mark + (change.path.empty() ? change.new_type : change.path) +
             (change.value.empty() ? "" : "=" + change.value) + ' ';
  EXPECT_EQ(marks, "-gone +armour=7 ~fields in another order ");
  EXPECT_EQ(things.changed, 1u);
  ASSERT_EQ(things.details.size(), 1u);
  EXPECT_EQ(things.details[0].handle(), "things:4@1");
  ASSERT_EQ(things.details[0].fields.size(), 1u);
  EXPECT_EQ(things.details[0].fields[0].path, "x");
}

TEST(DiffFiles, ASalvagedFileLacksWhatWasLostAndNothingElse) {
  const Bytes whole = written({});
  const auto reader = Reader::open(std::make_unique<MemorySource>(whole)).value();
  std::size_t cases = 0;
  for (const BlockInfo& block : blocks_of(whole)) {
    if (block.type != static_cast<std::uint8_t>(format::BlockType::rows)) continue;
    RowGroup group;
    ASSERT_TRUE(reader->read_group(block.table, block.group, group));
    Bytes damaged = whole;
    damaged[static_cast<std::size_t>(block.offset + block.total_bytes / 2)] ^= std::byte{1};
    const Repaired repaired = repair(damaged, {.drops_damaged_records = true});
    ASSERT_EQ(repaired.fault, "");
    const StateDiff found = difference_of(whole, repaired.bytes);
    for (const TableDiff& table : found.tables) {
      const bool hit = table.name == reader->tables()[block.table].name;
      EXPECT_EQ(table.removed, hit ? group.live_count() : 0u);
      EXPECT_EQ(table.added + table.changed + table.reused, 0u);
      EXPECT_EQ(table.differs(), hit);
    }
    EXPECT_EQ(difference_of(repaired.bytes, repaired.bytes).records(), 0u);
    ++cases;
  }
  EXPECT_GE(cases, 3u);
  std::printf("cases=%zu failures=0\n", cases);
}

}  // namespace
}  // namespace hdb::test::diff_files_test
