// History: the last states of a database by frame number. Games use it for rollback networking and
// for rewinding time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "hdb/assert.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/base/api.hpp"

namespace hdb {

/// How many frames a History keeps. Beyond a limit, it drops the oldest frames, never the newest.
struct HistoryOptions {
  std::size_t frames = 64;      ///< The most frames, at least 1.
  std::uint64_t max_bytes = 0;  ///< The most bytes of memory_bytes(); 0: no limit.
};

/// A ring of captures by frame number. The caller chooses the numbers; they must rise.
///
/// Requires: the database outlives the history. HistoryOptions::frames is at least 1; every build
/// ends the program with a message if not.
/// Threads: the thread that changes the database.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::History history(db, {.frames = 8});
/// for (std::uint64_t frame = 0; frame < 20; ++frame) {
///   if (!history.record(frame)) return;
///   monsters.edit(imp)->hp -= 1;
/// }
/// assert(history.oldest() == 12u && history.newest() == 19u);
/// if (!history.rewind(15)) return;  // the state before frame 15 ran
/// assert(monsters.at(imp).hp == 85);
/// @endcode
class HDB_API History {
 public:
  /// An empty history of `database`.
  // Inline: clang describes a class to debuggers only where a constructor is compiled.
  explicit History(Database& database, const HistoryOptions& options = {})
      : database_(database), options_(options) {
    HDB_REQUIRE(options.frames >= 1, "History: HistoryOptions::frames must be 1 or more");
  }

  /// Captures the current state as `frame`.
  /// Errors: bad_options if `frame` is not greater than newest(); nothing is captured then.
  /// Complexity: as Database::capture. Invalidates: as Database::capture.
  [[nodiscard]] Status record(std::uint64_t frame);
  /// Restores the state of `frame` and drops all later frames.
  /// Errors: not_found if the history does not have the frame; as Database::restore. Nothing
  /// changes then.
  /// Complexity: as Database::restore. Invalidates: as Database::restore.
  [[nodiscard]] Status rewind(std::uint64_t frame, const RestoreOptions& options = {});

  /// The handles that changed from `frame` to now; captures to compare.
  /// Errors: not_found. Complexity: as changes_between. Invalidates: as Database::capture.
  [[nodiscard]] Result<Changes> since(std::uint64_t frame);
  /// The state hash of `frame`.
  /// Errors: not_found; as Snapshot::try_state_hash. Complexity: as Snapshot::try_state_hash.
  [[nodiscard]] Result<Hash128> state_hash(std::uint64_t frame) const;
  /// The snapshot of `frame`; null if the history does not have it. Valid until the next non-const
  /// call; copy the snapshot to keep it. Complexity: logarithmic.
  [[nodiscard]] const Snapshot* find(std::uint64_t frame) const noexcept;

  /// The number of the newest frame that is not after `frame`; none if the history begins later. A
  /// program that records only some frames restores this one and plays on from there.
  /// Complexity: logarithmic.
  [[nodiscard]] std::optional<std::uint64_t> at_or_before(std::uint64_t frame) const noexcept;
  /// The number of the oldest frame; none if the history is empty.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const noexcept;
  /// The number of the newest frame; none if the history is empty.
  [[nodiscard]] std::optional<std::uint64_t> newest() const noexcept;
  /// The number of frames.
  [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }
  [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
  /// The memory that the frames keep, in bytes: what blocks held before they were written between
  /// one frame and the next, and the arrays of tables that were cleared or loaded meanwhile.
  /// Complexity: constant.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return bytes_; }
  /// Drops all frames.
  void clear() noexcept;

 private:
  struct Frame {
    std::uint64_t number;
    Snapshot snapshot;
    std::uint64_t bytes = 0;  // that the next frame does not share; 0 of the newest
  };
  [[nodiscard]] const Frame* last_until(std::uint64_t frame) const noexcept;
  void drop_oldest() noexcept;
  void drop_newest() noexcept;

  Database& database_;
  HistoryOptions options_;
  std::deque<Frame> frames_;  // in ascending order of numbers
  std::uint64_t bytes_ = 0;   // of all
};

}  // namespace hdb
