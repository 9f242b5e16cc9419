// diff with options: what is ignored, tolerated or filtered away, of snapshots as of their files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hdb/inspect/snapshot_diff.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::diff_rules_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Body {
  float x = 0;
  double y = 0;
  std::int64_t score = 0;
  std::uint64_t ticks = 0;
  std::vector<float> path = {};
  std::vector<Unit> parts = {};
  std::map<std::string, double> stats = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(score), CEREAL_NVP(ticks), CEREAL_NVP(path),
      CEREAL_NVP(parts), CEREAL_NVP(stats));
  }
};

Glob path_glob(const std::string& text) { return *Glob::of_path(text); }

DiffOptions ignoring(const std::string& glob) {
  DiffOptions options;
  options.ignore = {path_glob(glob)};
  return options;
}

DiffOptions within(const std::string& glob, std::optional<double> absolute,
                   std::optional<double> relative = {}) {
  DiffOptions options;
  options.tolerances = {{path_glob(glob), absolute, relative}};
  return options;
}

DiffOptions where(const std::string& expression) {
  DiffOptions options;
  options.where = *FilterExpression::parse(expression);
  return options;
}

// Two states, one change of a body between them.
class DiffRules : public testing::Test {
 protected:
  Database db;
  Table<Body>& bodies = db.create_table<Body>("bodies");
  Handle<Body> body = bodies.insert({.x = 1,
                                     .y = 100,
                                     .score = 10,
                                     .ticks = ~std::uint64_t{0},
                                     .path = {1, 2, 3},
                                     .parts = {{.hp = 5}},
                                     .stats = {{"speed", 1}}});
  Handle<Body> other = bodies.insert({});
  Snapshot before = db.capture();
  Bytes file_before = saved(before);

  /// "changed/within: paths", the same in memory and of files.
  std::string compared(const DiffOptions& options) {
    const Snapshot after = db.capture();
    const auto text_of = [](const Result<StateDiff>& found) {
      if (!found) return found.error().what;
      std::string text;
      for (const TableDiff& table : found->tables) {
        text += std::to_string(table.changed) + '/' + std::to_string(table.within_tolerance);
        if (table.added + table.removed + table.reused != 0) text += "+-";
        if (!table.notes.empty()) text += "!";
        for (const RecordDiff& record : table.details) {
          for (const FieldChange& field : record.fields) text += ' ' + field.path;
        }
      }
      return text;
    };
    const std::string in_memory = text_of(diff(before, after, options));
    const Bytes file_after = saved(after);
    const auto a = Reader::open(std::make_unique<MemorySource>(file_before));
    const auto b = Reader::open(std::make_unique<MemorySource>(file_after));
    EXPECT_EQ(in_memory, text_of(diff(**a, **b, options)));
    return in_memory;
  }
};

TEST_F(DiffRules, AnIgnoredFieldIsNotCompared) {
  bodies.edit(body)->score = 11;
  EXPECT_EQ(compared({}), "1/0 score");
  EXPECT_EQ(compared(ignoring("bodies.score")), "0/0");
  EXPECT_EQ(compared(ignoring("**.score")), "0/0");
  EXPECT_EQ(compared(ignoring("bodies.s*")), "0/0");
  EXPECT_EQ(compared(ignoring("score")), "1/0 score");  // the table comes first
  EXPECT_EQ(compared(ignoring("bodies")), "");
  bodies.edit(body)->x = 2;
  EXPECT_EQ(compared(ignoring("bodies.score")), "1/0 x");
}

TEST_F(DiffRules, APartOfAnElementIsIgnoredInListsAndMaps) {
  bodies.edit(body)->parts[0].hp = 6;
  EXPECT_EQ(compared(ignoring("bodies.parts[].hp")), "0/0");
  EXPECT_EQ(compared(ignoring("bodies.parts.hp")), "0/0");
  EXPECT_EQ(compared(ignoring("bodies.parts[0]")), "0/0");
  EXPECT_EQ(compared(ignoring("bodies.parts[1]")), "1/0 parts[0].hp");
  bodies.edit(body)->parts.push_back({});
  EXPECT_EQ(compared(ignoring("bodies.parts[].hp")), "1/0 parts[1]");  // there is one more
  bodies.edit(body)->parts.pop_back();
  bodies.edit(body)->stats["speed"] = 2;
  EXPECT_EQ(compared(ignoring("bodies.{parts,stats}.**")), "0/0");
  EXPECT_EQ(compared(ignoring("bodies.{parts,stats.key}")), "1/0 stats[\"speed\"]");
}

TEST_F(DiffRules, ColumnsOfIgnoredFieldsAreNotRead) {
  std::vector<Handle<Body>> many;
  for (int i = 0; i < 5000; ++i) many.push_back(bodies.insert({.y = std::sin(i)}));
  before = db.capture();
  file_before = saved(before);
  for (const Handle<Body> each : many) bodies.edit(each)->y += 1;
  const Bytes file_after = saved(db.capture());
  const auto bytes_read = [&](const DiffOptions& options) {
    const auto a = Reader::open(std::make_unique<MemorySource>(file_before));
    const auto b = Reader::open(std::make_unique<MemorySource>(file_after));
    const std::uint64_t opened = (*a)->bytes_read();
    const auto found = diff(**a, **b, options);
    EXPECT_TRUE(found);
    EXPECT_EQ(found->tables[0].stored_differently, 0U);
    return (*a)->bytes_read() - opened;
  };
  EXPECT_GT(bytes_read({}), 30000U);
  EXPECT_LT(bytes_read(ignoring("bodies.y")), 6000U);
}

TEST_F(DiffRules, NumbersWithinAToleranceCountApart) {
  bodies.edit(body)->x = 1.25F;
  EXPECT_EQ(compared(within("bodies.x", 0.25)), "0/1");
  EXPECT_EQ(compared(within("bodies.x", 0.2)), "1/0 x");
  EXPECT_EQ(compared(within("bodies.x", {}, 0.2)), "0/1");
  EXPECT_EQ(compared(within("bodies.x", {}, 0.19)), "1/0 x");
  EXPECT_EQ(compared(within("bodies.x", 0.01, 0.2)), "0/1");  // one bound is enough
  EXPECT_EQ(compared(within("bodies.y", 1)), "1/0 x");
  bodies.edit(body)->score = 9;
  EXPECT_EQ(compared(within("bodies.x", 1)),
            "1/0 score");  // pos is within
  EXPECT_EQ(compared(within("**", 1)), "0/1");
}

TEST_F(DiffRules, OfSeveralBoundsTheLastCounts) {
  bodies.edit(body)->x = 1.5F;
  DiffOptions options = within("**", 1);
  EXPECT_EQ(compared(options), "0/1");
  options.tolerances.push_back({path_glob("bodies.x"), 0.1, {}});
  EXPECT_EQ(compared(options), "1/0 x");
  options.tolerances.push_back({path_glob("bodies.*"), 0.5, {}});
  EXPECT_EQ(compared(options), "0/1");
  options.tolerances.push_back({path_glob("bodies.x"), {}, 0.0});
  EXPECT_EQ(compared(options), "0/1");  // a bound of the other sort
}

TEST_F(DiffRules, IntegersOf64BitsAreComparedExactly) {
  bodies.edit(body)->ticks = ~std::uint64_t{0} - 2;
  EXPECT_EQ(compared(within("**", 2)), "0/1");
  EXPECT_EQ(compared(within("**", 1.5)), "1/0 ticks");
  bodies.edit(body)->ticks = ~std::uint64_t{0};
  bodies.edit(body)->score = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(compared(within("**", 1e18)), "1/0 score");
  EXPECT_EQ(compared(within("**", 1e19)), "0/1");
}

TEST_F(DiffRules, ElementsOfListsAndValuesOfMapsHaveTolerances) {
  bodies.edit(body)->path = {1, 2.5F, 3};
  bodies.edit(body)->stats["speed"] = 1.5;
  EXPECT_EQ(compared(within("bodies.{path,stats}", 0.5)), "0/1");
  EXPECT_EQ(compared(within("bodies.path", 0.5)), "1/0 stats[\"speed\"]");
  EXPECT_EQ(compared(within("bodies.{path[1],stats.value}", 0.5)), "0/1");
  EXPECT_EQ(compared(within("bodies.{path[0],stats}", 0.5)), "1/0 path[1]");
  bodies.edit(body)->path = {1, 2};
  EXPECT_EQ(compared(within("**", 100)),
            "1/0 path[2]");  // lengths have no tolerance
}

TEST_F(DiffRules, NaNsAreEqualOnlyWhereThatIsAsked) {
  bodies.edit(body)->y = std::nan("1");
  before = db.capture();
  file_before = saved(before);
  bodies.edit(body)->y = -std::nan("2");
  DiffOptions options;
  EXPECT_EQ(compared(options), "1/0 y");
  EXPECT_EQ(compared(within("**", 1e300)), "1/0 y");
  options.nan_equal = true;
  EXPECT_EQ(compared(options), "0/1");
  bodies.edit(body)->y = 1;
  EXPECT_EQ(compared(options), "1/0 y");
  bodies.edit(body)->y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compared(within("**", 1e300, 1e300)), "1/0 y");
}

TEST_F(DiffRules, AFilterLeavesTheRecordsThatItMeansBeforeOrAfterwards) {
  bodies.edit(body)->score = 20;
  EXPECT_EQ(compared(where("score == 10")), "1/0 score");  // before
  EXPECT_EQ(compared(where("score == 20")), "1/0 score");  // afterwards
  EXPECT_EQ(compared(where("score == 15")), "0/0");
  EXPECT_EQ(compared(where("x == 1")), "1/0 score");  // a field that did not change
  EXPECT_EQ(compared(where("@slot == 1")), "0/0");
  const Handle<Body> added = bodies.insert({.score = 7});
  EXPECT_EQ(compared(where("score == 7")), "0/0+-");  // and neither counters nor free lists
  EXPECT_EQ(compared(where("score == 8")), "0/0");
  bodies.erase(added);
  bodies.erase(other);
  EXPECT_EQ(compared(where("score == 0")), "0/0+-");
  EXPECT_EQ(compared(where("score == 15")), "0/0");
  EXPECT_THAT(compared(where("scor == 15")), HasSubstr("did you mean 'score'"));
}

TEST_F(DiffRules, ATableOfOneSideIsCountedByTheFilter) {
  auto& extra = db.create_table<Unit>("extra");
  extra.insert({.hp = 1});
  extra.insert({.hp = 2});
  const Snapshot after = db.capture();
  const auto found = diff(before, after, where("hp > 1"));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->tables.size(), 1U);  // bodies have no hp
  EXPECT_EQ(found->tables[0].added, 1U);
  EXPECT_EQ(diff(after, before, where("hp < 3"))->tables[0].removed, 2U);
}

}  // namespace
}  // namespace hdb::test::diff_rules_test
