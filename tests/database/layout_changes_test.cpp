// A load of a file whose handles had another layout: handles in records, also in containers and of
// any table, are translated.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/any_handle.hpp"
#include "hdb/import.hpp"
#include "hdb/migration.hpp"
#include "hdb/translate_handle.hpp"
#include "policy_world.hpp"

namespace hdb::test::policies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- translate_handle

constexpr HandleLayout kShort = Layout<16, 16>::value;
constexpr HandleLayout kWide = DefaultLayout::value;
constexpr HandleLayout kTyped = TypedLayout::value;

TEST(TranslateHandle, KeepsIndexGenerationAndTypeId) {
  static_assert(translate_handle(kShort, kWide, 0x0007'0102) == 0x0000'0007'0000'0102);
  static_assert(translate_handle(kWide, kShort, 0x0000'0007'0000'0102) == 0x0007'0102);
  static_assert(translate_handle(kWide, kShort, 0) == 0);
  const std::uint64_t typed = pack_handle(kTyped, 3, 2, 9);
  EXPECT_EQ(translate_handle(kWide, kTyped, pack_handle(kWide, 3, 2, 0), 9), typed);
  EXPECT_EQ(translate_handle(kTyped, kWide, typed, 9), pack_handle(kWide, 3, 2, 0));
  EXPECT_EQ(translate_handle(kTyped, Layout<32, 16, 10>::value, typed, 1),
            pack_handle(Layout<32, 16, 10>::value, 3, 2, 9));
}

TEST(TranslateHandle, WhatNamesNothingBecomesNull) {
  const auto wide = [](std::uint32_t index, std::uint32_t generation) {
    return pack_handle(kWide, index, generation, 0);
  };
  EXPECT_EQ(translate_handle(kWide, kShort, wide(65536, 1)), 0u);
  EXPECT_NE(translate_handle(kWide, kShort, wide(65535, 65535)), 0u);
  EXPECT_EQ(translate_handle(kWide, kShort, wide(1, 65536)), 0u);
  EXPECT_EQ(translate_handle(kWide, kShort, std::uint64_t{1} << 63 | wide(1, 1)), 0u);
  EXPECT_EQ(translate_handle(kWide, kWide, wide(1, 0x7fff'ffff)), 0u) << "marks retired slots";
  EXPECT_EQ(translate_handle(kWide, kWide, wide(5, 0)), 0u) << "no generation";
  EXPECT_EQ(translate_handle(kTyped, kWide, pack_handle(kTyped, 1, 1, 3), 4), 0u);
  EXPECT_EQ(translate_handle(kWide, kTyped, wide(1, 1), 0), 0u);
  EXPECT_EQ(translate_handle(kWide, kTyped, wide(1, 1), 0x8000), 0u);
  EXPECT_EQ(translate_handle(kTyped, Layout<32, 16, 3>::value, pack_handle(kTyped, 1, 1, 8)), 0u);
  EXPECT_EQ(translate_handle({0, 0, 0}, kWide, 5), 0u);
  EXPECT_EQ(translate_handle(kWide, {64, 64, 64}, wide(1, 1)), 0u);
}

// Any bits, between any two layouts: null, or a handle with the same parts.
TEST(TranslateHandle, IsTotal) {
  Random random(3);
  for (int i = 0; i < 200'000; ++i) {
    const auto layout = [&] {
      return HandleLayout{static_cast<std::uint8_t>(random.below(40)),
                          static_cast<std::uint8_t>(random.below(33)),
                          static_cast<std::uint8_t>(random.below(18))};
    };
    const HandleLayout from = layout();
    const HandleLayout to = layout();
    const std::uint64_t old = random.next() >> random.below(64);
    const auto id = static_cast<std::uint16_t>(random.below(70));
    const std::uint64_t bits = translate_handle(from, to, old, id);
    if (bits == 0) continue;
    const auto was = split_handle(from, old);
    const auto is = split_handle(to, bits);
    ASSERT_TRUE(was && is);
    EXPECT_EQ(was->index, is->index);
    EXPECT_EQ(was->generation, is->generation);
  }
}

// --- the table itself

template <class From, class To>
void expect_loads(int steps, std::size_t most) {
  Game<From> from;
  Random random(static_cast<std::uint64_t>(steps));
  from.churn(random, steps, most);
  Game<To> to;
  const auto report = load(to.db, saved(from.db), {.threads = 3, .verify_state_hash = true});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->tables.at(0).promise, HandlePromise::handles_valid);
  expect_sound(to.db);
  expect_handles(from, to, true);
  EXPECT_EQ(to.db.check_invariants(), nullptr);
}

TEST(LayoutChanges, HandlesStayValidUnderEveryLayoutThatHoldsThem) {
  expect_loads<Layout<16, 16>, DefaultLayout>(30'000, 9000);
  expect_loads<DefaultLayout, Layout<16, 16>>(30'000, 9000);
  expect_loads<Layout<10, 6>, Layout<20, 12>>(3000, 300);
  expect_loads<DefaultLayout, Layout<10, 6>>(200, 60);
  expect_loads<DefaultLayout, TypedLayout>(500, 60);
  expect_loads<TypedLayout, DefaultLayout>(500, 60);
  expect_loads<Layout<16, 16>, TypedLayout>(500, 60);
  expect_loads<TypedLayout, Layout<20, 20, 4>>(500, 60);
}

template <class From, class To>
Error refusal(Game<From>& from) {
  Game<To> to;
  to.insert();
  const Hash128 before = to.db.state_hash();
  const auto report = load(to.db, saved(from.db));
  EXPECT_FALSE(report);
  EXPECT_EQ(to.db.state_hash(), before);
  return report ? Error{} : report.error();
}

TEST(LayoutChanges, ALayoutThatDoesNotHoldTheHandlesIsRefusedWithTheReason) {
  Game<> slots;
  for (int i = 0; i < 1025; ++i) slots.insert();
  const Error index = refusal<DefaultLayout, Layout<10, 20>>(slots);
  EXPECT_EQ(index.code, ErrorCode::layout_mismatch);
  EXPECT_THAT(index.message(), HasSubstr("table 'things'"));
  EXPECT_THAT(index.message(), HasSubstr("the file has 1025 slots, but these handles have 1024"));
  Game<> busy;
  for (int i = 0; i < 64; ++i) {
    busy.insert();
    busy.erase(busy.live.begin()->first);
  }
  const Error generation = refusal<DefaultLayout, Layout<20, 6>>(busy);
  EXPECT_EQ(generation.code, ErrorCode::layout_mismatch);
  EXPECT_THAT(generation.message(),
              HasSubstr("issued generation 64, but the last one of these handles is 63"));
  Game<TypedLayout> typed({.type_id = 9});
  typed.insert();
  const Error id = refusal<TypedLayout, Layout<32, 16, 3>>(typed);
  EXPECT_EQ(id.code, ErrorCode::layout_mismatch);
  EXPECT_THAT(id.message(), HasSubstr("type id 9, but the last one of these handles is 7"));
}

// --- handles in records

struct Node;
/// Handles of one layout in every kind of container, and beside them the values that they name.
template <class L>
struct Holder {
  using H = Handle<Node, L>;
  H one = {};
  Strong<Node, L> strong = {};
  std::array<H, 2> pair = {};
  std::vector<std::optional<H>> list = {};
  std::map<H, std::int32_t> by_handle = {};
  std::map<std::string, std::vector<H>> by_name = {};
  std::set<H> set = {};
  std::variant<std::int32_t, H> either = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(one), CEREAL_NVP(strong), CEREAL_NVP(pair), CEREAL_NVP(list));
    a(CEREAL_NVP(by_handle), CEREAL_NVP(by_name), CEREAL_NVP(set), CEREAL_NVP(either));
  }
};

/// Copied as whole columns: plain records.
template <class L>
struct PlainHolder {
  std::int32_t before = 7;
  std::array<Handle<Node, L>, 3> handles = {};
  std::int64_t after = 8;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(before), CEREAL_NVP(handles), CEREAL_NVP(after));
  }
};

template <class L>
struct Pointing {
  Handle<Node, L> node = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(node));
  }
};

template <class L>
struct Graph {
  Database db;
  Table<Thing, L, Node>& nodes = db.create_table<Thing, L, Node>("nodes");
  Table<Holder<L>>& holders = db.create_table<Holder<L>>("holders");
  Table<PlainHolder<L>>& plain = db.create_table<PlainHolder<L>>("plain");
};

TEST(LayoutChanges, HandlesInEveryContainerAreTranslated) {
  using Old = Layout<16, 16>;
  Graph<Old> from;
  std::vector<Handle<Node, Old>> nodes;
  for (std::uint64_t i = 0; i < 6; ++i) nodes.push_back(from.nodes.insert({i}));
  from.nodes.erase(nodes[5]);                                      // stale
  const auto foreign = Handle<Node, Old>::from_bits(0x0000'0009);  // no generation
  Holder<Old> holder;
  holder.one = nodes[0];
  holder.strong = nodes[1];
  holder.pair = {nodes[5], foreign};
  holder.list = {nodes[2], std::nullopt, Handle<Node, Old>()};
  holder.by_handle = {{nodes[3], 3}, {nodes[4], 4}};
  holder.by_name = {{"a", {nodes[0], nodes[5]}}};
  holder.set = {nodes[1], nodes[2]};
  holder.either = nodes[4];
  from.holders.insert(holder);
  from.plain.insert({.handles = {nodes[0], foreign, nodes[5]}});
  Graph<DefaultLayout> to;
  const auto report = load(to.db, saved(from.db), {.verify_state_hash = true});
  ASSERT_TRUE(report) << report.error().message();
  const auto moved = [](Handle<Node, Old> old) {
    return Handle<Node>::from_bits(translate_handle(kShort, kWide, old.bits()));
  };
  const Holder<DefaultLayout>& got = *to.holders.begin();
  EXPECT_EQ(got.one, moved(nodes[0]));
  EXPECT_EQ(to.nodes.find(got.one)->value, 0u);
  EXPECT_EQ(got.strong.handle(), moved(nodes[1]));
  EXPECT_EQ(got.pair[0], moved(nodes[5]));
  EXPECT_FALSE(to.nodes.contains(got.pair[0]));
  EXPECT_FALSE(got.pair[1]);
  EXPECT_THAT(got.list, ElementsAre(moved(nodes[2]), std::nullopt, Handle<Node>()));
  EXPECT_EQ(got.by_handle,
            (std::map<Handle<Node>, std::int32_t>{{moved(nodes[3]), 3}, {moved(nodes[4]), 4}}));
  EXPECT_THAT(got.by_name.at("a"), ElementsAre(moved(nodes[0]), moved(nodes[5])));
  EXPECT_THAT(got.set, ElementsAre(moved(nodes[1]), moved(nodes[2])));
  EXPECT_EQ(std::get<1>(got.either), moved(nodes[4]));
  const PlainHolder<DefaultLayout>& plain = *to.plain.begin();
  EXPECT_THAT(plain.handles, ElementsAre(moved(nodes[0]), Handle<Node>(), moved(nodes[5])));
  EXPECT_EQ(plain.before, 7);
  EXPECT_EQ(plain.after, 8);
  EXPECT_THAT(report->summary(),
              HasSubstr("plain: 1 record, handles[] converted from handle<16,16> to handle<32,31> "
                        "(x3), handles[] cleared (x1)"));
  // And back, because everything fits.
  Graph<Old> back;
  ASSERT_TRUE(load(back.db, saved(to.db)));
  EXPECT_EQ(back.holders.begin()->by_handle, holder.by_handle);
  EXPECT_EQ(back.holders.begin()->pair[0], nodes[5]);
}

// Two handles of a set that no record can have both become null: the set keeps one.
TEST(LayoutChanges, KeysThatBecomeNullMayMeet) {
  Graph<DefaultLayout> from;
  Holder<DefaultLayout> holder;
  holder.set = {Handle<Node>::from_bits(pack_handle(kWide, 1 << 20, 1, 0)),
                Handle<Node>::from_bits(pack_handle(kWide, 1 << 21, 1, 0))};
  from.holders.insert(holder);
  Graph<Layout<16, 16>> to;
  const auto report = load(to.db, saved(from.db));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(to.holders.begin()->set.size(), 1u);
  EXPECT_THAT(report->summary(), HasSubstr("set[] cleared (x2)"));
}

// A record whose field has another layout than its table: neither side can be meant.
TEST(LayoutChanges, AFieldThatDoesNotFollowItsTableIsRefused) {
  Database from;
  from.create_table<Thing, Layout<16, 16>, Node>("nodes");
  from.create_table<Pointing<Layout<16, 16>>>("holders").insert({});
  Database to;
  to.create_table<Thing, DefaultLayout, Node>("nodes");
  to.create_table<Pointing<Layout<20, 12>>>("holders");
  const auto report = load(to, saved(from));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::layout_mismatch);
  EXPECT_THAT(report.error().message(), HasSubstr("field 'node'"));
}

// --- handles of any table

struct Event {
  std::vector<AnyHandle> subjects = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(subjects));
  }
};
template <class L>
struct Typed {
  Database db;
  Table<Thing, L, Node>& nodes = db.create_table<Thing, L, Node>("nodes");
  Table<Thing, TypedLayout>& things = db.create_table<Thing, TypedLayout>("things");
  Table<Event>& events = db.create_table<Event>("events");
};

TEST(LayoutChanges, AHandleOfAnyTableStaysIfItsTableDoes) {
  Typed<TypedLayout> from;
  const auto node = from.nodes.insert({1});
  const auto thing = from.things.insert({2});
  from.events.insert({{any_handle(thing), AnyHandle()}});
  const Bytes fits = saved(from.db);
  Typed<DefaultLayout> to;
  const auto report = load(to.db, fits);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(to.db.find<Thing>(to.events.begin()->subjects[0])->value, 2u);
  EXPECT_EQ(to.nodes
                .find(Handle<Node>::from_bits(translate_handle(
                    kTyped, kWide, node.bits(), static_cast<std::uint16_t>(node.type_id()))))
                ->value,
            1u);
  // Now one that no AnyHandle can hold any more.
  from.events.insert({{any_handle(thing), AnyHandle::from_bits(node.bits())}});
  const Hash128 before = to.db.state_hash();
  const auto refused = load(to.db, saved(from.db));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::layout_mismatch);
  EXPECT_THAT(refused.error().message(), HasSubstr("the handle 0@1 names table 'nodes'"));
  EXPECT_THAT(refused.error().message(), HasSubstr("field 'subjects[]'"));
  EXPECT_EQ(to.db.state_hash(), before);
}

// The type id that the table gets is in the handles of all records, and no old id is taken.
TEST(LayoutChanges, HandlesThatGetTypeIdsGetThatOfTheirTable) {
  Typed<DefaultLayout> from;
  const auto node = from.nodes.insert({1});
  from.things.insert({2});
  from.db.create_table<Pointing<DefaultLayout>>("pointing").insert({node});
  Typed<TypedLayout> to;
  auto& pointing = to.db.create_table<Pointing<TypedLayout>>("pointing");
  ASSERT_TRUE(load(to.db, saved(from.db)));
  const auto moved = pointing.begin()->node;
  EXPECT_EQ(to.nodes.find(moved)->value, 1u);
  EXPECT_EQ(to.db.table_of(AnyHandle::from_bits(moved.bits())), "nodes");
  EXPECT_NE(moved.type_id(), to.things.begin().handle().type_id());
  expect_sound(to.db);
}

// --- imports and migrations

TEST(LayoutChanges, AnImportTranslatesBeforeItMaps) {
  using Old = Layout<16, 16>;
  Graph<Old> from;
  const auto one = from.nodes.insert({1});
  const auto two = from.nodes.insert({2});
  Holder<Old> holder;
  holder.one = two;
  holder.list = {one, Handle<Node, Old>::from_bits(0x0009'0009)};
  from.holders.insert(holder);
  Graph<DefaultLayout> to;
  to.nodes.insert({100});
  const auto report = to.db.import_records(std::make_unique<MemorySource>(saved(from.db)), {});
  ASSERT_TRUE(report) << report.error().message();
  const auto found = [&](Handle<Node, Old> old) {
    return report->find(Handle<Node>::from_bits(translate_handle(kShort, kWide, old.bits())));
  };
  EXPECT_EQ(to.nodes.find(found(two))->value, 2u);
  EXPECT_EQ(to.holders.begin()->one, found(two));
  EXPECT_THAT(to.holders.begin()->list, ElementsAre(found(one), Handle<Node>()));
  ASSERT_EQ(report->unresolved_count, 1u);
  EXPECT_EQ(report->unresolved[0].target, "nodes:9@9");
  EXPECT_EQ(report->unresolved[0].field, "list[1]");
  expect_sound(to.db);
}

TEST(LayoutChanges, AnImportIntoATableWithTypeIdsMapsHandlesWithout) {
  Typed<DefaultLayout> from;
  const auto node = from.nodes.insert({5});
  from.things.insert({6});
  from.db.create_table<Pointing<DefaultLayout>>("pointing").insert({node});
  Typed<TypedLayout> to;
  auto& pointing = to.db.create_table<Pointing<TypedLayout>>("pointing");
  to.nodes.insert({100});
  const auto report = to.db.import_records(std::make_unique<MemorySource>(saved(from.db)), {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->unresolved_count, 0u);
  EXPECT_EQ(to.nodes.find(pointing.begin()->node)->value, 5u);
}

template <class L>
struct Versioned {
  Handle<Node, L> target = {};
  std::int32_t value = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(target), CEREAL_NVP(value));
  }
};

}  // namespace
}  // namespace hdb::test::policies
CEREAL_CLASS_VERSION(hdb::test::policies::Versioned<hdb::DefaultLayout>, 1)
namespace hdb::test::policies {
namespace {

// A step sees handles in the layout of the program, and creates records in the new tables.
TEST(LayoutChanges, MigrationsSeeTranslatedHandles) {
  using Old = Layout<16, 16>;
  Database from;
  auto& old_nodes = from.create_table<Thing, Old, Node>("nodes");
  old_nodes.insert({1});
  const auto node = old_nodes.insert({2});
  from.create_table<Versioned<Old>>("records").insert({node, 7});
  Database to;
  auto& nodes = to.create_table<Thing, DefaultLayout, Node>("nodes");
  auto& records = to.create_table<Versioned<DefaultLayout>>("records");
  to.declare_migration({.table = "records", .from = 0, .creates = {"nodes"}},
                       [](DynamicValue& record, MigrationContext& context) {
                         const auto target = record.at("target").as<Handle<Node>>();
                         EXPECT_EQ(target.bits(), pack_handle(kWide, 1, 1, 0));
                         EXPECT_EQ(context.handle().as<Handle<Node>>().index(), 0u);
                         record.set("value", 8);
                         DynamicValue made;
                         made.set("value", 9);
                         record.set("target", context.create("nodes", std::move(made)));
                       });
  const auto report = load(to, saved(from));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(records.begin()->value, 8);
  EXPECT_EQ(nodes.find(records.begin()->target)->value, 9u);
  EXPECT_EQ(nodes.size(), 3u);
  expect_sound(to);
}

}  // namespace
}  // namespace hdb::test::policies
