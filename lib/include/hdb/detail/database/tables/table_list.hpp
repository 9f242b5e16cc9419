// The tables of a database, found by name, by handle type and by type id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"

namespace hdb::detail {

/// Tables in rising order of names, and indexes over them.
//
//   TL1 No two tables have one name, one type id other than 0, or one handle type without a type
//       id.
//   TL2 The indexes hold every table: under its type id, or under its handle type where handles
//       carry no type id.
//   TL3 A call that runs out of memory changes nothing.
//   TL4 A handle field that names a table of the list has the layout of its handles; else no load
//       could say what the handles mean.
class HDB_API TableList {
 public:
  using Entry = std::shared_ptr<TableEntry>;

  TableList() = default;
  /// Tables in rising order of names that keep TL1 but for their type ids; type_ids_changed makes
  /// that index.
  explicit TableList(std::vector<Entry> tables);

  /// Complexity: logarithmic.
  [[nodiscard]] TableEntry* find(std::string_view name) const noexcept;
  /// The table with handles of this type, which carry no type id; null when there is none.
  /// Complexity: logarithmic.
  [[nodiscard]] TableEntry* find_key(const HandleKey& key) const noexcept;
  /// The table of this type id; null when there is none. Complexity: constant.
  [[nodiscard]] TableEntry* find_type_id(std::uint32_t id) const noexcept {
    return id < by_type_id_.size() ? by_type_id_[id] : nullptr;
  }

  /// Adds a table that keeps TL1. Complexity: a search, and moving the pointers to tables of
  /// greater names.
  void insert(Entry entry);
  /// Takes a table out; null when there is none of this name. Complexity: as insert.
  Entry remove(std::string_view name) noexcept;

  /// Why a table cannot be in the list with the others, or is not the only one of the list that
  /// breaks TL4: a handle field of it, or one that names it, has another layout. Empty if it can.
  /// Complexity: linear in the tables and in the handle fields of those made at run time.
  [[nodiscard]] std::string find_layout_conflict(const TableEntry& entry) const;

  /// Makes room in the index for type ids up to `highest`.
  void reserve_type_ids(std::uint16_t highest);
  /// To be called after tables got other type ids; returns the highest of them. Requires:
  /// reserve_type_ids of that one.
  std::uint16_t type_ids_changed() noexcept;

  /// TL1, TL2 and TL4 hold. Complexity: quadratic in the tables made at run time, else linear.
  [[nodiscard]] bool check() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator lower_bound(
      std::string_view name) const noexcept;

  std::vector<Entry> entries_;
  std::vector<TableEntry*> by_key_;      // in rising order of the hashes of their keys
  std::vector<TableEntry*> by_type_id_;  // null where there is none
};

}  // namespace hdb::detail
