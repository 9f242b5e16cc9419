// Which records of a table are named by Strong fields anywhere in the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"
#include "hdb/error.hpp"

namespace hdb {
class Database;
}

namespace hdb::detail {

/// A table whose records Strong fields name, and a mark for each of its slots.
class StrongTarget {
 public:
  StrongTarget(TableCore& core, HandleKey key);
  [[nodiscard]] TableCore& core() const noexcept { return *core_; }
  /// The kinds of the handles that can name its records.
  [[nodiscard]] const std::vector<HandleKey>& keys() const noexcept { return keys_; }
  /// The live slot that a handle of these kinds names; none when it is null, stale or of another
  /// table.
  [[nodiscard]] std::optional<std::uint32_t> slot_of(std::uint64_t bits) const noexcept;

  /// Makes room for a mark of each slot.
  void cover_slots() { marks_.resize(to_size(core_->counters().slot_count / 64 + 1)); }
  void unmark() {
    marks_.clear();
    cover_slots();
  }
  /// Whether the mark is new. Requires: cover_slots.
  bool mark(std::uint32_t slot) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    const bool is_new = (marks_[slot / 64] & bit) == 0;
    marks_[slot / 64] |= bit;
    return is_new;
  }
  void mark_these(const std::vector<std::uint64_t>& marks) noexcept {
    for (std::size_t i = 0; i < marks.size() && i < marks_.size(); ++i) marks_[i] |= marks[i];
  }
  [[nodiscard]] bool is_marked(std::uint32_t slot) const noexcept {
    return slot / 64 < marks_.size() && (marks_[slot / 64] >> (slot % 64) & 1) != 0;
  }
  /// By 64 slots.
  [[nodiscard]] const std::vector<std::uint64_t>& marks() const noexcept { return marks_; }

 private:
  TableCore* core_;
  std::vector<HandleKey> keys_;
  std::vector<std::uint64_t> marks_;
};

/// What counts as keeping a resource.
enum class Keeps : std::uint8_t {
  strong_fields,  ///< Every Strong field.
  /// Resources that references or records of ordinary tables reach; no others that cycles keep.
  reachable,
};

/// A mark for each slot of `target` that a Strong field names. Marks only grow: a reference stored
/// meanwhile is found, one that goes away counts until the next mark_all.
class ReferenceScan {
 public:
  ReferenceScan(Database& database, TableCore& target, HandleKey key,
                Keeps keeps = Keeps::strong_fields);

  /// Looks at every Strong field of this kind, and watches the tables that hold such from here on.
  [[nodiscard]] Status mark_all();
  /// Looks again at what was written since.
  [[nodiscard]] Status mark_written();
  /// The caller's own erase is no new reference: watches anew.
  void own_write_done() noexcept;
  [[nodiscard]] bool is_marked(std::uint32_t slot) const noexcept {
    return target_.is_marked(slot);
  }
  /// The marks of the 64 slots from 64 * word on.
  [[nodiscard]] std::uint64_t marks_of(std::size_t word) const noexcept {
    return word < target_.marks().size() ? target_.marks()[word] : 0;
  }
  /// Whether records of the target name records of the target.
  [[nodiscard]] bool holds_itself() const noexcept { return holds_itself_; }

 private:
  [[nodiscard]] Status mark_page(const TableEntry& entry, std::size_t page);

  Database& database_;
  StrongTarget target_;
  Keeps keeps_;
  bool holds_itself_ = false;
  std::uint64_t version_ = 0;  // of the database at the last mark_all
  std::vector<std::shared_ptr<TableEntry>> holders_;
  std::vector<const void*> records_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace hdb::detail
