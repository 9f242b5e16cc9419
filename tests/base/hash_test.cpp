// Hashes against the published XXH3 values, and sums of hashes modulo 2^128.
#include "hdb/hash.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hdb/bytes.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Hash, EmptyInputHasThePublishedValues) {
  EXPECT_EQ(hash64({}), 0x2d06800538d394c2u);
  EXPECT_EQ(hash128({}).hex(), "99aa06d3014798d86001c324468d497f");
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

// A row hash is the hash of slot, generation and row bytes laid one after another, whatever the
// length.
TEST(Hash, RowHashIsTheHashOfThePrefixedRow) {
  for (const std::size_t size : {0u, 1u, 8u, 100u, 1015u, 1016u, 1017u, 5000u}) {
    Bytes row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<std::byte>(i * 7);
    Bytes prefixed;
    ByteWriter writer(prefixed);
    writer.u32(3);
    writer.u32(9);
    writer.raw(row);
    EXPECT_EQ(row_hash(3, 9, row), hash128(prefixed)) << size;
    EXPECT_EQ(sum_of_prefixed_rows(prefixed.data(), prefixed.size(), 1), hash128(prefixed)) << size;
  }
}

TEST(Hash, SumOfRowsAddsEachRow) {
  Bytes rows(3 * 20);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i);
  Hash128 sum;
  for (std::size_t row = 0; row < 3; ++row) sum += hash128(std::span(rows).subspan(row * 20, 20));
  EXPECT_EQ(sum_of_prefixed_rows(rows.data(), 20, 3), sum);
}

}  // namespace
}  // namespace hdb
