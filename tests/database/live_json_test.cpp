// Records from JSON by LiveTable: what get_json writes is read back bit by bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "database/tables/runtime_tables.hpp"
#include "format/sample.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/live_table.hpp"
#include "support/scale.hpp"

namespace hdb::test::live_json_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Field optional_of(std::string name, Field held) {
  return node(FieldKind::optional, std::move(name), {std::move(held)});
}

/// Every kind of field, and those whose JSON may look like that of another value.
Field schema() {
  Field root = every_kind();
  for (Field& field : root.children) {
    if (field.name == "by_name") field.children[0] = leaf(FieldKind::u64);  // no key is there twice
    if (field.name == "owned") field.table = "elsewhere";  // its layout is not that of "things"
  }
  Field target = leaf(FieldKind::handle);
  target.table = "things";
  root.children.push_back(optional_of("friend", target));
  root.children.push_back(
      optional_of("twice", optional_of({}, optional_of({}, node(FieldKind::list, {}, {target})))));
  root.children.push_back(node(FieldKind::list, "targets", {target}));
  Field mood = node(FieldKind::enumeration, "named", {leaf(FieldKind::i16)});
  set_enumerators(mood, {{0, "calm"}, {0x8000, "lowest"}});
  root.children.push_back(mood);
  return root;
}

/// The table "things" of a schema, with random records.
struct Things {
  explicit Things(unsigned seed) {
    MemoryImage image;
    image.schema_list = {schema()};
    image.add(random_table(image.schema_list[0], {.slots = 40, .seed = seed}));
    image.gives_hashes = false;
    detail::record::RuntimeType type;
    type.root = image.schema_list[0];
    const auto records = detail::record::RuntimeRecords::discover(std::move(type));
    EXPECT_TRUE(records);
    EXPECT_TRUE(RuntimeTables::create(db, "things", {}, *records));
    const auto loaded = db.load(std::make_unique<MemorySource>(written(image, {})));
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message());
  }
  Database db;
};

std::vector<std::uint64_t> handles_of(const LiveTable& table) {
  std::vector<std::uint64_t> handles;
  for (std::uint64_t i = 0; i < table.position_end(); ++i) {
    if (const std::uint64_t handle = table.handle_at(i)) handles.push_back(handle);
  }
  return handles;
}

/// The bits of a record: an exact text without any loss.
std::string exact(LiveTable& table, std::uint64_t handle) {
  std::string json;
  JsonValueWriter(table.namer(), JsonValueWriter::Form::exact)
      .append(*table.read(handle).value(), json);
  return json;
}

TEST(LiveJson, RandomRecordsAreReadBackBitByBit) {
  const std::size_t seeds = scaled(20);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Things world(seed);
    LiveTable table = LiveTable::find(world.db, "things").value();
    const auto handles = handles_of(table);
    ASSERT_GT(handles.size(), 10U);
    const std::uint64_t other = table.insert().value();
    for (const std::uint64_t handle : handles) {
      const std::string before = exact(table, handle);
      const std::string json = table.get_json(handle).value();
      const Status same = table.set_json(handle, {}, json);
      ASSERT_TRUE(same) << same.error().message() << '\n' << json;
      EXPECT_EQ(exact(table, handle), before);
      const auto copy = table.insert_json(json);
      ASSERT_TRUE(copy) << copy.error().message();
      EXPECT_EQ(exact(table, *copy), before);
      for (const Field& field : table.record().children) {
        const Status set = table.set_json(other, field.name, *table.get_json(handle, field.name));
        ASSERT_TRUE(set) << set.error().message();
      }
      EXPECT_EQ(exact(table, other), before);
      // Of the plain form, only optionals that hold an optional or a null handle are lost.
      ASSERT_TRUE(table.set_json(other, {}, R"({"friend": null, "twice": null})"));
      const std::string plain = value_json(*table.read(other).value(), table.namer());
      const std::uint64_t third = table.insert_json(plain).value();
      EXPECT_EQ(exact(table, third), exact(table, other));
    }
  }
}

class LiveJsonFields : public testing::Test {
 protected:
  Things world_{7};
  LiveTable table_ = LiveTable::find(world_.db, "things").value();
  std::uint64_t handle_ = table_.insert().value();

  void accept(const char* path, const char* json, const char* wanted) {
    const Status set = table_.set_json(handle_, path, json);
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_EQ(*table_.get_json(handle_, path), wanted);
  }
  void refuse(const char* path, std::string_view json, const char* text) {
    const Hash128 before = world_.db.state_hash();
    const Status set = table_.set_json(handle_, path, json);
    ASSERT_FALSE(set) << json;
    EXPECT_THAT(set.error().message(), HasSubstr(text)) << json;
    EXPECT_THAT(set.error().message(), HasSubstr("things:"));
    EXPECT_EQ(world_.db.state_hash(), before);
    ASSERT_FALSE(table_.insert_json(path[0] == '\0' ? json : "[]"));
    EXPECT_EQ(world_.db.state_hash(), before);
  }
};

TEST_F(LiveJsonFields, TakeWhatPeopleAndScriptsWrite) {
  accept("f9", "18446744073709551615", "\"18446744073709551615\"");
  accept("f9", "\"18446744073709551615\"", "\"18446744073709551615\"");
  accept("f5", "-9007199254740993", "\"-9007199254740993\"");
  accept("f11", "-0.0", "\"-0\"");
  accept("f11", "\"Infinity\"", "\"Infinity\"");
  accept("f11", "\"NaN(0x7ff8000000000001)\"", "\"NaN(0x7ff8000000000001)\"");
  accept("f10", "1e-45", "1e-45");
  accept("f10", "0.1", "0.1");
  accept("f1", "true", "true");
  accept("named", "\"lowest\"", "-32768");
  accept("named", "5", "5");
  accept("target", "\"things:7@1\"", "\"things:7@1\"");
  accept("target", "null", "null");
  accept("friend", "[null]", "[null]");
  accept("friend", "\"things:1@1\"", "\"things:1@1\"");
  accept("friend", "null", "null");
  accept("twice", "[[null]]", "[[null]]");
  accept("twice", "[[[\"things:7@1\"]]]", "[[[\"things:7@1\"]]]");
  accept("maybe", "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"");
  accept("raw", R"({"hex": "FF00"})", R"({"hex":"ff00"})");
  accept("items", "[[1, 2], []]", "[[1,2],[]]");
  accept("items[0][1]", "7", "7");
  accept("choice", R"({"tag": 1, "value": "x"})", R"({"tag":1,"value":"x"})");
  accept("inner", R"({"a": 5, "b": true})", R"({"a":5,"b":true})");
  accept("inner", R"({"a": 6})", R"({"a":6,"b":true})");  // b keeps its value
  accept("by_name", R"([{"key": "9007199254740993", "value": {"a": 1, "b": true}}])",
         R"([{"key":"9007199254740993","value":{"a":1,"b":true}}])");
  accept("by_name[0].value.a", "2", "2");
  std::string record = table_.get_json(handle_).value();
  for (const auto& [from, to] :
       {std::pair("\"f8\":0", "\"f8\":3"), {"6,\"b\":true", "6,\"b\":false"}})
    record.replace(record.find(from), std::string_view(from).size(), to);
  accept("", R"({"inner": {"b": false}, "f8": 3})", record.c_str());
}

TEST_F(LiveJsonFields, NamesFieldAndByteOfWhatDoesNotFit) {
  refuse("", "", "a value is missing (byte 0 of the JSON text)");
  refuse("", "{\"f8\": 1,\n \"f9\": }", "this is not a value of JSON (byte 7 of line 2 of");
  refuse("", "{} x", "it must end after its value (byte 3");
  refuse("", "{\"f8\": 01}", "a number begins with a needless 0");
  refuse("", "{\"name\": \"\\x\"}", "this escape is unknown (byte 10");
  refuse("", "{\"name\": \"\\ud800\"}", "half of a surrogate pair is missing");
  refuse("", "{\"name\": \"a\nb\"}", "a control character in a text needs an escape");
  refuse("", "{\"name\": \"\xff\"}", "is not UTF-8");
  refuse("", std::string_view("{}\0", 3), "it must end after its value (byte 2");
  refuse("", "[]", "an object is needed, not an array (byte 0 of the JSON text)");
  refuse("", "{\"f7\": 1,\n \"f8\": 4294967296}",
         "a whole number from 0 to 4294967295 is needed, not \"4294967296\" (byte 7 of line 2 of "
         "the JSON text) (field f8");
  refuse("", R"({"f88": 1})", "unknown member 'f88'; did you mean 'f8'? (byte 8");
  refuse("", R"({"f8": 1, "f8": 2})", "the member 'f8' is there twice");
  refuse("f8", "1.5", "not \"1.5\" (byte 0 of the JSON text) (field f8");
  refuse("f10", "1e39", "a number of f32");
  refuse("f1", "1", "true or false is needed, not \"1\"");
  refuse("inner", R"({"a": 65536})", "(field inner.a");
  refuse("grid[1]", R"({"a": "x"})", "(field grid[1].a");
  refuse("grid", "[]", "3 elements are needed, not 0");
  refuse("grid", R"([{"a": 1}, 0, 0])", "the member 'b' is missing (byte 1 of the JSON text)");
  refuse("named", "\"lowst\"", "no enumerator is called 'lowst'; did you mean 'lowest'?");
  refuse("target", "\"thing:7@1\"", "no table is called 'thing'");
  refuse("target", "\"things:7@\"", "a handle (table:slot@generation)");
  refuse("target", "\"things:7@4294967295\"", "a handle that its layout can hold");
  refuse("owned", "\"things:7@1\"", "cannot refer to a record of table 'things'");
  refuse("choice", R"({"tag": 3, "value": 0})", "the tag must be a number from 0 to 2");
  refuse("by_name", "{}", "an array of {\"key\", \"value\"} is needed");
  refuse("twice", "[1, 2]", "null or an array of one value");
  refuse("nothing", "1", "no field 'nothing'");
  refuse("items[3]", "1", "items[3]");
  std::string deep;
  for (int i = 0; i < 1000000; ++i) deep += '[';
  refuse("items", deep, "it is nested too deeply");
}

TEST_F(LiveJsonFields, WhereSaysWhetherTheTextOrAValueIsWrong) {
  const auto where = [&](std::string_view path, std::string_view json) {
    return table_.set_json(handle_, path, json).error().where;
  };
  EXPECT_THAT(where("", "{"), StartsWith("JSON text"));
  EXPECT_THAT(where("f8", "\xff"), StartsWith("JSON text"));
  EXPECT_THAT(where("f8", "-1"), StartsWith("field f8"));
  EXPECT_THAT(where("", R"({"f8": -1})"), StartsWith("field f8"));
  EXPECT_THAT(where("", "[]"), StartsWith("things:"));
}

TEST_F(LiveJsonFields, InsertKeepsDefaultsNamesAndRules) {
  struct Monster {
    std::string name = "imp";
    std::int32_t hp = 100;
  };
  Database db;
  db.create_table<Monster>("monsters", {.names = RecordNames::exact});
  LiveTable monsters = LiveTable::find(db, "monsters").value();
  const std::uint64_t imp = monsters.insert_json(R"({"hp": 7})", "first").value();
  EXPECT_EQ(*monsters.get_json(imp), R"({"name":"imp","hp":7})");
  EXPECT_EQ(monsters.find_named("first"), imp);
  EXPECT_EQ(monsters.insert_json("{}", "first").error().code, ErrorCode::duplicate_name);
  const auto refused = monsters.insert_json(R"({"hp": "many"})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_value);
  EXPECT_THAT(refused.error().message(), HasSubstr("table 'monsters'"));
  EXPECT_EQ(monsters.size(), 1U);
  EXPECT_EQ(monsters.set_json(imp + 1, {}, "{}").error().code, ErrorCode::not_found);
}

TEST_F(LiveJsonFields, ComponentsAreInserted) {
  struct Armor {
    std::int32_t value = 5;
  };
  struct Monster {
    std::int32_t hp = 100;
  };
  Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  db.create_component_table<Armor>("armor", monsters);
  const auto imp = monsters.insert({});
  LiveTable armor = LiveTable::find(db, "armor").value();
  EXPECT_FALSE(armor.insert_component_json(imp.bits(), R"({"value": 1.5})"));
  ASSERT_TRUE(armor.insert_component_json(imp.bits(), R"({"value": 9})"));
  EXPECT_EQ(*armor.get_json(imp.bits()), R"({"value":9})");
  EXPECT_EQ(armor.insert_component_json(imp.bits(), "{}").error().code, ErrorCode::duplicate_name);
}

}  // namespace
}  // namespace hdb::test::live_json_test
