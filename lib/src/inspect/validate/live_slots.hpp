// LiveSlots: which slots are live under which generation, of tables as they are asked for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hdb/inspect/reader.hpp"

namespace hdb {

class LiveSlots {
 public:
  explicit LiveSlots(const Reader& reader)
      : reader_(reader), generations_(reader.tables().size()) {}

  /// Reads the slots of a table, once. Memory: 4 bytes for each.
  [[nodiscard]] Status load(std::size_t table) {
    const TableDescriptor& descriptor = reader_.tables()[table];
    if (!generations_[table].empty()) return {};
    std::vector<std::uint32_t> generations(static_cast<std::size_t>(descriptor.slot_count));
    RowGroup group;
    for (std::uint64_t number = 0; number < descriptor.group_count(); ++number) {
      if (auto read = reader_.read_columns(table, number, {}, group); !read) return read;
      const auto begin = static_cast<std::size_t>(descriptor.group_begin(number));
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
        generations[begin + i] = group.generations[i];
      }
    }
    generations_[table] = std::move(generations);
    return {};
  }

  /// Whether a record is live. Requires: the table is loaded.
  [[nodiscard]] bool contains(std::size_t table, std::uint64_t slot,
                              std::uint32_t generation) const noexcept {
    const auto& generations = generations_[table];
    return slot < generations.size() && generation != 0 &&
           generations[static_cast<std::size_t>(slot)] == generation;
  }

 private:
  const Reader& reader_;
  std::vector<std::vector<std::uint32_t>> generations_;  // 0: not live
};

}  // namespace hdb
