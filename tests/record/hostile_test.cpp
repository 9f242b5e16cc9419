// Columns that lie: every one is an error or other values, never undefined behaviour and never
// memory beyond the budget.
#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

struct Thing {
  bool flag = true;
  std::string name = "thing";
  std::vector<std::uint32_t> numbers = {1, 2, 3};
  std::vector<std::string> names = {"a", "bc"};
  std::map<std::uint8_t, std::optional<bool>> map = {{1, true}, {2, std::nullopt}};
  std::variant<std::uint8_t, std::string> var = "v";
  std::set<std::uint8_t> set = {1, 2};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(flag), CEREAL_NVP(name), CEREAL_NVP(numbers), CEREAL_NVP(names), CEREAL_NVP(map),
      CEREAL_NVP(var), CEREAL_NVP(set));
  }
};
struct Less {  // lacks fields, so that they are skipped
  std::string name;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name));
  }
};
struct PlainThing {
  bool flag = true;
  std::uint32_t n = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(flag), CEREAL_NVP(n));
  }
};

enum Columns {
  flag,
  name_size,
  name,
  numbers_size,
  numbers,
  names_size,
  names_each,
  names_bytes,
  map_size,
  map_key,
  map_present,
  map_value,
  var_tag,
  var_small,
  var_size,
  var_bytes,
  set_size,
  set_values
};

ErrorCode code_of(const Encoded& encoded, std::uint64_t budget = kPlenty) {
  const auto result = try_decode<Thing>(encoded, budget);
  return result ? ErrorCode{} : result.error().code;
}

TEST(Hostile, TheIntactColumnsLoad) {
  const Encoded good = encode(std::vector<Thing>(2));
  ASSERT_EQ(good.columns.size(), static_cast<std::size_t>(set_values) + 1);
  EXPECT_EQ(code_of(good), ErrorCode{});
}

TEST(Hostile, EveryCutColumnIsRefused) {
  const Encoded good = encode(std::vector<Thing>(2));
  for (std::size_t c = 0; c < good.columns.size(); ++c) {
    for (std::size_t size = 0; size < good.columns[c].size(); ++size) {
      Encoded bad = good;
      bad.columns[c].resize(size);
      EXPECT_NE(code_of(bad), ErrorCode{}) << "column " << c << " cut to " << size;
      EXPECT_FALSE(try_decode<Less>(bad).has_value())
          << "skipping column " << c << " cut to " << size;
    }
    Encoded bad = good;
    bad.columns[c].push_back(std::byte{0});
    EXPECT_NE(code_of(bad), ErrorCode{}) << "column " << c << " with a byte too many";
  }
}

TEST(Hostile, EveryFlippedBitIsAnErrorOrOtherValues) {
  const Encoded good = encode(std::vector<Thing>(2));
  for (std::size_t c = 0; c < good.columns.size(); ++c) {
    for (std::size_t bit = 0; bit < good.columns[c].size() * 8; ++bit) {
      Encoded bad = good;
      bad.columns[c][bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      const auto loaded = try_decode<Thing>(bad, 1 << 20);
      if (loaded) {
        EXPECT_NE(encode(*loaded).columns, good.columns)
            << "column " << c << " bit " << bit << " went unnoticed";
      }
      (void)try_decode<Less>(bad, 1 << 20);
    }
  }
}

TEST(Hostile, EachRuleHasItsError) {
  const Encoded good = encode(std::vector<Thing>(1));
  const auto with = [&](std::size_t column, Bytes content) {
    Encoded bad = good;
    bad.columns[column] = std::move(content);
    return code_of(bad);
  };
  EXPECT_EQ(with(flag, bytes(2)), ErrorCode::bad_value);
  EXPECT_EQ(with(name_size, bytes(0x85, 0x00)), ErrorCode::bad_lengths)
      << "not the shortest varint";
  EXPECT_EQ(with(name_size, bytes(6)), ErrorCode::bad_lengths);
  EXPECT_EQ(with(var_tag, bytes(2)), ErrorCode::bad_value);
  EXPECT_EQ(with(map_present, bytes(0x05)), ErrorCode::bad_value) << "a bit after the bitmap's end";
  EXPECT_EQ(with(map_key, bytes(1, 1)), ErrorCode::value_refused) << "a key twice";
  EXPECT_EQ(with(set_values, bytes(1, 1)), ErrorCode::value_refused) << "an element twice";
  EXPECT_EQ(with(numbers_size, bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)),
            ErrorCode::memory_budget);
  Encoded fewer = good;
  fewer.columns.pop_back();
  EXPECT_EQ(code_of(fewer), ErrorCode::bad_lengths);
}

TEST(Hostile, CountsAreChargedBeforeAnythingGrows) {
  Encoded bad = encode(std::vector<Thing>(1));
  bad.columns[names_size] = bytes(0x80, 0x80, 0x80, 0x80, 0x10);  // 2^32 strings
  EXPECT_EQ(code_of(bad, 1 << 20), ErrorCode::memory_budget);
  EXPECT_EQ(code_of(encode(std::vector<Thing>(1)), 8), ErrorCode::memory_budget);
  bad.columns[names_size] = bytes(0x80, 0x80, 0x80, 0x80, 0x10);
  const auto skipped = try_decode<Less>(bad, 1 << 20);
  ASSERT_FALSE(skipped.has_value());
}

TEST(Hostile, PlainColumnsAreCheckedToo) {
  ASSERT_TRUE(make_codec<PlainThing>()->is_plain());
  const Encoded good = encode(std::vector<PlainThing>(3));
  Encoded bad = good;
  bad.columns[0][1] = std::byte{2};
  EXPECT_EQ(try_decode<PlainThing>(bad).error().code, ErrorCode::bad_value);
  bad = good;
  bad.columns[1].pop_back();
  EXPECT_EQ(try_decode<PlainThing>(bad).error().code, ErrorCode::bad_lengths);
  bad = good;
  bad.columns[1].push_back(std::byte{0});
  EXPECT_EQ(try_decode<PlainThing>(bad).error().code, ErrorCode::bad_lengths);
}

}  // namespace
}  // namespace hdb::test
