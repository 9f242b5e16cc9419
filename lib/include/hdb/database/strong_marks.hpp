// Which records of a table are named by Strong fields anywhere in the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hdb/base/error.hpp"
#include "hdb/core/table_core.hpp"
#include "hdb/database/table_entry.hpp"

namespace hdb {

class Database;

/// A mark for each slot of `target` that a Strong field names. Marks only grow: a reference stored meanwhile is found, one
/// that goes away counts until the next mark_all.
class StrongMarks {
 public:
  StrongMarks(Database& database, TableCore& target, HandleKey key);

  /// Looks at every Strong field of this kind, and watches the tables that hold such from here on.
  [[nodiscard]] Status mark_all();
  /// Looks again at what was written since.
  [[nodiscard]] Status mark_written();
  /// The caller's own erase is no new reference: watches anew.
  void own_write_done() noexcept;
  [[nodiscard]] bool is_marked(std::uint32_t slot) const noexcept {
    return slot / 64 < marks_.size() && (marks_[slot / 64] >> (slot % 64) & 1) != 0;
  }
  /// The marks of the 64 slots from 64 * word on.
  [[nodiscard]] std::uint64_t marks_of(std::size_t word) const noexcept {
    return word < marks_.size() ? marks_[word] : 0;
  }
  /// Whether records of the target name records of the target.
  [[nodiscard]] bool holds_itself() const noexcept { return holds_itself_; }

 private:
  [[nodiscard]] Status mark_page(const TableEntry& entry, std::size_t page);
  void mark(std::uint64_t bits) noexcept;

  Database& database_;
  TableCore& target_;
  bool holds_itself_ = false;
  std::vector<HandleKey> keys_;
  std::uint64_t version_ = 0;  // of the database at the last mark_all
  std::vector<std::shared_ptr<TableEntry>> holders_;
  std::vector<std::uint64_t> marks_;
  std::vector<const void*> records_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace hdb
