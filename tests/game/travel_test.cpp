// Travelling: through borders, not through walls, and the sector always fits the place.
#include "travel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "game.hpp"
#include "ledger.hpp"
#include "maps.hpp"

namespace demo::test {
namespace {

class TwoRooms : public ::testing::Test {
 protected:
  void build(const MapData& map) {
    world = std::make_unique<World>();
    Ledger ledger;
    TextureStore textures(*world, generated_art());
    build_world(*world, map, 1, textures, ledger);
    for (const auto& [handle, sector] : world->sectors.entries()) rooms.push_back(handle);
  }
  std::unique_ptr<World> world;
  std::vector<SectorHandle> rooms;
};

TEST_F(TwoRooms, StepThroughTheBorderEndsInTheOtherRoom) {
  build(two_rooms());
  const Arrival there = travel(*world, Traveller::walker, rooms[0], 200, 100, 100, 10);
  EXPECT_FALSE(there.is_blocked);
  EXPECT_EQ(there.sector, rooms[1]);
  EXPECT_EQ(there.x, 300);
  EXPECT_EQ(there.y, 110);
  const Arrival back = travel(*world, Traveller::walker, rooms[1], there.x, there.y, -100, -10);
  EXPECT_EQ(back.sector, rooms[0]);
}

TEST_F(TwoRooms, WallsStopEverybodyWhereTheyWere) {
  build(two_rooms());
  for (const Traveller who : {Traveller::walker, Traveller::flyer, Traveller::missile}) {
    const Arrival arrival = travel(*world, who, rooms[0], 200, 100, 0, 400);
    EXPECT_TRUE(arrival.is_blocked);
    EXPECT_EQ(arrival.x, 200);
    EXPECT_EQ(arrival.y, 100);
    EXPECT_EQ(arrival.sector, rooms[0]);
  }
  // Through the border, then into the far wall.
  EXPECT_TRUE(travel(*world, Traveller::missile, rooms[0], 200, 100, 1000, 0).is_blocked);
}

TEST_F(TwoRooms, HighStepStopsWalkersOnly) {
  MapData map = two_rooms();
  map.sectors[1].floor = 48;
  build(map);
  EXPECT_TRUE(travel(*world, Traveller::walker, rooms[0], 200, 100, 100, 0).is_blocked);
  EXPECT_FALSE(travel(*world, Traveller::flyer, rooms[0], 200, 100, 100, 0).is_blocked);
  EXPECT_FALSE(travel(*world, Traveller::walker, rooms[1], 300, 100, -100, 0).is_blocked);
}

TEST_F(TwoRooms, BlockingLineStopsBodiesButNotMissiles) {
  MapData map = two_rooms();
  map.lines[0].flags = 1;
  build(map);
  EXPECT_TRUE(travel(*world, Traveller::walker, rooms[0], 200, 100, 100, 0).is_blocked);
  EXPECT_TRUE(travel(*world, Traveller::flyer, rooms[0], 200, 100, 100, 0).is_blocked);
  EXPECT_FALSE(travel(*world, Traveller::missile, rooms[0], 200, 100, 100, 0).is_blocked);
}

TEST_F(TwoRooms, ClosedDoorStopsMissilesAndOpensForWhoeverComes) {
  MapData map = two_rooms();
  map.lines[0].special = kDoorSpecial;
  build(map);
  const SectorHandle behind = rooms[0];  // the line's back
  EXPECT_TRUE(travel(*world, Traveller::missile, rooms[0], 200, 100, 100, 0).is_blocked);
  const Arrival walker = travel(*world, Traveller::walker, rooms[0], 200, 100, 100, 0);
  EXPECT_FALSE(walker.is_blocked);
  EXPECT_EQ(walker.door, behind);
  world->sectors.edit(behind)->is_open = true;
  EXPECT_FALSE(travel(*world, Traveller::missile, rooms[0], 200, 100, 100, 0).is_blocked);
}

TEST_F(TwoRooms, ThingsStandInTheRoomAroundThem) {
  build(two_rooms());
  for (const Thing& thing : world->things) {
    EXPECT_EQ(thing.sector, rooms[thing.x > 256 ? 1 : 0]) << thing.name;
  }
}

TEST_F(TwoRooms, NullSectorBlocks) {
  build(two_rooms());
  EXPECT_TRUE(travel(*world, Traveller::missile, SectorHandle{}, 0, 0, 1, 1).is_blocked);
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
