// Types that changed since a file was written: numbers, optionals, lists, array lengths, nested
// structures, and what a load reports of them.
#include "helpers.hpp"
#include "support/using_detail.hpp"

#include <bitset>

namespace hdb::test {
namespace evolution {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Evolution, NumbersChangeTheirKindWhenEveryValueFits) {
  EXPECT_EQ(converted<int>(3.0f), 3);
  EXPECT_EQ(converted<double>(~std::uint32_t{0}), 4294967295.0);
  EXPECT_EQ(converted<float>(1 << 24), 16777216.f);
  EXPECT_EQ(converted<bool>(1), true);
  EXPECT_EQ(converted<std::uint16_t>(true), 1);
  EXPECT_EQ(failure<int>(1.5f), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<float>((1 << 24) + 1), ErrorCode::value_out_of_range);
  EXPECT_EQ(failure<bool>(2), ErrorCode::value_out_of_range);
}

template <class T>
struct Wide {  // read by its own code, as it is no trivially copyable type
  std::string text;
  T v{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text), CEREAL_NVP(v));
  }
};

TEST(Evolution, ConversionsAreTheSameWithAndWithoutTheTypesOwnCode) {
  const auto code_of = [](auto result) { return result ? ErrorCode{} : result.error().code; };
  for (const std::int64_t value : {-129, -128, -1, 0, 1, 127, 128, 255, 256}) {
    const Encoded plain = encode(std::vector<V<std::int64_t>>{{0}, {value}});
    const Encoded wide = encode(std::vector<Wide<std::int64_t>>{{}, {{}, value}});
    const auto a = try_decode<V<std::int8_t>>(plain);
    const auto b = try_decode<Wide<std::int8_t>>(wide);
    ASSERT_EQ(code_of(a), code_of(b)) << value;
    if (a) {
      EXPECT_EQ((*a)[1].v, (*b)[1].v);
    } else {
      EXPECT_EQ(a.error().message(), b.error().message());
    }
    EXPECT_EQ(code_of(try_decode<V<bool>>(plain)), code_of(try_decode<Wide<bool>>(wide))) << value;
  }
}

// --- optionals, lists, arrays

TEST(Evolution, AValueBecomesAnOptionalThatHoldsIt) {
  EXPECT_EQ(*converted<std::optional<int>>(5), 5);
  EXPECT_EQ(*converted<std::optional<std::int64_t>>(std::uint8_t{200}), 200);
  EXPECT_EQ(*converted<std::optional<std::string>>(std::string("x")), "x");
  EXPECT_EQ(failure<std::optional<std::int8_t>>(200), ErrorCode::value_out_of_range);
  EXPECT_THAT(changes_of<V<std::optional<int>>>(encode(std::vector<V<int>>{{1}, {2}})),
              ElementsAre("v converted from i32 to optional<i32> (x2)"));
}

struct WithDefault {
  int v = 7;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

TEST(Evolution, AnAbsentOptionalLeavesTheDefaultAndIsCounted) {
  const Encoded encoded = encode(std::vector<V<std::optional<std::int16_t>>>{{3}, {}, {4}});
  const auto back = decode<WithDefault>(encoded);
  EXPECT_THAT((std::vector<int>{back[0].v, back[1].v, back[2].v}), ElementsAre(3, 7, 4));
  EXPECT_THAT(changes_of<WithDefault>(encoded),
              ElementsAre("v converted from optional<i16> to i32 (x2)", "v defaulted (x1)",
                          "v converted from i16 to i32 (x2)"));
  EXPECT_THAT(changes_of<WithDefault>(encode(std::vector<V<std::optional<int>>>{{3}})),
              ElementsAre("v converted from optional<i32> to i32 (x1)"));
}

TEST(Evolution, AValueBecomesAListOfOne) {
  EXPECT_EQ(*converted<std::vector<int>>(std::int8_t{-5}), std::vector<int>{-5});
  EXPECT_EQ(*converted<std::vector<std::uint32_t>>(std::uint32_t{5}),
            std::vector<std::uint32_t>{5});
  EXPECT_EQ(*converted<std::vector<bool>>(true), std::vector<bool>{true});
  EXPECT_EQ(*converted<std::set<std::string>>(std::string("x")), std::set<std::string>{"x"});
  EXPECT_EQ(*converted<std::vector<int>>(std::optional<int>(4)), std::vector<int>{4});
  EXPECT_THAT(*converted<std::vector<int>>(std::optional<int>()), IsEmpty());
  const std::vector<int> two = {1, 2};
  EXPECT_EQ(*converted<std::vector<int>>(std::optional(two)), two) << "a list in an optional";
  EXPECT_EQ(**converted<std::optional<std::vector<int>>>(two), two);
  EXPECT_THAT(changes_of<V<std::vector<int>>>(encode(std::vector<V<int>>{{1}, {2}})),
              ElementsAre("v converted from i32 to list<i32> (x2)"));
}

template <std::size_t N>
struct Bag {
  std::array<int, N> v = [] {
    std::array<int, N> all;
    all.fill(-1);
    return all;
  }();
  std::uint16_t after = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v), CEREAL_NVP(after));
  }
};

TEST(Evolution, ALongerArrayKeepsItsDefaultsAtTheEnd) {
  const Encoded encoded = encode(std::vector<Bag<2>>{{{1, 2}, 8}, {{3, 4}, 9}});
  const auto back = decode<Bag<4>>(encoded);
  EXPECT_THAT(back[0].v, ElementsAre(1, 2, -1, -1));
  EXPECT_THAT(back[1].v, ElementsAre(3, 4, -1, -1));
  EXPECT_EQ(back[1].after, 9);
  EXPECT_THAT(changes_of<Bag<4>>(encoded), ElementsAre("v[] defaulted (x4)"));
}

TEST(Evolution, AShorterArrayDropsElementsAndCountsThem) {
  const Encoded encoded = encode(std::vector<Bag<3>>{{{1, 2, 3}, 8}, {{4, 5, 6}, 9}});
  const auto back = decode<Bag<2>>(encoded);
  EXPECT_THAT(back[0].v, ElementsAre(1, 2));
  EXPECT_THAT(back[1].v, ElementsAre(4, 5));
  EXPECT_EQ(back[1].after, 9);
  EXPECT_THAT(changes_of<Bag<2>>(encoded), ElementsAre("v[] dropped (x2)"));
  const auto strings =
      converted<std::array<std::string, 1>>(std::array<std::string, 2>{"keep", "drop"});
  EXPECT_THAT(*strings, ElementsAre("keep"));
  EXPECT_EQ(converted<std::bitset<3>>(std::bitset<2>(3))->to_ulong(), 3u);
}

TEST(Evolution, AListBecomesAnArrayByItsLength) {
  using List = std::vector<int>;
  using Array = std::array<int, 2>;
  const Encoded encoded =
      encode(std::vector<V<List>>{{List{1, 2, 3, 4, 5}}, {List{}}, {List{6, 7}}, {List{8}}});
  const auto back = decode<V<Array>>(encoded);
  EXPECT_THAT(back[0].v, ElementsAre(1, 2));
  EXPECT_EQ(back[1].v, V<Array>().v);
  EXPECT_THAT(back[2].v, ElementsAre(6, 7));
  EXPECT_THAT(back[3].v, ElementsAre(8, V<Array>().v[1]));
  EXPECT_THAT(changes_of<V<Array>>(encoded), ElementsAre("v[] dropped (x3)", "v[] defaulted (x3)"));
  using Texts = std::array<std::string, 2>;
  EXPECT_THAT(*converted<Texts>(std::vector<std::string>{"a", "b", "c"}), ElementsAre("a", "b"));
}

TEST(Evolution, DroppedElementsAreReadAndChecked) {
  Encoded encoded = encode(std::vector<V<std::array<std::string, 2>>>{{{"keep", "drop"}}});
  encoded.columns.back().pop_back();
  using OneText = std::array<std::string, 1>;
  EXPECT_EQ(try_decode<V<OneText>>(encoded).error().code, ErrorCode::bad_lengths);
}

// --- nested structures

struct OldInner {
  int gone = 1;
  std::int16_t kept = 2;
  std::string moved = "m";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(gone), CEREAL_NVP(kept), CEREAL_NVP(moved));
  }
};
struct NewInner {
  std::string moved;
  int added = 9;
  std::optional<int> kept;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(moved), CEREAL_NVP(added), CEREAL_NVP(kept));
  }
};
template <class Inner>
struct Nest {
  Inner one;
  std::vector<Inner> list = std::vector<Inner>(2);
  std::map<int, Inner> map = {{1, {}}};
  std::optional<Inner> maybe = Inner{};
  std::array<Inner, 2> array;
  std::variant<int, Inner> variant = Inner{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(one), CEREAL_NVP(list), CEREAL_NVP(map), CEREAL_NVP(maybe), CEREAL_NVP(array),
      CEREAL_NVP(variant));
  }
};

}  // namespace evolution
}  // namespace hdb::test

// The alternative lost one field and gained another: only a declaration shows that it is the same.
template <>
struct hdb::OldAlternatives<std::variant<int, hdb::test::evolution::NewInner>> {
  using list = std::tuple<std::variant<int, hdb::test::evolution::NewInner>>;
};

namespace hdb::test {
namespace evolution {

TEST(Evolution, StructuresInsideContainersChangeToo) {
  const Encoded encoded = encode(std::vector<Nest<OldInner>>(3));
  const auto back = decode<Nest<NewInner>>(encoded);
  for (const Nest<NewInner>& nest : back) {
    ASSERT_EQ(nest.list.size(), 2u);
    for (const NewInner& inner : {nest.one, nest.list[1], nest.map.at(1), *nest.maybe,
                                  nest.array[1], std::get<NewInner>(nest.variant)}) {
      EXPECT_EQ(inner.moved, "m");
      EXPECT_EQ(inner.added, 9);
      EXPECT_EQ(inner.kept, 2);
    }
  }
  const auto changes = changes_of<Nest<NewInner>>(encoded);
  EXPECT_THAT(changes, testing::IsSupersetOf(
                           {"one.added defaulted (x3)", "one.gone dropped (x3)",
                            "list[].added defaulted (x6)", "list[].gone dropped (x6)",
                            "map[].value.added defaulted (x3)", "maybe?.gone dropped (x3)",
                            "array[].added defaulted (x6)", "variant<1>.gone dropped (x3)"}));
  EXPECT_EQ(changes.size(), 6u * 4u) << "added, gone, and kept twice";
}

// --- plain records

struct OldPoint {
  float x = 1, gone = 2, y = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(gone), CEREAL_NVP(y));
  }
};
struct NewPoint {
  double y = 0;
  float x = 0;
  std::uint8_t added = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(y), CEREAL_NVP(x), CEREAL_NVP(added));
  }
};
struct OldBody {
  std::int16_t hp = 0;
  bool alive = true;
  std::array<OldPoint, 3> path;
  std::string title = "t";
  std::uint32_t a = 1, b = 2, c = 3, d = 4;
  std::vector<int> junk = {1, 2};
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(hp), CEREAL_NVP(alive), CEREAL_NVP(path), CEREAL_NVP(title), CEREAL_NVP(a),
       CEREAL_NVP(b), CEREAL_NVP(c), CEREAL_NVP(d), CEREAL_NVP(junk));
  }
};
template <int Kind>
struct NewBody {
  std::uint32_t d = 0, added = 77, a = 0, b = 0;
  std::uint8_t alive = 0;
  std::array<NewPoint, 3> path;
  int hp = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(d), CEREAL_NVP(added), CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(alive),
       CEREAL_NVP(path), CEREAL_NVP(hp));
  }
};

}  // namespace evolution
}  // namespace hdb::test

template <>
struct hdb::NotPlain<hdb::test::evolution::NewBody<1>> : std::true_type {};

namespace hdb::test {
namespace evolution {

TEST(Evolution, CopiedColumnsGiveTheSameRecordsAsTheTypesOwnCode) {
  ASSERT_TRUE(make_codec<NewBody<0>>()->is_plain());
  ASSERT_FALSE(make_codec<NewBody<1>>()->is_plain());
  std::vector<OldBody> old(700);
  for (std::size_t i = 0; i < old.size(); ++i) {
    const auto n = static_cast<std::uint32_t>(i);
    old[i].hp = static_cast<std::int16_t>(100 - static_cast<int>(i));
    old[i].alive = i % 3 == 0;
    old[i].path[i % 3].y = static_cast<float>(i) / 4;
    old[i].title = std::string(i % 5, 'x');
    old[i].a = n + 1;
    old[i].b = n + 2;
    old[i].d = n + 4;
    old[i].junk.resize(i % 4);
  }
  const Encoded encoded = encode(old);
  const auto copied = decode<NewBody<0>>(encoded);
  const auto visited = decode<NewBody<1>>(encoded);
  EXPECT_EQ(encode(copied).columns, encode(visited).columns);
  EXPECT_EQ(changes_of<NewBody<0>>(encoded), changes_of<NewBody<1>>(encoded));
  EXPECT_EQ(copied[8].hp, 92);
  EXPECT_EQ(copied[8].alive, 0);
  EXPECT_EQ(copied[8].added, 77u);
  EXPECT_EQ(copied[8].d, 12u);
  EXPECT_EQ(copied[8].path[2].y, 2.0);
  EXPECT_EQ(copied[8].path[2].added, 5);
  EXPECT_THAT(
      changes_of<NewBody<0>>(encoded),
      ElementsAre("added defaulted (x700)", "alive converted from bool to u8 (x700)",
                  "path[].y converted from f32 to f64 (x2100)", "path[].added defaulted (x2100)",
                  "path[].gone dropped (x2100)", "hp converted from i16 to i32 (x700)",
                  "title dropped (x700)", "c dropped (x700)", "junk dropped (x700)"));
}

TEST(Evolution, DamagedColumnsAreRefusedByBothWays) {
  const Encoded good = encode(std::vector<OldBody>(3));
  for (std::size_t c = 0; c < good.columns.size(); ++c) {
    for (const bool longer : {false, true}) {
      Encoded bad = good;
      longer ? bad.columns[c].push_back(std::byte{0}) : bad.columns[c].pop_back();
      EXPECT_FALSE(try_decode<NewBody<0>>(bad).has_value()) << c << longer;
      EXPECT_FALSE(try_decode<NewBody<1>>(bad).has_value()) << c << longer;
    }
  }
  Encoded bad = good;
  bad.columns[1][2] = std::byte{2};  // alive
  EXPECT_EQ(try_decode<NewBody<0>>(bad).error().code, ErrorCode::bad_value);
  EXPECT_EQ(try_decode<NewBody<0>>(bad).error().message(),
            try_decode<NewBody<1>>(bad).error().message());
}

struct OnlyA {
  int a = 10;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a));
  }
};
/// Changes what it read, so copies of columns would be other records.
struct Halved {
  int a = 0, b = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(b));
    if (A::is_loading::value) a = a / 2 + 1;
  }
};

TEST(Evolution, ATypeThatComputesInItsLoadIsReadByItsOwnCode) {
  EXPECT_FALSE(make_codec<Halved>()->is_plain());
  EXPECT_EQ(decode<Halved>(encode(std::vector<OnlyA>(1)))[0].a, 6);
}

// --- unnamed fields, user containers, minimal functions

struct Level {
  int n = 3;
  template <class A>
  int save_minimal(const A&) const {
    return n;
  }
  template <class A>
  void load_minimal(const A&, const int& value) {
    n = value * 10;
  }
};
struct WithLevel {
  Level v;
  int other = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v), CEREAL_NVP(other));
  }
};
struct Nothing {
  int other = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(other));
  }
};

TEST(Evolution, AMinimalTypeKeepsItsDefaultWhereNothingIsStored) {
  EXPECT_EQ(decode<WithLevel>(encode(std::vector<V<std::optional<int>>>{{}, {4}}))[0].v.n, 3);
  EXPECT_EQ(decode<WithLevel>(encode(std::vector<V<std::optional<int>>>{{}, {4}}))[1].v.n, 40);
  EXPECT_EQ(decode<WithLevel>(encode(std::vector<V<std::int8_t>>{{4}}))[0].v.n, 40);
  EXPECT_EQ(decode<WithLevel>(encode(std::vector<Nothing>(1)))[0].v.n, 3);
}

struct Chain {  // a container of its own
  std::vector<int> items;
};
template <class A>
void save(A& a, const Chain& chain) {
  a(cereal::make_size_tag(static_cast<cereal::size_type>(chain.items.size())));
  for (const int item : chain.items) a(item);
}
template <class A>
void load(A& a, Chain& chain) {
  cereal::size_type size = 0;
  a(cereal::make_size_tag(size));
  chain.items.resize(static_cast<std::size_t>(size));
  for (int& item : chain.items) a(item);
}

}  // namespace evolution
}  // namespace hdb::test

template <>
struct hdb::SizeAndLoop<hdb::test::evolution::Chain> {
  using Element = int;
};

namespace hdb::test {
namespace evolution {

TEST(Evolution, AContainerOfTheUsersTakesASingleValueIn) {
  EXPECT_EQ(converted<Chain>(std::int8_t{5})->items, std::vector<int>{5});
  EXPECT_EQ(converted<Chain>(std::optional<int>(6))->items, std::vector<int>{6});
  EXPECT_THAT(converted<Chain>(std::optional<int>())->items, IsEmpty());
}

}  // namespace evolution
}  // namespace hdb::test
