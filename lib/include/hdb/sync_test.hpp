// sync_test: runs each frame twice from one captured state, if wanted the second time through a
// file, and reports the first field that differs. Games with rollback, lockstep or replay use it to
// find code that is not deterministic, and members that are not saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "hdb/database.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// The options of sync_test.
struct SyncTestOptions {
  /// The number of frames that run before the state is restored and they run again; at least 1.
  /// With more than 1, the test also finds causes that build up over several frames.
  std::uint64_t frames_again = 1;
  std::uint64_t first_frame = 0;  ///< The number of the first frame.
  /// Before frames run again, replaces each record by what a load makes of what a save keeps of it.
  /// So the second run begins as if the game had been saved and loaded, and the test also finds
  /// members that `serialize` forgets, as soon as they change a result. Only records pass through
  /// the form that files have: slots, names, free lists and tables of blobs stay as they are.
  bool through_file = false;
  /// Called after each restore, before `frame` runs again. Resets what the step needs and keeps
  /// outside of the database on purpose.
  std::function<void(std::uint64_t frame)> on_restore = {};
};

/// Two runs of one frame that started in one state and ended in different states.
struct Divergence {
  std::uint64_t frame = 0;  ///< The first frame after which the states differ.
  Hash128 first_hash;       ///< The state hash after the first run.
  Hash128 second_hash;      ///< The state hash after the second run.
  Snapshot first;           ///< The state after the first run, for hdb::diff(first, second).
  Snapshot second;          ///< The state after the second run.
  /// The first difference, as "monsters:1042@7.hp: 40 -> 38".
  std::string difference;

  /// One line for a log: "frame 17: monsters:1042@7.hp: 40 -> 38". Safe to print.
  [[nodiscard]] HDB_API std::string message() const;
};

/// The result of sync_test.
struct SyncTestReport {
  std::uint64_t frames = 0;              ///< The number of frames whose two runs were equal.
  std::optional<Divergence> divergence;  ///< The first difference; none if all runs were equal.
};

/// Tests whether `step` depends on nothing but the captured state and the frame number.
///
/// Captures the database, calls `step` for frames_again frames, restores, calls `step` for the same
/// frames again, and compares the state hashes after each frame; and so on until `frames` frames
/// have run or two hashes differ. Tables that are not hashed are restored but not compared.
///
/// Afterwards the database is in the state after the first run of the last frame, as if each frame
/// had run once. If `step` throws, the exception is passed on and the database is in the state
/// before that frame. Everything outside of captured tables (variables, sidecars, tables of
/// Scope::uncaptured) has seen each frame twice.
///
/// Errors: bad_options if frames_again is 0; as Snapshot::try_state_hash and Database::restore;
/// with `through_file` also errors of saving and loading a record.
/// Complexity: for each frame two calls of `step`, two hashes of the pages that `step` changed, and
/// at most five captures. With `through_file`, the records that are not known to be equal after a
/// load are encoded and decoded, too: of trivially copyable types those that changed since they
/// were found equal, of other types all.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// int wind = 0;  // forgotten: not in the database
/// const auto tested = hdb::sync_test(
///     db, [&](std::uint64_t) { monsters.edit(imp)->hp -= ++wind; }, 60);
/// assert(tested && tested->divergence);
/// assert(tested->divergence->message() == "frame 0: monsters:0@1.hp: 99 -> 98");
/// @endcode
[[nodiscard]] HDB_API Result<SyncTestReport> sync_test(
    Database& database, const std::function<void(std::uint64_t frame)>& step, std::uint64_t frames,
    const SyncTestOptions& options = {});

}  // namespace hdb
