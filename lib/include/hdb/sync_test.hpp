// sync_test: runs each frame twice from one captured state, and tells which field came out
// differently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "hdb/database.hpp"
#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

struct SyncTestOptions {
  /// Frames that run before the state is restored and they run again, at least 1. More find what
  /// shows only when several frames run again, such as a counter outside of the state that starts
  /// anew with a level.
  std::uint64_t frames_again = 1;
  std::uint64_t first_frame = 0;  ///< The number that `step` gets first.
  /// Called when the database is back at the moment before `frame`, which runs again: puts back
  /// what the step depends on and keeps elsewhere.
  std::function<void(std::uint64_t frame)> on_restore = {};
};

/// Two runs of one frame from one state that ended in different ones.
struct Divergence {
  std::uint64_t frame = 0;  ///< The first frame after which the states differ.
  Hash128 first_hash;       ///< Of the first run.
  Hash128 second_hash;      ///< Of the second.
  /// The two states; hdb/inspect/snapshot_diff.hpp lists all differences between them.
  Snapshot first;
  Snapshot second;
  /// The first difference: "monsters:1042@7.hp: 40 -> 38"; empty when no table of the hash differs.
  std::string difference;

  /// "frame 17: monsters:1042@7.hp: 40 -> 38": frame, table, handle and field with both values;
  /// safe to print.
  [[nodiscard]] std::string message() const;
};

struct SyncTestReport {
  std::uint64_t frames = 0;              ///< Frames of which both runs ended in one state.
  std::optional<Divergence> divergence;  ///< Nothing: none of them came out differently.
};

/// Looks for what rollback, lockstep and replay cannot bear: a step whose outcome depends on more
/// than the captured state and the number of the frame. Captures, calls `step` for some frames,
/// restores, calls it for them again, and compares the state hash after each, so tables left out of
/// the hash are restored but not compared. Ends at the first difference.
///
/// Afterwards the database is in the state of the first run after the last frame that ran, so the
/// game goes on as if each frame had run once. What `step` throws is passed on; the database is
/// then in the state before the frame that threw. What lies outside of captured tables (sidecars,
/// tables left out of captures, variables) has seen each frame twice.
/// Errors: a record's `serialize` that fails; bad_options; as Database::restore.
/// Complexity: each frame costs two steps, and the hashes of the pages that these changed.
[[nodiscard]] Result<SyncTestReport> sync_test(Database& database,
                                               const std::function<void(std::uint64_t frame)>& step,
                                               std::uint64_t frames,
                                               const SyncTestOptions& options = {});

}  // namespace hdb
