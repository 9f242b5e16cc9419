// Autosaver: saves captures in the background, one at a time, and encodes only what changed since
// the last save. For games that save during play.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hdb/chunk_cache.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/save.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

class SaveQueue;

/// What an Autosaver does with queued saves when it closes.
enum class Closing : std::uint8_t {
  finish,  ///< Saves all of them.
  cancel,  ///< Ends queued saves with `cancelled`, and asks the running save to stop.
};

/// The options of an Autosaver.
struct AutosaverOptions {
  /// The most memory of the cache in bytes (see ChunkCache); 0: no cache of its own.
  std::uint64_t cache_bytes = ChunkCache::kUnlimited;
  /// Runs `task` in the background, for example on a job system. Empty: the autosaver has one
  /// thread, which sleeps while nothing is queued. If the program drops a task, its saves end with
  /// `not_run`.
  std::function<void(std::function<void()> task)> background = {};
  /// Called once for each save that ended, also for superseded and cancelled saves, one call at a
  /// time. Runs on the thread that saves; for a save that never began, possibly on the thread that
  /// calls save or close. Must not call flush or close, or wait for a save.
  std::function<void(const std::string& target, const Result<SaveReport>& result)> on_finished = {};
  Closing on_destruction = Closing::finish;  ///< How the destructor closes.
};

/// Saves captures in the background.
///
/// At most one save runs at a time, and at most one is queued for each target: a new capture
/// replaces one still queued for the same target, which then ends with `superseded`. So does a
/// capture that is older than one that was queued or saved for the target (see also hdb::save).
/// Targets are saved in the order of their first queued capture. An error is the result of its own
/// save only.
/// The database may change, be restored, loaded or destroyed meanwhile.
///
/// Threads: any thread may call any member but the destructor.
/// Memory: the buffers of one running save, the cache, and the pages of the queued and running
/// snapshots that the game has changed since.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::Autosaver autosaver;
/// hdb::Saving last;
/// for (int minute = 0; minute < 3; ++minute) {
///   monsters.edit(imp)->hp -= 1;
///   last = autosaver.save(db.capture(), "auto.hdb");  // never waits
/// }
/// assert(last.result());  // waits for the last save
/// @endcode
//
//   AS1  Every save gets exactly one result, and on_finished is called with it.
//   AS2  The snapshots held are those of the running save and of one queued save for each target.
//   AS3  No lock is held while the program's code, the executor or a save runs.
class HDB_API Autosaver {
 public:
  /// Starts no thread before the first save, and at most one (without a function in `background`).
  explicit Autosaver(AutosaverOptions options = {});
  /// Calls close(on_destruction).
  ~Autosaver();
  Autosaver(const Autosaver&) = delete;
  Autosaver& operator=(const Autosaver&) = delete;

  /// Queues a capture. Ignores SaveOptions::background and, unless AutosaverOptions::cache_bytes is
  /// 0, WriteOptions::cache. After close, the save ends with `cancelled` at once. All saves of a
  /// target may have the same SaveOptions::expected: it accepts the files that the autosaver wrote
  /// in its place.
  /// Complexity: a few allocations; reads no record. If hdb cannot start its thread, the save runs
  /// before this call returns.
  Saving save(Snapshot snapshot, const SaveTarget& target, SaveOptions options = {});

  /// Waits until no save is queued or running. Must not be called from on_finished or on_progress.
  void flush();
  /// Accepts no more saves, ends the queued saves as `how` says, and waits until none is running.
  /// Further calls have no effect. Must not be called from on_finished or on_progress.
  void close(Closing how = Closing::finish);

  /// The result of the last save that ended and was not superseded; none if there was none.
  [[nodiscard]] std::optional<Result<SaveReport>> last_result() const;
  /// The memory of the cache in bytes; at most AutosaverOptions::cache_bytes.
  [[nodiscard]] std::uint64_t cache_bytes_used() const noexcept;

 private:
  std::shared_ptr<SaveQueue> queue_;
};

}  // namespace hdb
