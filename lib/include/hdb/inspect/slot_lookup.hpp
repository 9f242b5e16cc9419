// State and generation of single slots of an open file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hdb/inspect/reader.hpp"

namespace hdb {

/// State and generation of one slot.
struct SlotFacts {
  SlotState state = SlotState::free;
  std::uint32_t generation = 0;
};

/// Looks slots up without reading records; keeps the last few row groups.
class SlotLookup {
 public:
  explicit SlotLookup(const Reader& reader) : reader_(&reader) {}
  /// Nothing for a slot that the table does not have.
  [[nodiscard]] Result<std::optional<SlotFacts>> find(std::size_t table, std::uint64_t slot);

 private:
  struct Entry {
    std::size_t table = 0;
    std::uint64_t group = 0;
    std::uint64_t used = 0;
    RowGroup slots;
  };
  static constexpr std::size_t kEntries = 16;
  const Reader* reader_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace hdb
