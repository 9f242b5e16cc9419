// Pages of two captures, side by side.
#include "database/capture/changed_slots.hpp"

#include "base/using_detail.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace hdb {
namespace {

// Calls `visit(begin, end)` for the elements [begin, end) below `count` of each page that is not
// shared. What lies at or behind `sound` means nothing on one side, so a page that reaches there
// counts as not shared.
template <class Visit>
void for_each_unshared(const FrozenArray& a, const FrozenArray& b, std::uint64_t count,
                       std::uint64_t sound, const Visit& visit) {
  const bool same_geometry = a.per_page() == b.per_page();
  for (std::uint64_t begin = 0; begin < count; begin += b.per_page()) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + b.per_page(), count);
    const auto page = static_cast<std::size_t>(begin / b.per_page());
    if (!same_geometry || end > sound || !a.is_same_page(page, b)) visit(begin, end);
  }
}

}  // namespace

bool have_same_shape(const SnapshotTable& a, const SnapshotTable& b) {
  const TablePolicy& before = a.descriptor->policy;
  const TablePolicy& after = b.descriptor->policy;
  return before.layout == after.layout && before.storage == after.storage &&
         before.names == after.names && a.type_id == b.type_id &&
         (a.frozen.blobs != nullptr) == (b.frozen.blobs != nullptr) &&
         a.program_schema() == b.program_schema();
}

SlotSet changed_slots(const SnapshotTable& a, const SnapshotTable& b) {
  const FrozenTable& before = a.frozen;
  const FrozenTable& after = b.frozen;
  const std::uint64_t old_count = before.counters().slot_count;
  const std::uint64_t new_count = after.counters().slot_count;
  const std::uint64_t count = std::max(old_count, new_count);
  SlotSet slots(count);
  const auto add_range = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t slot = begin; slot < end; ++slot) slots.add(slot);
  };
  // The pages of the slots do not show changes of blobs, nor of what a load kept.
  if (!have_same_shape(a, b) || b.frozen.blobs != nullptr || a.kept != b.kept) {
    add_range(0, count);
    return slots;
  }
  for_each_unshared(before.slots.entries, after.slots.entries, count,
                    std::min(old_count, new_count), add_range);
  const bool dense = after.policy().storage == Storage::dense;
  const std::uint64_t places = after.end_place();
  for_each_unshared(before.records, after.records, places, places,
                    [&](std::uint64_t begin, std::uint64_t end) {
                      if (!dense) return add_range(begin, end);
                      std::vector<std::uint32_t> order(static_cast<std::size_t>(end - begin));
                      after.slot_of.read(begin, order.size(), order.data());
                      for (const std::uint32_t slot : order) {
                        if (slot != kHole) slots.add(slot);
                      }
                    });
  if (after.policy().names != RecordNames::none) {
    for_each_unshared(before.names.names, after.names.names, new_count, new_count, add_range);
  }
  return slots;
}

bool have_same_bytes(const SnapshotTable& a, const SnapshotTable& b, std::uint32_t slot) noexcept {
  // With names, blocks and kept fields there is more to a row than the record.
  if (b.descriptor->policy.names != RecordNames::none || b.frozen.blobs || a.kept != b.kept)
    return false;
  const std::uint64_t before = a.frozen.place_of(slot);
  const std::uint64_t after = b.frozen.place_of(slot);
  const auto page = static_cast<std::size_t>(after >> b.frozen.records.shift());
  if (before == after && a.frozen.records.is_same_page(page, b.frozen.records)) return true;
  // Equal bytes are equal records if these own nothing; other bytes may be padding.
  const RecordOps& ops = b.entry->core().ops();
  if (!ops.trivial || a.entry != b.entry) return false;
  PagePin left(a.frozen.records);
  PagePin right(b.frozen.records);
  return std::memcmp(left.at(before), right.at(after), ops.size_bytes) == 0;
}

}  // namespace hdb
