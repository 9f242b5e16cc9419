// Every type that a field may have: its schema, and records -> columns -> records.
#include <cmath>
#include <limits>

#include "helpers.hpp"

namespace hdb::test {
namespace {

/// A record of one field.
template <class T>
struct One {
  T v{};
  friend bool operator==(const One&, const One&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

/// Checks the schema of a field of type T and that the values come back, through columns and through opaque bytes.
template <class T>
void check(const std::string& type, std::vector<T> values) {
  values.insert(values.begin(), T{});
  EXPECT_EQ(schema_text<One<T>>(), "{v: " + type + "}");
  std::vector<One<T>> records;
  for (const T& value : values) records.push_back({value});
  const Encoded encoded = encode(records);
  EXPECT_TRUE(check_schema(encoded.schema).has_value());
  EXPECT_EQ(decode<One<T>>(encoded), records) << type;
  EXPECT_EQ(encode(decode<One<T>>(encoded)).columns, encoded.columns) << type;
}

enum class Color : std::uint8_t { red, green = 7 };
enum Old { old_one = -3, old_two = 70000 };
enum class Flag : bool { no, yes };
struct Weapon;
struct Point {
  float x = 1, y = 2;
  friend bool operator==(const Point&, const Point&) = default;
  friend auto operator<=>(const Point&, const Point&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

TEST(Types, NumbersHaveTheKindOfTheirWidth) {
  check<bool>("bool", {true, false});
  check<std::int8_t>("i8", {-128, 127});
  check<std::uint8_t>("u8", {255});
  check<std::int16_t>("i16", {-32768, 32767});
  check<std::uint16_t>("u16", {65535});
  check<std::int32_t>("i32", {std::numeric_limits<std::int32_t>::min(), 7});
  check<std::uint32_t>("u32", {0xffffffffu});
  check<std::int64_t>("i64", {std::numeric_limits<std::int64_t>::min(), 7});
  check<std::uint64_t>("u64", {~std::uint64_t{0}});
  check<float>("f32", {-0.0f, 1.5f, std::numeric_limits<float>::infinity()});
  check<double>("f64", {1e300, -2.5});
  check<std::byte>("u8", {std::byte{200}});
}

TEST(Types, TypesOfVaryingWidthAreStoredWithOneWidth) {
  check<long>("i64", {-5, std::numeric_limits<long>::max()});
  check<unsigned long>("u64", {~0ul});
  check<long long>("i64", {-5});
  check<std::size_t>("u64", {99});
  check<wchar_t>("u32", {L'x'});
}

TEST(Types, CharactersAreOfTheirOwnKinds) {
  check<char>("char8", {'a', static_cast<char>(200)});
  check<char8_t>("char8", {u8'a'});
  check<char16_t>("char16", {u'\x20ac'});
  check<char32_t>("char32", {U'\x1f600'});
}

TEST(Types, NanKeepsItsBits) {
  const float nan = std::bit_cast<float>(0x7fc12345u);
  const auto back = decode<One<float>>(encode(std::vector<One<float>>{{nan}}));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(back[0].v), 0x7fc12345u);
}

TEST(Types, EnumerationsAreTheirUnderlyingIntegers) {
  check<Color>("enum<u8>", {Color::green, static_cast<Color>(99)});
  check<Old>("enum<i32>", {old_one, old_two});
  check<Flag>("enum<u8>", {Flag::yes});
}

TEST(Types, HandlesKeepTheirBits) {
  check<Handle<Weapon>>("handle<?>", {Handle<Weapon>::from_bits(0x123456789abcdef0)});
  check<Handle<Weapon, Layout<16, 16>>>("handle<?>",
                                        {Handle<Weapon, Layout<16, 16>>::from_bits(0x12345678)});
  check<Strong<Weapon>>("strong<?>", {Handle<Weapon>::from_bits(77)});
}

TEST(Types, StringsAreBytes) {
  check<std::string>("string", {"a", std::string("\0\xff", 2), std::string(300, 'x')});
  check<std::u8string>("string", {u8"abc"});
  check<std::u16string>("list<char16>", {u"abc"});
  check<std::u32string>("list<char32>", {U"abc"});
  check<std::wstring>("list<u32>", {L"abc"});
}

TEST(Types, SequencesAreLists) {
  check<std::vector<int>>("list<i32>", {{1, 2, 3}, {}});
  check<std::vector<bool>>("list<bool>", {{true, false, true}});
  check<std::vector<Point>>("list<{x: f32, y: f32}>", {{{3, 4}, {5, 6}}});
  check<std::vector<std::string>>("list<string>", {{"a", "", "b"}});
  check<std::vector<std::vector<Color>>>("list<list<enum<u8>>>",
                                         {{{Color::red}, {}, {Color::green, Color::red}}});
  check<std::deque<float>>("list<f32>", {{1, 2}});
  check<std::list<std::string>>("list<string>", {{"x", "yy"}});
  check<std::forward_list<int>>("list<i32>", {{3, 2, 1}});
}

TEST(Types, ValarrayIsAList) {
  EXPECT_EQ(schema_text<std::valarray<float>>(), "{value: list<f32>}");
  const std::vector<std::valarray<float>> records{{1, 2, 3}, {}};
  const auto back = decode<std::valarray<float>>(encode(records));
  ASSERT_EQ(back[0].size(), 3u);
  EXPECT_EQ(back[0][2], 3);
  EXPECT_EQ(back[1].size(), 0u);
}

TEST(Types, SetsAreListsAndMapsAreMaps) {
  check<std::set<int>>("list<i32>", {{3, 1, 2}});
  check<std::multiset<int>>("list<i32>", {{1, 1, 2}});
  check<std::set<Point>>("list<{x: f32, y: f32}>", {{{3, 4}, {5, 6}}});
  check<std::map<std::string, int>>("map<string, i32>", {{{"b", 2}, {"a", 1}}});
  check<std::multimap<int, std::string>>("map<i32, string>", {{{1, "x"}, {1, "y"}, {0, "z"}}});
  check<std::map<int, std::map<int, Point>>>("map<i32, map<i32, {x: f32, y: f32}>>",
                                             {{{1, {{2, {3, 4}}}}, {5, {}}}});
}

TEST(Types, ArraysHaveAFixedCount) {
  check<std::array<float, 3>>("array<f32, 3>", {{1, 2, 3}});
  check<std::array<Point, 2>>("array<{x: f32, y: f32}, 2>", {{Point{1, 2}, Point{3, 4}}});
  check<std::array<std::array<std::int16_t, 2>, 2>>("array<array<i16, 2>, 2>",
                                                    {{{{1, 2}, {3, 4}}}});
  check<std::array<std::string, 2>>("array<string, 2>", {{"a", "b"}});
  check<std::bitset<10>>("array<bool, 10>", {std::bitset<10>(0x2a5)});
}

struct CArrays {
  char name[8] = "abc";
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  Point corners[2];
  bool operator==(const CArrays&) const = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(grid), CEREAL_NVP(corners));
  }
};

TEST(Types, ArraysOfTheLanguageAreArrays) {
  EXPECT_EQ(schema_text<CArrays>(),
            "{name: array<char8, 8>, grid: array<array<i32, 3>, 2>, corners: array<{x: f32, y: "
            "f32}, 2>}");
  std::vector<CArrays> records(3);
  records[1].grid[1][2] = 99;
  records[2].corners[1].y = -1;
  EXPECT_EQ(decode<CArrays>(encode(records)), records);
}

TEST(Types, OptionalsAndVariantsHoldOneOrNone) {
  check<std::optional<int>>("optional<i32>", {5, std::nullopt, 0});
  check<std::optional<std::optional<Point>>>(
      "optional<optional<{x: f32, y: f32}>>",
      {std::optional<Point>{}, std::optional<Point>{Point{3, 4}}});
  check<std::variant<int, std::string, Point>>("variant<i32, string, {x: f32, y: f32}>",
                                               {5, "text", Point{3, 4}});
  check<std::variant<std::monostate, std::vector<int>>>("variant<{}, list<i32>>",
                                                        {std::vector<int>{1, 2}});
  check<std::vector<std::optional<std::string>>>("list<optional<string>>",
                                                 {{"a", std::nullopt, "b"}});
}

TEST(Types, ManyOptionalsShareABitmapAcrossRows) {
  std::vector<One<std::vector<std::optional<int>>>> records(50);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t k = 0; k < i % 11; ++k) {
      records[i].v.push_back((i + k) % 3 == 0 ? std::optional<int>{}
                                              : std::optional<int>(static_cast<int>(k)));
    }
  }
  EXPECT_EQ(decode<One<std::vector<std::optional<int>>>>(encode(records)), records);
}

TEST(Types, PairsTuplesAndComplexAreStructures) {
  check<std::pair<int, std::string>>("{first: i32, second: string}", {{1, "x"}});
  check<std::tuple<int, float, std::string>>("{#0: i32, #1: f32, #2: string}", {{1, 2.f, "x"}});
  check<std::complex<double>>("{real: f64, imag: f64}", {{1.5, -2}});
}

TEST(Types, DurationsNameTheirUnit) {
  using namespace std::chrono;
  check<milliseconds>("{ms: i64}", {milliseconds(-5)});
  check<duration<float>>("{s: f32}", {duration<float>(1.5f)});
  check<duration<std::int32_t, std::ratio<1, 60>>>("{1/60s: i32}",
                                                   {duration<std::int32_t, std::ratio<1, 60>>(61)});
  check<system_clock::time_point>("{ns: i64}", {system_clock::time_point(nanoseconds(123456789))});
}

TEST(Types, ARecordNeedNotBeAStructure) {
  EXPECT_EQ(schema_text<std::string>(), "{value: string}");
  EXPECT_EQ(schema_text<int>(), "{value: i32}");
  EXPECT_EQ(decode<std::string>(encode(std::vector<std::string>{"a", "b"})),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((decode<std::pair<int, int>>(encode(std::vector<std::pair<int, int>>{{1, 2}}))[0]),
            (std::pair{1, 2}));
}

TEST(Types, PathsAndWidthsOfColumnsAreThoseOfTheSchemaLayer) {
  using R =
      One<std::map<std::string,
                   std::tuple<std::vector<Point>, std::optional<Color>, std::variant<int, Point>>>>;
  const Encoded encoded = encode(std::vector<R>(1));
  EXPECT_EQ(encoded.columns.size(), columns_of(encoded.schema).size());
  const auto plan = record::plan_of(encoded.schema);
  const auto columns = columns_of(encoded.schema);
  ASSERT_EQ(plan.columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(plan.columns[i].role, columns[i].role) << columns[i].path;
    EXPECT_EQ(plan.columns[i].width, columns[i].width) << columns[i].path;
  }
}

}  // namespace
}  // namespace hdb::test
