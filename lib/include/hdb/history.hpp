// History: the last states of a database by frame, for rollback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "hdb/changes.hpp"
#include "hdb/database.hpp"

namespace hdb {

struct HistoryOptions {
  std::size_t frames = 64;  ///< The most that are kept, at least 1; then the oldest goes.
  /// The most memory that older frames may keep beside the newest; 0: any. Then the oldest go,
  /// never the newest.
  std::uint64_t max_bytes = 0;
};

/// A ring of captures by frame. Frames are numbers of the caller's that rise. Used by the
/// database's thread; must not outlive the database.
class History {
 public:
  explicit History(Database& database, const HistoryOptions& options = {});

  /// Captures the present state as `frame`.
  /// Errors: bad_options when `frame` is not above newest(); then nothing was captured.
  /// Complexity: O(pages); the pages that the game writes afterwards are copied.
  Status record(std::uint64_t frame);
  /// Restores a frame, and forgets those above it: the game goes on from there.
  /// Errors: not_found for a frame that was never recorded or was dropped; as Database::restore.
  /// Then nothing changed.
  Status rewind(std::uint64_t frame, const RestoreOptions& options = {});

  /// What became of handles from a frame to now. Errors: not_found. Complexity: as changes_between.
  [[nodiscard]] Result<Changes> since(std::uint64_t frame);
  /// The state hash of a frame, at the cost of what changed since another one was hashed.
  /// Errors: not_found; a record's `serialize` that fails.
  [[nodiscard]] Result<Hash128> state_hash(std::uint64_t frame) const;
  /// The state of a frame; null when there is none. Good until the next call that is not const;
  /// copy it to keep it.
  [[nodiscard]] const Snapshot* find(std::uint64_t frame) const noexcept;

  [[nodiscard]] std::optional<std::uint64_t> oldest() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> newest() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }
  [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
  /// Memory that frames keep beside the newest one, in bytes: each page once (see
  /// Snapshot::bytes_not_in). Constant.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return bytes_; }
  /// Forgets all frames.
  void clear() noexcept;

 private:
  struct Frame {
    std::uint64_t number;
    Snapshot snapshot;
    std::uint64_t bytes = 0;  // that the next frame does not share; 0 of the newest
  };
  void drop_oldest() noexcept;
  void drop_newest() noexcept;

  Database& database_;
  HistoryOptions options_;
  std::deque<Frame> frames_;  // rising
  std::uint64_t bytes_ = 0;   // of all
};

}  // namespace hdb
