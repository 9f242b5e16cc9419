// Names of fields that are put together at run time: what they read as counts, never where they
// are.
#include <cstdio>

#include "helpers.hpp"

namespace hdb::test {
namespace names {

inline char buffer[16];

/// Ways to make the name "v<i>".
struct InOneBuffer {
  static const char* name(int i) {
    std::snprintf(buffer, sizeof buffer, "v%d", i);
    return buffer;
  }
};
struct InTheFrame {
  struct Text {
    char chars[16];
    explicit Text(int i) { std::snprintf(chars, sizeof chars, "v%d", i); }
    operator const char*() const { return chars; }  // NOLINT(google-explicit-constructor): a name
  };
  static Text name(int i) { return Text(i); }
};
struct InStrings {
  static std::string name(int i) { return "v" + std::to_string(i); }
};
/// Longer than a string holds in itself.
struct InLongStrings {
  static std::string name(int i) { return "a name that is allocated " + std::to_string(i); }
};
struct Literals {
  static const char* name(int i) { return i == 0 ? "v0" : i == 1 ? "v1" : "v2"; }
};

/// Three strings in the order of `Order`'s digits.
template <class Names, int Order>
struct Three {
  std::string v[3];
  bool operator==(const Three&) const = default;
  template <class A>
  void serialize(A& ar) {
    for (const int i : {Order / 100, Order / 10 % 10, Order % 10}) {
      ar(cereal::make_nvp(Names::name(i), v[i]));
    }
  }
};
/// Visits its fields in another order when asked to.
template <class Names>
struct Swapper {
  int swapped = 0;
  std::string v[2];
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(swapped));
    for (const int k : {0, 1}) {
      const int i = swapped == 1 ? 1 - k : k;
      ar(cereal::make_nvp(Names::name(i), v[i]));
    }
  }
};
/// The same name for both fields, by one pointer.
struct Twice {
  int a = 1, b = 2;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp(InOneBuffer::name(0), a), cereal::make_nvp(InOneBuffer::name(1), b));
  }
};

}  // namespace names
}  // namespace hdb::test

namespace hdb::test::names_test {
namespace {

using namespace names;

template <class Names>
class RunTimeNames : public testing::Test {};
using Ways = testing::Types<InOneBuffer, InTheFrame, InStrings, InLongStrings, Literals>;
TYPED_TEST_SUITE(RunTimeNames, Ways);

TYPED_TEST(RunTimeNames, FieldsAreFoundByTextInAnyOrder) {
  using Saved = Three<TypeParam, 12>;
  const std::vector<Saved> records{{{"zero", "one", "two"}}, {{"3", "4", "5"}}};
  const Encoded encoded = encode(records);
  EXPECT_EQ(decode<Saved>(encoded), records);
  const auto reversed = decode<Three<TypeParam, 210>>(encoded);
  const auto rotated = decode<Three<TypeParam, 120>>(encoded);
  for (std::size_t row = 0; row < records.size(); ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reversed[row].v[i], records[row].v[i]) << "row " << row << ", field " << i;
      EXPECT_EQ(rotated[row].v[i], records[row].v[i]) << "row " << row << ", field " << i;
    }
  }
}

TYPED_TEST(RunTimeNames, ARecordThatSavesThemInAnotherOrderLeavesItsSchema) {
  std::vector<Swapper<TypeParam>> records(3);
  EXPECT_TRUE(try_encode(records).has_value());
  records[1].swapped = 1;
  const auto encoded = try_encode(records);
  ASSERT_FALSE(encoded.has_value());
  EXPECT_EQ(encoded.error().code, ErrorCode::schema_drift);
}

TEST(RunTimeNames, OneBufferForTwoNamesOfOneCallIsRefused) {
  EXPECT_THAT(refusal_of<Twice>(), testing::HasSubstr("have the same name"));
}

}  // namespace
}  // namespace hdb::test::names_test
