// The list of handles: its content, its text, and that it notices a world that is not the same.
#include "handle_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "files.hpp"
#include "game.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;

class HandleListTest : public ::testing::Test {
 protected:
  HandleListTest() {
    game.play_to(60);
    list = list_handles(game.world, game.sound, hud, game.ledger);
  }
  [[nodiscard]] std::size_t wrong() const {
    const ListCheck check = check_handle_list(game.world, list);
    return check.live_wrong + check.stale_wrong;
  }
  // A thing that fights, and that is not the first of its table.
  [[nodiscard]] ThingHandle some_fighter() const {
    ThingHandle found;
    for (const auto& [handle, thing] : game.world.things.entries()) {
      if (thing.kind != Kind::item) found = handle;
    }
    return found;
  }

  Game game;
  Hud& hud = game.hud;
  HandleList list;
};

TEST_F(HandleListTest, TablesAndLedgerAgreeOnEveryHandle) {
  EXPECT_EQ(list.disputed, 0u);
  EXPECT_GT(list.stale_count(), 10u);
  EXPECT_GT(list.handles.size(), game.world.sides.size() + game.world.lines.size());
}

TEST_F(HandleListTest, HoldsWhatRecordsAndSoundSystemHold) {
  const auto held_by = [&](std::string_view holder) {
    return std::count_if(list.handles.begin(), list.handles.end(),
                         [&](const HeldHandle& held) { return held.holder.starts_with(holder); });
  };
  EXPECT_EQ(held_by("table things"), static_cast<std::ptrdiff_t>(game.world.things.size()));
  EXPECT_EQ(held_by("table missiles"), static_cast<std::ptrdiff_t>(game.world.missiles.size()));
  EXPECT_EQ(held_by("sound "), static_cast<std::ptrdiff_t>(SoundSystem::kChannels));
  EXPECT_EQ(held_by("table sprites"), static_cast<std::ptrdiff_t>(game.world.sprites.size()));
  EXPECT_EQ(held_by("table sounds"), static_cast<std::ptrdiff_t>(game.world.sounds.size()));
  EXPECT_GT(held_by("graveyard"), 0);
  EXPECT_EQ(held_by("agenda.subject"),
            static_cast<std::ptrdiff_t>(game.world.agenda->events.size()));
  EXPECT_EQ(held_by("hud"), 1);
}

TEST_F(HandleListTest, EveryLineIsRightInTheWorldItWasMadeIn) {
  const ListCheck check = check_handle_list(game.world, list);
  EXPECT_EQ(check.live_wrong + check.stale_wrong, 0u) << check.first_wrong;
  EXPECT_EQ(check.live_right + check.stale_right, list.handles.size());
  EXPECT_EQ(check.stale_right, list.stale_count());
}

TEST_F(HandleListTest, TextGivesTheSameListAndTheSameSoundSystem) {
  const auto parsed = parse_handle_list(to_json(list));
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(to_json(*parsed), to_json(list));
  const SoundSystem sound = sound_of(*parsed);
  EXPECT_EQ(sound.channels(), game.sound.channels());
  EXPECT_EQ(sound.next(), game.sound.next());
  EXPECT_EQ(hud_bar_of(*parsed), hud.bar.handle());
}

TEST_F(HandleListTest, OneChangedFieldIsNoticed) {
  game.world.things.edit(some_fighter())->hp += 1;
  EXPECT_GT(wrong(), 0u);
}

TEST_F(HandleListTest, ErasedRecordIsNoticed) {
  const ThingHandle thing = some_fighter();
  const std::string name = game.world.things.at(thing).name;
  game.world.things.erase(thing);
  const ListCheck check = check_handle_list(game.world, list);
  EXPECT_GT(check.live_wrong, 0u);
  EXPECT_THAT(check.first_wrong, HasSubstr("is stale"));
}

TEST_F(HandleListTest, StaleHandleThatCameAliveIsNoticed) {
  const auto stale = std::find_if(list.handles.begin(), list.handles.end(), [](const auto& held) {
    return !held.is_live && held.table == TableId::things;
  });
  ASSERT_NE(stale, list.handles.end());
  stale->bits = some_fighter().bits();
  EXPECT_EQ(check_handle_list(game.world, list).stale_wrong, 1u);
}

TEST_F(HandleListTest, LedgerThatKnowsOtherwiseIsADispute) {
  game.ledger.died(TableId::things, some_fighter().bits());
  EXPECT_GT(list_handles(game.world, game.sound, hud, game.ledger).disputed, 0u);
}

TEST(HandleListText, WhatIsNoListIsRefused) {
  HandleList list;
  list.handles.push_back({"imp 1", TableId::things, 1, true, {1, 2, "imp 1"}});
  const std::string text = to_json(list);
  EXPECT_TRUE(parse_handle_list(text));
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_FALSE(parse_handle_list(text.substr(0, size))) << text.substr(0, size);
  }
  list.next_channel = SoundSystem::kChannels;
  EXPECT_FALSE(parse_handle_list(to_json(list)));
  list.next_channel = 0;
  list.handles[0].table = static_cast<TableId>(200);
  EXPECT_FALSE(parse_handle_list(to_json(list)));
}

TEST(Ledger, NoticesAHandleIssuedTwiceAndADeathOfNobody) {
  Ledger twice;
  twice.born(TableId::things, 7, 1);
  EXPECT_TRUE(twice.is_sound());
  twice.born(TableId::missiles, 7, 2);
  EXPECT_TRUE(twice.is_sound());
  twice.born(TableId::things, 7, 3);
  EXPECT_FALSE(twice.is_sound());

  Ledger nobody;
  nobody.died(TableId::things, 7);
  EXPECT_FALSE(nobody.is_sound());
}

}  // namespace
}  // namespace demo::test
