// What differs between two snapshots, handle by handle: for physics, graphics and sound that follow
// the tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/snapshot.hpp"

namespace hdb {

/// Handles of one table, as bits, each list in rising order of slots.
struct TableChanges {
  std::string table;
  std::vector<std::uint64_t> created;  ///< Live only in the later state.
  std::vector<std::uint64_t> erased;   ///< Live only in the earlier state.
  /// Live in both, with another record, name or (blob tables) other bytes or another offset.
  std::vector<std::uint64_t> changed;

  [[nodiscard]] bool empty() const noexcept {
    return created.empty() && erased.empty() && changed.empty();
  }
};

/// The tables in which something differs, in rising order of names.
struct Changes {
  std::vector<TableChanges> tables;

  [[nodiscard]] bool empty() const noexcept { return tables.empty(); }
  /// What differs in one table; nothing when it is equal, or there is none.
  [[nodiscard]] const TableChanges& of(std::string_view table) const noexcept;
};

/// One of the lists as typed handles:
/// `handles_as<Handle<Monster>>(changes.of("monsters").created)`.
template <class HandleType>
[[nodiscard]] std::vector<HandleType> handles_as(std::span<const std::uint64_t> bits) {
  std::vector<HandleType> handles;
  handles.reserve(bits.size());
  for (const std::uint64_t value : bits) {
    handles.push_back(HandleType::from_bits(static_cast<typename HandleType::Bits>(value)));
  }
  return handles;
}

/// What became of the handles from one state to the other. A handle under which the other state has
/// another record that happens to be equal is not told: only values count.
/// Complexity: with snapshots of one database, a look at each page and at the records in those that
/// are not shared; of blob tables all bytes; with those of two databases all records. A record
/// whose `serialize` fails counts as changed. Of a table that has another schema, storage or handle
/// layout in the other state, all is erased and created. An empty snapshot has no tables.
[[nodiscard]] Changes changes_between(const Snapshot& earlier, const Snapshot& later);

}  // namespace hdb
