// What is refused at registration and while saving, and with which words.
#include <bitset>
#include <stdexcept>

#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace refusals {

struct Recursive {
  int a = 0;
  std::vector<Recursive> children;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(children));
  }
};
struct Outer {
  Recursive inner;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(inner));
  }
};
struct SameName {
  int a = 0, b = 0;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("x", a), cereal::make_nvp("x", b));
  }
};
struct Loop {
  std::vector<int> items;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_size_tag(static_cast<cereal::size_type>(items.size())));
  }
  template <class A>
  void load(A&) {}
};

/// Leaves its schema in the way that `mode` says.
struct Drifter {
  int mode = 0;
  std::vector<int> list = {1};
  template <class A>
  void serialize(A& ar) {
    if (mode != 1) ar(CEREAL_NVP(mode));  // 1: a field is left out
    if (mode == 2) ar(cereal::make_nvp("more", mode));
    if (mode == 3) {
      ar(cereal::make_nvp("lisst", list));
    } else if (mode == 4) {
      float number = 1;
      ar(cereal::make_nvp("list", number));
    } else if (mode == 6) {
      std::vector<float> floats{1};
      ar(cereal::make_nvp("list", floats));
    } else {
      ar(CEREAL_NVP(list));
    }
    if (mode == 5) ar(cereal::make_nvp("more", mode));
    if (mode == 7) throw std::runtime_error("out of mana");
    if (mode == 8) throw 5;
    if (mode == 9) throw std::bad_alloc();
  }
};
template <class T>
struct WithNothing {
  T nothing{};
  int after = 1;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(nothing), CEREAL_NVP(after));
  }
};
/// Visits fields only where flags say so.
struct Part {
  bool has_extra = false, has_last = true;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(has_extra));
    if (has_extra) ar(cereal::make_nvp("extra", has_extra));
    if (has_last) ar(cereal::make_nvp("last", has_last));
  }
};
struct Nested {
  std::vector<Part> parts = {};
  Part part = {};
  bool has_more = false;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(parts), CEREAL_NVP(part));
    if (has_more) ar(cereal::make_nvp("more", has_more));
  }
};
struct Swallower {
  int mode = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(mode));
    try {
      if (mode == 1) ar(cereal::make_nvp("more", mode));
    } catch (...) {
    }
  }
};
struct Mood {
  int a = 0;
  std::vector<Mood> more;  // recursive, too: opaque values may be
  bool operator==(const Mood&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a));
    if (a > 5) ar(CEREAL_NVP(more));
  }
};
struct HasOpaque {
  Mood mood;
  int after = 1;
  bool operator==(const HasOpaque&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(mood), CEREAL_NVP(after));
  }
};
struct Text {
  std::string s = "ok";
  std::vector<std::string> list;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(s), CEREAL_NVP(list));
  }
};
struct Bag {
  std::unordered_map<std::string, int> map;
  std::unordered_set<int> set;
  bool operator==(const Bag&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(map), CEREAL_NVP(set));
  }
};

}  // namespace refusals
}  // namespace hdb::test

template <>
struct hdb::Opaque<hdb::test::refusals::Mood> : std::true_type {};
template <>
struct hdb::Utf8Checked<hdb::test::refusals::Text> : std::true_type {};
template <>
struct hdb::AllowUnordered<std::unordered_map<std::string, int>> : std::true_type {};
template <>
struct hdb::AllowUnordered<std::unordered_set<int>> : std::true_type {};

namespace hdb::test::refusals_test {
namespace {

using namespace refusals;
using testing::HasSubstr;

TEST(Refusals, ATypeThatContainsItselfIsRefusedWithThePath) {
  EXPECT_THAT(refusal_of<Recursive>(),
              AllOf(HasSubstr("contains itself"), HasSubstr("'children[]'")));
  EXPECT_THAT(refusal_of<Outer>(), HasSubstr("'inner.children[]'"));
}

TEST(Refusals, TwoFieldsOfOneNameAreRefused) {
  EXPECT_THAT(refusal_of<SameName>(), HasSubstr("'x'"));
}

TEST(Refusals, ASizeTagNeedsATrait) {
  EXPECT_THAT(refusal_of<refusals::Loop>(), HasSubstr("SizeAndLoop"));
}

TEST(Refusals, AnArrayOfNothingIsRefused) {
  EXPECT_THAT((refusal_of<std::array<int, 0>>()), HasSubstr("field 'value'"));
  for (const std::string& refusal : {refusal_of<WithNothing<std::array<int, 0>>>(),
                                     refusal_of<WithNothing<std::array<Part, 0>>>(),
                                     refusal_of<WithNothing<std::array<std::string, 0>>>(),
                                     refusal_of<WithNothing<std::bitset<0>>>()}) {
    EXPECT_THAT(refusal, AllOf(HasSubstr("an array of 0 elements"), HasSubstr("field 'nothing'")));
  }
  EXPECT_THAT((refusal_of<std::vector<WithNothing<std::array<int, 0>>>>()),
              HasSubstr("field 'value[].nothing'"));
}

struct Drifting {
  int mode;
  const char* field;  ///< The one that differs.
  const char* text;
};
class Drift : public testing::TestWithParam<Drifting> {};

TEST_P(Drift, StopsTheSaveNamingSlotGenerationAndField) {
  std::vector<Drifter> records(3);
  records[1].mode = GetParam().mode;
  const auto codec = make_codec<Drifter>();
  std::vector<Bytes> columns(columns_of(must(codec->schema(no_table))).size(), bytes(0xee));
  Hash128 hash{1, 2};
  const Status status = codec->encode(batch_of(records), columns, &hash);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::schema_drift);
  EXPECT_THAT(status.error().message(),
              AllOf(HasSubstr("slot " + std::to_string(slot_of(1))),
                    HasSubstr("generation " + std::to_string(generation_of(1))),
                    HasSubstr("field '" + std::string(GetParam().field) + "'"),
                    HasSubstr(GetParam().text)));
  for (const Bytes& column : columns) EXPECT_TRUE(column.empty()) << "nothing half-written stays";
  EXPECT_EQ(hash, (Hash128{1, 2}));
  EXPECT_FALSE(codec->hash_rows(batch_of(records)).has_value());
}
INSTANTIATE_TEST_SUITE_P(
    Ways, Drift,
    testing::Values(
        Drifting{1, "mode", "visits 'list' (list) where the schema has 'mode' (i32)"},
        Drifting{2, "more", "saved as i32, but the schema has no such field at this place"},
        Drifting{3, "lisst",
                 "but the schema has no such field at this place: {mode: i32, list: list<i32>}"},
        Drifting{4, "list", "is saved as f32, but the schema has list<i32>"},
        Drifting{5, "more", "saved as i32, but the schema has no such field"},
        Drifting{6, "list", "does not have the element type that the schema states"}));

TEST(Refusals, AConditionalFieldOfAPartIsNamedWithItsPath) {
  const auto message_of = [](const refusals::Nested& record) {
    const auto encoded = try_encode(std::vector<refusals::Nested>{record});
    return encoded ? std::string() : encoded.error().message();
  };
  EXPECT_EQ(message_of({}), "");
  // It ends where the part ends, too: what comes too much belongs to the outer one.
  EXPECT_THAT(message_of({.part = {.has_extra = true}}), HasSubstr("field 'part.extra'"));
  EXPECT_THAT(message_of({.part = {.has_last = false}}),
              AllOf(HasSubstr("field 'part.last'"), HasSubstr("does not visit it")));
  EXPECT_THAT(message_of({.parts = {{}, {.has_extra = true}}}), HasSubstr("field 'parts[].extra'"));
  EXPECT_THAT(message_of({.has_more = true}), HasSubstr("field 'more'"));
}

TEST(Refusals, ExceptionsOfUserCodeBecomeErrors) {
  std::vector<Drifter> records(2);
  records[1].mode = 7;
  auto result = try_encode(records);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::user_code_threw);
  EXPECT_THAT(result.error().message(),
              AllOf(HasSubstr("out of mana"), HasSubstr("slot " + std::to_string(slot_of(1)))));
  records[1].mode = 8;
  EXPECT_EQ(try_encode(records).error().code, ErrorCode::user_code_threw);
  records[1].mode = 9;
  EXPECT_THROW((void)try_encode(records), std::bad_alloc);
}

TEST(Refusals, UserCodeCannotSwallowADrift) {
  const auto result = try_encode(std::vector<Swallower>{{0}, {1}, {0}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::schema_drift);
}

TEST(Opaque, MayVaryAndComesBack) {
  EXPECT_EQ(schema_text<HasOpaque>(), "{mood: opaque, after: i32}");
  std::vector<HasOpaque> records(3);
  records[1].mood = {6, {Mood{1, {}}, Mood{9, {Mood{2, {}}}}}};
  records[1].after = 5;
  EXPECT_EQ(decode<HasOpaque>(encode(records)), records);
  EXPECT_NE(encode(records).hash, encode(std::vector<HasOpaque>(3)).hash);
}

TEST(Opaque, HostileBytesAreRefused) {
  std::vector<HasOpaque> records(1);
  records[0].mood = {6, {Mood{1, {}}}};
  const Encoded good = encode(records);
  for (std::size_t bit = 0; bit < good.columns[1].size() * 8; ++bit) {
    Encoded bad = good;
    bad.columns[1][bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    (void)try_decode<HasOpaque>(bad, 100000);  // an error or other values, nothing worse
  }
  Encoded longer = good;
  longer.columns[1].push_back(std::byte{0});
  longer.columns[0][0] = static_cast<std::byte>(longer.columns[1].size());
  EXPECT_EQ(try_decode<HasOpaque>(longer).error().code, ErrorCode::value_refused);
}

TEST(Utf8, IsCheckedWhereATraitAsks) {
  std::vector<Text> records(1);
  records[0].list = {"h\xc3\xa9"};
  const Encoded good = encode(records);
  EXPECT_TRUE(good.schema.children[0].utf8_checked);
  EXPECT_TRUE(good.schema.children[1].children[0].utf8_checked);
  EXPECT_TRUE(try_decode<Text>(good).has_value());
  Encoded bad = good;
  bad.columns[1][0] = std::byte{0xff};
  EXPECT_EQ(try_decode<Text>(bad).error().code, ErrorCode::bad_value);
  records[0].list = {"\xff"};
  EXPECT_EQ(try_encode(records).error().code, ErrorCode::schema_drift);
}

TEST(Unordered, IsSavedSortedWhenAllowed) {
  std::vector<Bag> a(1), b(1);
  for (int i = 0; i < 100; ++i) {
    a[0].map["k" + std::to_string(i)] = i;
    a[0].set.insert(i);
    b[0].map["k" + std::to_string(99 - i)] = 99 - i;
    b[0].set.insert(99 - i);
  }
  b[0].map.rehash(1000);
  b[0].set.rehash(1000);
  EXPECT_EQ(encode(a).columns, encode(b).columns);
  EXPECT_EQ(encode(a).hash, encode(b).hash);
  EXPECT_EQ(decode<Bag>(encode(a)), a);
}

}  // namespace
}  // namespace hdb::test::refusals_test
