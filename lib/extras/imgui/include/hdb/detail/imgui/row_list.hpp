// The records of a table that the browser lists: all, or those that a filter matches. The table is
// searched in slices, so that a frame stays short whatever its size.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/live_table.hpp"

namespace hdb::detail::imgui {

/// The end of a slice of work.
class Deadline {
 public:
  /// `ms` milliseconds from now.
  explicit Deadline(double ms)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double, std::milli>(ms))) {}
  [[nodiscard]] bool is_over() const noexcept { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

/// What the rows are sorted by.
struct RowOrder {
  enum class By : std::uint8_t { position, handle, name, field };
  By by = By::position;
  std::size_t field = 0;  ///< By::field: its number in the record.
  bool is_descending = false;

  friend bool operator==(const RowOrder&, const RowOrder&) = default;
};

/// The rows of one table. Without a filter, an order and free places between records they are its
/// positions. Else the table is read from its begin to its end, again and again, and the rows are
/// what the last whole pass found; the first pass shows what it has found so far, not yet sorted.
/// Records go into a heap as they are read and come out of it one by one at the end of a pass, so
/// that sorting is done in slices, too.
class HDB_IMGUI_API RowList {
 public:
  /// Forgets all; the next advance() begins a first pass. `filter`: an expression as of
  /// `hdbinspect help filters`, or a text that a record or its name contains, whatever the case of
  /// ASCII letters; empty: all records.
  void start(std::string_view filter);
  [[nodiscard]] const std::string& filter() const noexcept { return filter_; }

  /// Sorts by another order; the next advance() begins a first pass if it is another one. Numbers
  /// are sorted as numbers, handles by slots, all others by the first 64 bytes of their texts.
  void sort(const RowOrder& order);

  /// Reads on for `ms`, at least a few records; a tenth of it after the first pass. `tables`: all
  /// of the database, as handles in the filter name them.
  void advance(LiveTable& table, const std::vector<TableDescriptor>& tables, double ms);

  /// The number of rows.
  [[nodiscard]] std::uint64_t size(const LiveTable& table) const noexcept;
  /// The handle of a row, whose record may be gone since it was found; 0 if it has none.
  [[nodiscard]] std::uint64_t handle_at(const LiveTable& table, std::uint64_t row) const noexcept;
  /// The row of a record; none if it is not listed. Complexity: constant, or linear in the rows if
  /// these were searched for.
  [[nodiscard]] std::optional<std::uint64_t> row_of(const LiveTable& table,
                                                    std::uint64_t handle) const noexcept;
  /// Whether the first pass is not done.
  [[nodiscard]] bool is_first_pass() const noexcept { return !is_complete_; }
  /// What is wrong with the filter; empty if nothing is.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  /// A record of a sorted pass. Equal ones stay in the order of the table.
  struct Row {
    std::uint64_t number = 0;
    std::string text;
    std::uint64_t position = 0;
    std::uint64_t handle = 0;
  };
  [[nodiscard]] bool is_sorted() const noexcept { return order_.by != RowOrder::By::position; }
  [[nodiscard]] Row row_at(LiveTable& table, std::uint64_t handle) const;
  [[nodiscard]] bool comes_later(const Row& a, const Row& b) const noexcept;
  void take_slice(LiveTable& table);

  void bind(const LiveTable& table, const std::vector<TableDescriptor>& tables);
  [[nodiscard]] bool matches(LiveTable& table, std::uint64_t handle) const;
  [[nodiscard]] bool is_direct(const LiveTable& table) const noexcept;

  std::string filter_;
  RowOrder order_;
  std::optional<RecordFilter> expression_;
  std::string problem_;
  bool is_bound_ = false;
  bool is_complete_ = false;
  std::uint64_t next_ = 0;             // the position to be read
  std::vector<std::uint64_t> shown_;   // of the last whole pass
  std::vector<std::uint64_t> coming_;  // of the present pass; sorted: what left the heap
  std::vector<Row> heap_;              // sorted: of the present pass
};

/// Whether `text` contains `part`, whatever the case of ASCII letters.
[[nodiscard]] HDB_IMGUI_API bool contains_any_case(std::string_view text,
                                                   std::string_view part) noexcept;

}  // namespace hdb::detail::imgui
