// Type ids for tables that cannot keep theirs when a load or restore adopts others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// The ids of the tables of the timeline that begins. First all are taken that are given: by the
/// file or the snapshot, and to tables with records that are passed by. Tables without records get
/// what is left.
class TypeIdChoice {
 public:
  /// `highest` is the highest id that the file or the snapshot says was ever given.
  explicit TypeIdChoice(std::uint16_t highest) : first_free_(highest + 1u) {}

  /// 0 is never taken.
  [[nodiscard]] bool is_taken(std::uint16_t id) const noexcept {
    return id < taken_.size() && taken_[id];
  }
  void take(std::uint16_t id) {
    if (id == 0) return;
    if (id >= taken_.size()) taken_.resize(id + std::size_t{1});
    taken_[id] = true;
    highest_taken_ = std::max(highest_taken_, id);
  }
  /// The lowest free id that was never given, for a table whose own is not to be kept.
  /// Errors: layout_mismatch when there is none.
  [[nodiscard]] Result<std::uint16_t> next(const TableEntry& entry) {
    while (first_free_ <= 0xffff && is_taken(static_cast<std::uint16_t>(first_free_))) {
      ++first_free_;
    }
    if (first_free_ >= 1u << entry.core().policy().layout.type_bits) {
      return fail(ErrorCode::layout_mismatch,
                  "type id " + std::to_string(entry.core().options().type_id) +
                      " belongs or belonged to another table, and no other type id is left",
                  "table '" + entry.name + "'");
    }
    take(static_cast<std::uint16_t>(first_free_));
    return static_cast<std::uint16_t>(first_free_);
  }
  [[nodiscard]] std::uint16_t highest_taken() const noexcept { return highest_taken_; }

 private:
  std::vector<bool> taken_;
  std::uint32_t first_free_;
  std::uint16_t highest_taken_ = 0;
};

}  // namespace hdb
