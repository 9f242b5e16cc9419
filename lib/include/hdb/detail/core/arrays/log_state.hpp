// What tables read of the undo log at each change.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"

namespace hdb::detail {

class UndoLog;

/// The epoch, and what a capture must not come amid. UndoLog has the rest and the rules.
class LogState {
 public:
  LogState(const LogState&) = delete;
  LogState& operator=(const LogState&) = delete;

  // The mutating thread:

  /// The present one.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_of_mark(whole_mark_); }
  /// Of the present epoch; its address stays.
  [[nodiscard]] const std::uint64_t& whole_mark() const noexcept { return whole_mark_; }
  /// Whether there was a capture, so that blocks must be owned before they are written.
  [[nodiscard]] bool is_tracking() const noexcept { return epoch() != kFirstEpoch; }

  // Of all tables:

  /// Code of the program runs amid a change, or holds mutable pointers.
  void add_busy(int count) noexcept { busy_ += count; }
  /// From any thread.
  void add_span_visit(int count) noexcept {
    span_visits_.fetch_add(count, std::memory_order_relaxed);
  }
  /// Whether a capture must be refused.
  [[nodiscard]] bool is_busy() const noexcept {
    return busy_ != 0 || span_visits_.load(std::memory_order_relaxed) != 0;
  }

 protected:
  LogState() = default;
  ~LogState() = default;

  static constexpr std::uint64_t kFirstEpoch = 1;
  // Written under the mutex of the log, by the mutating thread.
  std::uint64_t whole_mark_ = detail::whole_mark(kFirstEpoch);

 private:
  int busy_ = 0;
  std::atomic<int> span_visits_{0};
};

/// A log of its own, for a table outside of a database.
[[nodiscard]] HDB_API std::shared_ptr<UndoLog> make_undo_log();

}  // namespace hdb::detail
