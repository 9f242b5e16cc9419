// Autosaver: saves in the background, one at a time, at the cost of what changed since the last
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hdb/save.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

/// Where an Autosaver's save goes: a file, or whatever a function of the caller's writes to.
class AutosaveTarget {
 public:
  using Write =
      std::function<Result<SaveReport>(const Snapshot& snapshot, const SaveOptions& options)>;

  /// A file, saved as by hdb::save.
  AutosaveTarget(std::string path);
  AutosaveTarget(const char* path) : AutosaveTarget(std::string(path)) {}
  /// `write` is called when the save begins, on the thread that saves; it gives `options` on to
  /// hdb::save. Targets of one name are one target.
  AutosaveTarget(std::string name, Write write)
      : name_(std::move(name)), write_(std::move(write)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Write& write() const noexcept { return write_; }

 private:
  std::string name_;
  Write write_;
};

/// What becomes of saves that wait when an Autosaver closes.
enum class Closing : std::uint8_t {
  finish,  ///< All are saved.
  cancel,  ///< Those that wait end with `cancelled`; the one that runs is asked to stop.
};

struct AutosaverOptions {
  std::uint64_t cache_bytes = ChunkCache::kDefaultMaxBytes;  ///< See ChunkCache; 0: no cache.
  /// Runs a task in the background, on one thread at a time; empty: a thread of its own, which
  /// sleeps while nothing waits.
  std::function<void(std::function<void()> task)> background = {};
  /// Told of every result, in the order in which saves ended, also of those that nobody asks for:
  /// on the thread that saves, or, of what never began, on the one that closed. It must not throw,
  /// and not wait for the autosaver.
  std::function<void(const std::string& target, const Result<SaveReport>& result)> on_finished = {};
  Closing on_destruction = Closing::finish;
};

/// Saves captures in the background.
///
/// At most one save runs, and for each target at most one waits: a newer capture takes the place of
/// the waiting one, which ends with `superseded`. Different targets are served in the order in
/// which they came. What fails in the background is the result of that save, and of no other. The
/// database may change, be restored, loaded or destroyed meanwhile.
///
//   AS1  Every ticket gets a result, exactly one, and on_finished is told of it.
//   AS2  The snapshots held are those of the running save and of one waiting save a target.
//   AS3  No lock is held while the program's code, the executor or a save runs.
///
/// Memory: the blocks in flight of one save, the cache, and the pages of AS2 that the game has
/// changed since. Any thread.
class Autosaver {
 public:
  explicit Autosaver(AutosaverOptions options = {});
  /// Closes as the options say, and waits for it.
  ~Autosaver();
  Autosaver(const Autosaver&) = delete;
  Autosaver& operator=(const Autosaver&) = delete;

  /// Hands a capture over, to be saved as soon as nothing else of this autosaver runs. The options'
  /// cache and background are not used. After `close` the ticket ends with `cancelled`.
  /// Complexity: a few allocations; no byte of the state is touched.
  SaveTicket save(Snapshot snapshot, const AutosaveTarget& target, SaveOptions options = {});

  /// Waits until nothing runs or waits. Not to be called from on_finished or on_progress.
  void flush();
  /// Ends the work, for good, and waits for its end. Again: nothing.
  void close(Closing how = Closing::finish);

  /// How the last save ended that was not superseded; none: there was none yet.
  [[nodiscard]] std::optional<Result<SaveReport>> last_result() const;
  /// Memory of the cache, in bytes; at most AutosaverOptions::cache_bytes.
  [[nodiscard]] std::uint64_t cache_bytes_used() const noexcept;

 private:
  class Queue;
  class Drain;
  std::shared_ptr<Queue> queue_;
};

}  // namespace hdb
