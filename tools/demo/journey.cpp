// Clearing the old map, building the new one, and the flush.
#include "journey.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files.hpp"

namespace demo {
namespace {

template <class Table>
void clear(Table& table, TableId id, Ledger& ledger) {
  for (const auto& [handle, record] : table.entries()) ledger.died(id, handle.bits());
  table.clear();
}

}  // namespace

WadResult<MapData> next_map(const Art& art, const World& world) {
  const std::vector<std::string> names = art.wad().map_names();
  if (names.empty()) return generate_map(world.settings->seed + 1, "GENERATED2");
  const auto present = std::find(names.begin(), names.end(), world.settings->map);
  const bool has_next = present != names.end() && present + 1 != names.end();
  return read_map(art.wad(), has_next ? *(present + 1) : names.front());
}

TextureFacts leave_for(World& world, const MapData& map, TextureStore& textures, Ledger& ledger) {
  TextureFacts facts;
  facts.before = world.textures.table().size();
  for_each_table(world, [&](TableId id, auto& table) {
    if (id != TableId::textures) clear(table, id, ledger);  // those are flushed
  });
  world.graveyard.edit() = {};
  world.cast.edit().roles.clear();
  import_map(world, map, textures, ledger);
  facts.loaded = world.textures.table().size() - facts.before;
  facts.flushed = textures.flush(ledger);
  return facts;
}

Journey play_next_map(Session& game) {
  Journey journey;
  const auto map = next_map(game.textures.art(), game.world);
  if (!map) {
    journey.error = map.error().message();
    return journey;
  }
  journey.map = map->name;
  journey.textures = leave_for(game.world, *map, game.textures, game.ledger);
  game.play_to(kLastTick);
  journey.images = game.textures.image_count();
  journey.state_hash = game.world.database.state_hash().hex();
  journey.plain_hash = fmt::format("{:016x}", world_hash(game.world, game.sound));
  return journey;
}

}  // namespace demo
