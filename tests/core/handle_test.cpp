// Handles: bit positions, totality, and bits that nobody issued.
#include "hdb/core/handle.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/core/table.hpp"

namespace hdb {
namespace {

using test::Unit;
using test::Wide;

static_assert(sizeof(Handle<Unit>) == 8);
static_assert(sizeof(Handle<Unit, Layout<16, 16>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<20, 12>>) == 4);
static_assert(sizeof(Handle<Unit, Layout<32, 16, 15>>) == 8);
static_assert(std::is_trivially_copyable_v<Handle<Unit>>);
static_assert(!std::is_convertible_v<Handle<Unit>, Handle<Wide>>,
              "handles of different types do not mix");
static_assert(!std::is_constructible_v<Handle<Unit>, Handle<Wide>>);
static_assert(!std::is_constructible_v<Handle<Unit>, std::uint64_t>, "bits only through from_bits");
static_assert(std::is_convertible_v<Strong<Unit>, Handle<Unit>>);

template <class L>
class HandleLayoutTest : public testing::Test {};
using Layouts = testing::Types<Layout<32, 31>, Layout<16, 16>, Layout<20, 12>, Layout<32, 16, 15>>;
TYPED_TEST_SUITE(HandleLayoutTest, Layouts);

template <class L>
constexpr std::uint16_t kTypeId = L::type_bits == 0 ? 0 : 0x1234;

TYPED_TEST(HandleLayoutTest, PartsLieAtTheBitPositionsOfTheFormat) {
  using H = Handle<Unit, TypeParam>;
  const auto& layout = TypeParam::value;
  const auto bits = pack_handle(layout, 5, 3, kTypeId<TypeParam>);
  const H handle = H::from_bits(static_cast<typename H::Bits>(bits));
  EXPECT_EQ(handle.index(), 5u);
  EXPECT_EQ(handle.generation(), 3u);
  EXPECT_EQ(handle.type_id(), kTypeId<TypeParam>);
  EXPECT_EQ(bits & 0xffff, 5u) << "index lowest";
  EXPECT_EQ(bits >> layout.index_bits & 0xfff, 3u) << "then the generation";
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
    // Around what was issued: every single bit changed (the top bit too), generation 0, other type ids.
    for (const H handle : handles) {
      check(handle.bits());
      for (unsigned bit = 0; bit < 8 * sizeof(Bits); ++bit)
        check(handle.bits() ^ (std::uint64_t{1} << bit));
      check(handle.index());
      check(pack_handle(TypeParam::value, handle.index(), 0, kTypeId<TypeParam>));
      if (TypeParam::type_bits != 0) {
        check(pack_handle(TypeParam::value, handle.index(), handle.generation(), 0));
        check(pack_handle(TypeParam::value, handle.index(), handle.generation(), 0x7fff));
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
