// Plain aggregates are records without a `serialize`: they are described, stored and hashed as the
// same types with one.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "helpers.hpp"

#include "hdb/detail/record/aggregate.hpp"
#include "record/discovery.hpp"

namespace hdb::test {
namespace aggregates {

enum class Mood : std::uint8_t { calm, angry };
struct Nothing {};

/// A plain type and its twin, with the same members and a `serialize` that visits them by name.
struct Item {
  std::uint16_t id = 7;
  std::string label = "none";
  friend bool operator==(const Item&, const Item&) = default;
};
struct ItemTwin {
  std::uint16_t id = 7;
  std::string label = "none";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(id), CEREAL_NVP(label));
  }
};
struct Place {
  float x = 1;
  float y = -0.0f;
  std::int32_t floor = 3;
  friend bool operator==(const Place&, const Place&) = default;
};
struct PlaceTwin {
  float x = 1;
  float y = -0.0f;
  std::int32_t floor = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(floor));
  }
};
struct Whole {
  bool is_on = true;
  Mood mood = Mood::angry;
  double ratio = 0.5;
  char tag[4] = {'a', 'b', 'c', 0};
  std::array<Place, 2> corners{};
  Place grid[2][2] = {};
  Nothing nothing;
  std::string name = "imp";
  std::vector<Item> items{Item{}};
  std::map<int, Item> by_number{{3, Item{}}};
  std::optional<Place> goal;
  std::variant<std::monostate, Item, Place> extra = Place{};
  Handle<Place> target;
};
struct WholeTwin {
  bool is_on = true;
  Mood mood = Mood::angry;
  double ratio = 0.5;
  char tag[4] = {'a', 'b', 'c', 0};
  std::array<PlaceTwin, 2> corners{};
  PlaceTwin grid[2][2] = {};
  Nothing nothing;
  std::string name = "imp";
  std::vector<ItemTwin> items{ItemTwin{}};
  std::map<int, ItemTwin> by_number{{3, ItemTwin{}}};
  std::optional<PlaceTwin> goal;
  std::variant<std::monostate, ItemTwin, PlaceTwin> extra = PlaceTwin{};
  Handle<PlaceTwin> target;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(is_on), CEREAL_NVP(mood), CEREAL_NVP(ratio), CEREAL_NVP(tag), CEREAL_NVP(corners),
      CEREAL_NVP(grid), CEREAL_NVP(nothing), CEREAL_NVP(name), CEREAL_NVP(items),
      CEREAL_NVP(by_number), CEREAL_NVP(goal), CEREAL_NVP(extra), CEREAL_NVP(target));
  }
};

/// Bytes that only the program understands.
struct Content {
  int number = 1;
  Item item;
};

}  // namespace aggregates
}  // namespace hdb::test

// Twins are stored under one name.
template <>
struct hdb::Opaque<hdb::test::aggregates::Content> : std::true_type {};
template <>
struct hdb::TypeName<hdb::test::aggregates::ItemTwin> {
  static constexpr std::string_view value = "Item";
};
template <>
struct hdb::TypeName<hdb::test::aggregates::PlaceTwin> {
  static constexpr std::string_view value = "Place";
};

namespace hdb::test {
namespace aggregates {

template <class Plain, class Twin>
void expect_one_form() {
  const Encoded plain = encode(std::vector<Plain>(3));
  const Encoded twin = encode(std::vector<Twin>(3));
  EXPECT_EQ(type_text(plain.schema), type_text(twin.schema));
  EXPECT_EQ(plain.schema, twin.schema);
  EXPECT_EQ(plain.columns, twin.columns);
  EXPECT_EQ(plain.hash, twin.hash);
  EXPECT_EQ(make_codec<Plain>()->is_plain(), make_codec<Twin>()->is_plain());
  // Each loads what the other has saved.
  EXPECT_EQ(encode(decode<Plain>(twin)).columns, plain.columns);
  EXPECT_EQ(encode(decode<Twin>(plain)).columns, twin.columns);
}

TEST(Aggregates, AreStoredAsTheirTwinsWithFunctions) {
  expect_one_form<Item, ItemTwin>();
  expect_one_form<Place, PlaceTwin>();
  expect_one_form<Whole, WholeTwin>();
}

TEST(Aggregates, ValuesComeBack) {
  std::vector<Whole> records(2);
  records[1].name = "baron";
  records[1].items = {{1, "axe"}, {2, "bow"}};
  records[1].goal = Place{4, 5, 6};
  records[1].grid[1][0].floor = -9;
  records[1].extra = Item{9, "x"};
  const std::vector<Whole> back = decode<Whole>(encode(records));
  EXPECT_EQ(back[1].name, "baron");
  EXPECT_EQ(back[1].items, records[1].items);
  EXPECT_EQ(back[1].goal, records[1].goal);
  EXPECT_EQ(back[1].grid[1][0], records[1].grid[1][0]);
  EXPECT_EQ(back[1].extra, records[1].extra);
}

/// Handles of three layouts, in a struct that is visited.
struct Links {
  std::string name;
  Handle<Place> wide;
  Handle<Item, Layout<10, 6>> tiny;
  Handle<Links, Layout<16, 16>> small;
  Strong<Place> kept;
  friend bool operator==(const Links&, const Links&) = default;
};
struct Chain {
  std::vector<Links> links;
};

TEST(Aggregates, HandlesOfEachLayoutComeBack) {
  const Handle<Place> wide = Handle<Place>::from_bits(0x1234'5678'9abc'def0);
  const auto tiny = Handle<Item, Layout<10, 6>>::from_bits(0xabcd);
  const auto small = Handle<Links, Layout<16, 16>>::from_bits(0x89ab'cdef);
  std::vector<Chain> records(2);
  records[1].links = {{"first", wide, tiny, {}, {}}, {"second", {}, {}, small, Strong(wide)}};
  const std::vector<Chain> back = decode<Chain>(encode(records));
  EXPECT_EQ(back[0].links, records[0].links);
  EXPECT_EQ(back[1].links, records[1].links);
}

namespace {
struct Hidden {
  int first = 1;
  Item second;
};
}  // namespace

/// Names that differ only at their ends, and names that look like parts of the compiler's texts.
struct Names {
  int x1 = 0;
  int x11 = 0;
  int value = 0;
  int value_ = 0;
  int at = 0;
  int object = 0;
  int größe = 0;
};
/// Fields may have names that members cannot have.
struct Keywords {
  int a = 0, b = 0;
  template <class A>
  void serialize(A& archive) {
    archive(cereal::make_nvp("class", a), cereal::make_nvp("operator", b));
  }
};
struct WithKeywords {
  Keywords words;
};
struct LongestName {
  // clang-format off
  int n_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_12345678\
9_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_12345678\
9_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123 = 0;
  // clang-format on
};
struct TooLongName {
  // clang-format off
  int n_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_12345678\
9_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_12345678\
9_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_12345678\
9_123456789_123456789_12345678 = 0;
  // clang-format on
};

TEST(Aggregates, NamesAreThoseOfTheMembers) {
  struct Local {
    int q = 0;
    Hidden w;
  };
  EXPECT_EQ(schema_text<Hidden>(), "{first: i32, second: {id: u16, label: string}}");
  EXPECT_EQ(schema_text<Local>(), "{q: i32, w: {first: i32, second: {id: u16, label: string}}}");
  EXPECT_EQ(schema_text<Names>(),
            "{x1: i32, x11: i32, value: i32, value_: i32, at: i32, object: i32, größe: i32}");
  EXPECT_EQ(schema_text<WithKeywords>(), "{words: {class: i32, operator: i32}}");
  EXPECT_EQ(must(make_codec<LongestName>()->schema(no_table)).children[0].name.size(), 255u);
  const auto too_long = make_codec<TooLongName>()->schema(no_table);
  ASSERT_FALSE(too_long.has_value());
  EXPECT_THAT(too_long.error().message(), testing::HasSubstr("longer than 255 bytes"));
}

template <int N>
struct Template {
  std::array<char, N> bytes{};
};
TEST(Aggregates, TemplatesAreRecords) {
  EXPECT_EQ(schema_text<Template<3>>(), "{bytes: array<char8, 3>}");
}

/// As many members as are found.
struct SixtyFour {
  int a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6,
      c7, d0, d1, d2, d3, d4, d5, d6, d7, e0, e1, e2, e3, e4, e5, e6, e7, f0, f1, f2, f3, f4, f5,
      f6, f7, g0, g1, g2, g3, g4, g5, g6, g7, h0, h1, h2, h3, h4, h5, h6, h7;
};
TEST(Aggregates, HaveUpTo64Members) {
  const Field schema = must(make_codec<SixtyFour>()->schema(no_table));
  ASSERT_EQ(schema.children.size(), 64u);
  EXPECT_EQ(schema.children[0].name, "a0");
  EXPECT_EQ(schema.children[63].name, "h7");
  EXPECT_TRUE(make_codec<SixtyFour>()->is_plain());
}

TEST(Aggregates, OfNumbersAreCopiedAsTheyAre) {
  EXPECT_TRUE(make_codec<Place>()->is_plain());
  EXPECT_FALSE(make_codec<Item>()->is_plain());
}

struct Cached {
  std::string text;
  std::string upper_case;
  int length = 0;
};

struct Packed {
  [[no_unique_address]] Nothing first;
  int second = 0;
};
/// The left-out member has the address of another one.
struct PackedCache {
  int first = 0;
  [[no_unique_address]] Nothing cache;
  std::string second;
};
/// Names of cereal's functions, which mean no functions here.
struct load {
  enum save { none, some };
  float serialize = 0;
  save kept = none;
  int load_minimal[2] = {};
};
TEST(Aggregates, MembersThatShareMemoryAreRefused) {
  EXPECT_THAT(refusal_of<Packed>(),
              testing::HasSubstr("members 'first' and 'second' share memory"));
}

}  // namespace aggregates
}  // namespace hdb::test

template <>
struct hdb::LeavesOut<hdb::test::aggregates::Cached> {
  static constexpr std::tuple members{&hdb::test::aggregates::Cached::upper_case};
};

template <>
struct hdb::LeavesOut<hdb::test::aggregates::PackedCache> {
  static constexpr std::tuple members{&hdb::test::aggregates::PackedCache::cache};
};

namespace hdb::test {
namespace aggregates {

TEST(Aggregates, AMemberWithoutAPlaceIsLeftOutAlone) {
  EXPECT_EQ(schema_text<PackedCache>(), "{first: i32, second: string}");
  std::vector<PackedCache> records(1);
  records[0].first = 7;
  records[0].second = "imp";
  const std::vector<PackedCache> back = decode<PackedCache>(encode(records));
  EXPECT_EQ(back[0].first, 7);
  EXPECT_EQ(back[0].second, "imp");
}

TEST(Aggregates, MembersMayHaveTheNamesOfFunctions) {
  EXPECT_EQ(schema_text<load>(), "{serialize: f32, kept: enum<u32>, load_minimal: array<i32, 2>}");
}

TEST(Aggregates, MembersThatAreLeftOutKeepTheirValues) {
  EXPECT_EQ(schema_text<Cached>(), "{text: string, length: i32}");
  std::vector<Cached> records(1);
  records[0] = {"a", "A", 1};
  const std::vector<Cached> back = decode<Cached>(encode(records));
  EXPECT_EQ(back[0].text, "a");
  EXPECT_EQ(back[0].upper_case, "");
  EXPECT_EQ(back[0].length, 1);
}

template <class T>
std::vector<int> placed_fields() {
  std::vector<int> placed;
  for (const auto& field : record::discover(record::serialize_functions<T>()).fields)
    placed.push_back(field.is_placed ? 1 : 0);
  return placed;
}

/// Counts its loads.
struct Counted {
  int value = 0;
  int loads = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
    if (A::is_loading::value) ++loads;
  }
};
enum class Answer : bool { no, yes };
struct Mixed {
  std::uint32_t before = 1;
  std::string text;
  bool is_on = false;
  Counted counted;
  Answer answer = Answer::no;
  std::vector<Place> path;
  Place place;
};
struct MixedTwin : Mixed {
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(before), CEREAL_NVP(text), CEREAL_NVP(is_on), CEREAL_NVP(counted),
      CEREAL_NVP(answer), CEREAL_NVP(path), CEREAL_NVP(place));
  }
};
Mixed make_mixed(std::size_t i) {
  const int n = static_cast<int>(i);
  return {static_cast<std::uint32_t>(i), std::to_string(i), i % 2 == 0, {n, 0}, Answer::yes,
          std::vector<Place>(i % 3),     {1, 2, n}};
}

// More records than are copied at once, and a number of them that ends inside such a block.
TEST(Aggregates, CopiedFieldsAreSavedAsVisitedOnes) {
  std::vector<Mixed> records;
  std::vector<MixedTwin> twins;
  for (std::size_t i = 0; i < 1000; ++i) {
    records.push_back(make_mixed(i));
    twins.push_back({make_mixed(i)});
  }
  const Encoded plain = encode(records);
  const Encoded twin = encode(twins);
  EXPECT_EQ(plain.schema, twin.schema);
  EXPECT_EQ(plain.columns, twin.columns);
  EXPECT_EQ(plain.hash, twin.hash);
  const auto codec = make_codec<Mixed>();
  EXPECT_EQ(*codec->hash_rows(batch_of(records)), plain.hash);
  // Buffers keep nothing of what they held.
  std::vector<Bytes> columns(plain.columns.size(), Bytes(12'345));
  ASSERT_TRUE(codec->encode(batch_of(records), columns, nullptr).has_value());
  EXPECT_EQ(columns, plain.columns);
}

/// With `drifts`, saves another name after an opaque value that has members.
struct Sealed {
  Content content;
  int value = 0;
  bool drifts = false;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(content));
    a(cereal::make_nvp(drifts ? "price" : "value", value), CEREAL_NVP(drifts));
  }
};

TEST(Aggregates, NamesAfterAnOpaqueAggregateAreChecked) {
  std::vector<Sealed> records(2);
  EXPECT_EQ(decode<Sealed>(encode(records)).size(), 2u);
  records[1].drifts = true;
  const Result<Encoded> drifted = try_encode(records);
  ASSERT_FALSE(drifted.has_value());
  EXPECT_EQ(drifted.error().code, ErrorCode::schema_drift);
  EXPECT_THAT(drifted.error().message(), testing::HasSubstr("price"));
}

TEST(Aggregates, FieldsAtFixedPlacesAreCopiedAndOthersVisited) {
  EXPECT_EQ(placed_fields<Whole>(), (std::vector{1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(placed_fields<Mixed>(), (std::vector{1, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(placed_fields<Cached>(), (std::vector{0, 1}));
  EXPECT_EQ(placed_fields<WholeTwin>(), std::vector<int>());
  EXPECT_EQ(placed_fields<Place>(), std::vector<int>()) << "all of it is copied";
  using Pair = std::pair<int, std::string>;
  EXPECT_EQ(placed_fields<Pair>(), std::vector<int>()) << "its fields are not visited one by one";
  EXPECT_EQ(decode<Pair>(encode(std::vector<Pair>{{3, "x"}}))[0], Pair(3, "x"));

  std::vector<Mixed> records(70);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = make_mixed(i);
  const std::vector<Mixed> back = decode<Mixed>(encode(records));
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(back[i].before, i);
    EXPECT_EQ(back[i].text, records[i].text);
    EXPECT_EQ(back[i].is_on, i % 2 == 0);
    EXPECT_EQ(back[i].counted.value, static_cast<int>(i));
    EXPECT_EQ(back[i].counted.loads, 1);
    EXPECT_EQ(back[i].answer, Answer::yes);
    EXPECT_EQ(back[i].path, records[i].path);
    EXPECT_EQ(back[i].place, records[i].place);
  }
}

struct Terrain {
  std::string name;
  std::array<std::uint8_t, 70'000> heights{};
  std::int32_t seed = 0;
};
TEST(Aggregates, HugeArraysBesideTextsAreVisited) {
  EXPECT_EQ(placed_fields<Terrain>(), std::vector<int>());
  std::vector<Terrain> records(2);
  records[1].name = "hills";
  records[1].heights[69'999] = 7;
  records[1].seed = -3;
  const std::vector<Terrain> back = decode<Terrain>(encode(records));
  EXPECT_EQ(back[1].name, "hills");
  EXPECT_EQ(back[1].heights, records[1].heights);
  EXPECT_EQ(back[1].seed, -3);
}

TEST(Aggregates, DamagedColumnsOfCopiedFieldsAreRefused) {
  const Encoded good = encode(std::vector<Mixed>(3));
  const auto refusal = [&](std::size_t column, const auto& damage) {
    Encoded bad = good;
    damage(bad.columns[column]);
    const auto loaded = try_decode<Mixed>(bad);
    return loaded ? std::string("loaded") : loaded.error().message();
  };
  const auto set_to_2 = [](Bytes& bytes) { bytes[1] = std::byte{2}; };
  const auto cut = [](Bytes& bytes) { bytes.pop_back(); };
  const auto extend = [](Bytes& bytes) { bytes.push_back(std::byte{0}); };
  std::size_t column = 0;
  for (const Column& each : columns_of(good.schema)) {
    SCOPED_TRACE(each.path);
    if (each.path == "is_on" || each.path == "answer") {
      EXPECT_THAT(refusal(column, set_to_2), testing::HasSubstr("field '" + each.path + "'"));
    }
    if (!good.columns[column].empty()) {
      EXPECT_THAT(refusal(column, cut), testing::HasSubstr(each.path));
    }
    EXPECT_THAT(refusal(column, extend), testing::HasSubstr(each.path));
    ++column;
  }
}

}  // namespace aggregates
}  // namespace hdb::test
