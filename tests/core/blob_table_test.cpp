// Blob tables: one test for each behaviour C1 to C6, the errors, and sizes at the edges.
#include "hdb/blob_table.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/blob_model.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::BlobLabel;
using test::Bytes;
using test::make_bytes;
using LabelHandle = Handle<BlobLabel>;
using LabelTable = BlobTable<BlobLabel>;

BlobOptions with(std::uint64_t capacity, Compaction compaction, std::uint32_t alignment = 16) {
  BlobOptions options;
  options.capacity_bytes = capacity;
  options.compaction = compaction;
  options.alignment = alignment;
  return options;
}
LabelHandle add(LabelTable& table, std::size_t size, std::uint32_t number) {
  return table.insert({"block", number}, make_bytes(size, number)).value();
}
Bytes bytes_of(const LabelTable& table, LabelHandle handle) {
  return {table.find(handle).begin(), table.find(handle).end()};
}
std::vector<std::uint32_t> order_of(const LabelTable& table) {
  std::vector<std::uint32_t> order;
  table.for_each([&](LabelHandle, const BlobLabel& label, auto) { order.push_back(label.number); });
  return order;
}

class BlobTableTest : public testing::TestWithParam<Compaction> {};
INSTANTIATE_TEST_SUITE_P(Compactions, BlobTableTest,
                         testing::Values(Compaction::at_release, Compaction::on_demand));

TEST_P(BlobTableTest, C1_BlocksOfDifferentSizesLiePackedAndAlignedInOneBufferThatNeverMoves) {
  for (const std::uint32_t alignment : {1u, 4u, 64u, 4096u}) {
    LabelTable table(with(1 << 20, GetParam(), alignment));
    const std::byte* const address = table.bytes().data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % alignment, 0u);
    std::uint64_t end = 0;
    std::vector<LabelHandle> handles;
    for (std::uint32_t i = 0; i < 100; ++i) {
      handles.push_back(add(table, i * 13 % 300, i));
      EXPECT_EQ(table.offset(handles.back()), end);
      EXPECT_EQ(table.offset(handles.back()) % alignment, 0u);
      EXPECT_EQ(table.find(handles.back()).data(), address + end);
      end += detail::core_of(table).taken_by(i * 13 % 300);
    }
    const FrozenTable frozen = detail::core_of(table).freeze();
    for (std::size_t i = 0; i < handles.size(); i += 2) table.erase(handles[i]);
    table.compact();
    detail::core_of(table).thaw(frozen);
    EXPECT_EQ(table.bytes().data(), address);
    EXPECT_EQ(bytes_of(table, handles[99]), make_bytes(99 * 13 % 300, 99));
  }
}

TEST_P(BlobTableTest, C2_StaleNullAndForeignHandlesNameNothing) {
  BlobTable<BlobLabel, Layout<32, 16, 15>> table(
      {.capacity_bytes = 1024, .compaction = GetParam(), .type_id = 5});
  using Typed = Handle<BlobLabel, Layout<32, 16, 15>>;
  const Typed live = table.insert({}, 10).value();
  const Typed stale = table.insert({}, 10).value();
  ASSERT_TRUE(table.erase(stale));
  const Typed tenant = table.insert({}, 10).value();  // of the same slot
  ASSERT_EQ(tenant.index(), stale.index());
  const Typed foreign = Typed::from_bits(pack_handle(Layout<32, 16, 15>::value, 0, 1, 6));
  for (const Typed handle : {stale, Typed{}, foreign, Typed::from_bits(~std::uint64_t{0})}) {
    EXPECT_FALSE(table.contains(handle));
    EXPECT_EQ(table.find(handle).data(), nullptr);
    EXPECT_EQ(table.edit(handle).data(), nullptr);
    EXPECT_EQ(table.meta(handle), nullptr);
    EXPECT_EQ(table.edit_meta(handle), nullptr);
    EXPECT_FALSE(table.erase(handle));
    EXPECT_EQ(table.resize(handle, 1).error().code, ErrorCode::not_found);
  }
  EXPECT_TRUE(table.contains(live));
  table.clear();
  EXPECT_FALSE(table.contains(live)) << "clear makes handles stale";
  EXPECT_FALSE(table.contains(table.insert({}, 10).value() == live ? live : tenant));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(BlobTableTest, AnErasedBlockComesBackUnderItsHandleAsTheLastOne) {
  BlobOptions options = with(4096, GetParam());
  options.names = RecordNames::exact;
  LabelTable table(options);
  const auto first = table.insert_named("first", {"a", 1}, make_bytes(100, 1)).value();
  const auto second = table.insert_named("second", {"b", 2}, make_bytes(50, 2)).value();
  const Bytes bytes = make_bytes(33, 3);
  EXPECT_EQ(table.revive(first, {}, bytes).error().code, ErrorCode::not_found) << "it is there";
  table.erase(first);
  EXPECT_EQ(table.revive(first, {}, bytes, "second").error().code, ErrorCode::duplicate_name);
  EXPECT_EQ(table.revive(first, {}, make_bytes(std::size_t{1} << 20, 1)).error().code,
            ErrorCode::blob_too_large);
  EXPECT_FALSE(table.contains(first));
  ASSERT_TRUE(table.revive(first, {"c", 3}, bytes, "first"));
  EXPECT_EQ(table.find_named("first"), first);
  EXPECT_EQ(table.meta(first)->name, "c");
  EXPECT_EQ(bytes_of(table, first), bytes);
  EXPECT_GT(table.offset(first), table.offset(second));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(BlobTableTest, C3_MetadataComesBackWithTheDataAndInCallbacks) {
  LabelTable table(with(4096, GetParam()));
  const LabelHandle first = add(table, 100, 1);
  const LabelHandle second = table.insert({std::string(50, 'm'), 2}, 7).value();
  table.edit_meta(first)->name = "changed";
  EXPECT_EQ(*table.meta(first), (BlobLabel{"changed", 1}));
  EXPECT_EQ(*table.meta(second), (BlobLabel{std::string(50, 'm'), 2}));
  EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{1, 2}));
  table.erase(first);  // the bytes move, the metadata does not
  EXPECT_EQ(*table.meta(second), (BlobLabel{std::string(50, 'm'), 2}));
}

TEST(BlobTable, C4_AtReleaseTheBlocksBehindMoveDownInOrder) {
  LabelTable table(with(1024, Compaction::at_release));
  const LabelHandle a = add(table, 20, 1);
  const LabelHandle b = add(table, 40, 2);
  const LabelHandle c = add(table, 60, 3);
  const LabelHandle d = add(table, 5, 4);
  table.erase(b);
  EXPECT_EQ(table.offset(a), 0u);
  EXPECT_EQ(table.offset(c), 32u);
  EXPECT_EQ(table.offset(d), 96u);
  EXPECT_EQ(table.bytes().size(), 112u);
  EXPECT_EQ(bytes_of(table, c), make_bytes(60, 3));
  EXPECT_EQ(bytes_of(table, d), make_bytes(5, 4));
  EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(BlobTable, C4_OnDemandHolesStayUntilCompactOrUntilAnInsertNeedsThem) {
  LabelTable table(with(160, Compaction::on_demand));
  const LabelHandle a = add(table, 32, 1);
  const LabelHandle b = add(table, 32, 2);
  const LabelHandle c = add(table, 32, 3);
  const LabelHandle d = add(table, 32, 4);
  table.erase(b);
  EXPECT_EQ(table.offset(c), 64u);
  EXPECT_EQ(table.bytes().size(), 128u);
  EXPECT_EQ(table.allocated_bytes(), 96u);
  const LabelHandle e = add(table, 32, 5);  // fits behind the last one
  EXPECT_EQ(table.offset(c), 64u);
  EXPECT_EQ(table.offset(e), 128u);
  const LabelHandle f = add(table, 32, 6);  // does not
  EXPECT_EQ(table.offset(c), 32u);
  EXPECT_EQ(table.offset(f), 128u);
  EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{1, 3, 4, 5, 6}));
  table.erase(a);
  table.erase(d);
  table.compact();
  EXPECT_EQ(table.offset(c), 0u);
  EXPECT_EQ(table.offset(f), 64u);
  EXPECT_EQ(bytes_of(table, f), make_bytes(32, 6));
  table.erase(f);  // the last: its room is free at once
  EXPECT_EQ(table.bytes().size(), 64u);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(BlobTableTest, C5_TheWholeUsedBufferIsOneSpanOfBlocksAndZeros) {
  LabelTable table(with(4096, GetParam()));
  const std::array<std::size_t, 4> sizes = {3, 16, 0, 33};
  std::vector<LabelHandle> handles;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    handles.push_back(add(table, sizes[i], static_cast<std::uint32_t>(i)));
    EXPECT_EQ(table.find(handles[i]).size(), sizes[i]);
    EXPECT_NE(table.find(handles[i]).data(), nullptr) << "a block without bytes is there";
  }
  EXPECT_EQ(table.bytes().size(), 16u + 16u + 16u + 48u);
  EXPECT_EQ(table.allocated_bytes(), 96u);
  EXPECT_EQ(table.capacity(), 4096u);
  Bytes expected(96);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Bytes bytes = make_bytes(sizes[i], i);
    std::copy(bytes.begin(), bytes.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(table.offset(handles[i])));
  }
  EXPECT_EQ(Bytes(table.bytes().begin(), table.bytes().end()), expected);
  EXPECT_EQ(test::read_all(detail::core_of(table).freeze().blobs->buffer), expected);
}

// The use that the row is for: one pass that updates bytes and metadata of all blocks, and drops
// some.
// Only once the block has moved down does it fit.
TEST_P(BlobTableTest, ABlockGrowsIntoAllTheRoomThatCompactionMakes) {
  LabelTable table(with(1 << 14, GetParam()));
  const LabelHandle first = add(table, 8000, 1);
  const LabelHandle second = add(table, 8000, 2);
  const FrozenTable before = detail::core_of(table).freeze();
  table.erase(first);
  ASSERT_TRUE(table.resize(second, 16'000));
  ASSERT_STREQ(table.check_invariants(), nullptr);
  Bytes grown = make_bytes(8000, 2);
  grown.resize(16'000);
  EXPECT_EQ(bytes_of(table, second), grown);
  detail::core_of(table).thaw(before);
  EXPECT_EQ(bytes_of(table, first), make_bytes(8000, 1));
  EXPECT_EQ(bytes_of(table, second), make_bytes(8000, 2));
}

TEST_P(BlobTableTest, C6_APassChangesBytesAndMetadataAndMayErase) {
  LabelTable table(with(1 << 16, GetParam()));
  std::vector<LabelHandle> handles;
  for (std::uint32_t i = 0; i < 20; ++i) handles.push_back(add(table, 10 + i, i));
  const FrozenTable before = detail::core_of(table).freeze();
  std::size_t visited = 0;
  table.edit_each([&](LabelHandle handle, BlobLabel& label, std::span<std::byte> bytes) {
    ++visited;
    const Bytes made = make_bytes(bytes.size(), label.number);
    ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), made.begin(), made.end()));
    const std::uint32_t number = label.number;
    label.number += 100;
    const Bytes other = make_bytes(bytes.size(), label.number);
    std::copy(other.begin(), other.end(), bytes.begin());
    if (number % 4 == 1) table.erase(handle);
    if (number == 6) table.erase(handles[7]);
    if (number == 8) {
      ASSERT_TRUE(table.resize(handles[2], 500));
    }
    if (number == 19) table.erase(handles[18]);
    ASSERT_STREQ(table.check_invariants(), nullptr);
  });
  EXPECT_EQ(visited, 19u) << "all but the one erased before its turn";
  for (std::uint32_t i = 0; i < 20; ++i) {
    const bool is_gone = i % 4 == 1 || i == 7 || i == 18;
    ASSERT_EQ(table.contains(handles[i]), !is_gone) << i;
    EXPECT_EQ(block_place(before, handles[i].index()).size, 10u + i)
        << "the capture is what it was";
    if (is_gone) {
      EXPECT_THROW(static_cast<void>(table.at(handles[i])), std::out_of_range);
      continue;
    }
    EXPECT_EQ(table.meta(handles[i])->number, 100 + i);
    const auto bytes = table.at(handles[i]).first(10 + i);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), make_bytes(10 + i, 100 + i));
    EXPECT_EQ(table.find(handles[i]).size(), i == 2 ? 500 : 10 + i);
  }
  detail::core_of(table).thaw(before);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto bytes = table.at(handles[i]);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), make_bytes(10 + i, i));
    EXPECT_EQ(table.meta(handles[i])->number, i);
  }
}

TEST_P(BlobTableTest, C6_EachBlockThatIsLiveWhenItsTurnComesIsVisitedOnce) {
  LabelTable table(with(1 << 16, GetParam()));
  std::vector<LabelHandle> handles;
  for (std::uint32_t i = 0; i < 20; ++i) handles.push_back(add(table, 10 + i, i));
  std::vector<std::uint32_t> visited;
  table.for_each([&](LabelHandle handle, const BlobLabel& label, std::span<const std::byte> bytes) {
    const std::uint32_t number = label.number;
    visited.push_back(number);
    ASSERT_EQ(Bytes(bytes.begin(), bytes.end()), make_bytes(bytes.size(), number));
    if (number == 3) table.erase(handle);                               // the current one
    if (number == 5) table.erase(handles[6]), table.erase(handles[7]);  // the next two
    if (number == 8) table.erase(handles[2]);                           // an earlier one
    if (number == 9) add(table, 99, 100);
    if (number == 19) table.erase(handle), add(table, 1, 101);  // in place of the last
    if (number == 101) add(table, 1, 102);
  });
  EXPECT_EQ(visited, (std::vector<std::uint32_t>{0,  1,  2,  3,  4,  5,  8,  9,   10,  11, 12,
                                                 13, 14, 15, 16, 17, 18, 19, 100, 101, 102}));
  EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{0, 1, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15,
                                                         16, 17, 18, 100, 101, 102}));
  visited.clear();
  table.for_each([&](LabelHandle, const BlobLabel& label, auto) {  // a visit within a visit
    if (label.number == 4) {
      table.for_each([&](LabelHandle inner, const BlobLabel& erased, auto) {
        if (erased.number != 4 && erased.number < 101) table.erase(inner);
      });
    }
    if (label.number == 102) table.clear(), add(table, 1, 200);
    visited.push_back(label.number);
  });
  EXPECT_EQ(visited.front(), 0u);
  EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{200}));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(BlobTableTest, ResizingKeepsOrderAndContentAndGrowsByZeros) {
  LabelTable table(with(512, GetParam()));
  const LabelHandle a = add(table, 20, 1);
  const LabelHandle b = add(table, 20, 2);
  const LabelHandle c = add(table, 20, 3);
  for (const std::size_t size : {21u, 32u, 100u, 7u, 0u, 64u, 416u, 20u}) {
    const Bytes before = bytes_of(table, b);
    ASSERT_TRUE(table.resize(b, size).has_value());
    Bytes expected = before;
    expected.resize(size);
    EXPECT_EQ(bytes_of(table, b), expected);
    EXPECT_EQ(bytes_of(table, a), make_bytes(20, 1));
    EXPECT_EQ(bytes_of(table, c), make_bytes(20, 3));
    EXPECT_EQ(order_of(table), (std::vector<std::uint32_t>{1, 2, 3}));
    ASSERT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST_P(BlobTableTest, EveryReasonForRefusalHasItsOwnCodeAndChangesNothing) {
  BlobTable<int, Layout<16, 16>> table(
      {.capacity_bytes = 65'536 * 2, .alignment = 1, .compaction = GetParam()});
  const auto first = table.insert(0, 65'536).value();
  EXPECT_EQ(table.insert(1, 65'537).error().code, ErrorCode::blob_full);
  EXPECT_EQ(table.insert(1, 65'536 * 2 + 1).error().code, ErrorCode::blob_too_large);
  EXPECT_EQ(table.insert(1, ~std::uint64_t{0}).error().code, ErrorCode::blob_too_large);
  EXPECT_EQ(table.resize(first, 65'536 * 2 + 1).error().code, ErrorCode::blob_too_large);
  const auto second = table.insert(2, 1).value();
  EXPECT_EQ(table.resize(first, 65'536 * 2).error().code, ErrorCode::blob_full);
  EXPECT_EQ(table.find(first).size(), 65'536u);
  EXPECT_TRUE(table.erase(second));
  ASSERT_TRUE(table.resize(first, 0).has_value());
  for (std::size_t i = 1; i < 65'536; ++i) ASSERT_TRUE(table.insert(3, 0).has_value());
  EXPECT_EQ(table.insert(3, 0).error().code, ErrorCode::table_full);
  EXPECT_EQ(table.size(), 65'536u);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(BlobTable, OptionsThatCannotBeHadAreNamed) {
  EXPECT_EQ((BlobOptions{.capacity_bytes = 0}.problem()), nullptr);
  EXPECT_EQ((BlobOptions{.capacity_bytes = 4096, .alignment = 4096}.problem()), nullptr);
  for (const std::uint32_t alignment : {0u, 3u, 8192u}) {
    EXPECT_NE((BlobOptions{.capacity_bytes = 0, .alignment = alignment}.problem()), nullptr);
  }
  EXPECT_NE((BlobOptions{.capacity_bytes = 100, .alignment = 16}.problem()), nullptr);
  EXPECT_NE((BlobOptions{.capacity_bytes = std::uint64_t{1} << 41}.problem()), nullptr);
  BlobTable<int> empty({.capacity_bytes = 0});
  EXPECT_EQ(empty.insert(1, 0).error().code, ErrorCode::blob_too_large);
}

TEST_P(BlobTableTest, NothingOfAReleasedBlockStaysInTheBufferOrInLaterCaptures) {
  LabelTable table(with(1024, GetParam()));
  const auto has_bytes = [&] {  // in the whole buffer, also behind the used end
    const std::byte* const data = table.bytes().data();
    return std::any_of(data, data + 200, [](std::byte byte) { return byte != std::byte{0}; });
  };
  const LabelHandle a = add(table, 100, 1);
  const LabelHandle b = add(table, 100, 2);
  const FrozenTable before = detail::core_of(table).freeze();
  ASSERT_TRUE(table.resize(a, 0).has_value());
  table.erase(b);
  EXPECT_FALSE(has_bytes());
  const Bytes later = test::read_all(detail::core_of(table).freeze().blobs->buffer);
  EXPECT_EQ(later, Bytes(later.size()));
  detail::core_of(table).thaw(before);
  EXPECT_TRUE(has_bytes());
  table.clear();
  EXPECT_FALSE(has_bytes());
  detail::core_of(table).thaw(before);
  table.reset();
  EXPECT_FALSE(has_bytes());
}

// Something that has private members and so no standard layout, and is aligned more than a block's
// numbers.
class alignas(32) OddMeta {
 public:
  OddMeta() = default;
  explicit OddMeta(char value) : value_(value) {}
  virtual ~OddMeta() = default;
  OddMeta(const OddMeta&) = default;
  OddMeta& operator=(const OddMeta&) = default;
  [[nodiscard]] virtual char value() const { return value_; }
  std::uint64_t shown = 1;

 private:
  char value_ = 0;
};

TEST(BlobTable, MetadataOfAnyLayoutLiesBeforeTheNumbersOfItsBlock) {
  BlobTable<OddMeta> odd({.capacity_bytes = 1024});
  BlobTable<char> small({.capacity_bytes = 1024});
  for (char i = 0; i < 20; ++i) {
    const auto in_odd = odd.insert(OddMeta(i), 8).value();
    const auto in_small = small.insert(i, 8).value();
    EXPECT_EQ(odd.meta(in_odd)->value(), i);
    EXPECT_EQ(*small.meta(in_small), i);
    const auto* const block = reinterpret_cast<const BlobBlock<OddMeta>*>(odd.meta(in_odd));
    EXPECT_EQ(block->place.offset, 16u * static_cast<unsigned>(i));
    EXPECT_EQ(block->place.size, 8u);
  }
  EXPECT_STREQ(odd.check_invariants(), nullptr);
  EXPECT_STREQ(small.check_invariants(), nullptr);
}

}  // namespace
}  // namespace hdb
