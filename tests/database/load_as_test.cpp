// load_as: an old save in other schemas, without the program. That its verdicts and values are
// those of a program is in tests/evolve.
#include "hdb/inspect/load_as.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hdb/file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/validate.hpp"
#include "support/records.hpp"
#include "support/source_folder.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::load_as_test {
namespace {

using ::testing::HasSubstr;

using SharedReader = std::shared_ptr<const Reader>;

SharedReader opened(const Bytes& file) {
  return Reader::open(std::make_unique<MemorySource>(file)).value();
}

std::vector<TableSchema> schemas_of(const Reader& reader) {
  std::vector<TableSchema> schemas;
  for (const TableDescriptor& table : reader.tables())
    schemas.push_back(table_schema(table, reader.schemas()[table.schema]));
  return schemas;
}

TableSchema& find(std::vector<TableSchema>& schemas, const std::string& name) {
  for (TableSchema& schema : schemas) {
    if (schema.table.name == name) return schema;
  }
  throw std::runtime_error("no table " + name);
}

Field& field(TableSchema& schema, const std::string& name) {
  for (Field& child : schema.record.children) {
    if (child.name == name) return child;
  }
  throw std::runtime_error("no field " + name);
}

class OwnSchemas : public testing::TestWithParam<const char*> {};

TEST_P(OwnSchemas, ChangeNothing) {
  const std::string path = in_sources(std::string("fixtures/v0/") + GetParam() + ".hdb");
  const SharedReader file = Reader::open(FileSource::open(path).value()).value();
  const auto loaded = load_as(file, schemas_of(*file), {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->snapshot.state_hash(), file->info().state_hash);
  for (const TableLoadReport& table : loaded->report.tables) {
    EXPECT_TRUE(table.exact_schema && table.changes.empty()) << table.name;
    EXPECT_EQ(table.promise, HandlePromise::exact) << table.name;
  }
  MemorySink sink;
  ASSERT_TRUE(write_image(*loaded->snapshot.image(file->info().metadata), sink));
  EXPECT_TRUE(
      validate(std::make_unique<MemorySource>(sink.bytes()), {ValidationLevel::deep}).is_valid());
}
INSTANTIATE_TEST_SUITE_P(Fixtures, OwnSchemas,
                         testing::Values("all_kinds", "before", "components", "components_later",
                                         "empty", "every_field", "layouts", "odd_names",
                                         "three_tables"),
                         [](const auto& fixture) { return std::string(fixture.param); });

// The golden file has the progress of an algorithm that hdb no longer has.
TEST(LoadAs, ASortOfAnEarlierVersionBeginsAgain) {
  const std::string path = in_sources("fixtures/v0/resources.hdb");
  const SharedReader file = Reader::open(FileSource::open(path).value()).value();
  const auto loaded = load_as(file, schemas_of(*file), {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_NE(loaded->snapshot.state_hash(), file->info().state_hash);
  for (const TableLoadReport& table : loaded->report.tables) {
    EXPECT_EQ(table.dropped_extensions.size(), table.name == "scores" ? 1U : 0U);
    EXPECT_EQ(table.promise, HandlePromise::exact) << table.name;
  }
}

// A hero whose pet is a unit, and nine units.
Bytes save_of_a_game() {
  Database db;
  auto& units = db.create_table<Unit>("units");
  auto& heroes = db.create_table<Hero>("heroes");
  for (int i = 0; i < 10; ++i) units.insert({.hp = i});
  units.erase(units.handle_at(3));
  heroes.insert({.name = "Kain", .pet = units.handle_at(7)});
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

TEST(LoadAs, DeclarationsOfADocumentCount) {
  const SharedReader file = opened(save_of_a_game());
  std::vector<TableSchema> schemas = schemas_of(*file);
  TableSchema& troops = find(schemas, "units");
  troops.table.name = "troops";
  troops.old_names = {"units"};
  troops.renames = {{"", "hp", "life"}};
  field(troops, "hp").name = "life";
  field(troops, "target").table = "troops";
  field(find(schemas, "heroes"), "pet").table = "troops";
  const auto loaded = load_as(file, schemas);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(loaded->report.summary(), HasSubstr("troops (was units): 9 records"));
  EXPECT_THAT(loaded->report.summary(), HasSubstr("life renamed from hp (x9)"));
  EXPECT_EQ(loaded->snapshot.live_count(), 10U);
}

TEST(LoadAs, PoliciesAndLayoutsAreThoseOfTheSchemas) {
  const SharedReader file = opened(save_of_a_game());
  std::vector<TableSchema> schemas = schemas_of(*file);
  TableSchema& units = find(schemas, "units");
  units.table.policy.layout = Layout<16, 16>::value;
  units.table.policy.storage = Storage::stable;
  units.table.policy.free_list = FreeList::lowest;
  units.max_records = 9;
  field(units, "target").layout = units.table.policy.layout;
  field(find(schemas, "heroes"), "pet").layout = units.table.policy.layout;
  const auto loaded = load_as(file, schemas);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const auto& tables = loaded->snapshot.tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [](const auto& table) { return table.name == "units"; });
  EXPECT_EQ(found->policy, units.table.policy);
  units.max_records = 8;
  const auto full = load_as(file, schemas);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::table_full);
}

TEST(LoadAs, WrongSchemasAreRefusedWithTheirTable) {
  const SharedReader file = opened(save_of_a_game());
  std::vector<TableSchema> schemas = schemas_of(*file);
  field(find(schemas, "units"), "kind").name = "hp";
  const auto twins = load_as(file, schemas);
  ASSERT_FALSE(twins);
  EXPECT_EQ(twins.error().code, ErrorCode::bad_schema_document);
  EXPECT_THAT(twins.error().where, HasSubstr("table 'units'"));
  schemas = schemas_of(*file);
  TableSchema& orphan = find(schemas, "units");
  orphan.table.policy.is_component = true;
  orphan.table.owner = "entities";
  const auto missing = load_as(file, schemas);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::bad_schema_document);
  EXPECT_THAT(missing.error().message(), HasSubstr("its owner, table 'entities'"));
}

TEST(LoadAs, DroppedNamesAreReportedAndTheRecordsAreThoseOfTheFile) {
  Database db;
  db.create_table<Unit>("units", {.names = RecordNames::exact}).insert_named("Kain", {.hp = 3});
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  const SharedReader file = opened(sink.take());
  std::vector<TableSchema> schemas = schemas_of(*file);
  schemas[0].table.policy.names = RecordNames::none;
  const auto loaded = load_as(file, schemas);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const TableLoadReport& units = loaded->report.tables.at(0);
  EXPECT_TRUE(units.exact_schema);
  ASSERT_EQ(units.changes.size(), 1U);
  EXPECT_EQ(to_text(units.changes[0]), "@name dropped (x1)");
}

TEST(LoadAs, BuffersOfBlobTablesAreBoundedByTheLimits) {
  const SharedReader file = opened(save_of_a_game());
  std::vector<TableSchema> schemas = schemas_of(*file);
  TableSchema& meshes = schemas.emplace_back();
  meshes.table.name = "meshes";
  meshes.table.policy.storage = Storage::stable;
  meshes.table.blobs = BlobPolicy{.capacity_bytes = std::uint64_t{1} << 40};
  const auto refused = load_as(file, schemas);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::memory_budget);
  EXPECT_EQ(refused.error().where, "table 'meshes'");
  meshes.table.blobs->capacity_bytes = 4096;
  const auto loaded = load_as(file, schemas);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->report.missing_tables, std::vector<std::string>{"meshes"});
}

TEST(LoadAs, NewSingletonsAndFieldsAreZero) {
  const SharedReader file = opened(save_of_a_game());
  std::vector<TableSchema> schemas = schemas_of(*file);
  TableSchema clock;
  clock.table.name = "clock";
  clock.table.singleton = true;
  clock.table.policy.storage = Storage::stable;
  Field tick;
  tick.kind = FieldKind::u32;
  tick.name = "tick";
  clock.record.children = {tick};
  schemas.push_back(clock);
  find(schemas, "heroes").record.children.push_back(tick);
  const auto loaded = load_as(file, schemas);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->report.missing_tables, std::vector<std::string>{"clock"});
  const auto image = loaded->snapshot.image({});
  for (std::size_t i = 0; i < image->tables().size(); ++i) {
    if (image->tables()[i].name == "units") continue;
    RowGroup rows;
    ASSERT_TRUE(image->read_group(i, 0, false, rows));
    EXPECT_EQ(rows.live_count(), 1U);
    EXPECT_EQ(rows.columns.back(), Bytes(4)) << image->tables()[i].name;
  }
}

}  // namespace
}  // namespace hdb::test::load_as_test
