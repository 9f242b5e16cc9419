// Tables read and changed without their record types.
#include "hdb/live_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::live_table {

enum class Mood : std::int8_t { calm, angry = -3 };

struct Position {
  float x = 1;
  double y = 2;
};
struct Item {
  std::string name = "stick";
  std::uint16_t count = 1;
  friend bool operator==(const Item&, const Item&) = default;
};
struct Beast {
  std::string name = "imp";
  std::int16_t hp = 100;
  bool seen = false;
  Mood mood = Mood::calm;
  Position pos = {};
  Handle<Beast> target = {};
  std::array<std::int32_t, 3> steps = {1, 2, 3};
  std::vector<Item> items = {};
  std::optional<std::int32_t> age = {};
  std::variant<std::int32_t, std::string> extra = 0;
  std::map<std::string, std::int32_t> notes = {};
};

/// `cache` is not saved: it must survive an edit of another field.
struct Cached {
  std::int32_t hp = 1;
  std::vector<int> cache = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
  }
};
struct Refusing {
  std::int32_t hp = 1;
  std::string name = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(name));
    if (hp < 0) throw std::runtime_error("negative hp");
  }
};
struct Armor {
  std::int32_t value = 5;
};

}  // namespace hdb::test::live_table

template <>
struct hdb::EnumNames<hdb::test::live_table::Mood>
    : hdb::AutoEnumNames<hdb::test::live_table::Mood, -8, 8> {};

namespace hdb::test::live_table {
namespace {

using ::testing::HasSubstr;

class Live : public testing::Test {
 protected:
  Database db_;
  Table<Beast>& beasts_ = db_.create_table<Beast>("beasts", {.names = RecordNames::exact});
  Handle<Beast> imp_ = beasts_.insert({});
  LiveTable live_ = LiveTable::find(db_, "beasts").value();

  Status set(std::string_view path, DynamicValue value) {
    return live_.set(imp_.bits(), path, std::move(value));
  }
  static DynamicValue item(const char* name, int count) {
    DynamicValue made;
    made.set("name", name);
    made.set("count", count);
    return made;
  }
  void refused(ErrorCode code, const char* text, std::string_view path, DynamicValue value) {
    const Hash128 before = db_.state_hash();
    const Status done = set(path, std::move(value));
    ASSERT_FALSE(done) << path;
    EXPECT_EQ(done.error().code, code) << done.error().message();
    EXPECT_THAT(done.error().message(), HasSubstr(text));
    EXPECT_THAT(done.error().message(), HasSubstr("beasts:0@1"));
    EXPECT_EQ(db_.state_hash(), before);
  }
};

TEST_F(Live, EveryKindOfFieldIsSetAndReadBack) {
  const auto weapon = beasts_.insert({.name = "claw"});
  EXPECT_TRUE(set("name", "orc"));
  EXPECT_TRUE(set("hp", 300));
  EXPECT_TRUE(set("seen", true));
  EXPECT_TRUE(set("mood", "angry"));
  EXPECT_TRUE(set("pos.x", 0.5));
  EXPECT_TRUE(set("pos.y", 0.1));
  EXPECT_TRUE(set("target", weapon));
  EXPECT_TRUE(set("steps[1]", 7));
  DynamicValue item;
  item.set("name", "axe");
  item.set("count", 2);
  EXPECT_TRUE(set("items", DynamicValue::list({item})));
  EXPECT_TRUE(set("items[0].count", 3));
  EXPECT_TRUE(set("age", 40));
  EXPECT_TRUE(set("extra", DynamicValue::alternative(1, "claws")));
  EXPECT_TRUE(set("notes", DynamicValue::map({{"a", 1}})));
  const Beast& beast = beasts_[imp_];
  EXPECT_EQ(beast.name, "orc");
  EXPECT_EQ(beast.hp, 300);
  EXPECT_TRUE(beast.seen);
  EXPECT_EQ(beast.mood, Mood::angry);
  EXPECT_EQ(beast.pos.x, 0.5f);
  EXPECT_EQ(beast.pos.y, 0.1);
  EXPECT_EQ(beast.target, weapon);
  EXPECT_EQ(beast.steps, (std::array<std::int32_t, 3>{1, 7, 3}));
  EXPECT_EQ(beast.items, (std::vector<Item>{{"axe", 3}}));
  EXPECT_EQ(beast.age, 40);
  EXPECT_EQ(std::get<std::string>(beast.extra), "claws");
  EXPECT_EQ(beast.notes, (std::map<std::string, std::int32_t>{{"a", 1}}));

  EXPECT_EQ(live_.get(imp_.bits(), "hp")->as<int>(), 300);
  EXPECT_EQ(live_.get(imp_.bits(), "mood")->enumerator(), "angry");
  EXPECT_EQ(live_.get(imp_.bits(), "items[0].name")->text(), "axe");
  EXPECT_EQ(live_.get(imp_.bits(), "notes['a']")->as<int>(), 1);
  EXPECT_EQ(live_.get(imp_.bits(), "target")->as<Handle<Beast>>(), weapon);
  const auto whole = live_.read(imp_.bits());
  ASSERT_TRUE(whole);
  EXPECT_EQ(value_json(**whole, live_.namer()),
            R"({"name":"orc","hp":300,"seen":true,"mood":-3,"pos":{"x":0.5,"y":0.1},)"
            R"("target":"beasts:1@1","steps":[1,7,3],"items":[{"name":"axe","count":3}],"age":40,)"
            R"("extra":{"tag":1,"value":"claws"},"notes":[{"key":"a","value":1}]})");
}

TEST_F(Live, AWholeRecordAndSeveralFieldsAreOneChange) {
  const auto copied = live_.get(imp_.bits(), "");
  ASSERT_TRUE(copied);
  EXPECT_TRUE(live_.edit(imp_.bits(), [](DynamicValue& record) {
    record.set("hp", 5);
    record.set("name", "rat");
    record.remove("pos");  // keeps its value
  }));
  EXPECT_EQ(beasts_[imp_].hp, 5);
  EXPECT_EQ(beasts_[imp_].name, "rat");
  EXPECT_EQ(beasts_[imp_].pos.y, 2);
  EXPECT_TRUE(set("", *copied));
  EXPECT_EQ(beasts_[imp_].hp, 100);
  EXPECT_EQ(beasts_[imp_].name, "imp");
}

TEST_F(Live, WhatDoesNotFitIsRefusedAndChangesNothing) {
  refused(ErrorCode::not_found, "did you mean 'hp'?", "hpp", 1);
  refused(ErrorCode::not_found, "field 'pos' has no field 'z'", "pos.z", 1);
  refused(ErrorCode::value_out_of_range, "from -32768 to 32767 is needed, not 40000 (field 'hp'",
          "hp", 40000);
  refused(ErrorCode::type_mismatch, "the field is i16, but the value is a string (field 'hp' of",
          "hp", "many");
  refused(ErrorCode::value_out_of_range, "pos.x", "pos.x", 1e300);
  refused(ErrorCode::invalid_value, "did you mean 'angry'?", "mood", "angri");
  refused(ErrorCode::value_out_of_range, "mood", "mood", 300);
  refused(ErrorCode::value_out_of_range, "mood", "mood", std::uint64_t{1} << 40);
  refused(ErrorCode::invalid_value, "steps[3]", "steps[3]", 1);
  EXPECT_TRUE(set("mood", -3));
  EXPECT_EQ(beasts_[imp_].mood, Mood::angry);
  const auto gone = live_.edit(imp_.bits(), [](DynamicValue& record) {
    record.set("hp", 1);
    static_cast<void>(record.at("none"));
  });
  EXPECT_EQ(gone.error().code, ErrorCode::invalid_value);
  EXPECT_EQ(beasts_[imp_].hp, 100);
  EXPECT_EQ(live_.get(imp_.bits(), "items[2]").error().code, ErrorCode::not_found);
}

// What a load would leave out or make up, and report, is refused: a call has no report.
TEST_F(Live, NothingIsLeftOutOrMadeUp) {
  const auto none = DynamicValue::none();
  refused(ErrorCode::invalid_value, "3 elements are needed, not 2 (field 'steps'", "steps",
          DynamicValue::list({1, 2}));
  refused(ErrorCode::invalid_value, "3 elements are needed, not 4 (field 'steps'", "steps",
          DynamicValue::list({1, 2, 3, 4}));
  for (const char* const path : {"hp", "name", "seen", "mood", "pos", "target", "steps", "items",
                                 "extra", "notes", "steps[1]"}) {
    refused(ErrorCode::type_mismatch, "is an optional without a value", path, none);
  }
  refused(ErrorCode::type_mismatch, "the field is i32, but", "age", DynamicValue::some(none));
  refused(ErrorCode::type_mismatch, "the field is string, but", "extra",
          DynamicValue::alternative(1, none));
  refused(ErrorCode::type_mismatch, "field 'notes[0]'", "notes", DynamicValue::map({{none, 1}}));
  refused(ErrorCode::type_mismatch, "field 'items[1]'", "items",
          DynamicValue::list({item("axe", 2), none}));
  DynamicValue part;
  part.set("name", "axe");
  refused(ErrorCode::invalid_value, "field 'count' is missing (field 'items[0]'", "items",
          DynamicValue::list({part}));
  DynamicValue beast;
  beast.set("steps", DynamicValue::list({1}));
  EXPECT_EQ(live_.insert(beast).error().code, ErrorCode::invalid_value);

  EXPECT_TRUE(set("hp", DynamicValue::some(7)));
  EXPECT_EQ(beasts_[imp_].hp, 7);
  DynamicValue pos;
  pos.set("x", 9);
  EXPECT_TRUE(set("pos", pos)) << "what a structure lacks stays";
  EXPECT_EQ(beasts_[imp_].pos.x, 9);
  EXPECT_EQ(beasts_[imp_].pos.y, 2);
}

// The program's code may do anything to the table meanwhile.
TEST_F(Live, ARecordThatAnEditLosesIsNotFound) {
  auto& dense =
      db_.create_table<Item, DefaultLayout, struct Dense>("dense", {.storage = Storage::dense});
  auto& stable = db_.create_table<Item, DefaultLayout, struct Stable>("stable");
  const auto lose = [&](auto& table, const char* name) {
    const auto first = table.insert({"first", 1});
    const auto last = table.insert({"last", 2});
    LiveTable live = LiveTable::find(db_, name).value();
    const Status done = live.edit(first.bits(), [&](DynamicValue& record) {
      record.set("count", 9);
      table.erase(first);
    });
    EXPECT_EQ(done.error().code, ErrorCode::not_found);
    EXPECT_EQ(table.size(), 1u);
    EXPECT_EQ(table[last], (Item{"last", 2}));
    EXPECT_TRUE(live.edit(last.bits(), [&](DynamicValue& record) {
      record.set("count", 5);
      for (int i = 0; i < 1000; ++i) table.insert({});
    }));
    EXPECT_EQ(table[last], (Item{"last", 5}));
    EXPECT_EQ(live.edit(last.bits(), [&](DynamicValue&) { db_.drop_table(name); }).error().code,
              ErrorCode::not_found);
  };
  lose(dense, "dense");
  lose(stable, "stable");
}

// No file takes part in a call.
TEST_F(Live, WhatDoesNotFitIsSaidInTheWordsOfACall) {
  const auto is = [&](const char* text, std::string_view path, DynamicValue value) {
    const Status done = set(path, std::move(value));
    ASSERT_FALSE(done) << path;
    EXPECT_THAT(done.error().message(), HasSubstr(text)) << path;
    for (const char* const word : {"file", "program", "stored"})
      EXPECT_THAT(done.error().message(), testing::Not(HasSubstr(word))) << path;
  };
  is("the record is struct, but the value is a number of i32 (the record of", "", 7);
  is("the field is string, but the value is a number of i32 (field 'name'", "name", 7);
  is("true or false is needed, not 2 (field 'seen'", "seen", 2);
  is("a whole number from -32768 to 32767 is needed, not 0.5 (field 'hp'", "hp", 0.5);
  is("the field is enum, but the value is a number of f64 (field 'mood'", "mood", 0.5);
  is("a whole number from -128 to 127 is needed, not 300 (field 'mood'", "mood", 300);
  is("no f32 is equal to 16777217 (field 'pos.x'", "pos.x", 16777217);
  is("the field is struct, but the value is a list (field 'pos'", "pos", DynamicValue::list());
  is("the field is handle, but the value is a string (field 'target'", "target", "beasts:0@1");
  is("holds handles of <32,31>, but the value is one of <16,16> (field 'target'", "target",
     Handle<Beast, Layout<16, 16>>());
  is("the field is array, but the value is a number of i32 (field 'steps'", "steps", 7);
  is("the field is i32, but the value is a string (field 'steps[1]'", "steps[1]", "x");
  is("the field is list, but the value is a string (field 'items'", "items", "axe");
  is("a whole number from 0 to 65535 is needed, not -1 (field 'items[0].count'", "items",
     DynamicValue::list({item("axe", -1)}));
  is("the field is i32, but the value is a string (field 'age'", "age", "old");
  is("the field is string, but the value is a number of i32 (field 'extra'", "extra",
     DynamicValue::alternative(1, 5));
  is("the field has 2 alternatives, but the value is number 2, counted from 0 (field 'extra'",
     "extra", DynamicValue::alternative(2, 5));
  is("the field is variant, but the value is a number of i32 (field 'extra'", "extra", 5);
  is("the field is i32, but the value is a string (field 'notes[0]'", "notes",
     DynamicValue::map({{"a", "b"}}));
}

TEST_F(Live, RecordsAreInsertedNamedAndErased) {
  DynamicValue fields;
  fields.set("hp", 9);
  const auto made = live_.insert(fields, "boss");
  ASSERT_TRUE(made) << made.error().message();
  const auto boss = Handle<Beast>::from_bits(*made);
  EXPECT_EQ(beasts_[boss].hp, 9);
  EXPECT_EQ(beasts_[boss].name, "imp");
  EXPECT_EQ(live_.find_named("boss"), *made);
  EXPECT_EQ(live_.name_of(*made), "boss");
  EXPECT_EQ(live_.handle_text(*made), "beasts:1@1");
  EXPECT_EQ(live_.insert({}, "boss").error().code, ErrorCode::duplicate_name);
  EXPECT_TRUE(live_.rename(*made, "king"));
  EXPECT_EQ(beasts_.find_named("king"), boss);
  EXPECT_EQ(live_.size(), 2u);
  EXPECT_TRUE(live_.erase(*made));
  EXPECT_FALSE(beasts_.contains(boss));
  EXPECT_EQ(live_.erase(*made).error().code, ErrorCode::not_found);
  EXPECT_EQ(live_.read(*made).error().code, ErrorCode::not_found);
  EXPECT_THAT(live_.read(*made).error().message(), HasSubstr("beasts:1@1"));
  EXPECT_EQ(live_.insert({}).value() == *made, false);
  std::vector<std::uint64_t> found;
  for (std::uint64_t i = 0; i < live_.position_end(); ++i) found.push_back(live_.handle_at(i));
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found.front(), imp_.bits());
  EXPECT_EQ(live_.handle_at(live_.position_end()), 0u);
  EXPECT_EQ(db_.check_invariants(), nullptr);
}

TEST_F(Live, AnEditIsCapturedAndRestored) {
  const Snapshot before = db_.capture();
  EXPECT_TRUE(set("name", "a name that needs memory of its own, for sure"));
  ASSERT_TRUE(db_.restore(before));
  EXPECT_EQ(beasts_[imp_].name, "imp");
  EXPECT_TRUE(set("hp", 3));
  MemorySink sink;
  ASSERT_TRUE(save(db_.capture(), sink));
  EXPECT_TRUE(set("hp", 4));
  ASSERT_TRUE(db_.load(std::make_unique<MemorySource>(sink.take())));
  EXPECT_EQ(live_.get(imp_.bits(), "hp")->as<int>(), 3);
}

TEST_F(Live, MembersThatAreNotSavedStay) {
  auto& cached = db_.create_table<Cached>("cached");
  const auto handle = cached.insert({.hp = 1, .cache = {1, 2, 3}});
  LiveTable live = LiveTable::find(db_, "cached").value();
  EXPECT_TRUE(live.set(handle.bits(), "hp", 2));
  EXPECT_EQ(cached[handle].hp, 2);
  EXPECT_EQ(cached[handle].cache, (std::vector<int>{1, 2, 3}));
}

TEST_F(Live, ARecordThatRefusesAValueStays) {
  auto& table = db_.create_table<Refusing>("refusing");
  const auto handle = table.insert({});
  LiveTable live = LiveTable::find(db_, "refusing").value();
  const Status done = live.set(handle.bits(), "hp", -1);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("negative hp"));
  EXPECT_EQ(table[handle].hp, 1);
}

TEST_F(Live, ComponentsAndSingletonsKeepTheirRules) {
  auto& armors = db_.create_component_table<Armor>("armors", beasts_);
  db_.singleton<Armor>("only");
  LiveTable live = LiveTable::find(db_, "armors").value();
  EXPECT_EQ(live.insert({}).error().code, ErrorCode::bad_options);
  DynamicValue armor;
  armor.set("value", 8);
  EXPECT_TRUE(live.insert_component(imp_.bits(), armor));
  EXPECT_EQ(armors.find(imp_)->value, 8);
  EXPECT_EQ(live.insert_component(imp_.bits()).error().code, ErrorCode::duplicate_name);
  EXPECT_TRUE(live.set(imp_.bits(), "value", 9));
  EXPECT_EQ(armors.find(imp_)->value, 9);
  EXPECT_EQ(live.handle_text(imp_.bits()), "beasts:0@1.armors");
  EXPECT_EQ(live.handle_at(0), imp_.bits());
  EXPECT_TRUE(live.erase(imp_.bits()));
  EXPECT_EQ(live.insert_component(12345).error().code, ErrorCode::not_found);

  LiveTable only = LiveTable::find(db_, "only").value();
  const std::uint64_t handle = only.handle_at(0);
  EXPECT_TRUE(only.set(handle, "value", 6));
  EXPECT_EQ(db_.singleton<Armor>("only")->value, 6);
  EXPECT_EQ(only.erase(handle).error().code, ErrorCode::bad_options);
  EXPECT_EQ(only.insert().error().code, ErrorCode::bad_options);
  EXPECT_EQ(live_.insert_component(imp_.bits()).error().code, ErrorCode::bad_options);
}

TEST_F(Live, PositionsAndHandlesAreInverse) {
  for (int i = 0; i < 20; ++i) beasts_.insert({});
  beasts_.erase(imp_);
  for (std::uint64_t i = 0; i < live_.position_end(); ++i)
    EXPECT_EQ(live_.position_of(live_.handle_at(i)), i);
  EXPECT_EQ(live_.position_of(imp_.bits()), live_.position_end());
  EXPECT_EQ(live_.position_of(0), live_.position_end());
}

TEST_F(Live, MemoryGrowsWithRecordsAndEndsWithTheTable) {
  const std::uint64_t one = live_.memory_bytes();
  EXPECT_GE(one, sizeof(Beast));
  for (int i = 0; i < 5'000; ++i) beasts_.insert({});
  EXPECT_GE(live_.memory_bytes(), 5'000 * sizeof(Beast));
  EXPECT_GT(live_.memory_bytes(), one);
  db_.drop_table("beasts");
  EXPECT_EQ(live_.memory_bytes(), 0u);
}

TEST_F(Live, ADroppedTableIsNotFound) {
  const auto names = [&] {
    std::vector<std::string> all;
    for (const LiveTable& each : LiveTable::all(db_)) all.push_back(each.name());
    return all;
  };
  EXPECT_EQ(names(), (std::vector<std::string>{"beasts"}));
  EXPECT_THAT(LiveTable::find(db_, "beast").error().what, HasSubstr("did you mean 'beasts'?"));
  db_.drop_table("beasts");
  EXPECT_FALSE(live_.exists());
  EXPECT_EQ(live_.size(), 0u);
  EXPECT_EQ(live_.position_end(), 0u);
  EXPECT_EQ(live_.handle_at(0), 0u);
  EXPECT_EQ(live_.read(imp_.bits()).error().code, ErrorCode::not_found);
  EXPECT_EQ(set("hp", 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(live_.insert().error().code, ErrorCode::not_found);
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace hdb::test::live_table
