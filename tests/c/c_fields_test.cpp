// Fields by their names through hdb/c.h, in both forms of records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "c/c_objects.hpp"

namespace hdb::test::c_fields_test {
namespace {

/// A monster as C programs lay it out.
struct Monster {
  std::int16_t hp = 100;
  std::uint8_t mood = 0;
  float speed = 1.5f;
  std::uint64_t target = 0;
};

class CFields : public testing::TestWithParam<bool> {
 protected:
  CFields() {
    fields_[0] = c_field("hp", HDB_I16, offsetof(Monster, hp));
    fields_[1] = c_field("mood", HDB_ENUM, offsetof(Monster, mood));
    fields_[1].children = &integer_;
    fields_[1].child_count = 1;
    fields_[1].value_names = names_;
    fields_[1].value_numbers = numbers_;
    fields_[1].value_count = 2;
    fields_[2] = c_field("speed", HDB_F32, offsetof(Monster, speed));
    fields_[3] = c_field("target", HDB_HANDLE, offsetof(Monster, target));
    fields_[3].table = "monsters";
    fields_[4] = c_field("name", HDB_STRING);
    fields_[5] = c_field("age", HDB_OPTIONAL);
    fields_[5].children = &integer_;
    fields_[5].child_count = 1;
    hdb_table_options options{};
    options.struct_size = sizeof options;
    options.fields = fields_;
    options.field_count = is_struct() ? 4 : 6;
    const Monster monster;
    if (is_struct()) {
      options.record_size = sizeof(Monster);
      options.record_alignment = alignof(Monster);
      options.initial = &monster;
      options.initial_size = sizeof monster;
    }
    table_ = c_create(database_, "monsters", options);
    need(hdb_insert(table_, nullptr, 0, &monster_, &error_), error_);
  }
  ~CFields() override { hdb_error_free(error_); }

  static bool is_struct() { return GetParam(); }
  std::string text(const char* path) {
    char* text = nullptr;
    std::size_t size = 0;
    need(hdb_get_text(table_, monster_, path, &text, &size, &error_), error_);
    std::string copy(text, size);
    EXPECT_EQ(copy.c_str(), std::string(text));
    hdb_free(text);
    return copy;
  }
  std::string json(const char* path) {
    char* text = nullptr;
    need(hdb_get_json(table_, monster_, path, &text, &error_), error_);
    std::string copy(text);
    hdb_free(text);
    return copy;
  }
  /// The status and message of a call that fails.
  void fails(hdb_status status, hdb_status wanted, const char* what) {
    EXPECT_EQ(status, wanted) << hdb_status_name(status);
    EXPECT_THAT(hdb_error_message(error_), testing::HasSubstr(what));
    hdb_error_free(std::exchange(error_, nullptr));
  }

  hdb_field integer_ = c_field(nullptr, HDB_U8);
  const char* names_[2] = {"calm", "angry"};
  std::uint64_t numbers_[2] = {0, 7};
  hdb_field fields_[6];
  CDatabase database_ = c_database();
  hdb_table* table_ = nullptr;
  hdb_handle monster_ = 0;
  hdb_error* error_ = nullptr;
};

TEST_P(CFields, AreSetAndReadByTheirNames) {
  hdb_handle other = 0;
  need(hdb_insert(table_, nullptr, 0, &other, &error_), error_);
  need(hdb_set_i64(table_, monster_, "hp", -70, &error_), error_);
  need(hdb_set_text(table_, monster_, "mood", "angry", 5, &error_), error_);
  need(hdb_set_f64(table_, monster_, "speed", 0.1, &error_), error_);
  need(hdb_set_u64(table_, monster_, "target", other, &error_), error_);
  std::int64_t hp = 0;
  need(hdb_get_i64(table_, monster_, "hp", &hp, &error_), error_);
  EXPECT_EQ(hp, -70);
  std::uint64_t mood = 0;
  need(hdb_get_u64(table_, monster_, "mood", &mood, &error_), error_);
  EXPECT_EQ(mood, 7u);
  EXPECT_EQ(text("mood"), "angry");
  double speed = 0;
  need(hdb_get_f64(table_, monster_, "speed", &speed, &error_), error_);
  EXPECT_EQ(speed, 0.1f);
  need(hdb_get_f64(table_, monster_, "hp", &speed, &error_), error_);
  EXPECT_EQ(speed, -70);
  hdb_handle target = 0;
  need(hdb_get_handle(table_, monster_, "target", &target, &error_), error_);
  EXPECT_EQ(target, other);
  EXPECT_EQ(text("target"), "monsters:1@1");
  if (is_struct()) {
    const auto* const record = static_cast<const Monster*>(hdb_find(table_, monster_, nullptr));
    EXPECT_EQ(record->hp, -70);
    EXPECT_EQ(record->mood, 7);
    EXPECT_EQ(record->speed, 0.1f);
    EXPECT_EQ(record->target, other);
    EXPECT_EQ(json(""), R"({"hp":-70,"mood":7,"speed":0.1,"target":"monsters:1@1"})");
    return;
  }
  need(hdb_set_text(table_, monster_, "name", "imp", 3, &error_), error_);
  need(hdb_set_i64(table_, monster_, "age", 4, &error_), error_);
  EXPECT_EQ(text("name"), "imp");
  EXPECT_EQ(json("age"), "4");
  EXPECT_EQ(json(""), R"({"hp":-70,"mood":7,"speed":0.1,"target":"monsters:1@1",)"
                      R"("name":"imp","age":4})");
  need(hdb_set_none(table_, monster_, "age", &error_), error_);
  EXPECT_EQ(json("age"), "null");
  std::int64_t age = 1;
  fails(hdb_get_i64(table_, monster_, "age", &age, &error_), HDB_E_not_found, "no value");
  EXPECT_EQ(age, 0);
}

TEST_P(CFields, WhatDoesNotFitChangesNothing) {
  const Hash128 before = c_state_hash(database_);
  fails(hdb_set_i64(table_, monster_, "hp", 40000, &error_), HDB_E_value_out_of_range,
        "a whole number from -32768 to 32767 is needed, not 40000 (field 'hp' of monsters:0@1)");
  fails(hdb_set_i64(table_, monster_, "hpp", 1, &error_), HDB_E_not_found, "did you mean 'hp'?");
  fails(hdb_set_text(table_, monster_, "mood", "sad", 3, &error_), HDB_E_invalid_value, "sad");
  fails(hdb_set_f64(table_, monster_, "hp", 0.5, &error_), HDB_E_value_out_of_range, "hp");
  fails(hdb_set_text(table_, monster_, "hp", "1", 1, &error_), HDB_E_type_mismatch,
        "the field is i16, but the value is a string (field 'hp' of monsters:0@1)");
  fails(hdb_set_i64(table_, monster_, "", 1, &error_), HDB_E_type_mismatch,
        "the record is struct, but the value is a number of i64 (the record of monsters:0@1)");
  fails(hdb_set_f64(table_, monster_, "speed", 1e300, &error_), HDB_E_value_out_of_range, "speed");
  fails(hdb_set_i64(table_, 12345, "hp", 1, &error_), HDB_E_not_found, "names no record");
  for (const char* const path : {"hp", "mood", "target", ""})
    fails(hdb_set_none(table_, monster_, path, &error_), HDB_E_type_mismatch, "not an optional");
  fails(hdb_set_none(table_, monster_, nullptr, &error_), HDB_BAD_ARGUMENT, "path");
  std::uint64_t number = 0;
  fails(hdb_get_u64(table_, monster_, "speed", &number, &error_), HDB_E_type_mismatch,
        "the field is f32, not a whole number (field 'speed' of monsters:0@1)");
  fails(hdb_get_u64(table_, monster_, "hpp", &number, &error_), HDB_E_not_found,
        "no field 'hpp' (monsters:0@1)");
  fails(hdb_get_u64(table_, monster_, "target", &number, &error_), HDB_E_type_mismatch, "handle");
  need(hdb_set_i64(table_, monster_, "hp", -1, &error_), error_);
  fails(hdb_get_u64(table_, monster_, "hp", &number, &error_), HDB_E_value_out_of_range,
        "negative");
  need(hdb_set_i64(table_, monster_, "hp", is_struct() ? 100 : 0, &error_), error_);
  fails(hdb_get_u64(table_, monster_, nullptr, &number, &error_), HDB_BAD_ARGUMENT, "path");
  fails(hdb_get_u64(nullptr, monster_, "hp", &number, &error_), HDB_BAD_ARGUMENT, "table");
  EXPECT_EQ(c_state_hash(database_), before);
}

TEST_P(CFields, AStaleHandleIsNamed) {
  const auto stale = monster_ + (std::uint64_t{1} << 32);
  const char* const text = "the handle names no record (monsters:0@2)";
  fails(hdb_erase(table_, stale, &error_), HDB_E_not_found, text);
  fails(hdb_replace(table_, stale, nullptr, 0, &error_), HDB_E_not_found, text);
  fails(hdb_set_i64(table_, stale, "hp", 1, &error_), HDB_E_not_found, text);
  void* record = nullptr;
  if (is_struct()) fails(hdb_edit(table_, stale, &record, &error_), HDB_E_not_found, text);
}

TEST_P(CFields, JsonIsReadBack) {
  const char* const json_text = R"({"hp": -3, "mood": "angry", "target": "monsters:5@2"})";
  need(hdb_set_json(table_, monster_, "", json_text, &error_), error_);
  EXPECT_EQ(text("hp"), "-3");
  EXPECT_EQ(text("target"), "monsters:5@2");
  EXPECT_EQ(text("speed"), is_struct() ? "1.5" : "0");  // not in the text: kept
  const std::string record = json("");
  hdb_handle copy = 0;
  need(hdb_insert_json(table_, nullptr, 0, record.c_str(), &copy, &error_), error_);
  EXPECT_EQ(c_record(table_, copy), c_record(table_, monster_));
  need(hdb_insert_json(table_, nullptr, 0, nullptr, &copy, &error_), error_);
  EXPECT_EQ(hdb_count(table_), 3u);
  const Hash128 before = c_state_hash(database_);
  fails(hdb_set_json(table_, monster_, "hp", "40000", &error_), HDB_E_invalid_value, "field hp");
  fails(hdb_insert_json(table_, nullptr, 0, "{\n\"hp\" 1}", &copy, &error_), HDB_E_invalid_value,
        "byte 5 of line 2 of the JSON text");
  EXPECT_EQ(copy, 0u);
  fails(hdb_insert_json(table_, "name", 4, "{}", &copy, &error_), HDB_E_bad_options, "names");
  EXPECT_EQ(c_state_hash(database_), before);
}

TEST_P(CFields, AColumnIsNotConvertedToNumbersThatDiffer) {
  double speeds[1];
  need(hdb_set_f64(table_, monster_, "speed", 0.25, &error_), error_);
  fails(hdb_read_column(table_, "speed", HDB_I64, speeds, 1, &error_), HDB_E_value_out_of_range,
        "no i64 is equal to the f32 0.25 (field 'speed' of table 'monsters')");
  fails(hdb_read_column(table_, "hp", HDB_I8, speeds, 1, &error_), HDB_BAD_ARGUMENT,
        "'kind' is 2, but may be that of the column, 3, or HDB_I64, HDB_U64 or HDB_F64 "
        "(field 'hp' of table 'monsters')");
  fails(hdb_read_column(table_, "hp", HDB_I16, speeds, 2, &error_), HDB_BAD_ARGUMENT,
        "'count' is 2, but hdb_count is 1 (table 'monsters')");
}

TEST_P(CFields, ATableThatIsDroppedAndMadeAgainIsFoundAgain) {
  EXPECT_EQ(text("hp"), is_struct() ? "100" : "0");
  need(hdb_table_drop(database_.get(), "monsters", &error_), error_);
  std::int64_t hp = 0;
  fails(hdb_get_i64(table_, monster_, "hp", &hp, &error_), HDB_E_not_found, "dropped");
}

INSTANTIATE_TEST_SUITE_P(Both, CFields, testing::Bool(),
                         [](const auto& form) { return form.param ? "structs" : "rows"; });

}  // namespace
}  // namespace hdb::test::c_fields_test
