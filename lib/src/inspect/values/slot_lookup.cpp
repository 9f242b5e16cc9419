// Looks at the slot columns of the row groups asked for last.
#include "hdb/inspect/values.hpp"

#include <algorithm>
#include <utility>

namespace hdb {

Result<std::optional<SlotFacts>> SlotLookup::find(std::size_t table, std::uint64_t slot) {
  const TableDescriptor& descriptor = reader_->tables()[table];
  if (slot >= descriptor.slot_count) return std::optional<SlotFacts>{};
  const std::uint64_t group = slot >> descriptor.group_shift;
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.table == table && entry.group == group;
  });
  Entry* entry = known == entries_.end() ? nullptr : &*known;
  if (entry == nullptr) {
    if (entries_.size() < kEntries) {
      entry = &entries_.emplace_back();
    } else {
      entry = &*std::min_element(entries_.begin(), entries_.end(),
                                 [](const Entry& a, const Entry& b) { return a.used < b.used; });
    }
    entry->table = ~std::size_t{0};  // holds nothing until it is read
    if (auto read = reader_->read_columns(table, group, {}, entry->slots); !read)
      return fail(std::move(read.error()));
    entry->table = table;
    entry->group = group;
  }
  entry->used = ++clock_;
  const auto at = static_cast<std::size_t>(slot - descriptor.group_begin(group));
  if (at >= entry->slots.states.size())
    return fail(ErrorCode::bad_slots, "a row group has too few slots");
  return std::optional<SlotFacts>{
      SlotFacts{static_cast<SlotState>(entry->slots.states[at]), entry->slots.generations[at]}};
}

}  // namespace hdb
