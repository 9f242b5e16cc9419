// A game on the generated map, for tests that play.
#pragma once

#include "ledger.hpp"
#include "map.hpp"
#include "simulation.hpp"
#include "sound.hpp"
#include "world.hpp"
#include "world_hash.hpp"

namespace demo::test {

struct Game {
  explicit Game(std::uint64_t seed = 1) { build_world(world, generate_map(1), seed, ledger); }

  void play_to(std::uint32_t tick) {
    while (world.clock->tick < tick) simulation.tick();
  }
  [[nodiscard]] TickHashes hashes() const { return tick_hashes(world, sound); }

  World world;
  SoundSystem sound;
  Ledger ledger;
  Simulation simulation{world, sound, ledger};
};

}  // namespace demo::test
