// Handles: bit positions, totality, and bits that nobody issued.
#include "hdb/handle.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "hdb/translate_handle.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Unit;
using test::Wide;

static_assert(sizeof(Handle<Unit>) == 8);
static_assert(sizeof(Handle<Unit, Layout<16, 16>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<20, 12>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<32, 16, 15>>) == 8);
static_assert(sizeof(Handle<Unit, Layout<10, 6>>) == 2);
static_assert(sizeof(Handle<Unit, Layout<1, 1>>) == 2);
static_assert(sizeof(Handle<Unit, Layout<9, 4, 4>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<24, 8>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<24, 8, 1>>) == 8);
static_assert(std::is_same_v<decltype(Handle<Unit>{}.index()), std::uint32_t>);
static_assert(std::is_same_v<decltype(Handle<Unit, Layout<40, 23>>{}.index()), std::uint64_t>);
static_assert(std::is_trivially_copyable_v<Handle<Unit>>);
static_assert(!std::is_convertible_v<Handle<Unit>, Handle<Wide>>,
              "handles of different types do not mix");
static_assert(!std::is_constructible_v<Handle<Unit>, Handle<Wide>>);
static_assert(!std::is_constructible_v<Handle<Unit>, std::uint64_t>, "bits only through from_bits");
static_assert(std::is_convertible_v<Strong<Unit>, Handle<Unit>>);

template <class L>
class HandleLayoutTest : public testing::Test {};
// The layouts with names in the documentation, all bits of each width used, unused bits, indexes of
// more than 32 bits, the shortest and the longest of each part.
using Layouts =
    testing::Types<Layout<32, 31>, Layout<16, 16>, Layout<20, 12>, Layout<32, 16, 15>,
                   Layout<10, 6>, Layout<9, 4, 2>, Layout<24, 8>, Layout<22, 8>, Layout<40, 23>,
                   Layout<40, 20>, Layout<33, 31>, Layout<20, 31>, Layout<12, 14, 6>,
                   Layout<32, 16, 16>, Layout<33, 15, 16>, Layout<63, 1>, Layout<9, 31, 16>>;
TYPED_TEST_SUITE(HandleLayoutTest, Layouts);

template <class L>
constexpr std::uint16_t kTypeId = 0x1235 & ((1u << L::type_bits) - 1);

TYPED_TEST(HandleLayoutTest, PartsLieAtTheBitPositionsOfTheFormat) {
  using H = Handle<Unit, TypeParam>;
  const auto& layout = TypeParam::value;
  const std::uint32_t last = layout.max_generation();
  const auto bits = pack_handle(layout, 1, last, kTypeId<TypeParam>);
  const H handle = H::from_bits(static_cast<typename H::Bits>(bits));
  EXPECT_EQ(handle.index(), 1u);
  EXPECT_EQ(handle.generation(), last);
  EXPECT_EQ(handle.type_id(), kTypeId<TypeParam>);
  EXPECT_EQ(handle.bits(), bits) << "no part is cut off";
  std::uint64_t rest = bits;  // index lowest, then generation, then type id
  EXPECT_EQ(rest % (std::uint64_t{1} << layout.index_bits), 1u);
  rest >>= layout.index_bits;
  EXPECT_EQ(rest % (std::uint64_t{1} << layout.generation_bits), last);
  EXPECT_EQ(layout.type_bits == 0 ? 0 : rest >> layout.generation_bits, kTypeId<TypeParam>);
  EXPECT_EQ(split_handle(layout, bits), (HandleParts{1, last, kTypeId<TypeParam>}));
}

TYPED_TEST(HandleLayoutTest, FromBitsIsTotalAndKeepsEveryBit) {
  using H = Handle<Unit, TypeParam>;
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto bits = static_cast<typename H::Bits>(random());
    EXPECT_EQ(H::from_bits(bits).bits(), bits);
  }
}

TYPED_TEST(HandleLayoutTest, AllZeroBitsNameNothing) {  // H1
  using H = Handle<Unit, TypeParam>;
  EXPECT_TRUE(H{}.is_null());
  EXPECT_FALSE(H{});
  Table<Unit, TypeParam> table({.type_id = kTypeId<TypeParam>});
  EXPECT_EQ(table.find(H{}), nullptr);
  ASSERT_TRUE(table.insert(Unit{1}));
  EXPECT_EQ(table.find(H{}), nullptr);
  EXPECT_FALSE(table.contains(H{}));
  EXPECT_FALSE(table.erase(H{}));
}

// Every bit pattern that is not a live handle resolves to nothing: H1, H3.
TYPED_TEST(HandleLayoutTest, BitsThatNobodyIssuedNeverResolve) {
  using H = Handle<Unit, TypeParam>;
  using Bits = typename H::Bits;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit, TypeParam> table({.storage = storage, .type_id = kTypeId<TypeParam>});
    std::unordered_set<Bits> live;
    std::vector<H> handles;
    for (std::uint64_t i = 0; i < 300; ++i) handles.push_back(table.insert(Unit{i}));
    for (std::size_t i = 0; i < handles.size(); i += 3) table.erase(handles[i]);
    for (std::uint64_t i = 0; i < 50; ++i) handles.push_back(table.insert(Unit{1000 + i}));
    for (const H handle : handles) {
      if (table.contains(handle)) live.insert(handle.bits());
    }
    ASSERT_EQ(live.size(), table.size());

    std::size_t cases = 0;
    const auto check = [&](std::uint64_t raw) {
      const Bits bits = static_cast<Bits>(raw);
      const bool known = live.count(bits) != 0;
      ++cases;
      ASSERT_EQ(table.contains(H::from_bits(bits)), known) << bits;
      ASSERT_EQ(table.find(H::from_bits(bits)) != nullptr, known) << bits;
      if (!known) {
        ASSERT_EQ(table.edit(H::from_bits(bits)), nullptr) << bits;
        ASSERT_FALSE(table.erase(H::from_bits(bits))) << bits;
      }
    };
    std::mt19937_64 random(7);
    for (int i = 0; i < 100'000; ++i) check(random());
    // Around what was issued: every single bit changed (the top bit too), generation 0, other type
    // ids.
    for (const H handle : handles) {
      check(handle.bits());
      for (unsigned bit = 0; bit < 8 * sizeof(Bits); ++bit)
        check(handle.bits() ^ (std::uint64_t{1} << bit));
      check(handle.index());
      check(pack_handle(TypeParam::value, slot_number(handle), 0, kTypeId<TypeParam>));
      if (TypeParam::type_bits != 0) {
        check(pack_handle(TypeParam::value, slot_number(handle), handle.generation(), 0));
        check(pack_handle(TypeParam::value, slot_number(handle), handle.generation(), 0x7fff));
      }
    }
    for (std::uint64_t index = 0; index < 400; ++index) {
      for (std::uint64_t generation = 0; generation < 6; ++generation) {
        check(pack_handle(TypeParam::value, static_cast<std::uint32_t>(index),
                          static_cast<std::uint32_t>(generation), kTypeId<TypeParam>));
      }
    }
    check(std::numeric_limits<std::uint64_t>::max());
    EXPECT_GT(cases, 100'000u);
    EXPECT_EQ(table.check_invariants(), nullptr);
  }
}

// The slot has 2^g - 1 tenants, 2^31 - 2 with 31 bits: a retired slot's tag takes one.
TEST(Handle, LimitsFollowFromTheWidths) {
  EXPECT_EQ((HandleLayout{32, 31, 0}.max_generation()), 0x7ffffffeu);
  EXPECT_EQ((HandleLayout{33, 30, 0}.max_generation()), 0x3fffffffu);
  EXPECT_EQ((HandleLayout{8, 1, 0}.max_generation()), 1u);
  EXPECT_EQ((HandleLayout{1, 8, 0}.max_slots()), 2u);
  EXPECT_EQ((HandleLayout{31, 8, 0}.max_slots()), 0x80000000u);
  EXPECT_EQ((HandleLayout{32, 8, 0}.max_slots()), 0xffffffffu);
  EXPECT_EQ((HandleLayout{63, 1, 0}.max_slots()), 0xffffffffu);
}

TEST(Handle, LayoutsOutsideOfTheRangesAreNotValid) {
  std::size_t valid = 0;
  for (unsigned index = 0; index <= 255; ++index) {
    for (unsigned generation = 0; generation <= 64; ++generation) {
      for (unsigned type = 0; type <= 64; ++type) {
        const HandleLayout layout{static_cast<std::uint8_t>(index),
                                  static_cast<std::uint8_t>(generation),
                                  static_cast<std::uint8_t>(type)};
        const bool wanted = index >= 1 && generation >= 1 && generation <= 31 && type <= 16 &&
                            index + generation + type <= 64;
        ASSERT_EQ(layout.is_valid(), wanted) << index << ' ' << generation << ' ' << type;
        if (!wanted) continue;
        ++valid;
        const unsigned total = index + generation + type;
        ASSERT_EQ(layout.byte_size(), total <= 16 ? 2u : total <= 32 ? 4u : 8u);
      }
    }
  }
  EXPECT_EQ(valid, 21080u);
  EXPECT_FALSE((HandleLayout{255, 31, 16}.is_valid())) << "a sum beyond eight bits";
}

TEST(Handle, BitsThatNoTableIssuesHaveNoParts) {
  EXPECT_FALSE(split_handle({22, 8, 0}, std::uint64_t{1} << 30));
  EXPECT_TRUE(split_handle({24, 8, 0}, 0xffffffffu));
  EXPECT_FALSE(split_handle({24, 8, 0}, std::uint64_t{1} << 32));
  EXPECT_FALSE(split_handle({40, 23, 0}, std::uint64_t{1} << 32 | std::uint64_t{1} << 40));
  EXPECT_TRUE(split_handle({40, 23, 0}, 0xffffffffu | std::uint64_t{1} << 40));
  EXPECT_TRUE(split_handle({32, 16, 16}, ~std::uint64_t{0}));
}

TEST(Handle, OrderedAndHashedByBits) {
  const auto a = Handle<Unit>::from_bits(1);
  const auto b = Handle<Unit>::from_bits(2);
  EXPECT_LT(a, b);
  EXPECT_NE(std::hash<Handle<Unit>>{}(a), std::hash<Handle<Unit>>{}(b));
}

TEST(Handle, KeysTellTagsAndLayoutsApart) {
  EXPECT_NE((handle_key<Unit, DefaultLayout>()), (handle_key<Wide, DefaultLayout>()));
  EXPECT_NE((handle_key<Unit, DefaultLayout>()), (handle_key<Unit, Layout<16, 16>>()));
  EXPECT_EQ((handle_key<Unit, DefaultLayout>()), (handle_key<Unit, DefaultLayout>()));
}

TEST(Handle, TheTopBitOfSixtyFourIsZeroInEveryIssuedHandle) {
  Table<Unit> table;
  Table<Unit, Layout<32, 16, 15>> typed({.type_id = 0x7fff});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(table.insert({}).bits() >> 63, 0u);
    EXPECT_EQ(typed.insert({}).bits() >> 63, 0u);
  }
}

}  // namespace
}  // namespace hdb
