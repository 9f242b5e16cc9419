// Which tables a plain hash goes through, and how.
#include "world_hash.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

void add_moving(PlainHash& hash, const World& world, const SoundSystem& sound) {
  add_table(hash, world.things);
  add_table(hash, world.missiles);
  add_table(hash, world.shots);
  add_table(hash, world.sprites);
  hash.add_record(*world.agenda);
  hash.add_record(*world.clock);
  hash.add_record(*world.rng);
  hash.add_record(*world.graveyard);
  hash.add(sound.next());
  for (const SoundSystem::Channel& channel : sound.channels()) {
    hash.add(static_cast<std::uint64_t>(channel.table));
    hash.add(channel.bits);
  }
}

}  // namespace

std::uint64_t world_hash(const World& world, const SoundSystem& sound) {
  PlainHash hash;
  add_moving(hash, world, sound);
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
  add_table(hash, world.sectors);
  add_table(hash, world.sides);
  add_table(hash, world.lines);
  hash.add_record(*world.cast);
  hash.add_record(*world.settings);
  return hash.value();
}

TickHashes tick_hashes(const World& world, const SoundSystem& sound) {
  PlainHash moving;
  add_moving(moving, world, sound);

  std::vector<const Thing*> things;
  things.reserve(world.things.size());
  for (const Thing& thing : world.things) things.push_back(&thing);
  std::sort(things.begin(), things.end(),
            [](const Thing* a, const Thing* b) { return a->serial < b->serial; });
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
