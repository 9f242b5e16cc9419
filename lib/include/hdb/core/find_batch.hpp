// Table::find_batch: many lookups whose cache misses overlap. Included by table.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hdb/core/table.hpp"

namespace hdb {

template <class Record, class L, class Tag, Access A>
std::size_t Table<Record, L, Tag, A>::find_batch(std::span<const HandleType> handles,
                                                 std::span<const Record*> out) const noexcept {
  // First the slots, then the records are fetched ahead; find itself does not touch a record.
  constexpr std::size_t kAhead = 16;
  const std::size_t count = handles.size();
  const auto fetch_slot = [this](HandleType handle) {
    const std::uint64_t slot = slot_of(handle);
    if (slot < core_.counters().slot_count) {
      __builtin_prefetch(core_.slots().entries().at(static_cast<std::size_t>(slot)));
    }
  };
  for (std::size_t i = 0; i < std::min(count, kAhead); ++i) fetch_slot(handles[i]);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) fetch_slot(handles[i + kAhead]);
    const Record* const record = find(handles[i]);
    __builtin_prefetch(record);
    out[i] = record;
    found += record != nullptr ? 1 : 0;
  }
  return found;
}

}  // namespace hdb
