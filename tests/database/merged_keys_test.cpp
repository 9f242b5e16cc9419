// Handles in keys that become null make keys equal: what is dropped then is counted and reported.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cereal/types/map.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::merged_keys_test {

struct Unit {
  int hp = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
  }
};
template <class L>
struct Grudge {
  std::map<Handle<Unit, L>, int> against;
  std::vector<std::set<Handle<Unit, L>>> circles;
  std::vector<std::string> titles;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(against), CEREAL_NVP(circles), CEREAL_NVP(titles));
  }
};
struct Titled {  // another program: titles are a set
  std::map<Handle<Unit>, int> against;
  std::set<std::string> titles;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(against), CEREAL_NVP(titles));
  }
};
template <class L, int Version>
struct Versioned {
  std::map<Handle<Unit, L>, int> against;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(against));
  }
};
using Narrow = Layout<16, 3>;
using OldVersion = Versioned<DefaultLayout, 1>;
using NewVersion = Versioned<Narrow, 2>;

}  // namespace hdb::test::merged_keys_test

CEREAL_CLASS_VERSION(hdb::test::merged_keys_test::OldVersion, 1)
CEREAL_CLASS_VERSION(hdb::test::merged_keys_test::NewVersion, 2)

namespace hdb::test::merged_keys_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

std::unique_ptr<MemorySource> source(const Bytes& file) {
  return std::make_unique<MemorySource>(file);
}

// Four handles that name no record, and whose indexes do not fit the narrow layout.
std::vector<Handle<Unit>> stale_handles() {
  std::vector<Handle<Unit>> stale;
  constexpr std::uint64_t kGeneration = std::uint64_t{1} << 32;
  for (unsigned i = 0; i < 4; ++i)
    stale.push_back(Handle<Unit>::from_bits(kGeneration | (1U << (20 + i))));
  return stale;
}

// What the load did with the grudges.
std::vector<LoadChange> changes_of(const LoadReport& report) {
  for (const TableLoadReport& table : report.tables) {
    if (table.name == "grudges") return table.changes;
  }
  return {};
}

LoadChange merged(const char* field, std::uint64_t count) {
  return {LoadChange::Kind::merged, field, {}, {}, count};
}

TEST(MergedKeys, OfHandlesThatLeaveAnImportAreCounted) {
  Database editor;
  auto& units = editor.create_table<Unit>("units");
  Grudge<DefaultLayout> one;
  one.circles.resize(2);
  for (int i = 0; i < 4; ++i) {
    const auto unit = units.insert({i});
    one.against[unit] = 10 + i;
    one.circles[static_cast<std::size_t>(i) % 2].insert(unit);
  }
  editor.create_table<Grudge<DefaultLayout>>("grudges").insert(one);
  Database game;
  game.create_table<Unit>("units");
  auto& grudges = game.create_table<Grudge<DefaultLayout>>("grudges");
  const auto report = game.import_records(source(saved(editor)), {.tables = {"grudges"}});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(grudges.begin()->against.size(), 1U);
  EXPECT_THAT(report->table("grudges")->changes,
              ElementsAre(merged("against", 3), merged("circles[]", 2)));
  EXPECT_THAT(report->summary(), HasSubstr("against merged (x3), circles[] merged (x2)"));
  EXPECT_EQ(report->unresolved_count, 8U);
}

TEST(MergedKeys, OfHandlesThatDoNotFitANarrowerLayoutAreCounted) {
  Database old;
  old.create_table<Unit>("units");
  Grudge<DefaultLayout> one;
  one.circles.resize(1);
  for (const auto unit : stale_handles()) {
    one.against[unit] = 1;
    one.circles[0].insert(unit);
  }
  old.create_table<Grudge<DefaultLayout>>("grudges").insert(one);
  Database game;
  game.create_table<Unit, Narrow>("units");
  auto& grudges = game.create_table<Grudge<Narrow>>("grudges");
  const auto report = game.load(source(saved(old)));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(grudges.begin()->against.size(), 1U);
  EXPECT_THAT(changes_of(*report), Contains(merged("against", 3)));
  EXPECT_THAT(changes_of(*report), Contains(merged("circles[]", 3)));
}

TEST(MergedKeys, AreCountedInMigratedRecordsToo) {
  Database old;
  old.create_table<Unit>("units");
  OldVersion one;
  for (const auto unit : stale_handles()) one.against[unit] = 1;
  old.create_table<OldVersion>("grudges").insert(one);
  const Bytes file = saved(old);
  for (const bool creates : {false, true}) {
    Database game;
    auto& units = game.create_table<Unit, Narrow>("units");
    auto& grudges = game.create_table<NewVersion>("grudges");
    Migration migration{.table = "grudges", .from = 1};
    if (creates) migration.creates = {"units"};
    game.declare_migration(migration, [&](DynamicValue&, MigrationContext& context) {
      if (creates) context.create("units", DynamicValue());
    });
    const auto report = game.load(source(file));
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(units.size(), creates ? 1U : 0U);
    EXPECT_EQ(grudges.begin()->against.size(), 1U);
    EXPECT_THAT(changes_of(*report), Contains(merged("against", 3)));
  }
}

// A handle that leaves excuses only keys that hold handles.
TEST(MergedKeys, OfOtherTypesAreRefusedAsEver) {
  Database old;
  Grudge<DefaultLayout> one;
  one.against[old.create_table<Unit>("units").insert({})] = 1;
  one.titles = {"king", "king"};
  old.create_table<Grudge<DefaultLayout>>("grudges").insert(one);
  Database game;
  game.create_table<Unit>("units");
  game.create_table<Titled>("grudges");
  const auto report = game.import_records(source(saved(old)), {.tables = {"grudges"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::value_refused);
  EXPECT_THAT(report.error().message(), HasSubstr("field 'titles'"));
}

}  // namespace
}  // namespace hdb::test::merged_keys_test
