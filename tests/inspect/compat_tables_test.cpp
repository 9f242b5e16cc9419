// compare_schemas says what a load does: each rule of tables beside the load of a real save.
#include "compat_outcome.hpp"

namespace hdb::test::compat_test {
namespace {

TEST(CompatOfTables, TablesMayBeRenamedIfDeclared) {
  const auto game = [](const std::string& weapons) {
    return [=](Database& db) {
      if (weapons == "arms") db.declare_table_rename({"weapons", "arms"});
      db.create_table<Without>(weapons);
      db.create_table<With<Handle<Without>>>("things").insert({});
    };
  };
  const auto declare = [](TableSchema& table) {
    if (table.table.name == "arms") table.old_names = {"weapons"};
  };
  expect(outcome(game("weapons"), game("arms"), declare), Compatibility::readable,
         {CompatRule::table_renamed}, "");
}

TEST(CompatOfTables, TwoTablesCannotBecomeOne) {
  const Fill old_game = [](Database& db) {
    db.create_table<Without>("things");
    db.create_table<Without, DefaultLayout, char>("weapons");
  };
  const Fill new_game = [](Database& db) {
    db.declare_table_rename({"weapons", "things"});
    db.create_table<Without>("things");
  };
  const Outcome got =
      outcome(old_game, new_game, [](TableSchema& table) { table.old_names = {"weapons"}; });
  EXPECT_EQ(got.report.verdict, Compatibility::incompatible);
  EXPECT_EQ(got.rules(), (std::vector{CompatRule::table_names_clash}));
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().code, got.report.findings.at(0).code);
  EXPECT_EQ(got.loaded.error().what, got.report.findings.at(0).what);
}

TEST(CompatOfTables, TablesMayBeAddedAndAreLostWhenRemoved) {
  const Fill one = table_of<Without>();
  const Fill two = [&](Database& db) {
    one(db);
    db.create_table<Foreign>("more");
  };
  expect(outcome(one, two), Compatibility::readable, {CompatRule::table_added}, "");
  expect(outcome(two, one), Compatibility::loss, {CompatRule::table_removed}, "");
}

TEST(CompatOfTables, ASaveOfAnotherGameIsIncompatible) {
  const Fill other = [](Database& db) { db.create_table<Without>("others"); };
  const Outcome got = outcome(table_of<Without>(), other);
  EXPECT_EQ(got.report.verdict, Compatibility::incompatible);
  ASSERT_EQ(got.report.findings.size(), 1U);
  EXPECT_EQ(got.report.findings[0].rule, CompatRule::no_common_table);
  EXPECT_EQ(got.report.findings[0].code, ErrorCode::unknown_table);
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().code, ErrorCode::unknown_table);
}

TEST(CompatOfTables, TableOptionsMustStay) {
  const Fill plain = table_of<Without>();
  const auto check = [&](const TableOptions& options) {
    expect(outcome(plain, table_of<Without>({}, options)), Compatibility::incompatible,
           {CompatRule::table_policy}, "");
  };
  check({.storage = Storage::stable});
  check({.free_list = FreeList::fifo});
  check({.generations = Generations::table_counter});
  check({.overflow = Overflow::wrap});
  check({.names = Names::exact});
  expect(outcome(plain, [](Database& db) { db.create_table<Without, Layout<16, 16>>("things"); }),
         Compatibility::incompatible, {CompatRule::table_layout}, "");
  const auto blobs = [](std::uint64_t bytes) {
    return
        [=](Database& db) { db.create_blob_table<Without>("things", {.capacity_bytes = bytes}); };
  };
  expect(outcome(blobs(4096), blobs(8192)), Compatibility::incompatible, {CompatRule::table_blobs},
         "");
  const Fill singleton = [](Database& db) { db.singleton<Without>("things"); };
  expect(outcome(empty_table<Without>({.storage = Storage::stable}), singleton),
         Compatibility::incompatible, {CompatRule::table_singleton}, "");
  expect(outcome(singleton, singleton), Compatibility::identical, {});
  expect(outcome(plain, table_of<Without>({}, {.scope = Scope::unhashed})), Compatibility::readable,
         {CompatRule::table_hashed}, "");
}

TEST(CompatOfTables, LimitsOfRecordsAreComparedWithTheCountOfAFile) {
  const auto game = [](std::uint64_t records, std::uint64_t most) {
    TableSchema schema;
    schema.table.name = "things";
    schema.table.live_count = records;
    schema.has_counts = records != 0;
    schema.max_records = most;
    return schema;
  };
  const auto compare = [](const TableSchema& a, const TableSchema& b) {
    return compare_schemas({a}, {b});
  };
  EXPECT_EQ(compare(game(9, kNoLimit), game(0, 9)).verdict, Compatibility::identical);
  const CompatReport full = compare(game(10, kNoLimit), game(0, 9));
  ASSERT_EQ(full.verdict, Compatibility::incompatible);
  EXPECT_EQ(full.tables[0].findings[0].rule, CompatRule::table_limit);
  EXPECT_FALSE(full.tables[0].findings[0].depends_on_values);
  const CompatReport lowered = compare(game(0, 10), game(0, 9));
  ASSERT_EQ(lowered.verdict, Compatibility::incompatible);
  EXPECT_TRUE(lowered.tables[0].findings[0].depends_on_values);
  EXPECT_EQ(compare(game(0, 9), game(0, 10)).verdict, Compatibility::identical);
}

}  // namespace
}  // namespace hdb::test::compat_test
