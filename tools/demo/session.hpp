// A whole game: the world, what lies beside it, and the rules.
#pragma once

#include "art.hpp"
#include "ledger.hpp"
#include "map.hpp"
#include "simulation.hpp"
#include "sound.hpp"
#include "texture_store.hpp"
#include "world.hpp"

namespace demo {

/// A game on a map, from tick 0.
struct Session {
  Session(const MapData& map, const Art& art, std::uint64_t seed) : textures(world, art) {
    hud.bar = textures.obtain(kHudPicture, ledger);
    build_world(world, map, seed, textures, ledger);
  }
  /// A game to be loaded.
  explicit Session(const Art& art) : textures(world, art) {}

  void play_to(std::uint32_t tick) {
    while (world.clock->tick < tick) simulation.tick();
  }

  World world;
  SoundSystem sound;
  Ledger ledger;
  TextureStore textures;
  Hud hud;
  Simulation simulation{world, sound, ledger};
};

}  // namespace demo
