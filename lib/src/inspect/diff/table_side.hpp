// One table of one state as a comparison sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/inspect/values.hpp"

namespace hdb::diffing {

/// What one slot is on one side.
struct SlotView {
  bool exists = false;  ///< false: beyond the table's slots.
  SlotState state = SlotState::free;
  std::uint32_t generation = 0;
  std::uint32_t position = 0;  ///< Dense tables, live slots.

  [[nodiscard]] bool is_live() const noexcept { return exists && state == SlotState::live; }
};

/// Slots are taken in rising order, each at most once.
class TableSide {
 public:
  virtual ~TableSide() = default;

  [[nodiscard]] virtual const std::vector<TableDescriptor>& tables() const = 0;
  [[nodiscard]] virtual const TableDescriptor& table() const = 0;
  /// The schema of the rows.
  [[nodiscard]] virtual const Field& root() const = 0;
  /// The slot's state; a live slot's record is in `row()` after it.
  [[nodiscard]] virtual Result<SlotView> take_slot(std::uint64_t slot) = 0;
  [[nodiscard]] virtual const Value& row() const = 0;
  /// A slot of any table of the state; nothing if it is unknown.
  [[nodiscard]] virtual std::optional<SlotFacts> find_slot(std::size_t table,
                                                           std::uint64_t slot) = 0;
  [[nodiscard]] virtual Result<std::vector<std::uint32_t>> free_list() const = 0;
};

}  // namespace hdb::diffing
