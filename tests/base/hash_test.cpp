// Hashes against the published XXH3 values, and sums of hashes modulo 2^128.
#include "hdb/hash.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/blake2b.hpp"
#include "hdb/bytes.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Hash, EmptyInputHasThePublishedValues) {
  EXPECT_EQ(hash64({}), 0x2d06800538d394c2u);
  EXPECT_EQ(hash128({}).hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, Blake2bHasThePublishedValues) {
  const auto hex = [](const std::string& text) {
    std::string digits;
    for (const std::byte byte : detail::blake2b_256(std::as_bytes(std::span(text)))) {
      const auto value = std::to_integer<unsigned>(byte);
      digits += "0123456789abcdef"[value / 16];
      digits += "0123456789abcdef"[value % 16];
    }
    return digits;
  };
  EXPECT_EQ(hex(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(hex("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(hex(std::string(128, 'a')),  // exactly one block
            "ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450");
  EXPECT_EQ(hex(std::string(129, 'b')),
            "e07bda70cd80e294099c00563ead9110ee1f4eee86e2cefc8be3b669552a5cfb");
}

TEST(Hash, SumsCarryAndBorrow) {
  Hash128 sum{kMax, 0};
  sum += Hash128{1, 0};
  EXPECT_EQ(sum, (Hash128{0, 1}));
  sum -= Hash128{1, 0};
  EXPECT_EQ(sum, (Hash128{kMax, 0}));
  sum += Hash128{1, kMax};
  EXPECT_EQ(sum, (Hash128{0, 0}));
}

TEST(Hash, SumsDoNotDependOnTheOrder) {
  rc::check([](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    Hash128 left{a, b};
    left += Hash128{c, d};
    Hash128 right{c, d};
    right += Hash128{a, b};
    RC_ASSERT(left == right);
    right -= Hash128{c, d};
    RC_ASSERT(right == (Hash128{a, b}));
  });
}

TEST(Hash, PiecesHashAsTheirConcatenation) {
  rc::check([](const std::vector<std::vector<std::uint8_t>>& pieces) {
    Hasher128 hasher;
    std::vector<std::uint8_t> whole;
    for (const auto& piece : pieces) {
      hasher.update(std::as_bytes(std::span(piece)));
      whole.insert(whole.end(), piece.begin(), piece.end());
    }
    RC_ASSERT(hasher.digest() == hash128(std::as_bytes(std::span(whole))));
  });
}

TEST(Hash, SeedsTellSlotsGenerationsAndPositionsApart) {
  // By hand: 5 + 7 * 2^32 times the first constant, folded, plus the position, times the second.
  EXPECT_EQ(row_seed(5, 7, 0), 0x6cd0806398bccc15U);
  EXPECT_EQ(row_seed(5, 7, 3), 0xb4e88b1b103b8e02U);
  std::set<std::uint64_t> seeds;
  for (std::uint32_t slot = 0; slot < 20; ++slot) {
    for (std::uint32_t generation = 0; generation < 20; ++generation) {
      for (std::uint32_t position = 0; position < 20; ++position)
        seeds.insert(row_seed(slot, generation, position));
    }
  }
  EXPECT_EQ(seeds.size(), 8000u);
}

// Long inputs go another way. The values are those of the xxHash library.
TEST(Hash, SeededHashesAreThoseOfXxh3) {
  const std::pair<std::size_t, const char*> expected[] = {
      {0, "600c9dde28eb183b4d71da0a0be2d23c"},    {1, "03b32c21935d9286cac5e0f49ba916c6"},
      {16, "db9ad916d6a6e4eee014c45a6fd38c49"},   {100, "5ecb7f1ae13e725f18b12bd63f224127"},
      {200, "95159137086a21362dfffd7ac18c554b"},  {300, "c365f1f96e780b90a6b2b0c808890b55"},
      {2048, "56063aa43ea5a58826a17e1aa399cf09"}, {5000, "cc71e88a18116dd2b26706b3da5eb76d"}};
  for (const auto& [size, hex] : expected) {
    Bytes input(size);
    for (std::size_t i = 0; i < size; ++i) input[i] = static_cast<std::byte>(i * 7);
    EXPECT_EQ(hash128(input, 77).hex(), hex) << size;
    EXPECT_EQ(hash128(input, 0), hash128(input)) << size;
  }
}

TEST(Hash, SumOfRowsAddsTheHashOfEachRow) {
  Bytes rows(3 * 20);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i);
  const std::uint64_t seeds[] = {row_seed(3, 1, 0), row_seed(4, 1, 0), row_seed(6, 2, 0)};
  Hash128 sum;
  for (std::size_t row = 0; row < 3; ++row)
    sum += hash128(std::span(rows).subspan(row * 20, 16), seeds[row]);
  EXPECT_EQ(sum_of_rows(rows.data(), 20, 16, seeds), sum);
}

}  // namespace
}  // namespace hdb
