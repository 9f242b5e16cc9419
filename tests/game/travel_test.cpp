// Travelling: through borders, not through walls, and the sector always fits the place.
#include <gtest/gtest.h>

#include <vector>

#include "maps.hpp"
#include "played_game.hpp"

namespace demo::test {
namespace {

class TwoRooms : public ::testing::Test {
 protected:
  TwoRooms() {
    for (const auto& [handle, sector] : game.world.sectors.entries()) rooms.push_back(handle);
  }
  [[nodiscard]] Arrival step(std::int32_t dx, std::int32_t dy) const {
    return game.travel(rooms[0], 200, 100, dx, dy);
  }
  Wad wad{two_rooms().build()};
  Game game{wad, "E1M1", 1};
  std::vector<SectorHandle> rooms;
};

TEST_F(TwoRooms, StepThroughTheBorderEndsInTheOtherRoom) {
  const Arrival there = step(100, 10);
  EXPECT_FALSE(there.is_blocked);
  EXPECT_EQ(there.sector, rooms[1]);
  EXPECT_EQ(there.x, 300);
  EXPECT_EQ(there.y, 110);
  EXPECT_EQ(game.travel(rooms[1], there.x, there.y, -100, -10).sector, rooms[0]);
}

TEST_F(TwoRooms, WallsStopEverybodyWhereTheyWere) {
  const Arrival arrival = step(0, 400);
  EXPECT_TRUE(arrival.is_blocked);
  EXPECT_EQ(arrival.x, 200);
  EXPECT_EQ(arrival.y, 100);
  EXPECT_EQ(arrival.sector, rooms[0]);
  EXPECT_TRUE(step(1000, 0).is_blocked) << "through the border, then into the far wall";
}

TEST_F(TwoRooms, LowCeilingStopsAStep) {
  game.world.sectors.edit(rooms[1])->ceiling = 8;
  EXPECT_FALSE(step(100, 0).is_blocked);
  game.world.sectors.edit(rooms[1])->ceiling = 7;
  EXPECT_TRUE(step(100, 0).is_blocked);
}

TEST_F(TwoRooms, ThingsAreInTheRoomAroundThem) {
  for (const Thing& thing : game.world.things) {
    EXPECT_EQ(thing.sector, rooms[thing.x > 256 ? 1 : 0]) << thing.name;
  }
}

TEST_F(TwoRooms, NullSectorBlocks) {
  EXPECT_TRUE(game.travel(SectorHandle{}, 0, 0, 1, 1).is_blocked);
}

TEST(Distance, IsAtMostAnEighthTooLong) {
  EXPECT_EQ(distance(0, 0), 0);
  EXPECT_EQ(distance(-300, 0), 300);
  EXPECT_EQ(distance(3, -4), 5);
  for (int x = 0; x < 200; x += 7) {
    for (int y = 0; y < 200; y += 5) {
      const long long estimate = distance(x, y) + 1;
      EXPECT_GE(estimate * estimate, 1LL * x * x + 1LL * y * y);
      const long long d = distance(x, y);
      EXPECT_LE(d * d * 64, (1LL * x * x + 1LL * y * y) * 81);
    }
  }
}

}  // namespace
}  // namespace demo::test
