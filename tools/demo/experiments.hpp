// What hdb's captures make cheap, tried on the sample game: autosaves in play, frames run twice,
// rollback in every frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "art.hpp"
#include "frame_times.hpp"
#include "map.hpp"

namespace demo {

inline constexpr std::uint32_t kAutosaveTicks = 50;
inline constexpr std::uint32_t kSyncTestTicks = 60;
inline constexpr std::uint32_t kRollbackTicks = 8;

/// One game played twice from the same seed: without saves, and with an autosave every
/// kAutosaveTicks.
struct AutosaveTrial {
  std::string error;  ///< Why there is no result; empty: there is.
  FrameSeries without;
  FrameSeries with;
  FrameSummary added;  ///< Of the second run's frames beyond the same frames of the first.
  std::vector<std::size_t> frames;  ///< At which a save was begun.
  std::size_t saved =
      0;  ///< Saves on disk in the end, one of them for each begun that no newer one replaced.
  std::size_t superseded = 0;      ///< Saves that a newer one replaced before they began.
  std::uint64_t bytes = 0;         ///< Of the last file.
  std::uint64_t reused_bytes = 0;  ///< Of these, from the saves before.
  bool is_game_equal = false;      ///< Both runs end in the same state.
  bool is_save_exact = false;      ///< The newest file holds the state of its tick.
};
/// The files go to a folder of their own in `folder`.
[[nodiscard]] AutosaveTrial try_autosaves(const MapData& map, const Art& art, std::uint64_t seed,
                                          const std::string& folder);

/// The picture of its frame times.
[[nodiscard]] std::string autosave_plot(const std::string& map, const AutosaveTrial& trial);

/// Frames of a game in full swing, each run twice from one state.
struct SyncTrial {
  std::string error;
  std::uint64_t ticks = 0;  ///< Whose outcome was the same twice.
  std::string
      divergence;  ///< The first difference: tick, table, handle, field, both values; or empty.
};
/// `with_bug`: the rules then depend on a variable that is in no save.
[[nodiscard]] SyncTrial try_sync(const MapData& map, const Art& art, std::uint64_t seed,
                                 bool with_bug);

/// A game that goes back kRollbackTicks in each frame and plays them again, beside one that never
/// does.
struct RollbackTrial {
  std::string error;
  FrameSeries without;
  FrameSeries with;
  FrameSummary back;  ///< Going back and recording alone.
  std::uint64_t history_bytes = 0;
  bool is_equal = false;  ///< Both end in the same state.
};
/// The picture of its frame times.
[[nodiscard]] std::string rollback_plot(const std::string& map, const RollbackTrial& trial);
[[nodiscard]] RollbackTrial try_rollback(const MapData& map, const Art& art, std::uint64_t seed);

}  // namespace demo
