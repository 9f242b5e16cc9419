// A game on the generated map, for tests that play.
#pragma once

#include "session.hpp"
#include "world_hash.hpp"

namespace demo::test {

/// The pictures and sounds of generated maps.
inline const Art& generated_art() {
  static const Art art = Art::read(Wad::parse(generate_wad()).value()).value();
  return art;
}

struct Game : Session {
  explicit Game(std::uint64_t seed = 1) : Session(generate_map(1), generated_art(), seed) {}
  [[nodiscard]] TickHashes hashes() const { return tick_hashes(world, sound); }
};

}  // namespace demo::test
