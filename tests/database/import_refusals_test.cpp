// Imports that are refused, with a text that says why, and change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "database/import_world.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/import.hpp"

namespace hdb::test::import_test {
namespace {

using testing::HasSubstr;

// Imports a file that cannot be imported.
Error must_fail(Database& db, const Bytes& file, const ImportOptions& options = {}) {
  const Hash128 before = db.state_hash();
  const auto names = db.table_names();
  Changes changes;
  changes.tables.resize(1);
  ImportOptions with_changes = options;
  with_changes.changes = &changes;
  const auto report = import_from(db, file, with_changes);
  EXPECT_FALSE(report);
  EXPECT_EQ(db.state_hash(), before) << "something changed";
  EXPECT_EQ(db.table_names(), names);
  EXPECT_EQ(db.check_invariants(), nullptr);
  EXPECT_EQ(changes.tables.size(), 1u);
  return report ? Error{} : report.error();
}

Bytes file_of(int nodes, int items = 1) {
  World world;
  for (int i = 0; i < items; ++i) world.items.insert({.value = i});
  for (int i = 0; i < nodes; ++i) world.nodes.insert({.value = i});
  return saved(world.db);
}

TEST(ImportRefusals, ANameThatIsTaken) {
  World from;
  from.nodes.insert({});
  from.skins.table().insert_named("free", {});
  from.skins.table().insert_named("taken", {});
  World game;
  game.skins.table().insert_named("other", {});
  game.skins.table().insert_named("taken", {});
  const Error error = must_fail(game.db, saved(from.db));
  EXPECT_EQ(error.code, ErrorCode::duplicate_name);
  EXPECT_THAT(error.message(), HasSubstr("skins:1@1 of the file has the name \"taken\", which "
                                         "record 1@1 has already; ImportOptions::name_clash"));
  EXPECT_THAT(error.message(), HasSubstr("import into table 'skins'"));
}

TEST(ImportRefusals, MoreRecordsThanATableHasRoomFor) {
  World game(false, 3);
  game.nodes.insert({});
  Error error = must_fail(game.db, file_of(3));
  EXPECT_EQ(error.code, ErrorCode::table_full);
  EXPECT_THAT(error.message(),
              HasSubstr("3 new records, but the table has room for 2 (import into table 'nodes')"));
  EXPECT_TRUE(import_from(game.db, file_of(2)));
  EXPECT_EQ(game.nodes.size(), 3u);

  World full;
  for (int i = 0; i < 4000; ++i) full.items.insert({});
  error = must_fail(full.db, file_of(1, 97));
  EXPECT_EQ(error.code, ErrorCode::table_full);
  EXPECT_THAT(error.message(), HasSubstr("room for 96"));
  EXPECT_TRUE(import_from(full.db, file_of(1, 96)));
}

TEST(ImportRefusals, GenerationsThatAreUsedUp) {
  using Few = Layout<8, 2>;
  const TableOptions options{.generations = Generations::table_counter};
  Database from;
  auto& source = from.create_table<Unit, Few>("units", options);
  source.insert({});
  source.insert({});
  Database db;
  auto& units = db.create_table<Unit, Few>("units", options);
  units.insert({});
  units.insert({});
  EXPECT_EQ(must_fail(db, saved(from)).code, ErrorCode::table_full);
}

TEST(ImportRefusals, TheMemoryBudget) {
  World game;
  ImportOptions options;
  options.limits.max_memory_bytes = 2000;
  const Error error = must_fail(game.db, file_of(100), options);
  EXPECT_EQ(error.code, ErrorCode::memory_budget);
}

TEST(ImportRefusals, ListedTablesThatCannotBeImported) {
  Database from;
  from.create_table<Unit>("units");
  from.create_table<Hero>("heroes");
  from.create_table<Tile>("tiles");
  from.singleton<Clock>("clock");
  const Bytes file = saved(from);
  Database db;
  db.create_table<Unit>("units");
  db.create_table<Unit, DefaultLayout, Tile>("doors");
  db.create_table<Hero>("heroes", {.scope = Scope::unsaved});
  db.singleton<Clock>("clock");
  const auto code_of = [&](const char* table) {
    const Error error = must_fail(db, file, {.tables = {"units", table}});
    EXPECT_THAT(error.message(), HasSubstr(std::string("table '") + table + "'"));
    return error.code;
  };
  EXPECT_EQ(code_of("doors"), ErrorCode::not_found);
  EXPECT_EQ(code_of("tiles"), ErrorCode::unknown_table);
  EXPECT_EQ(code_of("clock"), ErrorCode::bad_options);
  EXPECT_EQ(code_of("heroes"), ErrorCode::bad_options);
  EXPECT_EQ(must_fail(db, file, {.allow_unknown_tables = false}).code, ErrorCode::unknown_table);
  EXPECT_TRUE(import_from(db, file, {.tables = {"units"}}));
  Database renamed;
  renamed.create_table<Unit>("soldiers");
  renamed.declare_table_rename({.old_name = "units", .new_name = "soldiers"});
  EXPECT_THAT(must_fail(renamed, file, {.tables = {"units"}}).message(),
              HasSubstr("the program declares that table 'units' is table 'soldiers' now; list "
                        "this name (ImportOptions::tables)"));
  EXPECT_TRUE(import_from(renamed, file, {.tables = {"soldiers"}}));
}

TEST(ImportRefusals, AFileWithoutAnyTableOfTheProgram) {
  World game;
  Database from;
  from.create_table<Tile>("tiles").insert({});
  EXPECT_EQ(must_fail(game.db, saved(from)).code, ErrorCode::unknown_table);
  Database nothing;
  EXPECT_TRUE(import_from(game.db, saved(nothing)));
}

TEST(ImportRefusals, BlobsUnlessTheyAreNotListed) {
  const BlobOptions options{.capacity_bytes = 512};
  Database from;
  from.create_table<Unit>("units").insert({});
  auto& blobs = from.create_blob_table<Clock>("meshes", options);
  const Bytes without_blobs = saved(from);
  ASSERT_TRUE(blobs.insert({}, Bytes(40, std::byte{7})));
  const Bytes file = saved(from);
  Database db;
  db.create_table<Unit>("units");
  db.create_blob_table<Clock>("meshes", options);
  const Error error = must_fail(db, file);
  EXPECT_EQ(error.code, ErrorCode::bad_options);
  EXPECT_THAT(error.message(), HasSubstr("list the tables to import without this one"));
  EXPECT_TRUE(import_from(db, file, {.tables = {"units"}}));
  EXPECT_TRUE(import_from(db, without_blobs));
}

TEST(ImportRefusals, TablesOfAnotherShapeAndFamiliesMadeForThem) {
  Database from;
  from.create_table<Unit>("level 1").insert({});
  from.singleton<Clock>("units");
  Database db;
  db.register_family<Unit>("level ");
  db.create_table<Unit, DefaultLayout, Hero>("units");
  EXPECT_EQ(must_fail(db, saved(from)).code, ErrorCode::storage_mismatch);
}

TEST(ImportRefusals, DamageAnywhereInTheTables) {
  Random random(3);
  World from;
  from.churn(300, random, "name ");
  const Bytes file = saved(from.db);
  World game;
  game.churn(50, random, "own ");
  const Hash128 before = game.db.state_hash();
  int refused = 0;
  for (std::size_t at = 0; at < file.size(); at += 1 + random.below(40)) {
    Bytes damaged = file;
    damaged[at] ^= std::byte{1};
    const Snapshot saved_state = game.db.capture();
    if (import_from(game.db, damaged)) {
      ASSERT_TRUE(game.db.restore(saved_state));  // of padding, or a free list that is not read
    } else {
      ++refused;
    }
    ASSERT_EQ(game.db.state_hash(), before) << "byte " << at;
  }
  EXPECT_GT(refused, 50);
  for (std::size_t size = 0; size < file.size(); size += 97) {
    ASSERT_FALSE(import_from(game.db, Bytes(file.begin(), file.begin() + std::ptrdiff_t(size))));
  }
  EXPECT_EQ(game.db.state_hash(), before);
}

TEST(ImportRefusals, ErrorsNameTheFile) {
  World game;
  const auto report = game.db.import_records("missing_prefab.hdb");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::file_not_found);
  EXPECT_THAT(report.error().message(), HasSubstr("missing_prefab.hdb"));
}

}  // namespace
}  // namespace hdb::test::import_test
