// F14: what is in the state hash and what is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "support/row_hash.hpp"

namespace hdb::test {
namespace {

std::string hex_of(const MemoryImage& image) {
  MemorySink sink;
  const auto report = write_image(image, sink, {.codec = Codec::none});
  EXPECT_TRUE(report) << report.error().message();
  return report ? report->state_hash.hex() : "";
}

std::string hash_after(const std::function<void(MemoryImage&)>& change) {
  MemoryImage image = small_image();
  change(image);
  return hex_of(image);
}

TEST(StateHash, EveryPartOfTheStateCounts) {
  const std::string base = hex_of(small_image());
  const std::vector<std::function<void(MemoryImage&)>> changes = {
      [](MemoryImage& i) { i.data[0].descriptor.name = "other"; },
      [](MemoryImage& i) { i.data[0].descriptor.policy.free_list = FreeList::fifo; },
      [](MemoryImage& i) { i.data[0].descriptor.policy.overflow = Overflow::wrap; },
      [](MemoryImage& i) { i.data[0].descriptor.policy.generations = Generations::table_counter; },
      [](MemoryImage& i) { i.data[0].descriptor.counter = 5; },
      [](MemoryImage& i) { i.data[0].descriptor.highest_generation += 1; },
      [](MemoryImage& i) { i.schema_list[0].children[3].name = "dead"; },
      [](MemoryImage& i) { std::swap(i.data[0].free_list[0], i.data[0].free_list[1]); },
      [](MemoryImage& i) {
        std::swap(i.data[0].groups[0].positions[0], i.data[0].groups[0].positions[1]);
      },
      [](MemoryImage& i) { i.data[0].groups[0].columns[5][0] ^= std::byte{1}; },
      [](MemoryImage& i) {
        RowGroup& group = i.data[0].groups[1];
        const auto slot =
            std::find(group.states.begin(), group.states.end(), 0) - group.states.begin();
        group.generations[static_cast<std::size_t>(slot)] ^= 1;
      },
      [](MemoryImage& i) {
        RowGroup& group = i.data[0].groups[1];
        const auto slot =
            std::find(group.states.begin(), group.states.end(), 1) - group.states.begin();
        group.generations[static_cast<std::size_t>(slot)] ^= 2;
      },
      [](MemoryImage& i) {
        i.data[0].descriptor.policy.storage = Storage::stable;
        for (RowGroup& group : i.data[0].groups) group.positions.clear();
      },
  };
  std::set<std::string> seen{base};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_TRUE(seen.insert(hash_after(changes[i])).second) << "change " << i;
  }
}

TEST(StateHash, MetadataThumbnailAndOtherBlocksDoNotCount) {
  const std::string base = hex_of(small_image());
  EXPECT_EQ(hash_after([](MemoryImage& i) { i.meta.title = "x"; }), base);
  EXPECT_EQ(hash_after([](MemoryImage& i) { i.meta.sequence += 1; }), base);
  EXPECT_EQ(hash_after([](MemoryImage& i) { i.thumb.clear(); }), base);
  EXPECT_EQ(hash_after([](MemoryImage& i) { i.extra.clear(); }), base);
}

TEST(StateHash, TheOrderOfSchemasDoesNotCount) {
  MemoryImage image = sample_image();
  const std::string base = hex_of(image);
  std::swap(image.schema_list[0], image.schema_list[1]);
  for (SampleTable& table : image.data) {
    if (table.descriptor.schema < 2) table.descriptor.schema ^= 1;
  }
  EXPECT_EQ(hex_of(image), base);
}

TEST(StateHash, SumsFromColumnsAreThoseOfTheRows) {
  const std::vector<Field> schemas = {every_kind(), plain_schema(), record({})};
  for (const Field& schema : schemas) {
    for (const RowGroup& group : random_table(schema, {.slots = 3000}).groups) {
      const auto sum = group_record_hash(schema, group);
      ASSERT_TRUE(sum) << sum.error().message();
      EXPECT_EQ(sum->hex(), group.record_hash->hex());
    }
  }
}

// Rows longer than what is hashed at once.
TEST(StateHash, LongRowsHashedInPiecesHaveTheHashOfTheirBytes) {
  const Field schema = record(
      {node(FieldKind::list, "maybe", {node(FieldKind::optional, "", {leaf(FieldKind::f64)})}),
       leaf(FieldKind::u8, "one"),
       node(FieldKind::map, "map", {leaf(FieldKind::u32), leaf(FieldKind::u16)})});
  std::size_t longest = 0;
  for (const unsigned most : {3u, 30'000u, 90'000u}) {
    SampleOptions options;
    options.slots = 6;
    options.max_elements = most;
    options.seed = most;
    for (const RowGroup& group : random_table(schema, options).groups) {
      const auto sum = group_record_hash(schema, group);
      ASSERT_TRUE(sum);
      EXPECT_EQ(sum->hex(), group.record_hash->hex());
      for (const Bytes& column : group.columns) longest = std::max(longest, column.size());
    }
  }
  EXPECT_GT(longest, std::size_t{1} << 18);
}

TEST(StateHash, SumsAreRefusedForColumnsThatDoNotFit) {
  RowGroup group = random_table(plain_schema(), {}).groups[0];
  group.columns[0].pop_back();
  EXPECT_FALSE(group_record_hash(plain_schema(), group));
  group = random_table(plain_schema(), {}).groups[0];
  group.generations.pop_back();
  EXPECT_FALSE(group_record_hash(plain_schema(), group));
}

TEST(StateHash, AFreeListIsHashedByPages) {
  constexpr std::size_t kPage = format::kFreeListPageEntries;
  std::mt19937 random(7);
  for (const FreeList policy : {FreeList::lifo, FreeList::fifo}) {
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, kPage - 1, kPage, kPage + 1, 2 * kPage, 3 * kPage - 1}) {
      std::vector<std::uint32_t> list(count);
      std::iota(list.begin(), list.end(), 5u);
      std::shuffle(list.begin(), list.end(), random);
      std::vector<std::uint32_t> sequence = list;
      if (policy == FreeList::lifo) std::reverse(sequence.begin(), sequence.end());
      Hash128 expected;
      for (std::size_t begin = 0; begin < count; begin += kPage) {
        Bytes page;
        ByteWriter writer(page);
        for (std::size_t i = begin; i < std::min(begin + kPage, count); ++i)
          writer.u32(sequence[i]);
        expected += hash128(page, begin / kPage);
      }
      TableDescriptor table;
      table.policy.free_list = policy;
      table.free_count = count;
      FreeListHash hash(table);
      for (std::span<const std::uint32_t> rest = list; !rest.empty();) {
        const std::size_t some = std::min<std::size_t>(1 + random() % 3000, rest.size());
        hash.add(rest.first(some));
        rest = rest.subspan(some);
      }
      EXPECT_EQ(hash.sum(), expected) << count << " entries, policy " << int(policy);
    }
  }
}

// A live slot with a one-byte record must not pass for a vacant one.
TEST(StateHash, NoLiveSlotHashesLikeAVacantOne) {
  for (const std::uint8_t state : {std::uint8_t{0}, std::uint8_t{2}}) {
    const std::byte row[] = {std::byte{state}};
    EXPECT_NE(vacant_slot_hash(5, static_cast<SlotState>(state), 7), row_hash(5, 7, row));
  }
  EXPECT_NE(vacant_slot_hash(5, SlotState::free, 7), vacant_slot_hash(5, SlotState::retired, 7));
  EXPECT_NE(vacant_slot_hash(5, SlotState::free, 7), vacant_slot_hash(6, SlotState::free, 7));
  EXPECT_NE(vacant_slot_hash(5, SlotState::free, 7), vacant_slot_hash(5, SlotState::free, 8));
}

}  // namespace
}  // namespace hdb::test
