// Files go between C and C++ programs: the same state hash, records and handles, and the same rules
// for old files.
#include <gtest/gtest.h>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "c/c_objects.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "support/folder.hpp"

namespace hdb::test::files_between_test {
namespace {

Bytes saved(Database& database) {
  MemorySink sink;
  EXPECT_TRUE(save(database.capture(), sink).has_value());
  return sink.take();
}
template <class Record>
Hash128 hash_after_load(const Bytes& file, Storage storage = Storage::stable) {
  Database database;
  database.create_table<Record>("units", {.storage = storage});
  const auto report = database.load(std::make_unique<MemorySource>(file));
  EXPECT_TRUE(report.has_value()) << report.error().message();
  return database.state_hash();
}

// --- structs

struct Point {
  float x = 0;
  double y = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};
struct Unit {
  std::int16_t hp = 9;
  bool is_angry = true;
  Handle<Unit> target = {};
  Point at = {1, 2};
  std::array<std::uint32_t, 2> marks = {3, 4};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(is_angry), CEREAL_NVP(target), CEREAL_NVP(at), CEREAL_NVP(marks));
  }
};

// The table of units, as a C program makes it with offsetof.
hdb_table* create_units(const CDatabase& database, hdb_kind hp_kind = HDB_I16) {
  const hdb_field point[] = {c_field("x", HDB_F32, offsetof(Point, x)),
                             c_field("y", HDB_F64, offsetof(Point, y))};
  hdb_field number = c_field(nullptr, HDB_U32, 0);
  hdb_field fields[] = {c_field("hp", hp_kind, offsetof(Unit, hp)),
                        c_field("is_angry", HDB_BOOLEAN, offsetof(Unit, is_angry)),
                        c_field("target", HDB_HANDLE, offsetof(Unit, target)),
                        c_field("at", HDB_STRUCT, offsetof(Unit, at)),
                        c_field("marks", HDB_ARRAY, offsetof(Unit, marks))};
  fields[2].table = "units";
  fields[3].children = point;
  fields[3].child_count = 2;
  fields[4].children = &number;
  fields[4].child_count = 1;
  fields[4].count = 2;
  hdb_table_options options{};
  options.struct_size = sizeof options;
  options.fields = fields;
  options.field_count = 5;
  options.record_size = sizeof(Unit);
  options.record_alignment = alignof(Unit);
  return c_create(database, "units", options);
}

TEST(CFiles, StructsAreThoseOfACppProgram) {  // RR2
  Database cpp;
  auto& units = cpp.create_table<Unit>("units");
  const CDatabase c = c_database();
  hdb_table* const c_units = create_units(c);
  for (int i = 0; i < 100; ++i) {
    Unit unit{static_cast<std::int16_t>(i - 50), i % 2 == 0, units.handle_at(0), {0.5f, i / 3.0}};
    const auto handle = units.insert(unit);
    hdb_handle c_handle = 0;
    ASSERT_EQ(hdb_insert(c_units, &unit, sizeof unit, &c_handle, nullptr), hdb_status{HDB_OK});
    ASSERT_EQ(c_handle, handle.bits());
    if (i % 3 != 0) continue;
    units.erase(handle);
    ASSERT_EQ(hdb_erase(c_units, c_handle, nullptr), hdb_status{HDB_OK});
  }
  EXPECT_EQ(c_state_hash(c), cpp.state_hash());
  EXPECT_EQ(hash_after_load<Unit>(c_saved(c), Storage::dense), cpp.state_hash());
  const CDatabase other = c_database();
  const hdb_table* const loaded = create_units(other);
  c_load(other, saved(cpp));
  EXPECT_EQ(c_state_hash(other), cpp.state_hash());
  for (const auto& [handle, unit] : units.entries()) {
    const auto* const found = static_cast<const Unit*>(hdb_find(loaded, handle.bits(), nullptr));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->hp, unit.hp);
    EXPECT_EQ(found->at.y, unit.at.y);
    EXPECT_EQ(found->target, unit.target);
  }
}

TEST(CFiles, AFieldOfAnotherTypeIsRefusedAndNothingChanges) {
  Database cpp;
  cpp.create_table<Unit>("units").insert({.hp = 3});
  const CDatabase c = c_database();
  hdb_table* const table = create_units(c, HDB_CHAR16);
  ASSERT_EQ(hdb_insert(table, nullptr, 0, nullptr, nullptr), hdb_status{HDB_OK});
  const Hash128 before = c_state_hash(c);
  const Bytes file = saved(cpp);
  hdb_error* error = nullptr;
  EXPECT_EQ(hdb_load_bytes(c.get(), file.data(), file.size(), nullptr, nullptr, &error),
            hdb_status{HDB_E_type_mismatch});
  EXPECT_NE(std::string(hdb_error_message(error)).find("hp"), std::string::npos)
      << hdb_error_message(error);
  hdb_error_free(error);
  EXPECT_EQ(c_state_hash(c), before);
}

// --- rows of everything that a record can hold, old and new

enum class Mood : std::uint8_t { calm, angry };
enum class NewMood : std::int16_t { angry, calm, mad };

}  // namespace
}  // namespace hdb::test::files_between_test

template <>
struct hdb::EnumNames<hdb::test::files_between_test::Mood> {
  using Mood = hdb::test::files_between_test::Mood;
  static constexpr std::array<hdb::EnumName<Mood>, 2> list{
      {{Mood::calm, "calm"}, {Mood::angry, "angry"}}};
};
template <>
struct hdb::EnumNames<hdb::test::files_between_test::NewMood> {
  using Mood = hdb::test::files_between_test::NewMood;
  static constexpr std::array<hdb::EnumName<Mood>, 3> list{
      {{Mood::angry, "angry"}, {Mood::calm, "calm"}, {Mood::mad, "mad"}}};
};

namespace hdb::test::files_between_test {
namespace {

struct Old {
  std::int16_t hp = 0;
  std::string name;
  std::vector<std::int32_t> bag;
  std::vector<Point> path;
  std::optional<float> luck;
  std::map<std::string, std::uint16_t> skills;
  std::variant<std::int32_t, std::string> rank;
  std::array<std::uint8_t, 4> marks = {};
  std::set<std::string> tags;
  Mood mood = Mood::calm;
  Strong<Old> friends = {};
  std::uint32_t gone = 7;
  float lone = 0;
  std::uint8_t single = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(name), CEREAL_NVP(bag), CEREAL_NVP(path), CEREAL_NVP(luck),
      CEREAL_NVP(skills), CEREAL_NVP(rank), CEREAL_NVP(marks), CEREAL_NVP(tags), CEREAL_NVP(mood),
      CEREAL_NVP(friends), CEREAL_NVP(gone), CEREAL_NVP(lone), CEREAL_NVP(single));
  }
};
struct NewPoint {
  double y = 0;
  double x = 0;
  std::optional<std::string> label;
  std::int32_t weight = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(y), CEREAL_NVP(x), CEREAL_NVP(label), CEREAL_NVP(weight));
  }
};
struct Core {
  std::int32_t speed = 11;
  std::vector<std::string> words = {"one", "two"};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(speed), CEREAL_NVP(words));
  }
};
struct New {
  Core core;
  std::int64_t hp = 100;
  std::string name = "nobody";
  std::vector<std::int64_t> bag = {1};
  std::vector<NewPoint> path;
  float luck = 0.5f;
  std::map<std::string, std::uint64_t> skills;
  std::variant<std::int32_t, std::string, float> rank;
  std::array<std::uint8_t, 6> marks = {1, 2, 3, 4, 5, 6};
  std::set<std::string> tags;
  NewMood mood = NewMood::mad;
  Strong<New> friends = {};
  std::optional<double> lone = 3;
  std::vector<std::uint16_t> single = {9, 9};
  std::map<std::uint8_t, Core> more = {{3, {}}};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(core), CEREAL_NVP(hp), CEREAL_NVP(name), CEREAL_NVP(bag), CEREAL_NVP(path),
      CEREAL_NVP(luck), CEREAL_NVP(skills), CEREAL_NVP(rank), CEREAL_NVP(marks), CEREAL_NVP(tags),
      CEREAL_NVP(mood), CEREAL_NVP(friends), CEREAL_NVP(lone), CEREAL_NVP(single),
      CEREAL_NVP(more));
  }
};

Old old_unit(int i, Handle<Old> friends) {
  Old unit;
  unit.hp = static_cast<std::int16_t>(-i);
  unit.name = std::string(static_cast<std::size_t>(i % 200), 'n');
  for (int k = 0; k < i % 5; ++k) {
    unit.bag.push_back(k - 2);
    unit.path.push_back({static_cast<float>(k), 0.25});
    unit.skills.emplace("skill " + std::to_string(k), k);
    unit.tags.insert(std::to_string(k * i));
  }
  if (i % 2 == 0) unit.luck = 1.5f;
  if (i % 3 == 0) unit.rank = std::to_string(i);
  unit.marks[2] = 200;
  unit.mood = i % 2 == 0 ? Mood::calm : Mood::angry;
  unit.friends = friends;
  unit.lone = static_cast<float>(i);
  unit.single = static_cast<std::uint8_t>(i);
  return unit;
}
Bytes old_file() {
  Database database;
  auto& units = database.create_table<Old>("units", {.storage = Storage::stable});
  Handle<Old> last;
  for (int i = 0; i < 300; ++i) last = units.insert(old_unit(i, last));
  for (std::uint64_t i = 0; i < 300; i += 7) units.erase(units.handle_at(i));
  return saved(database);
}

/// A C database with the table of rows that a C++ program has, its default record included: made
/// from the C++ program's file alone.
template <class Record>
CDatabase with_table_of() {
  Database cpp;
  cpp.create_table<Record>("units", {.storage = Storage::stable}).emplace();
  const Folder folder;
  const std::string path = folder / "save.hdb";
  EXPECT_TRUE(save(cpp.capture(), path).has_value());
  const CDatabase described = c_database();
  hdb_error* error = nullptr;
  need(hdb_tables_create_from(described.get(), path.c_str(), &error), error);
  need(hdb_load(described.get(), path.c_str(), nullptr, nullptr, &error), error);
  const hdb_table* const table = hdb_table_find(described.get(), "units");
  const Bytes initial = c_record(table, hdb_handle_at(table, 0));
  hdb_table_options options{};
  options.struct_size = sizeof options;
  need(hdb_table_describe(table, &options, &error), error);
  options.initial = initial.data();
  options.initial_size = initial.size();
  CDatabase c = c_database();
  c_create(c, "units", options);
  return c;
}

struct Rank {
  std::int32_t y = 0;
};

// Tables that were made before one failed are gone again: nothing of them is in the state, and the
// table that was dropped before keeps its object.
TEST(CFiles, AFailedCreationOfTablesChangesNothing) {
  const Folder folder;
  const std::string path = folder / "save.hdb";
  {
    Database cpp;
    auto& owner = cpp.create_table<Old, TypedLayout>("owner");
    cpp.create_table<Rank, TypedLayout>("again");
    cpp.create_component_table<Rank>("component", owner);
    ASSERT_TRUE(save(cpp.capture(), path));
  }
  const CDatabase c = c_database();
  hdb_error* error = nullptr;
  hdb_field field{};
  field.struct_size = sizeof field;
  field.name = "y";
  field.kind = HDB_I32;
  hdb_table_options options{};
  options.struct_size = sizeof options;
  options.fields = &field;
  options.field_count = 1;
  options.layout = {32, 16, 15};
  hdb_table* const dropped = c_create(c, "again", options);
  hdb_handle handle = 0;
  need(hdb_insert(dropped, nullptr, 0, &handle, &error), error);
  need(hdb_table_drop(c.get(), "again", &error), error);
  options.scope = HDB_UNSAVED;
  options.type_id = 40;
  c_create(c, "owner", options);  // so the component table cannot be saved with its owner
  const Hash128 before = c_state_hash(c);

  ASSERT_NE(hdb_tables_create_from(c.get(), path.c_str(), &error), HDB_OK);
  hdb_error_free(error);
  error = nullptr;
  EXPECT_EQ(c_state_hash(c), before);
  EXPECT_EQ(hdb_table_find(c.get(), "again"), nullptr);
  EXPECT_EQ(hdb_count(dropped), 0u);
  EXPECT_STREQ(hdb_table_name(dropped), "again");
  options.scope = HDB_FULL;
  options.type_id = 0;
  hdb_table_options made{};
  made.struct_size = sizeof made;
  need(hdb_table_describe(c_create(c, "next", options), &made, &error), error);
  EXPECT_EQ(made.type_id, 41) << "type ids of the tables that failed are free again";
}

TEST(CFiles, RowsAreThoseOfACppProgram) {  // RR1
  const Bytes file = old_file();
  const Hash128 expected = hash_after_load<Old>(file);
  const CDatabase c = with_table_of<Old>();
  c_load(c, file);
  EXPECT_EQ(c_state_hash(c), expected);
  EXPECT_EQ(hash_after_load<Old>(c_saved(c)), expected);
  // Put in by hand they are the same too.
  const CDatabase copy = with_table_of<Old>();
  hdb_table* const from = hdb_table_find(c.get(), "units");
  hdb_table* const to = hdb_table_find(copy.get(), "units");
  const CDatabase other = with_table_of<Old>();
  hdb_table* const again = hdb_table_find(other.get(), "units");
  for (std::uint64_t i = 0; i < hdb_position_end(from); ++i) {
    const Bytes record = c_record(from, hdb_handle_at(from, i));
    hdb_error* error = nullptr;
    need(hdb_insert(to, record.data(), record.size(), nullptr, &error), error);
    hdb_handle handle = 0;
    need(hdb_insert(again, nullptr, 0, &handle, &error), error);
    need(hdb_replace(again, handle, record.data(), record.size(), &error), error);
  }
  EXPECT_EQ(c_state_hash(copy), c_state_hash(other));
  const Bytes one = c_record(to, hdb_handle_at(to, 1));
  EXPECT_EQ(one, c_record(from, hdb_handle_at(from, 1)));
}

TEST(CFiles, OldFilesAreLoadedByTheRulesOfCpp) {
  const Bytes file = old_file();
  const CDatabase c = with_table_of<New>();
  char* summary = nullptr;
  hdb_error* error = nullptr;
  need(hdb_load_bytes(c.get(), file.data(), file.size(), nullptr, &summary, &error), error);
  Database cpp;
  cpp.create_table<New>("units", {.storage = Storage::stable});
  const auto report = cpp.load(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(report.has_value());
  EXPECT_NE(std::string(summary).find("hp converted from i16 to i64 (x257)"), std::string::npos)
      << summary;
  hdb_free(summary);
  Database from_c;
  from_c.create_table<New>("units", {.storage = Storage::stable});
  ASSERT_TRUE(from_c.load(std::make_unique<MemorySource>(c_saved(c))).has_value());
  const auto difference = diff(from_c.capture(), cpp.capture());
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->records(), 0U) << difference->first();
  EXPECT_EQ(c_state_hash(c), cpp.state_hash());
}

TEST(CFiles, ADefaultRecordIsThatOfTheCppProgram) {
  const CDatabase c = with_table_of<New>();
  hdb_table* const table = hdb_table_find(c.get(), "units");
  ASSERT_EQ(hdb_insert(table, nullptr, 0, nullptr, nullptr), hdb_status{HDB_OK});
  Database cpp;
  cpp.create_table<New>("units", {.storage = Storage::stable}).emplace();
  EXPECT_EQ(c_state_hash(c), cpp.state_hash());
}

}  // namespace
}  // namespace hdb::test::files_between_test
