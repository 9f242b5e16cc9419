// The first process: plays without a break, saves on the way, keeps what the second must find.
#pragma once

#include <cstdint>
#include <string>

#include "art.hpp"
#include "files.hpp"
#include "journey.hpp"
#include "map.hpp"

namespace demo {

/// What the world is made of.
struct WorldFacts {
  std::size_t sectors = 0;
  std::size_t lines = 0;
  std::size_t textures = 0;
  std::size_t things = 0;
  std::size_t textures_shared = 0;   ///< Asked for when they were there already.
  std::size_t textures_unknown = 0;  ///< Names that the WAD lacks.
  std::size_t sounds = 0;
  std::uint64_t sound_bytes = 0;
};

/// The world at the tick of the save.
struct SaveFacts {
  std::size_t missiles_live = 0;
  std::size_t missiles_free = 0;
  std::size_t missiles_descents = 0;  ///< Falling neighbours in the free list.
  std::size_t things_free = 0;
  std::size_t shots_retired = 0;
  std::size_t handles_held = 0;
  std::size_t handles_stale = 0;
  std::size_t handles_disputed = 0;
  std::size_t events_handled = 0;
  std::size_t events_stale = 0;    ///< Skipped, as their subjects were gone.
  std::size_t events_waiting = 0;  ///< For a tick after the save.
  std::size_t textures = 0;
  std::size_t sprites = 0;
  std::size_t sprites_misplaced = 0;  ///< Neighbours that are not yet in the order of drawing.
  bool is_sorting = false;            ///< The order of drawing is unfinished.
};

/// What the save cost the game.
struct FrameFacts {
  double capture_us = 0;         ///< Capturing.
  double start_us = 0;           ///< Starting the save.
  double longest_during_ms = 0;  ///< Of the frames played while the save went on.
  double save_ms = 0;  ///< From the capture until the save was durable, as the game saw it.
  std::uint64_t file_bytes = 0;
};

struct Played {
  std::string error;  ///< Why there is no result; empty: there is.
  WorldFacts world;
  SaveFacts at_save;
  FrameFacts frames;
  std::uint32_t missiles_made = 0;
  std::uint32_t deaths = 0;
  std::string state_hash;  ///< At the end, by hdb.
  std::string plain_hash;  ///< At the end, without hdb.
  bool handles_unique = false;
  Journey journey;  ///< To the next map, after the end.
};

/// Plays `map` from tick 0 to the end, goes on to the next map, and writes all files but those of
/// the second process.
[[nodiscard]] Played play(const MapData& map, const Art& art, std::uint64_t seed,
                          const Files& files);

}  // namespace demo
