// Containers, arrays, optionals, variants and tuples as fields: schemas, and records -> columns ->
// records.
#include "one.hpp"

#include <bitset>
#include <complex>
#include <deque>
#include <forward_list>
#include <list>
#include <valarray>

namespace hdb::test {
namespace {

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

}  // namespace
}  // namespace hdb::test
