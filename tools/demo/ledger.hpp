// An account of all handles issued, kept without hdb: the judge of which handles are live.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "world.hpp"

namespace demo {

/// The game reports every birth and death; the ledger knows nothing of slots and generations.
class Ledger {
 public:
  void born(std::string_view table, std::uint64_t bits, std::uint32_t number) {
    auto place = living_.find(table);
    if (place == living_.end()) place = living_.emplace(table, Handles()).first;
    is_sound_ = place->second.emplace(bits, number).second && is_sound_;
  }
  void died(std::string_view table, std::uint64_t bits) {
    const auto place = living_.find(table);
    is_sound_ = place != living_.end() && place->second.erase(bits) == 1 && is_sound_;
  }
  /// The number of the record that these bits must name; none if they are stale.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view table,
                                                       std::uint64_t bits) const {
    const auto place = living_.find(table);
    if (place == living_.end()) return std::nullopt;
    const auto entry = place->second.find(bits);
    return entry != place->second.end() ? std::optional(entry->second) : std::nullopt;
  }
  /// No two live records ever had one handle, and no record died twice.
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }

 private:
  using Handles = std::unordered_map<std::uint64_t, std::uint32_t>;  // bits to number
  std::map<std::string, Handles, std::less<>> living_;
  bool is_sound_ = true;
};

/// Inserts into the table and the ledger.
template <class Table, class Record>
typename Table::HandleType insert_into(Table& table, Record record, Ledger& ledger) {
  const std::uint32_t number = record.number;
  const auto handle = table.insert(std::move(record));
  ledger.born(kTableOf<typename Table::HandleType>, handle.bits(), number);
  return handle;
}
/// Erases from the table and the ledger; false if the handle is stale.
template <class Table>
bool erase_from(Table& table, typename Table::HandleType handle, Ledger& ledger) {
  if (!table.erase(handle)) return false;
  ledger.died(kTableOf<typename Table::HandleType>, handle.bits());
  return true;
}

}  // namespace demo
