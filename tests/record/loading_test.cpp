// Loading by name: other orders, missing and unknown fields, conversions, renames, migrations,
// tables of handles.
#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace loading {

// A record whose fields are given by a list of (name, member) at compile time would hide what is
// tested; so each "older" and "newer" type is written out.
struct OldPart {
  int gone = 1, kept = 2;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(gone), CEREAL_NVP(kept));
  }
};
struct Old {
  std::string dropped = "old";
  std::int16_t hp = 5;
  std::vector<OldPart> parts;
  std::map<std::string, std::vector<std::optional<std::variant<int, std::string>>>> junk;
  float x = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(dropped), CEREAL_NVP(hp), CEREAL_NVP(parts), CEREAL_NVP(junk), CEREAL_NVP(x));
  }
};
struct NewPart {
  int kept = 20, added = 30;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kept), CEREAL_NVP(added));
  }
};
struct New {
  double x = 7;
  std::vector<NewPart> parts = {{1, 1}};
  std::vector<int> added = {1, 2, 3};
  int hp = 100;
  NewPart one;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(parts), CEREAL_NVP(added), CEREAL_NVP(hp), CEREAL_NVP(one));
  }
};

TEST(Loading, MatchesFieldsByName) {
  std::vector<Old> old(2);
  old[0].hp = 50;
  old[0].x = 2.5f;
  old[0].parts = {{1, 10}, {2, 11}};
  old[0].junk["k"] = {std::nullopt, "text", 5};
  old[1].parts = {{3, 12}};
  const Encoded encoded = encode(old);
  const auto decoder = make_codec<New>()->decoder_for(encoded.schema, no_table);
  ASSERT_TRUE(decoder.has_value()) << decoder.error().message();
  EXPECT_THAT(fields_of(**decoder, LoadChange::Kind::defaulted),
              testing::ElementsAre("parts[].added", "added", "one"));
  EXPECT_THAT(fields_of(**decoder, LoadChange::Kind::dropped),
              testing::ElementsAre("parts[].gone", "dropped", "junk"));
  EXPECT_FALSE((*decoder)->exact());

  const auto back = decode<New>(encoded);
  EXPECT_EQ(back[0].hp, 50);
  EXPECT_EQ(back[0].x, 2.5);
  ASSERT_EQ(back[0].parts.size(), 2u);
  EXPECT_EQ(back[0].parts[1].kept, 11);
  EXPECT_EQ(back[0].parts[1].added, 30) << "a missing field of an element keeps its default";
  EXPECT_EQ(back[0].added, (std::vector<int>{1, 2, 3})) << "a missing container keeps its default";
  EXPECT_EQ(back[0].one.kept, 20);
  ASSERT_EQ(back[1].parts.size(), 1u);
  EXPECT_EQ(back[1].parts[0].kept, 12);
}

TEST(Loading, TheSameSchemaIsExact) {
  const auto decoder = make_codec<Old>()->decoder_for(encode(std::vector<Old>(1)).schema, no_table);
  EXPECT_TRUE((*decoder)->exact());
  EXPECT_TRUE((*decoder)->changes().empty());
}

TEST(Loading, NumbersWiden) {
  EXPECT_EQ(converted<std::int32_t>(std::int8_t{-5}), -5);
  EXPECT_EQ(converted<std::int64_t>(std::int32_t{-5}), -5);
  EXPECT_EQ(converted<std::int16_t>(std::uint8_t{200}), 200);
  EXPECT_EQ(converted<std::uint64_t>(std::uint16_t{65535}), 65535u);
  EXPECT_EQ(converted<double>(1.5f), 1.5);
}

TEST(Loading, NumbersNarrowOnlyWhenEveryValueFits) {
  EXPECT_EQ(converted<std::int8_t>(std::int64_t{-128}), -128);
  EXPECT_EQ(converted<float>(1.5), 1.5f);
  EXPECT_EQ(failure<std::int8_t>(std::int64_t{128}), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<std::uint32_t>(std::int32_t{-1}), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<std::int64_t>(~std::uint64_t{0}), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<float>(0.1), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<float>(1e300), ErrorCode::value_out_of_range);
  const auto result = converted<std::int8_t>(std::int64_t{128});
  EXPECT_THAT(result.error().message(),
              testing::HasSubstr("the stored i64 128 does not fit the program's i8"));
  EXPECT_THAT(result.error().message(), testing::HasSubstr("field 'v' of row 1"));
}

enum class Narrow : std::uint8_t { a = 3 };
enum class Broad : std::int32_t { a = 3, b = 300 };

TEST(Loading, EnumerationsWidenButAreNotNumbers) {
  EXPECT_EQ(converted<Broad>(Narrow::a), Broad::a);
  EXPECT_EQ(converted<Narrow>(Broad::a), Narrow::a);
  EXPECT_EQ(failure<Narrow>(Broad::b), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<int>(Broad::a), ErrorCode::type_mismatch);
}

TEST(Loading, OtherKindsDoNotFit) {
  EXPECT_EQ(failure<char>(std::int8_t{65}), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<std::string>(1), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<std::vector<int>>(std::string("x")), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<std::vector<std::string>>(std::vector<int>{1}), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<int>(std::optional<std::string>{}), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<std::optional<int>>(std::string()), ErrorCode::type_mismatch);
  EXPECT_EQ(failure<int>(std::vector<int>{}), ErrorCode::type_mismatch);
  const auto result = converted<std::vector<std::string>>(std::vector<int>{1});
  EXPECT_THAT(result.error().message(), testing::HasSubstr("'v[]'"));
}

TEST(Loading, ElementsOfContainersConvertToo) {
  const auto list = converted<std::vector<std::int64_t>>(std::vector<std::int8_t>{-1, 2});
  EXPECT_EQ(*list, (std::vector<std::int64_t>{-1, 2}));
  const auto map = converted<std::map<int, double>>(std::map<std::uint8_t, float>{{1, 2.f}});
  EXPECT_EQ(*map, (std::map<int, double>{{1, 2.0}}));
  const auto array = converted<std::array<int, 2>>(std::array<std::int8_t, 2>{3, 4});
  EXPECT_EQ(*array, (std::array<int, 2>{3, 4}));
}

TEST(Loading, AVariantMayGrowButNotLose) {
  using Two = std::variant<int, std::string>;
  using Three = std::variant<int, std::string, float>;
  EXPECT_EQ(*converted<Three>(Two("x")), Three("x"));
  EXPECT_EQ(*converted<Two>(Three("x")), Two("x"));
  EXPECT_EQ(failure<Two>(Three(1.5f)), ErrorCode::value_out_of_range);
}

struct Sword;
TEST(Loading, HandlesKeepTheirLayoutAndTable) {
  using Wide = Handle<Sword>;
  using Small = Handle<Sword, Layout<16, 16>>;
  EXPECT_EQ(failure<Small>(Wide{}), ErrorCode::layout_mismatch);
  EXPECT_EQ(converted<Strong<Sword>>(Wide::from_bits(5))->bits(), 5u);
  const Encoded encoded =
      encode(std::vector<V<Wide>>(1), [](HandleKey) { return std::string("swords"); });
  EXPECT_EQ(type_text(encoded.schema), "{v: handle<swords>}");
  const auto codec = make_codec<V<Wide>>();
  EXPECT_TRUE(codec->decoder_for(encoded.schema, [](HandleKey) { return std::string("swords"); })
                  .has_value());
  EXPECT_TRUE(codec->decoder_for(encoded.schema, no_table).has_value());
  const auto other =
      codec->decoder_for(encoded.schema, [](HandleKey) { return std::string("axes"); });
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::type_mismatch);
  EXPECT_THAT(other.error().message(),
              testing::HasSubstr("the file's handles refer to table 'swords', but the program's "
                                 "handles refer to table 'axes'"));
  EXPECT_THAT(other.error().message(), testing::HasSubstr("field 'v'"));
}

TEST(Loading, TheNamerIsAskedForTheHandlesKey) {
  const Field schema = must(make_codec<V<Handle<Sword>>>()->schema([](HandleKey key) {
    return key == handle_key<Sword, DefaultLayout>() ? std::string("yes") : std::string("no");
  }));
  EXPECT_EQ(schema.children[0].table, "yes");
}

struct BeforeRename {
  int health = 5;
  std::vector<V<int>> list{{1}};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(health), CEREAL_NVP(list));
  }
};
struct AfterRename {
  std::vector<V<int>> list;
  int hp = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(list), CEREAL_NVP(hp));
  }
};

/// Version 1 held a text "position"; version 2 holds x and y.
struct Moved1 {
  std::string position = "3,4";
  int same = 6;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(position), CEREAL_NVP(same));
  }
};
struct Called1 {
  int old = 7;
  int same = 8;
  template <class A>
  void serialize(A& ar, std::uint32_t) {
    ar(CEREAL_NVP(old), CEREAL_NVP(same));
  }
};
struct Called2 {
  int now = 0;
  int same = 0;
  template <class A>
  void serialize(A& ar, std::uint32_t version) {
    ar(cereal::make_nvp(version < 2 ? "old" : "now", now), CEREAL_NVP(same));
  }
};
/// As Called2, and the rename is declared, too.
struct CalledAndDeclared {
  int now = 0;
  int same = 0;
  template <class A>
  void serialize(A& ar, std::uint32_t version) {
    ar(cereal::make_nvp(version < 2 ? "old" : "now", now), CEREAL_NVP(same));
  }
};
struct Moved2 {
  int position = 0, y = 0, same = 0;
  std::uint32_t seen = 0;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    seen = version;
    if (version < 2) {
      std::string text;
      a(cereal::make_nvp("position", text));
      position = text[0] - '0';
      y = text[2] - '0';
    } else {
      a(CEREAL_NVP(position), CEREAL_NVP(y));
    }
    a(CEREAL_NVP(same));
  }
};

struct WithDefaults {
  std::string name = "default";
  std::vector<int> list = {7, 8};
  std::map<int, int> map = {{1, 1}};
  std::optional<int> some = 5;
  std::variant<int, float> var = 2.f;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(list), CEREAL_NVP(map), CEREAL_NVP(some), CEREAL_NVP(var));
  }
};

TEST(Loading, WhatIsStoredReplacesDefaults) {
  std::vector<WithDefaults> records(1);
  records[0] = {"", {}, {{2, 2}}, std::nullopt, 1};
  const auto back = decode<WithDefaults>(encode(records));
  EXPECT_EQ(back[0].name, "");
  EXPECT_TRUE(back[0].list.empty());
  EXPECT_EQ(back[0].map, (std::map<int, int>{{2, 2}}));
  EXPECT_FALSE(back[0].some.has_value());
  EXPECT_EQ(std::get<int>(back[0].var), 1);
}

}  // namespace loading
}  // namespace hdb::test

CEREAL_CLASS_VERSION(hdb::test::loading::Called1, 1)
CEREAL_CLASS_VERSION(hdb::test::loading::Called2, 2)
CEREAL_CLASS_VERSION(hdb::test::loading::CalledAndDeclared, 2)
CEREAL_CLASS_VERSION(hdb::test::loading::Moved1, 1)
CEREAL_CLASS_VERSION(hdb::test::loading::Moved2, 2)
template <>
struct hdb::Renames<hdb::test::loading::AfterRename> {
  static constexpr std::array list{hdb::Rename{"life", "hp"}, hdb::Rename{"health", "hp"}};
};
template <>
struct hdb::Renames<hdb::test::loading::CalledAndDeclared> {
  static constexpr std::array list{hdb::Rename{"old", "now"}};
};

namespace hdb::test {
namespace {

using namespace loading;

TEST(Loading, DeclaredRenamesAreFollowed) {
  const Encoded encoded = encode(std::vector<BeforeRename>{{42, {{1}, {2}}}});
  const auto decoder = make_codec<AfterRename>()->decoder_for(encoded.schema, no_table);
  EXPECT_THAT((*decoder)->changes(),
              testing::ElementsAre(LoadChange{LoadChange::Kind::renamed, "hp", "health", {}, 0}));
  const auto back = decode<AfterRename>(encoded);
  EXPECT_EQ(back[0].hp, 42);
  EXPECT_EQ(back[0].list.size(), 2u);
}

TEST(Loading, PlainRecordsOfAnotherVersionAreLoadedByTheirOwnCode) {
  EXPECT_TRUE(make_codec<Called2>()->is_plain());
  const auto back = decode<Called2>(encode(std::vector<Called1>(2)));
  EXPECT_EQ(back[1].now, 7);
  EXPECT_EQ(back[1].same, 8);
  EXPECT_EQ(decode<Called2>(encode(std::vector<Called2>{{5, 6}}))[0].now, 5);
}

TEST(Loading, CodeOfAnOlderVersionFindsRenamedFieldsByTheirOldNames) {
  const auto back = decode<CalledAndDeclared>(encode(std::vector<Called1>(2)));
  EXPECT_EQ(back[1].now, 7);
  EXPECT_EQ(back[1].same, 8);
}

TEST(Loading, MigrationsSeeTheStoredVersion) {
  const auto back = decode<Moved2>(encode(std::vector<Moved1>(2)));
  EXPECT_EQ(back[1].seen, 1u);
  EXPECT_EQ(back[1].position, 3);
  EXPECT_EQ(back[1].y, 4);
  EXPECT_EQ(back[1].same, 6);
  std::vector<Moved2> now(1);
  now[0].y = 9;
  EXPECT_EQ(decode<Moved2>(encode(now))[0].y, 9);
  EXPECT_EQ(decode<Moved2>(encode(now))[0].seen, 2u);
}

}  // namespace
}  // namespace hdb::test
