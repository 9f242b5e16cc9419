// What the browser changes, and what it refuses to change.
#include "hdb/component_table.hpp"
#include "imgui/browser_world.hpp"

namespace hdb::test::browser {
namespace {

class BrowserEdits : public BrowserWorld {
 protected:
  Handle<Beast> imp_ = beasts_.insert({.items = {{.title = "claw"}}, .notes = {{"a", 1}}});

  void SetUp() override { show("beasts", imp_); }
  [[nodiscard]] const Beast& imp() const { return beasts_.at(imp_); }
};

TEST_F(BrowserEdits, AnEnteredValueIsInTheRecord) {
  enter("hp", "70");
  EXPECT_EQ(imp().hp, 70);
  enter("title", "orc \"king\"");
  EXPECT_EQ(imp().title, "orc \"king\"");
  enter("speed", "-0.25");
  EXPECT_EQ(imp().speed, -0.25F);
  enter("target", "beasts:0@1");
  EXPECT_EQ(imp().target, imp_);
  enter("target", "null");
  EXPECT_TRUE(imp().target.is_null());
}

TEST_F(BrowserEdits, ARefusedValueIsNotInTheRecordAndTheRefusalIsShown) {
  const Hash128 before = db_.state_hash();
  enter("hp", "99999");
  EXPECT_THAT(screen_.all(), HasSubstr("99999"));
  enter("hp", "many");
  EXPECT_THAT(screen_.all(), HasSubstr("'many' is not a value of i16"));
  enter("target", "chests:0@1");
  EXPECT_THAT(screen_.all(), HasSubstr("table 'chests' has no record 0@1"));
  EXPECT_THAT(screen_.all(), Not(HasSubstr("'many'")));
  EXPECT_EQ(db_.state_hash(), before);
  enter("hp", "7");
  EXPECT_EQ(imp().hp, 7);
  EXPECT_THAT(screen_.all(), Not(HasSubstr("has no record")));
}

TEST_F(BrowserEdits, AHandleToAnotherTableIsRefused) {
  chests_.insert({});
  enter("target", "chests:0@1");
  EXPECT_THAT(screen_.all(), HasSubstr("does not name records of"));
  EXPECT_TRUE(imp().target.is_null());
}

TEST_F(BrowserEdits, EscapeLeavesTheValue) {
  click_value("hp");
  screen_.type("1");
  screen_.key(ImGuiKey_Escape);
  EXPECT_EQ(imp().hp, 100);
}

TEST_F(BrowserEdits, FlagsAndEnumeratorsAreChosen) {
  click_value("seen", true);
  EXPECT_TRUE(imp().seen);
  click_value("mood");
  click("angry");
  EXPECT_EQ(imp().mood, Mood::angry);
}

TEST_F(BrowserEdits, NestedValuesAreEditedInTheTree) {
  open("items");
  open("[0]");
  enter("count", "9");
  EXPECT_EQ(imp().items[0].count, 9);
  enter("count", "70000");
  EXPECT_EQ(imp().items[0].count, 9);
  EXPECT_THAT(screen_.all(), HasSubstr("70000"));
}

TEST_F(BrowserEdits, ElementsAreAddedAndRemoved) {
  const auto click_beside = [&](std::string_view label, std::string_view button) {
    const auto row = screen_.find(label);
    ASSERT_TRUE(row);
    for (const ShownText& each : screen_.texts()) {
      if (each.text == button && std::abs(each.y - row->y) < 5) {
        return screen_.click(each.x + 4, each.y + 6);
      }
    }
    FAIL() << button << " beside " << label << " in\n" << screen_.all();
  };
  click_beside("items", "+");
  ASSERT_EQ(imp().items.size(), 2u);
  click_beside("items", "-");
  click_beside("items", "-");
  EXPECT_TRUE(imp().items.empty());
  click_beside("friends", "+");
  EXPECT_EQ(imp().friends, std::vector<Handle<Beast>>(1));
  click_beside("notes", "+");
  EXPECT_EQ(imp().notes, (std::map<std::string, std::int32_t>{{"", 0}, {"a", 1}}));
  click_beside("age", "Set");
  EXPECT_EQ(imp().age, std::optional<std::int32_t>(0));
  open("age");
  enter("value", "40");
  EXPECT_EQ(imp().age, std::optional<std::int32_t>(40));
  click_beside("age", "Clear");
  EXPECT_EQ(imp().age, std::nullopt);
}

TEST_F(BrowserEdits, AnotherAlternativeOfAVariantIsChosenAndEdited) {
  click_value("extra");
  click("1: string");
  EXPECT_EQ(imp().extra.index(), 1u);
  open("extra");
  enter("value", "x");
  EXPECT_EQ(std::get<std::string>(imp().extra), "x");
}

TEST_F(BrowserEdits, ValuesOfMapsAreEdited) {
  open("notes");
  enter("[0] value", "12");
  enter("[0] key", "b");
  EXPECT_EQ(imp().notes, (std::map<std::string, std::int32_t>{{"b", 12}}));
}

TEST_F(BrowserEdits, RecordsAreInsertedNamedAndErased) {
  click("Insert");
  EXPECT_EQ(beasts_.size(), 2u);
  EXPECT_NE(browser_.handle(), imp_.bits());
  click("no name");  // the hint in the field of the name
  screen_.enter("queen");
  const auto queen = beasts_.find_named("queen");
  EXPECT_EQ(queen.bits(), browser_.handle());
  click("name of the new record");
  screen_.enter("queen");
  EXPECT_EQ(beasts_.size(), 2u);
  EXPECT_THAT(screen_.all(), HasSubstr("another record has the name"));
  click("Erase");
  EXPECT_EQ(beasts_.size(), 1u);
  EXPECT_THAT(screen_.all(), HasSubstr("the record is gone"));
}

TEST_F(BrowserEdits, AComponentIsInsertedForTheRecordOfItsOwner) {
  auto& armors = db_.create_component_table<Armor>("armors", beasts_);
  screen_.frames(2);
  click("armors");
  click("handle of the owner");
  screen_.enter("beasts:9@1");
  EXPECT_THAT(screen_.all(), HasSubstr("has no record 9@1"));
  click("beasts:9@1");
  screen_.enter("beasts:0@1");
  ASSERT_TRUE(armors.find(imp_)) << screen_.all();
  enter("value", "8");
  EXPECT_EQ(armors.find(imp_)->value, 8);
}

TEST_F(BrowserEdits, NothingIsChangedWhereEditsAreOff) {
  options_.can_edit = false;
  screen_.frames(2);
  const Hash128 before = db_.state_hash();
  for (const char* const label : {"hp", "title", "mood", "extra"}) enter(label, "1");
  click_value("seen", true);
  EXPECT_FALSE(screen_.find("Erase"));
  EXPECT_FALSE(screen_.find("Insert"));
  EXPECT_FALSE(screen_.find("+"));
  EXPECT_EQ(db_.state_hash(), before);
}

}  // namespace
}  // namespace hdb::test::browser
