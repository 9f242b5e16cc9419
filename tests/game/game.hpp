// A game on the generated map, for tests that play.
#pragma once

#include "art.hpp"
#include "ledger.hpp"
#include "map.hpp"
#include "simulation.hpp"
#include "sound.hpp"
#include "texture_store.hpp"
#include "world.hpp"
#include "world_hash.hpp"

namespace demo::test {

/// The pictures and sounds of generated maps.
inline const Art& generated_art() {
  static const Art art = Art::read(Wad::parse(generate_wad()).value()).value();
  return art;
}

struct Game {
  explicit Game(std::uint64_t seed = 1) {
    build_world(world, generate_map(1), seed, textures, ledger);
  }

  void play_to(std::uint32_t tick) {
    while (world.clock->tick < tick) simulation.tick();
  }
  [[nodiscard]] TickHashes hashes() const { return tick_hashes(world, sound); }

  World world;
  SoundSystem sound;
  Ledger ledger;
  TextureStore textures{world, generated_art()};
  Simulation simulation{world, sound, ledger};
};

}  // namespace demo::test
