// hdb::Box: a value on the heap, stored as a std::optional.
#include "hdb/box.hpp"

#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <map>
#include <optional>
#include <set>

#include "hdb/cereal_boxes.hpp"
#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/migration.hpp"
#include "hdb/resource_table.hpp"
#include "one.hpp"

namespace hdb::test::box_test {
namespace {

/// Counts its objects; its copy constructor throws on request.
struct Fragile {
  int value = 0;
  static inline int alive = 0;
  static inline bool throws = false;

  Fragile() noexcept { ++alive; }
  explicit Fragile(int v) : value(v) { count(); }
  Fragile(const Fragile& other) : value(other.value) { count(); }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() { --alive; }
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }

 private:
  static void count() {
    if (throws) throw std::runtime_error("no");
    ++alive;
  }
};
struct NoComparison {
  int value = 0;
};
struct Later;
struct Early {
  Box<Later> later;
};
struct Later {
  int value = 3;
};

TEST(Box, IsUsedAsAUniquePointer) {
  Box<Point> box;
  EXPECT_TRUE(!box && box == nullptr && box.get() == nullptr && !box.has_value());
  box = make_box<Point>(3.0F, 4.0F);
  ASSERT_TRUE(box);
  EXPECT_TRUE(box != nullptr);
  EXPECT_EQ(box->x, 3.0F);
  EXPECT_EQ((*box).y, 4.0F);
  EXPECT_EQ(box.get(), &*box);
  box = Point{5, 6};
  EXPECT_EQ(box->x, 5.0F);
  EXPECT_EQ(box.emplace(7.0F).x, 7.0F);
  box.reset();
  EXPECT_FALSE(box);
  auto object = std::make_unique<Point>();
  const Point* const at = object.get();
  box = std::move(object);
  EXPECT_EQ(box.get(), at) << "the object is taken, not copied";
  box = std::unique_ptr<Point>();
  EXPECT_EQ(box, nullptr);
  box = Point();
  box = nullptr;
  EXPECT_FALSE(box);
}

TEST(Box, ACopyCopiesTheValue) {
  Box<std::vector<int>> a = std::vector{1, 2};
  Box<std::vector<int>> b = a;
  EXPECT_NE(a.get(), b.get());
  b->push_back(3);
  EXPECT_EQ(*a, (std::vector{1, 2}));
  a = b;
  EXPECT_EQ(a, b);
  EXPECT_NE(a.get(), b.get());
  const Box<std::vector<int>>& same = a;
  a = same;
  EXPECT_EQ(a->size(), 3U) << "assigned to itself";
  b = Box<std::vector<int>>();
  a = b;
  EXPECT_FALSE(a);
}

TEST(Box, AMoveKeepsTheAddressAndLeavesTheSourceEmpty) {
  Box<Point> a = Point{1, 2};
  const Point* const at = a.get();
  Box<Point> b = std::move(a);
  EXPECT_EQ(b.get(), at);
  EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): it is empty
  a = std::move(b);
  EXPECT_EQ(a.get(), at);
  EXPECT_FALSE(b);  // NOLINT(bugprone-use-after-move): it is empty
  Box<Point>& same = a;
  a = std::move(same);
  EXPECT_EQ(a.get(), at) << "moved to itself";
  static_assert(std::is_nothrow_move_constructible_v<Box<Fragile>> &&
                std::is_nothrow_move_assignable_v<Box<Fragile>>);
}

TEST(Box, ConstnessReachesTheValue) {
  using Const = const Box<Point>;
  static_assert(std::is_same_v<decltype(std::declval<Const&>().get()), const Point*>);
  static_assert(std::is_same_v<decltype(*std::declval<Const&>()), const Point&>);
  static_assert(std::is_same_v<decltype(std::declval<Const&>().operator->()), const Point*>);
  static_assert(std::is_same_v<decltype(*std::declval<Box<Point>&>()), Point&>);
}

TEST(Box, IsComparedByValue) {
  const Box<int> none;
  const Box<int> one = 1;
  EXPECT_EQ(one, Box<int>(1));
  EXPECT_NE(one, Box<int>(2));
  EXPECT_NE(one, none);
  EXPECT_EQ(none, Box<int>());
  EXPECT_TRUE(none < one && one < Box<int>(2) && !(one < none) && !(one < one));
  EXPECT_EQ(std::set<Box<int>>({2, 1, none, 1}).size(), 3U);
  static_assert(!std::equality_comparable<Box<NoComparison>>);
}

TEST(Box, AThrowingCopyChangesNothing) {
  Fragile::alive = 0;
  {
    Box<Fragile> a = make_box<Fragile>(1);
    const Box<Fragile> b = make_box<Fragile>(2);
    Fragile::throws = true;
    EXPECT_THROW(a = b, std::runtime_error);
    EXPECT_THROW(a.emplace(3), std::runtime_error);
    EXPECT_THROW(Box<Fragile>{b}, std::runtime_error);
    Fragile::throws = false;
    EXPECT_EQ(a->value, 1);
    EXPECT_EQ(Fragile::alive, 2);
  }
  EXPECT_EQ(Fragile::alive, 0);
}

TEST(Box, ItsTypeMayBeIncompleteWhereAMemberIsDeclared) {
  Early early{Later{4}};
  const Early copy = early;
  early.later.reset();
  EXPECT_EQ(copy.later->value, 4);
  EXPECT_EQ(schema_text<Early>(), "{later: optional<{value: i32}>}");
}

TEST(Box, OfAnotherTypeIsRefused) {
  struct Derived : Point {};
  static_assert(!std::is_constructible_v<Box<Point>, std::unique_ptr<Derived>>,
                "a copy would lose a part of it");
  static_assert(!std::is_constructible_v<Box<Point>, Point*>);
}

TEST(BoxDeathTest, MistakesAreReported) {
  const Box<Point> empty;
  EXPECT_DEATH((void)*empty, "an empty hdb::Box was dereferenced");
  EXPECT_DEATH((void)empty->x, "an empty hdb::Box was dereferenced");
  struct Engine {
    virtual ~Engine() = default;
  };
  struct Diesel : Engine {};
  std::unique_ptr<Engine> object = std::make_unique<Diesel>();
  EXPECT_DEATH(Box<Engine>(std::move(object)), "of a derived class: use hdb::OneOf");
}

/// A record with every place that an optional value may take.
template <template <class> class O>
struct Holder {
  O<int> number;
  O<std::string> text = std::string("t");
  O<Point> point = Point{3, 4};
  O<Handle<int>> handle = Handle<int>::from_bits(0x1'0000'0002);
  O<O<int>> nested = O<int>(7);
  std::vector<O<Point>> list{Point{1, 2}, O<Point>()};
  std::map<int, O<std::vector<O<int>>>> map{{1, {}}, {2, std::vector{O<int>(5), O<int>()}}};
  std::set<O<int>> set{O<int>(), O<int>(4)};
  std::tuple<O<Point>, O<int>> tuple{Point(), 5};
  std::variant<int, O<Point>> variant = O<Point>(Point{8, 9});
};
template <class T>
using Optional = std::optional<T>;

template <class T>
void expect_one_file(const T& boxes, const auto& optionals) {
  const Encoded a = encode(std::vector{T(), boxes});
  const Encoded b = encode(std::vector{std::decay_t<decltype(optionals)>(), optionals});
  EXPECT_EQ(type_text(a.schema), type_text(b.schema));
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(encode(decode<T>(b)).columns, a.columns);
  EXPECT_EQ(encode(decode<std::decay_t<decltype(optionals)>>(a)).columns, b.columns);
}

TEST(Box, IsStoredAsAnOptional) {
  Holder<Box> boxes;
  Holder<Optional> optionals;
  expect_one_file(boxes, optionals);
  boxes.number = optionals.number.emplace(9);
  boxes.text = nullptr;
  optionals.text.reset();
  boxes.map[3] = std::vector<Box<int>>(3);
  optionals.map[3] = std::vector<Optional<int>>(3);
  expect_one_file(boxes, optionals);
  static_assert(!std::is_trivially_copyable_v<One<Box<int>>>);
  EXPECT_FALSE(make_codec<One<Box<int>>>()->is_plain());
}

TEST(Box, ComesBackThroughColumnsAndOpaqueBytes) {
  check<Box<int>>("optional<i32>", {5, nullptr});
  check<Box<Point>>("optional<{x: f32, y: f32}>", {Point{1, 2}});
  check<std::vector<Box<std::string>>>("list<optional<string>>", {{std::string("a"), nullptr}});
}

TEST(Box, AnEmptyOneInTheFileEmptiesADefault) {
  const Encoded file = encode(std::vector<Holder<Box>>(1));
  EXPECT_EQ(decode<Holder<Box>>(file)[0].text, Box<std::string>("t"));
  Holder<Box> none;
  none.text = nullptr;
  EXPECT_EQ(decode<Holder<Box>>(encode(std::vector{none}))[0].text, nullptr);
}

TEST(Box, TakesTheValueThatOlderFilesHold) {
  EXPECT_EQ(converted<Box<int>>(5).value(), Box<int>(5));
  EXPECT_EQ(converted<Box<std::string>>(std::string("x")).value(), Box<std::string>("x"));
  EXPECT_EQ((converted<std::vector<int>>(Box<int>(5)).value()), std::vector{5});
  EXPECT_EQ(converted<Box<std::int64_t>>(Box<int>(5)).value(), Box<std::int64_t>(5));
  EXPECT_EQ(failure<Box<std::string>>(5), ErrorCode::type_mismatch);
}

TEST(Box, MemoryOfItsValueIsCharged) {
  using Large = std::array<std::uint8_t, 4000>;
  const Encoded file = encode(std::vector<One<std::vector<Box<Large>>>>{{{Large(), Large()}}});
  EXPECT_TRUE((try_decode<One<std::vector<Box<Large>>>>(file, 9000)));
  const auto few = try_decode<One<std::vector<Box<Large>>>>(file, 8000);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, ErrorCode::memory_budget);
  const auto whole = try_decode<One<Box<Large>>>(encode(std::vector<One<Large>>(1)), 3000);
  ASSERT_FALSE(whole) << "a stored value that becomes a Box";
  EXPECT_EQ(whole.error().code, ErrorCode::memory_budget);
}

TEST(Box, EachFlippedBitIsAnErrorOrOtherValues) {
  const Encoded good = encode(std::vector<Holder<Box>>(2));
  for (std::size_t c = 0; c < good.columns.size(); ++c) {
    for (std::size_t bit = 0; bit < good.columns[c].size() * 8; ++bit) {
      Encoded bad = good;
      bad.columns[c][bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      const auto loaded = try_decode<Holder<Box>>(bad, 1 << 20);
      if (!loaded) continue;
      EXPECT_NE(encode(*loaded).columns, good.columns) << "column " << c << " bit " << bit;
    }
  }
}

struct Node {
  int value = 0;
  Box<Node> child;
};
struct Branch;
struct Tree {
  Box<Branch> branch;
};
struct Branch {
  std::vector<Box<Tree>> trees;
};

TEST(Box, OfATypeThatContainsItselfIsRefused) {
  EXPECT_THAT(refusal_of<Node>(), testing::HasSubstr("field 'child[]'"));
  EXPECT_THAT(refusal_of<Node>(),
              testing::HasSubstr("the type contains itself; keep the parts in their own table and "
                                 "hold handles to them"));
  EXPECT_THAT(refusal_of<Tree>(), testing::HasSubstr("the type contains itself"));
}

struct Part {
  int value = 0;
  Box<Handle<Part>> next;
  Box<std::vector<Box<Strong<Part>>>> owned;
};

TEST(Box, HandlesInItAreRemappedByAnImport) {
  Database prefab;
  auto& parts = prefab.create_table<Part>("parts");
  parts.insert({});
  const Handle<Part> a = parts.insert({1, {}, {}});
  const Handle<Part> b = parts.insert({2, a, std::vector<Box<Strong<Part>>>{{}, Strong(a)}});
  MemorySink file;
  ASSERT_TRUE(save(prefab.capture(), file));
  Database game;
  auto& own = game.create_table<Part>("parts");
  for (int i = 0; i < 5; ++i) own.insert({});
  const auto report = game.import_records(std::make_unique<MemorySource>(file.bytes()));
  ASSERT_TRUE(report) << report.error().message();
  const Part& imported = own.at(report->find(b));
  EXPECT_NE(report->find(a), a);
  EXPECT_EQ(imported.next, Box<Handle<Part>>(report->find(a)));
  EXPECT_EQ(own.at(*imported.next).value, 1);
  EXPECT_EQ(*(*imported.owned)[1], Strong(report->find(a)));
}

struct Sound {
  Box<Strong<Sound>> base;
};

TEST(Box, AStrongHandleInItKeepsAResource) {
  Database db;
  auto& sounds = db.create_resource_table<Sound>("sounds");
  auto& users = db.create_table<One<Box<Strong<Sound>>>>("users");
  const auto kept = sounds.table().insert({});
  const auto user = users.insert({Strong(sounds.table().insert({Strong(kept)}))});
  EXPECT_EQ(sounds.flush().value().destroyed, 0U);
  users.edit(user)->v = nullptr;
  EXPECT_EQ(sounds.flush().value().destroyed, 2U);
}

TEST(Box, SnapshotsAreNotChangedThroughIt) {
  Database db;
  auto& table = db.create_table<One<Box<Point>>>("points");
  const auto handle = table.insert({Point{1, 2}});
  const Snapshot before = db.capture();
  const Hash128 hash = db.state_hash();
  table.edit(handle)->v->x = 5;
  EXPECT_NE(db.state_hash(), hash);
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(table.at(handle).v->x, 1.0F);
  EXPECT_EQ(db.state_hash(), hash);
}

struct Measured {
  Box<std::string> text;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(text));
  }
};

}  // namespace
}  // namespace hdb::test::box_test

CEREAL_CLASS_VERSION(hdb::test::box_test::Measured, 1)

namespace hdb::test::box_test {
namespace {

struct Counted {
  Box<int> text;
};

TEST(Box, AMigrationSeesAnOptional) {
  Database old;
  auto& counted = old.create_table<Counted>("table");
  const auto five = counted.insert({5});
  const auto none = counted.insert({});
  MemorySink file;
  ASSERT_TRUE(save(old.capture(), file));
  Database db;
  const auto& table = db.create_table<Measured>("table");
  db.declare_migration({.table = "table", .from = 0}, [](DynamicValue& record, MigrationContext&) {
    DynamicValue& text = record.at("text");
    if (text.has_value()) text = DynamicValue::some(std::to_string(text.value().as<int>()));
  });
  const auto loaded = db.load(std::make_unique<MemorySource>(file.bytes()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(table.at(Handle<Measured>::from_bits(five.bits())).text, Box<std::string>("5"));
  EXPECT_EQ(table.at(Handle<Measured>::from_bits(none.bits())).text, nullptr);
}

}  // namespace
}  // namespace hdb::test::box_test
