// The world: the database, its tables by name, and a map brought into them.
#pragma once

#include <hdb/hdb.hpp>

#include "ledger.hpp"
#include "map.hpp"
#include "records.hpp"
#include "rng.hpp"

namespace demo {

class Art;
class TextureStore;

inline constexpr std::uint32_t kTicksASecond = 35;

/// Holds a texture from outside of records.
using TextureRef = hdb::Ref<Texture, TextureHandle::LayoutType>;

/// All that is saved. Nothing outside it may influence what happens next, but the sound system,
/// which keeps raw bits.
struct World {
  World();

  hdb::Database database;
  hdb::ResourceTable<Texture, TextureHandle::LayoutType>& textures;  ///< By name.
  hdb::BlobTable<SoundInfo, SoundHandle::LayoutType>& sounds;
  hdb::Table<Sector, SectorHandle::LayoutType>& sectors;
  hdb::Table<Side>& sides;
  hdb::Table<Line>& lines;
  hdb::Table<Thing, ThingHandle::LayoutType>& things;
  hdb::Table<Missile, MissileHandle::LayoutType>& missiles;
  hdb::Table<Missile, ShotHandle::LayoutType, Shot>& shots;
  hdb::Table<Sprite>& sprites;  ///< In the order of drawing.
  hdb::Singleton<Agenda>& agenda;
  hdb::Singleton<Cast>& cast;
  hdb::Singleton<Clock>& clock;
  hdb::Singleton<Rng>& rng;
  hdb::Singleton<Settings>& settings;
  hdb::Singleton<Graveyard>& graveyard;
};

/// Calls `visit` with the id and the table of each table of records but the sounds.
template <class AnyWorld, class Visit>
void for_each_table(AnyWorld& world, const Visit& visit) {
  visit(TableId::textures, world.textures.table());
  visit(TableId::sectors, world.sectors);
  visit(TableId::sides, world.sides);
  visit(TableId::lines, world.lines);
  visit(TableId::things, world.things);
  visit(TableId::missiles, world.missiles);
  visit(TableId::shots, world.shots);
  visit(TableId::sprites, world.sprites);
}

/// Fills an empty world from a map; notes every record in `ledger`.
void build_world(World& world, const MapData& map, std::uint64_t seed, TextureStore& textures,
                 Ledger& ledger);
/// Brings a map into a world that has none (any more).
void import_map(World& world, const MapData& map, TextureStore& textures, Ledger& ledger);

/// The sound of this name ("DSPISTOL"), copied from the WAD when the world has not got it; null
/// when the WAD lacks it, or the table's buffer is full.
SoundHandle obtain_sound(World& world, const Art& art, std::string_view name, Ledger& ledger);

/// Makes a thing of this kind at a spot, with a name, serial and sprite of its own.
ThingHandle spawn_thing(World& world, Kind kind, const Spot& spot, Ledger& ledger);

}  // namespace demo
