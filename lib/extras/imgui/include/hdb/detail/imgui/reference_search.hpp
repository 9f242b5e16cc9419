// Who points to a record: a search through the handle fields of all tables, in slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/imgui/field_edit.hpp"
#include "hdb/live_table.hpp"

namespace hdb::detail::imgui {

/// A field that holds the handle.
struct Reference {
  Place holder;
  std::string path;  ///< "target", "items[3].owner"
};

/// Searches for the fields that hold a handle. Records that change behind the search may be missed.
class HDB_IMGUI_API ReferenceSearch {
 public:
  /// The most references that are listed.
  static constexpr std::size_t kMaxFound = 1000;

  /// Begins a search, in place of an earlier one.
  void start(Place target);
  void stop() { *this = ReferenceSearch(); }
  /// Searches on for `ms`, at least a few records. `tables`: all of the database, the same in each
  /// slice; call stop() when they changed.
  void advance(std::vector<LiveTable>& tables, double ms);

  [[nodiscard]] bool is_started() const noexcept { return !target_.table.empty(); }
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  /// The record that is searched for.
  [[nodiscard]] const Place& target() const noexcept { return target_; }
  [[nodiscard]] const std::vector<Reference>& found() const noexcept { return found_; }
  /// The number of records that were read.
  [[nodiscard]] std::uint64_t records_read() const noexcept { return read_; }

 private:
  void read_records(LiveTable& table, std::size_t target, std::uint64_t stop);
  void look_into(const Value& value, const Value& record, const LiveTable& table,
                 std::size_t target, std::uint64_t holder);
  /// Also false when the search is done.
  [[nodiscard]] bool is_at_a_table(std::vector<LiveTable>& tables, std::size_t target);

  Place target_;
  bool is_done_ = false;
  std::size_t table_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t read_ = 0;
  std::vector<ValueStep> steps_;
  std::vector<Reference> found_;
};

}  // namespace hdb::detail::imgui
