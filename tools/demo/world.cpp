// Brings a map into the tables: names become handles, sectors list their lines, things find theirs.
#include "world.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "ledger.hpp"
#include "texture_store.hpp"

namespace demo {
namespace {

constexpr std::uint64_t kSoundBytes = 256 << 10;

class Importer {
 public:
  Importer(World& world, const MapData& map, TextureStore& textures, Ledger& ledger)
      : world_(world), map_(map), textures_(textures), ledger_(ledger) {}

  void import() {
    for (const MapSector& sector : map_.sectors) add_sector(sector);
    for (const MapSide& side : map_.sides) add_side(side);
    for (const MapLine& line : map_.lines) add_line(line);
    add_things();
  }

 private:
  // Null for "-", which means none, and for one that the WAD lacks: maps may rely on another
  // WAD.
  TextureHandle texture(std::string_view folder, std::string_view name) {
    if (name.empty() || name == "-") return {};
    return textures_.obtain(fmt::format("{}/{}", folder, name), ledger_).handle();
  }

  void add_sector(const MapSector& from) {
    Sector sector;
    sector.number = static_cast<std::uint32_t>(sectors_.size());
    sector.floor = from.floor;
    sector.ceiling = from.ceiling;
    sector.light = from.light;
    sector.special = from.special;
    sector.tag = from.tag;
    sector.floor_flat = texture("flats", from.floor_flat);
    sector.ceiling_flat = texture("flats", from.ceiling_flat);
    const std::uint32_t number = sector.number;
    sectors_.push_back(world_.sectors.insert(std::move(sector)));
    ledger_.born(TableId::sectors, sectors_.back().bits(), number);
  }

  void add_side(const MapSide& from) {
    Side side;
    side.number = static_cast<std::uint32_t>(sides_.size());
    side.x_offset = from.x_offset;
    side.y_offset = from.y_offset;
    side.upper = texture("walls", from.upper);
    side.lower = texture("walls", from.lower);
    side.middle = texture("walls", from.middle);
    side.sector = sectors_[from.sector];
    sides_.push_back(world_.sides.insert(side));
    ledger_.born(TableId::sides, sides_.back().bits(), side.number);
  }

  void add_line(const MapLine& from) {
    Line line;
    line.number = static_cast<std::uint32_t>(world_.lines.size());
    line.x1 = map_.vertexes[from.from].x;
    line.y1 = map_.vertexes[from.from].y;
    line.x2 = map_.vertexes[from.to].x;
    line.y2 = map_.vertexes[from.to].y;
    line.flags = from.flags;
    line.special = from.special;
    line.tag = from.tag;
    line.front = sides_[from.front];
    if (from.back != kNoSide) line.back = sides_[from.back];
    const LineHandle handle = world_.lines.insert(line);
    ledger_.born(TableId::lines, handle.bits(), line.number);
    const SectorHandle front = world_.sides.at(line.front).sector;
    world_.sectors.edit(front)->lines.push_back(handle);
    if (line.back && world_.sides.at(line.back).sector != front) {
      world_.sectors.edit(world_.sides.at(line.back).sector)->lines.push_back(handle);
    }
  }

  // The sector at a point: that of the nearest line to the east, on the side that faces the point.
  // Null in the void.
  [[nodiscard]] SectorHandle sector_at(std::int64_t x, std::int64_t y) const {
    std::int64_t nearest = INT64_MAX;
    SideHandle facing;
    for (const Line& line : world_.lines) {
      if ((line.y1 <= y) == (line.y2 <= y)) continue;
      const std::int64_t rise = line.y2 - line.y1;
      const std::int64_t distance = ((line.x1 - x) * rise + (y - line.y1) * (line.x2 - line.x1));
      const std::int64_t east = distance * 256 / rise;
      if (east <= 0 || east >= nearest) continue;
      nearest = east;
      facing = rise > 0 ? line.back : line.front;
    }
    const Side* const side = world_.sides.find(facing);
    return side != nullptr ? side->sector : SectorHandle{};
  }

  // Pictures and sounds of a kind, the first time that the map has one of it.
  void cast_role(Kind kind) {
    Cast& cast = world_.cast.edit();
    if (cast.roles.empty()) cast.roles.resize(kKindCount);
    Role& role = cast.roles[static_cast<std::size_t>(kind)];
    if (role.is_cast) return;
    const KindInfo& info = info_of(kind);
    role.is_cast = true;
    role.picture = texture("pictures", info.picture);
    if (!info.sound.empty()) role.attack = sound(info.sound);
    if (!cast.fireball) cast.fireball = sound(kFireballSound);
  }
  SoundHandle sound(std::string_view name) {
    return obtain_sound(world_, textures_.art(), name, ledger_);
  }

  void add_things() {
    Graveyard& graveyard = world_.graveyard.edit();
    std::uint32_t fighters = 0;
    for (const MapThing& from : map_.things) {
      const Spot spot{from.x, from.y, sector_at(from.x, from.y)};
      if (!spot.sector) continue;
      graveyard.spots.push_back(spot);
      const Kind kind = kind_of_map_type(from.type);
      fighters += kind != Kind::item ? 1 : 0;
      cast_role(kind);
      spawn_thing(world_, kind, spot, ledger_);
    }
    if (graveyard.spots.empty()) return;
    Rng& rng = world_.rng.edit();
    for (; fighters < world_.settings->fighters; ++fighters) {
      const Spot spot = graveyard.spots[rng.below(graveyard.spots.size())];
      const Kind kind = monster_kind(rng.next());
      cast_role(kind);
      spawn_thing(world_, kind, spot, ledger_);
    }
  }

  World& world_;
  const MapData& map_;
  TextureStore& textures_;
  Ledger& ledger_;
  std::vector<SectorHandle> sectors_;
  std::vector<SideHandle> sides_;
};

}  // namespace

World::World()
    : textures(database.create_resource_table<Texture, TextureHandle::LayoutType>(
          "textures", {.names = hdb::Names::ignore_case})),
      sounds(database.create_blob_table<SoundInfo, SoundHandle::LayoutType>(
          "sounds", {.capacity_bytes = kSoundBytes})),
      sectors(database.create_table<Sector, SectorHandle::LayoutType>(
          "sectors", {.storage = hdb::Storage::stable, .page_bytes = 4096})),
      sides(database.create_table<Side>("sides")),
      lines(database.create_table<Line>("lines")),
      // Things wait for their slots in a queue; missiles and shots take the slot freed last. For
      // shots, of which only one lives at a time, that is the same slot until it is worn out.
      things(database.create_table<Thing, ThingHandle::LayoutType>(
          "things", {.free_list = hdb::FreeList::fifo, .page_bytes = 8192})),
      missiles(database.create_table<Missile, MissileHandle::LayoutType>(
          "missiles", {.storage = hdb::Storage::stable})),
      shots(database.create_table<Missile, ShotHandle::LayoutType, Shot>("shots")),
      sprites(database.create_table<Sprite>("sprites")),
      agenda(database.singleton<Agenda>("agenda")),
      cast(database.singleton<Cast>("cast")),
      clock(database.singleton<Clock>("clock")),
      rng(database.singleton<Rng>("rng")),
      settings(database.singleton<Settings>("settings")),
      graveyard(database.singleton<Graveyard>("graveyard")) {}

void build_world(World& world, const MapData& map, std::uint64_t seed, TextureStore& textures,
                 Ledger& ledger) {
  world.settings.edit().seed = seed;
  Rng& rng = world.rng.edit();
  rng.state = seed;
  rng.next();
  import_map(world, map, textures, ledger);
}

void import_map(World& world, const MapData& map, TextureStore& textures, Ledger& ledger) {
  world.settings.edit().map = map.name;
  Importer(world, map, textures, ledger).import();
}

SoundHandle obtain_sound(World& world, const Art& art, std::string_view name, Ledger& ledger) {
  SoundHandle known;
  // Few: a look at each is soon done.
  std::as_const(world.sounds).for_each([&](SoundHandle handle, const SoundInfo& info, auto) {
    if (info.name == name) known = handle;
  });
  if (known) return known;
  const auto lump = art.find_sound(name);
  if (!lump) return {};
  SoundInfo info;
  info.name = name;
  info.number = lump->number;
  info.sample_rate = lump->sample_rate;
  info.ticks =
      static_cast<std::uint16_t>(lump->samples.size() * kTicksASecond / lump->sample_rate + 1);
  const auto inserted = world.sounds.insert(std::move(info), lump->samples);
  if (!inserted) return {};
  ledger.born(TableId::sounds, inserted->bits(), lump->number);
  return *inserted;
}

ThingHandle spawn_thing(World& world, Kind kind, const Spot& spot, Ledger& ledger) {
  const KindInfo& info = info_of(kind);
  Thing thing;
  thing.serial = world.clock.edit().things_made++;
  thing.name = fmt::format("{} {}", info.name, thing.serial);
  thing.kind = kind;
  thing.x = spot.x;
  thing.y = spot.y;
  thing.hp = info.hp;
  thing.sector = spot.sector;
  const std::uint32_t serial = thing.serial;
  const ThingHandle handle = world.things.insert(std::move(thing));
  ledger.born(TableId::things, handle.bits(), serial);
  const StrongTexture picture = world.cast->roles[static_cast<std::size_t>(kind)].picture;
  const SpriteHandle sprite = world.sprites.insert({serial, 0, handle, picture});
  ledger.born(TableId::sprites, sprite.bits(), serial);
  world.things.edit(handle)->sprite = sprite;
  return handle;
}

}  // namespace demo
