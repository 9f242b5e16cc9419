// The world: the database, its tables by name, and a map brought into them.
#pragma once

#include <hdb/hdb.hpp>
#include <string>

#include "map.hpp"
#include "records.hpp"
#include "rng.hpp"

namespace demo {

class Ledger;

/// All that is saved. Nothing outside it may influence what happens next, but the sound system,
/// which keeps raw bits.
struct World {
  World();

  hdb::Database database;
  hdb::Table<Texture, TextureHandle::LayoutType>& textures;
  hdb::Table<Sector>& sectors;
  hdb::Table<Side>& sides;
  hdb::Table<Line>& lines;
  hdb::Table<Thing, ThingHandle::LayoutType>& things;
  hdb::Table<Missile, MissileHandle::LayoutType>& missiles;
  hdb::Table<Missile, ShotHandle::LayoutType, Shot>& shots;
  hdb::Singleton<Clock>& clock;
  hdb::Singleton<Rng>& rng;
  hdb::Singleton<Settings>& settings;
  hdb::Singleton<Graveyard>& graveyard;
};

/// Fills an empty world from a map; `ledger` is told of every record.
void build_world(World& world, const MapData& map, std::uint64_t seed, Ledger& ledger);

/// Makes a thing of this kind at a spot, with a name and serial of its own.
ThingHandle spawn_thing(World& world, Kind kind, const Spot& spot, Ledger& ledger);

}  // namespace demo
