// The handles that were created, erased and changed between two snapshots. Physics, graphics and
// sound use the lists to follow the tables after a restore or load. hdb/inspect/snapshot_diff.hpp
// compares field by field.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// The handles of one table that differ, as bits. Each list is in ascending order of slots.
struct TableChanges {
  std::string table;
  std::vector<std::uint64_t> created;  ///< Live only in the later state.
  std::vector<std::uint64_t> erased;   ///< Live only in the earlier state.
  /// Live in both states, but the record, its name, what a load kept of it
  /// (LoadOptions::keep_unknown) or (blob tables) its bytes or offset differ.
  std::vector<std::uint64_t> changed;

  [[nodiscard]] bool empty() const noexcept {
    return created.empty() && erased.empty() && changed.empty();
  }
};

/// The tables in which a handle differs, in ascending order of names.
struct Changes {
  std::vector<TableChanges> tables;

  /// Whether nothing differs.
  [[nodiscard]] bool empty() const noexcept { return tables.empty(); }
  /// The changes of one table; empty lists if nothing differs or no table has this name.
  /// Complexity: logarithmic.
  [[nodiscard]] HDB_API const TableChanges& of(std::string_view table) const noexcept;
};

/// The same handles with a type: handles_as<Handle<Monster>>(changes.of("monsters").created).
template <class HandleType>
[[nodiscard]] std::vector<HandleType> handles_as(std::span<const std::uint64_t> bits) {
  std::vector<HandleType> handles;
  handles.reserve(bits.size());
  for (const std::uint64_t value : bits) {
    handles.push_back(HandleType::from_bits(static_cast<typename HandleType::Bits>(value)));
  }
  return handles;
}

/// Compares two snapshots and returns the handles that differ.
///
/// Records are compared by value: a handle is not listed if its records are equal in both states,
/// and a record whose `serialize` fails counts as changed. The dense order is not compared. If a
/// table has another schema, storage or handle layout in the later state, all its handles are
/// erased and created. An empty snapshot has no tables. Kept tables are not compared: diff
/// (hdb/inspect/snapshot_diff.hpp) compares them too.
///
/// Complexity: for snapshots of one database, linear in the pages and in the records of pages that
/// the snapshots do not share; for blob tables, linear in their bytes; for snapshots of different
/// databases, linear in all records.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// const hdb::Snapshot earlier = db.capture();
/// monsters.edit(imp)->hp = 7;
/// monsters.insert({.name = "orc"});
/// const hdb::Changes changes = hdb::changes_between(earlier, db.capture());
/// const hdb::TableChanges& table = changes.of("monsters");
/// assert(hdb::handles_as<hdb::Handle<Monster>>(table.changed).front() == imp);
/// assert(table.created.size() == 1 && table.erased.empty());
/// @endcode
[[nodiscard]] HDB_API Changes changes_between(const Snapshot& earlier, const Snapshot& later);

}  // namespace hdb
