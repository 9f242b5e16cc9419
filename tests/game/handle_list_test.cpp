// The list of handles: its content, its text, and that it notices a world that is not the same.
#include "judges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "played_game.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;

class HandleListTest : public ::testing::Test {
 protected:
  HandleListTest() {
    game.play_to(60);
    list = list_handles(game);
  }
  [[nodiscard]] std::size_t wrong() const { return check_handle_list(game.world, list).wrong; }
  // A thing that fights, and that is not the first of its table.
  [[nodiscard]] ThingHandle some_fighter() const {
    ThingHandle found;
    for (const auto& [handle, thing] : game.world.things.entries()) {
      if (thing.kind != Kind::item) found = handle;
    }
    return found;
  }

  PlayedGame game;
  HandleList list;
};

TEST_F(HandleListTest, WalksAndLookUpsAgreeOnEveryHandle) {
  EXPECT_EQ(list.disputed, 0u);
  EXPECT_GT(list.stale_count(), 10u);
  EXPECT_GT(list.handles.size(), game.world.lines.size() + game.world.things.size());
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
  EXPECT_EQ(check.wrong, 0u) << check.first_wrong;
  EXPECT_EQ(check.live_right + check.stale_right, list.handles.size());
  EXPECT_EQ(check.stale_right, list.stale_count());
}

TEST_F(HandleListTest, OneChangedFieldIsNoticed) {
  game.world.things.edit(some_fighter())->hp += 1;
  EXPECT_GT(wrong(), 0u);
}

TEST_F(HandleListTest, ErasedRecordIsNoticed) {
  const ThingHandle thing = some_fighter();
  game.world.things.erase(thing);
  const ListCheck check = check_handle_list(game.world, list);
  EXPECT_GT(check.wrong, 0u);
  EXPECT_THAT(check.first_wrong, HasSubstr("finds nothing"));
}

TEST_F(HandleListTest, StaleHandleThatCameAliveIsNoticed) {
  const auto stale = std::find_if(list.handles.begin(), list.handles.end(), [](const auto& held) {
    return !held.is_live && held.table == "things";
  });
  ASSERT_NE(stale, list.handles.end());
  stale->bits = some_fighter().bits();
  EXPECT_EQ(check_handle_list(game.world, list).wrong, 1u);
}

}  // namespace
}  // namespace demo::test
