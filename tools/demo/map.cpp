// Brings a map of the WAD into the tables: numbers become handles. The lumps of a map:
//
//   SECTORS   26 bytes  i16 floor, ceiling; char floor_flat[8], ceiling_flat[8]; 6 bytes unused
//   SIDEDEFS  30 bytes  28 bytes unused; u16 sector
//   VERTEXES   4 bytes  i16 x, y
//   LINEDEFS  14 bytes  u16 from, to; 6 bytes unused; u16 front side, back side (65535: none)
//   THINGS    10 bytes  i16 x, y; u16 angle, type, flags
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "game.hpp"

namespace demo {
namespace {

// Calls `read` for each record of a lump.
template <class Read>
void read_records(LumpReader in, std::uint64_t record_bytes, const Read& read) {
  if (const std::uint64_t odd = in.remaining() % record_bytes; odd != 0) {
    in.fail(fmt::format("the last record has {} of {} bytes", odd, record_bytes));
  }
  while (in.remaining() != 0) read(in);
}

template <class T>
const T& at(const LumpReader& in, std::string_view what, const std::vector<T>& list,
            std::size_t number) {
  if (number < list.size()) return list[number];
  in.fail(fmt::format("refers to {} {}, but there are only {}", what, number, list.size()));
}

class MapImport {
 public:
  MapImport(Game& game, const Wad& wad, const std::string& map)
      : game_(game), wad_(wad), map_(map) {}

  void run() {
    read_records(wad_.read_of_map(map_, "SECTORS"), 26, [&](LumpReader& in) { add_sector(in); });
    read_records(wad_.read_of_map(map_, "SIDEDEFS"), 30, [&](LumpReader& in) {
      in.skip(28);
      const std::uint16_t sector = in.u16();
      sides_.push_back(at(in, "sector", sectors_, sector));
    });
    read_records(wad_.read_of_map(map_, "VERTEXES"), 4, [&](LumpReader& in) {
      const std::int32_t x = in.i16();
      vertexes_.emplace_back(x, in.i16());
    });
    read_records(wad_.read_of_map(map_, "LINEDEFS"), 14, [&](LumpReader& in) { add_line(in); });
    Graveyard& graveyard = game_.world.graveyard.edit();
    read_records(wad_.read_of_map(map_, "THINGS"), 10,
                 [&](LumpReader& in) { add_thing(in, graveyard); });
    if (graveyard.spots.empty()) throw WadError(map_, 0, "the map has no room for a thing");
    Rng& rng = game_.world.rng.edit();
    for (; fighters_ < kLeastFighters; ++fighters_) {
      const Spot spot = graveyard.spots[rng.below(graveyard.spots.size())];
      add(monster_kind(rng.next()), spot);
    }
  }

 private:
  void add_sector(LumpReader& in) {
    Sector sector;
    sector.number = static_cast<std::uint32_t>(sectors_.size());
    sector.floor = in.i16();
    sector.ceiling = in.i16();
    sector.floor_flat = game_.texture(in.name8()).handle();
    sector.ceiling_flat = game_.texture(in.name8()).handle();
    in.skip(6);
    sectors_.push_back(game_.world.sectors.insert(std::move(sector)));
  }

  void add_line(LumpReader& in) {
    Line line;
    line.number = static_cast<std::uint32_t>(game_.world.lines.size());
    const std::uint16_t from = in.u16();
    const std::uint16_t to = in.u16();
    in.skip(6);
    const std::uint16_t front = in.u16();
    const std::uint16_t back = in.u16();
    constexpr std::uint16_t kNone = 0xffff;
    std::tie(line.x1, line.y1) = at(in, "vertex", vertexes_, from);
    std::tie(line.x2, line.y2) = at(in, "vertex", vertexes_, to);
    line.front = at(in, "front side", sides_, front);
    if (back != kNone) line.back = at(in, "back side", sides_, back);
    const LineHandle handle = game_.world.lines.insert(line);
    game_.world.sectors.edit(line.front)->lines.push_back(handle);
    if (line.back && line.back != line.front) {
      game_.world.sectors.edit(line.back)->lines.push_back(handle);
    }
  }

  // The sector at a point is on the side of the nearest line to the east that faces the point. Null
  // in the void.
  [[nodiscard]] SectorHandle sector_at(std::int64_t x, std::int64_t y) const {
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
    SectorHandle facing;
    for (const Line& line : game_.world.lines) {
      if ((line.y1 <= y) == (line.y2 <= y)) continue;
      const std::int64_t rise = line.y2 - line.y1;
      const std::int64_t run = (line.x1 - x) * rise + (y - line.y1) * (line.x2 - line.x1);
      const std::int64_t east = run * 256 / rise;
      if (east <= 0 || east >= nearest) continue;
      nearest = east;
      facing = rise > 0 ? line.back : line.front;
    }
    return facing;
  }

  void add_thing(LumpReader& in, Graveyard& graveyard) {
    const std::int16_t x = in.i16();
    const std::int16_t y = in.i16();
    in.skip(2);
    const Kind kind = kind_of_map_type(in.u16());
    in.skip(2);
    const Spot spot{x, y, sector_at(x, y)};
    if (!spot.sector) return;
    graveyard.spots.push_back(spot);
    fighters_ += kind != Kind::item ? 1 : 0;
    add(kind, spot);
  }

  // Picture and sound of a kind are loaded the first time that the map has a thing of it.
  void add(Kind kind, const Spot& spot) {
    Cast& cast = game_.world.cast.edit();
    cast.roles.resize(kKinds.size());
    Role& role = cast.roles[static_cast<std::size_t>(kind)];
    if (!role.picture) {
      role.picture = game_.texture(info_of(kind).picture).handle();
      role.attack = game_.sound(info_of(kind).sound);
    }
    game_.spawn(kind, spot);
  }

  Game& game_;
  const Wad& wad_;
  const std::string& map_;
  std::uint32_t fighters_ = 0;
  std::vector<SectorHandle> sectors_;
  std::vector<SectorHandle> sides_;                              // the sector of each
  std::vector<std::pair<std::int32_t, std::int32_t>> vertexes_;  // x, y
};

}  // namespace

Game::Game(const Wad& wad, const std::string& map, std::uint64_t seed) : wad_(wad) {
  Rng& rng = world.rng.edit();
  rng.state = seed;
  rng.next();
  hud = texture(kHudPicture);
  travel_to(map);
}

TextureFacts Game::travel_to(const std::string& map) {
  TextureFacts facts;
  facts.before = world.textures.table().size();
  world.sectors.clear();
  world.lines.clear();
  each_moving_table(world, [](auto& table) { table.clear(); });
  world.graveyard.edit() = {};
  world.cast.edit() = {};
  world.clock.edit().map = map;
  MapImport(*this, wad_, map).run();
  facts.loaded = world.textures.table().size() - facts.before;
  facts.flushed = flush_textures();
  return facts;
}

std::string Game::next_map() const {
  const std::vector<std::string> names = wad_.map_names();
  const auto present = std::find(names.begin(), names.end(), world.clock->map);
  return present == names.end() || present + 1 == names.end() ? names.front() : *(present + 1);
}

TextureRef Game::texture(std::string_view name) {
  TextureRef texture = world.textures.find(name);
  if (texture) return texture;
  texture = world.textures.find_or_load(name, [&](std::string_view wanted) {
    const auto lump = wad_.find(wanted);
    std::optional<Texture> found;
    if (lump) found = Texture{*lump, static_cast<std::uint32_t>(wad_.lumps()[*lump].size_bytes)};
    return found;
  });
  if (texture) pixels.set(texture, pixels_of(*texture));
  return texture;
}

SoundHandle Game::sound(std::string_view name) {
  SoundHandle known;
  std::as_const(world.sounds).for_each([&](SoundHandle handle, const SoundInfo& info, auto) {
    if (info.name == name) known = handle;
  });
  const auto lump = name.empty() ? std::nullopt : wad_.find(name);
  if (known || !lump) return known;
  LumpReader in = wad_.read(*lump);
  in.skip(2);
  const std::uint16_t samples_a_second = in.u16();
  const std::uint32_t samples = in.u32();
  if (samples_a_second == 0) return {};
  const SoundInfo info{std::string(name), *lump, samples * kTicksASecond / samples_a_second + 1};
  const auto inserted = world.sounds.insert(info, in.take(samples));
  return inserted ? *inserted : SoundHandle();
}

std::size_t Game::flush_textures() {
  const auto report = world.textures.flush();
  return report ? report->destroyed : 0;
}

}  // namespace demo
