// The parts of a game that the plain hashes cover.
#include "plain.hpp"

#include <algorithm>
#include <utility>

namespace demo {
namespace {

template <class Table>
void add_table(PlainHash& hash, const Table& table) {
  hash.add(table.size());
  for (const auto& [handle, record] : table.entries()) {
    hash.add(std::uint64_t{handle.bits()});
    hash.add_record(record);
  }
}

void add_moving(PlainHash& hash, const Game& game) {
  const World& world = game.world;
  each_moving_table(world, [&](const auto& table) { add_table(hash, table); });
  hash.add_record(*world.agenda);
  hash.add_record(*world.graveyard);
  hash.add_record(*world.clock);
  hash.add_record(*world.rng);
  hash.add(game.sounds.next);
  for (const std::uint64_t source : game.sounds.sources) hash.add(source);
}

}  // namespace

std::uint64_t plain_hash(const Game& game) {
  const World& world = game.world;
  PlainHash hash;
  add_moving(hash, game);
  add_table(hash, world.sectors);
  add_table(hash, world.lines);
  add_table(hash, world.textures.table());
  for (const auto& [handle, texture] : world.textures.table().entries()) {
    hash.add(world.textures.table().name(handle));
  }
  std::as_const(world.sounds)
      .for_each([&](SoundHandle handle, const SoundInfo& info, auto samples) {
        hash.add(std::uint64_t{handle.bits()});
        hash.add_record(info);
        hash.add(std::string_view(reinterpret_cast<const char*>(samples.data()), samples.size()));
      });
  hash.add_record(*world.cast);
  return hash.value();
}

TickHashes tick_hashes(const Game& game) {
  PlainHash moving;
  add_moving(moving, game);
  std::vector<const Thing*> things;
  for (const Thing& thing : game.world.things) things.push_back(&thing);
  std::sort(things.begin(), things.end(),
            [](const Thing* a, const Thing* b) { return a->number < b->number; });
  PlainHash fates;
  for (const Thing* const thing : things) {
    fates.add(std::string_view(thing->name));
    for (const std::int32_t number : {thing->x, thing->y, thing->hp}) {
      fates.add(static_cast<std::uint64_t>(number));
    }
  }
  return {moving.value(), fates.value()};
}

}  // namespace demo
