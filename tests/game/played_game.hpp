// A game on a generated map, for tests that play.
#pragma once

#include "checks.hpp"
#include "game.hpp"
#include "judges.hpp"

namespace demo::test {

inline const Wad& generated_wad_1() {
  static const Wad wad(generate_wad(1));
  return wad;
}

struct PlayedGame : Game {
  explicit PlayedGame(std::uint64_t seed = 1) : Game(generated_wad_1(), "MAP01", seed) {}
  [[nodiscard]] TickHashes hashes() const { return tick_hashes(*this); }
};

}  // namespace demo::test
