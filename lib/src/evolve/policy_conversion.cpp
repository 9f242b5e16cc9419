// Converts slot states, counters and free lists to the policies of the program.
#include "evolve/policy_conversion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hdb/inspect/checks.hpp"

namespace hdb::detail::evolve {

bool PolicyConversion::are_needed(const TablePolicy& stored, const TablePolicy& own) noexcept {
  TablePolicy same = own;
  same.names = stored.names;
  same.removal = stored.removal;
  return same != stored;
}

PolicyConversion::PolicyConversion(const TableDescriptor& stored, const TablePolicy& own)
    : stored_(stored),
      table_(stored),
      stored_last_(stored.policy.layout.max_generation()),
      own_last_(own.layout.max_generation()),
      frees_retired_(own_last_ > stored_last_ &&
                     stored.policy.generations == Generations::per_slot &&
                     stored.policy.overflow == Overflow::retire) {
  table_.policy = own;
}

Result<PolicyConversion> PolicyConversion::read(const ImageSource& image, std::size_t table,
                                                const TablePolicy& own) {
  PolicyConversion made(image.tables()[table], own);
  TableDescriptor slots_alone = made.stored_;
  slots_alone.policy.names = RecordNames::none;
  slots_alone.blobs.reset();
  SlotChecker checker(slots_alone);
  std::vector<bool> is_free(static_cast<std::size_t>(made.stored_.slot_count));
  std::uint64_t live = 0;
  std::uint64_t retired = 0;
  std::uint64_t free = 0;
  RowGroup rows;
  for (std::uint64_t group = 0; group < made.stored_.group_count(); ++group) {
    if (auto read = image.read_slots(table, group, rows); !read)
      return fail(std::move(read.error()));
    Status checked = check_group_slots(slots_alone, group, rows);
    if (checked) checked = checker.add_group(group, rows);
    if (!checked) return fail(std::move(checked.error()));
    made.first_positions_.push_back(live);
    live += rows.live_count();
    for (std::size_t i = 0; i < rows.states.size(); ++i) {
      const SlotState state = made.of(SlotState{rows.states[i]}, rows.generations[i]).state;
      is_free[static_cast<std::size_t>(rows.first_slot) + i] = state == SlotState::free;
      free += state == SlotState::free ? 1 : 0;
      retired += state == SlotState::retired ? 1 : 0;
    }
  }
  std::vector<std::uint32_t> list(static_cast<std::size_t>(made.stored_.listed_count()));
  Status listed = image.read_free_list(table, 0, list);
  if (listed) listed = checker.add_free(list);
  if (listed) listed = checker.finish();
  if (!listed) return fail(std::move(listed.error()));
  if (made.stored_.policy.is_component) {
    made.free_list_ = std::move(list);  // the holes
    return made;
  }
  made.count(retired, free);
  made.order(std::move(list), is_free);
  return made;
}

PolicyConversion::Slot PolicyConversion::of(SlotState state,
                                            std::uint32_t generation) const noexcept {
  if (state == SlotState::retired && frees_retired_) return {SlotState::free, stored_last_};
  const bool retires = table_.policy.generations == Generations::per_slot &&
                       table_.policy.overflow == Overflow::retire;
  if (state == SlotState::free && retires && generation >= own_last_)
    return {SlotState::retired, own_last_};
  return {state, generation};
}

void PolicyConversion::change(std::uint64_t group, RowGroup& rows) const {
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    const Slot slot = of(SlotState{rows.states[i]}, rows.generations[i]);
    rows.states[i] = static_cast<std::uint8_t>(slot.state);
    rows.generations[i] = slot.generation;
  }
  if (table_.policy.storage == Storage::stable) {
    rows.positions.clear();
  } else if (stored_.policy.storage == Storage::stable) {
    rows.positions.resize(rows.live_count());
    std::iota(rows.positions.begin(), rows.positions.end(),
              static_cast<std::uint32_t>(first_positions_[static_cast<std::size_t>(group)]));
  }
}

void PolicyConversion::count(std::uint64_t retired, std::uint64_t free) noexcept {
  table_.retired_count = retired;
  table_.free_count = free;
  const bool freed = frees_retired_ && stored_.retired_count != 0;
  if (freed) table_.highest_generation = std::max(table_.highest_generation, stored_last_);
  const bool may_have_wrapped =
      stored_.policy.overflow == Overflow::wrap && stored_.highest_generation >= stored_last_;
  const bool is_per_slot = stored_.policy.generations == Generations::per_slot;
  if (table_.policy.generations == Generations::table_counter) {
    if (is_per_slot || freed || (may_have_wrapped && own_last_ > stored_last_))
      table_.counter = std::max(table_.counter, table_.highest_generation);
    // FORMAT.md, section 4.4: only a counter of slots may be above the highest generation.
    table_.highest_generation = std::max(table_.highest_generation, table_.counter);
  } else if (table_.policy.overflow == Overflow::wrap) {
    if (!is_per_slot) table_.counter = 0;  // each slot counts from its own last generation
  } else if (own_last_ > stored_last_ && stored_.highest_generation >= stored_last_ &&
             (may_have_wrapped || stored_.counter != 0)) {
    table_.counter = stored_last_;  // as H8, for slots whose last generation says too little
  }
}

void PolicyConversion::order(std::vector<std::uint32_t> stored, const std::vector<bool>& is_free) {
  if (table_.policy.free_list == FreeList::lowest) return;
  if (table_.policy.free_list != stored_.policy.free_list)
    std::reverse(stored.begin(), stored.end());
  std::erase_if(stored, [&](std::uint32_t slot) { return !is_free[slot]; });
  std::vector<bool> is_listed(is_free.size());
  for (const std::uint32_t slot : stored) is_listed[slot] = true;
  for (std::uint32_t slot = 0; slot < is_free.size(); ++slot) {
    if (is_free[slot] && !is_listed[slot]) stored.push_back(slot);
  }
  free_list_ = std::move(stored);
}

}  // namespace hdb::detail::evolve
