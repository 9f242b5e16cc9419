// What the browser shows, and where clicks lead.
#include "imgui/browser_world.hpp"
#include "support/folder.hpp"

namespace hdb::test::browser {
namespace {

using Browser = BrowserWorld;

TEST_F(Browser, TablesAreListedWithCountsAndMemory) {
  for (int i = 0; i < 1234; ++i) chests_.insert({});
  screen_.frames(2);
  EXPECT_TRUE(screen_.find("beasts"));
  EXPECT_TRUE(screen_.find("1234"));
  EXPECT_THAT(screen_.all(), HasSubstr("KiB"));
  EXPECT_THAT(screen_.all(), HasSubstr("in 2 tables"));
  click("chests");
  EXPECT_EQ(browser_.table(), "chests");
  EXPECT_TRUE(screen_.find("gold"));
  EXPECT_TRUE(screen_.find("chests:3@1"));
}

TEST_F(Browser, AClickOnAHandleSelectsItsRecord) {
  const auto orc = beasts_.insert({.title = "orc"});
  const auto imp = beasts_.insert({.title = "imp", .target = orc});
  show("beasts", imp);
  click("Go");
  EXPECT_EQ(browser_.handle(), orc.bits());
  // Back and forward are the two arrows at the top.
  screen_.click(16, 16);
  EXPECT_EQ(browser_.handle(), imp.bits());
  screen_.click(40, 16);
  EXPECT_EQ(browser_.handle(), orc.bits());
}

TEST_F(Browser, AHandleInTheListLeadsToAnotherTable) {
  const auto guard = beasts_.insert({.title = "guard"});
  chests_.insert({.guard = guard});
  click("chests");
  click("beasts:0@1");
  EXPECT_EQ(browser_.table(), "beasts");
  EXPECT_EQ(browser_.handle(), guard.bits());
}

TEST_F(Browser, AStaleHandleLeadsNowhere) {
  const auto gone = beasts_.insert({});
  const auto imp = beasts_.insert({.target = gone});
  beasts_.erase(gone);
  show("beasts", imp);
  EXPECT_FALSE(screen_.find("Go"));
  click("stale");
  EXPECT_EQ(browser_.handle(), imp.bits());
}

TEST_F(Browser, ATextGoesToARecordOrSaysWhatIsWrong) {
  const auto imp = beasts_.insert({});
  click("go to table:slot@generation");
  screen_.enter("beasts:7@1");
  EXPECT_THAT(screen_.all(), HasSubstr("table 'beasts' has no record 7@1"));
  click("beasts:7@1");
  screen_.enter("beast:0@1");
  EXPECT_THAT(screen_.all(), HasSubstr("did you mean 'beasts'?"));
  click("beast:0@1");
  screen_.enter("beasts:0@1");
  EXPECT_EQ(browser_.handle(), imp.bits());
}

TEST_F(Browser, AFilterOfTextOrOfFieldsShowsTheRecordsThatMatch) {
  for (int i = 0; i < 300; ++i) beasts_.insert({.title = i % 100 == 7 ? "Baron" : "imp"});
  beasts_.edit_each(
      [n = 0](auto, Beast& each) mutable { each.hp = static_cast<std::int16_t>(n++); });
  click("beasts");
  click("text, or hp < 10");
  screen_.type("baron");
  finish_searches();
  EXPECT_TRUE(screen_.find("3 rows")) << screen_.all();
  EXPECT_TRUE(screen_.find("beasts:207@1"));
  EXPECT_FALSE(screen_.find("beasts:8@1"));
  screen_.type("hp < 5 and title ~ 'i*'");
  finish_searches();
  EXPECT_TRUE(screen_.find("5 rows")) << screen_.all();
  screen_.type("hpp < 5");
  EXPECT_THAT(screen_.all(), HasSubstr("did you mean 'hp'?"));
  EXPECT_TRUE(screen_.find("0 rows"));
  screen_.type("");
  EXPECT_TRUE(screen_.find("300 rows")) << screen_.all();
}

TEST_F(Browser, RowsThatAFilterFoundFollowTheDatabase) {
  for (int i = 0; i < 100; ++i) beasts_.insert({.title = "imp"});
  click("beasts");
  click("text, or hp < 10");
  screen_.type("baron");
  finish_searches();
  EXPECT_TRUE(screen_.find("0 rows"));
  beasts_.edit(beasts_.begin().handle())->title = "baron";
  for (int i = 0; i < 10'000 && !screen_.find("1 row"); ++i) screen_.frames();
  EXPECT_TRUE(screen_.find("1 row"));
}

TEST_F(Browser, AClickOnAHeaderSortsTheRows) {
  const auto titles = [this] {  // of the records, from above
    finish_searches();
    std::map<float, std::string> by_y;
    for (const ShownText& each : screen_.texts())
      if (each.text.front() == '"') by_y[each.y] = each.text;
    std::string all;
    for (const auto& [y, title] : by_y) all += title;
    return all;
  };
  beasts_.insert({.title = "b", .hp = 300, .age = 7, .speed = 0});
  beasts_.insert({.title = "a", .hp = -2, .speed = -2.5F});
  beasts_.insert({.title = "c", .hp = 20, .age = -1, .speed = 1e9F});
  beasts_.insert({.title = "a2", .hp = 20, .age = 7, .speed = -1});
  click("beasts");
  EXPECT_EQ(titles(), R"("b""a""c""a2")");
  click("title");
  EXPECT_EQ(titles(), R"("a""a2""b""c")");
  click("title");  // down
  EXPECT_EQ(titles(), R"("c""b""a2""a")");
  click("title");  // as the table
  EXPECT_EQ(titles(), R"("b""a""c""a2")");
  click("hp");  // as numbers; equal ones as in the table
  EXPECT_EQ(titles(), R"("a""c""a2""b")");
  click("hp");
  EXPECT_EQ(titles(), R"("b""c""a2""a")");
  click("handle");
  EXPECT_EQ(titles(), R"("b""a""c""a2")");
  // The order follows the game, and a filter keeps it.
  click("hp");
  beasts_.edit_each([](auto, Beast& each) { each.hp = each.title == "c" ? -9 : each.hp; });
  for (int i = 0; i < 10'000 && titles() != R"("c""a""a2""b")"; ++i) screen_.frames();
  EXPECT_EQ(titles(), R"("c""a""a2""b")");
  click("text, or hp < 10");
  screen_.type("hp < 100");
  EXPECT_EQ(titles(), R"("c""a""a2")");
}

TEST_F(Browser, SortingAHundredThousandRecordsTakesNoFrameAsAWhole) {
  for (std::uint32_t i = 0; i < 100'000; ++i)
    chests_.insert({.gold = static_cast<std::int32_t>(i * 2654435761u >> 1)});
  click("chests");
  options_.search_ms = 0;  // a slice is as small as it can be
  click("gold");
  screen_.frames();
  EXPECT_THAT(screen_.all(), HasSubstr("rows ..."));  // the pass is not over
  options_.search_ms = 20;
  finish_searches();
  std::int32_t least = chests_.begin()->gold;
  for (const Chest& each : chests_) least = std::min(least, each.gold);
  EXPECT_TRUE(screen_.find(std::to_string(least))) << screen_.all();
}

TEST_F(Browser, FreeSlotsOfAStableTableAreNotRows) {
  std::vector<Handle<Chest>> chests;
  for (int i = 0; i < 100; ++i) chests.push_back(chests_.insert({.gold = i}));
  for (int i = 0; i < 90; ++i) chests_.erase(chests[static_cast<std::size_t>(i)]);
  click("chests");
  finish_searches();
  EXPECT_TRUE(screen_.find("10 rows")) << screen_.all();
  EXPECT_TRUE(screen_.find("chests:95@1"));
  EXPECT_FALSE(screen_.find("(free)"));
}

TEST_F(Browser, ReferencesAreFoundInAllTablesAndLeadToTheirHolders) {
  const auto imp = beasts_.insert({.title = "imp"});
  for (int i = 0; i < 200; ++i) beasts_.insert({});
  beasts_.insert({.friends = {beasts_.begin().handle(), imp}});
  const auto chest = chests_.insert({.guard = imp});
  show("beasts", imp);
  click("Find references");
  finish_searches();
  EXPECT_THAT(screen_.all(), HasSubstr("3 references to beasts:0@1"));
  EXPECT_TRUE(screen_.find("beasts:201@1.friends[0]"));
  EXPECT_TRUE(screen_.find("beasts:201@1.friends[1]"));
  click("chests:0@1.guard");
  EXPECT_EQ(browser_.table(), "chests");
  EXPECT_EQ(browser_.handle(), chest.bits());
}

TEST_F(Browser, ADroppedTableIsSaidToBeGoneAndMayComeBack) {
  const auto imp = beasts_.insert({.title = "first"});
  show("beasts", imp);
  const Snapshot before = db_.capture();
  db_.drop_table("beasts");
  screen_.frames(3);
  EXPECT_THAT(screen_.all(), HasSubstr("the database has no table 'beasts'"));
  EXPECT_THAT(screen_.all(), HasSubstr("in 1 table "));
  auto& again = db_.create_table<Beast>("beasts", {.names = RecordNames::exact});
  screen_.frames(3);
  EXPECT_THAT(screen_.all(), HasSubstr("the record is gone"));
  again.insert({.title = "second"});
  screen_.frames(3);
  EXPECT_TRUE(screen_.find("\"second\""));
  db_.drop_table("beasts");
  ASSERT_TRUE(db_.restore(before));
  screen_.frames(3);
  EXPECT_TRUE(screen_.find("first"));
}

TEST_F(Browser, ATableMadeAgainBetweenTwoFramesIsTheNewOne) {
  beasts_.insert({.title = "first"});
  click("beasts");
  EXPECT_TRUE(screen_.find("\"first\""));
  db_.drop_table("beasts");
  auto& again = db_.create_table<Beast>("beasts", {.names = RecordNames::exact});
  again.insert({.title = "second"});
  screen_.frames(2);
  EXPECT_TRUE(screen_.find("\"second\"")) << screen_.all();
}

TEST_F(Browser, ARestoreShowsTheRestoredRecords) {
  const auto imp = beasts_.insert({.hp = 11});
  const Snapshot before = db_.capture();
  beasts_.edit(imp)->hp = 22;
  show("beasts", imp);
  EXPECT_TRUE(screen_.find("22"));
  ASSERT_TRUE(db_.restore(before));
  screen_.frames(2);
  EXPECT_TRUE(screen_.find("11"));
  EXPECT_FALSE(screen_.find("22"));
}

TEST_F(Browser, ASelectedRecordThatIsErasedIsSaidToBeGone) {
  const auto imp = beasts_.insert({});
  show("beasts", imp);
  beasts_.erase(imp);
  screen_.frames(2);
  EXPECT_THAT(screen_.all(), HasSubstr("the record is gone"));
  beasts_.insert({.title = "tenant"});  // the slot again
  screen_.frames(2);
  EXPECT_THAT(screen_.all(), HasSubstr("the record is gone"));
}

TEST_F(Browser, LongListsAreShownInParts) {
  Beast beast;
  for (int i = 0; i < 250; ++i) beast.items.push_back({.title = "item " + std::to_string(i)});
  show("beasts", beasts_.insert(beast));
  open("items");
  EXPECT_TRUE(screen_.find("250 elements"));
  EXPECT_TRUE(screen_.find("[0 - 99]"));
  open("[200 - 249]");
  EXPECT_FALSE(screen_.find("[0]"));
  open("[210]");
  enter("count", "7");
  EXPECT_EQ(beasts_.begin()->items[210].count, 7);
}

TEST_F(Browser, TheSliderRewindsTheDatabaseAndTheGameGoesOnFromThere) {
  const auto imp = beasts_.insert({});
  std::map<std::uint64_t, Hash128> hashes;
  for (std::uint64_t frame = 100; frame < 110; ++frame) {
    ASSERT_TRUE(history_.record(frame));
    hashes[frame] = db_.state_hash();
    beasts_.edit(imp)->hp -= 1;
  }
  std::vector<std::uint64_t> restored;
  options_.history = &history_;
  options_.on_restore = [&](std::uint64_t frame) { restored.push_back(frame); };
  screen_.frames(3);
  const auto slider = screen_.find("frame 109");
  ASSERT_TRUE(slider) << screen_.all();
  EXPECT_THAT(screen_.all(), HasSubstr("10 frames in "));
  screen_.click(12, slider->y + 6);
  EXPECT_EQ(browser_.shown_frame(), std::optional<std::uint64_t>(100));
  EXPECT_EQ(db_.state_hash(), hashes[100]);
  screen_.click(620, slider->y + 6);  // the newest
  EXPECT_EQ(browser_.shown_frame(), std::nullopt);
  EXPECT_EQ(db_.state_hash(), hashes[109]);
  screen_.click(12, slider->y + 6);
  click("Continue from here");
  EXPECT_EQ(browser_.shown_frame(), std::nullopt);
  EXPECT_EQ(history_.newest(), std::optional<std::uint64_t>(100));
  EXPECT_EQ(db_.state_hash(), hashes[100]);
  EXPECT_EQ(restored, (std::vector<std::uint64_t>{100, 109, 100, 100}));
}

TEST_F(Browser, TheSliderShowsTheFrameBeforeAGap) {
  for (const std::uint64_t frame : {0u, 50u, 100u}) {
    beasts_.insert({});
    ASSERT_TRUE(history_.record(frame));
  }
  std::vector<std::uint64_t> restored;
  options_.history = &history_;
  options_.on_restore = [&](std::uint64_t frame) { restored.push_back(frame); };
  screen_.frames(3);
  const float y = screen_.find("frame 100")->y + 6;
  screen_.click(450, y);
  EXPECT_EQ(browser_.shown_frame(), std::optional<std::uint64_t>(50));
  EXPECT_EQ(beasts_.size(), 2u);
  screen_.click(480, y);  // the same frame
  screen_.click(200, y);
  EXPECT_EQ(beasts_.size(), 1u);
  EXPECT_EQ(restored, (std::vector<std::uint64_t>{50, 0}));
}

TEST_F(Browser, AnEditOfThePastMakesItThePresent) {
  const auto imp = beasts_.insert({.hp = 5});
  for (std::uint64_t frame = 0; frame < 4; ++frame) {
    ASSERT_TRUE(history_.record(frame));
    beasts_.edit(imp)->hp += 1;
  }
  options_.history = &history_;
  show("beasts", imp);
  screen_.click(12, screen_.find("frame 3")->y + 6);
  EXPECT_EQ(beasts_.at(imp).hp, 5);
  enter("hp", "50");
  EXPECT_EQ(beasts_.at(imp).hp, 50);
  EXPECT_EQ(browser_.shown_frame(), std::nullopt);
  EXPECT_EQ(history_.newest(), std::optional<std::uint64_t>(0));
}

TEST_F(Browser, AGameThatGoesOnLeavesThePast) {
  const auto imp = beasts_.insert({});
  for (std::uint64_t frame = 0; frame < 3; ++frame) ASSERT_TRUE(history_.record(frame));
  options_.history = &history_;
  show("beasts", imp);
  screen_.click(12, screen_.find("frame 2")->y + 6);
  EXPECT_EQ(browser_.shown_frame(), std::optional<std::uint64_t>(0));
  ASSERT_TRUE(history_.record(3));
  screen_.frames(1);
  EXPECT_EQ(browser_.shown_frame(), std::nullopt);
}

TEST_F(Browser, TheCostOfTheLastAutosaveAndItsErrorsAreShown) {
  beasts_.insert({});
  autosaver_.emplace();
  options_.autosaver = &*autosaver_;
  screen_.frames(2);
  EXPECT_TRUE(screen_.find("no autosave yet"));
  const Folder folder;
  const std::string path = folder / "autosave.hdb";
  ASSERT_TRUE(autosaver_->save(db_.capture(), path).result());
  autosaver_->flush();  // it knows the result a moment after the ticket
  screen_.frames(2);
  EXPECT_THAT(screen_.all(), HasSubstr("autosave: encoded in "));
  EXPECT_FALSE(autosaver_->save(db_.capture(), path + "/not/a/folder.hdb").result());
  autosaver_->flush();
  screen_.frames(2);
  EXPECT_THAT(screen_.all(), HasSubstr("autosave: "));
  EXPECT_THAT(screen_.all(), Not(HasSubstr("encoded in")));
}

TEST_F(Browser, ABrowserShowsAnotherDatabaseAfterReset) {
  {
    Database other;
    other.create_table<Chest>("others");
    Screen screen{[&] { hdb::imgui::show_database(browser_, other); }};
    EXPECT_TRUE(screen.find("others"));
    browser_.reset();
  }
  screen_.frames(2);
}

}  // namespace
}  // namespace hdb::test::browser
