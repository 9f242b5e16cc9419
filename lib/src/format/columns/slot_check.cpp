// Slots of one group by themselves, and of a whole table together.
#include <algorithm>
#include <array>
#include <bit>

#include "format/columns/extras_check.hpp"
#include "format/columns/state_counts.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb {
namespace {

std::size_t words_for(std::uint64_t bits) { return static_cast<std::size_t>((bits + 63) / 64); }

// Sets a bit; false when it was set already.
bool set_bit(std::vector<std::uint64_t>& bits, std::uint64_t index) noexcept {
  std::uint64_t& word = bits[static_cast<std::size_t>(index / 64)];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  const bool fresh = (word & bit) == 0;
  word |= bit;
  return fresh;
}

bool bit_at(const std::vector<std::uint64_t>& bits, std::uint64_t index) noexcept {
  return (bits[static_cast<std::size_t>(index / 64)] >> (index % 64) & 1) != 0;
}

constexpr std::uint8_t state_byte(SlotState state) noexcept {
  return static_cast<std::uint8_t>(state);
}

// The lowest bit in which both differ. Requires: they differ.
std::uint64_t first_difference(const std::vector<std::uint64_t>& a,
                               const std::vector<std::uint64_t>& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin());
  const auto word = static_cast<std::uint64_t>(in_a - a.begin());
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(*in_a ^ *in_b));
}

// Which generations a slot may have: free and live 1 to the highest issued, retired the last of the
// layout, unissued 0.
struct GenerationRules {
  explicit GenerationRules(const TableDescriptor& table) noexcept {
    const std::uint32_t last = table.policy.layout.max_generation();
    const std::uint32_t highest = table.highest_generation;
    const bool retires = table.policy.generations == Generations::per_slot &&
                         table.policy.overflow == Overflow::retire;
    // A slot that issued the last one is retired, where slots are.
    of(SlotState::free) = {1, retires && highest == last ? last - 1 : highest};
    of(SlotState::live) = {1, highest};
    of(SlotState::retired) = {last, 1};
    of(SlotState::unissued) = {0, 1};
  }

  /// `count` generations from `least` on.
  struct Range {
    std::uint32_t least = 0;
    std::uint32_t count = 0;
    [[nodiscard]] bool lacks(std::uint32_t generation) const noexcept {
      return generation - least >= count;
    }
  };
  [[nodiscard]] Range& of(SlotState state) noexcept { return ranges[state_byte(state)]; }
  [[nodiscard]] const Range& of(SlotState state) const noexcept {
    return ranges[state_byte(state)];
  }

  // Whether state and generation do not go together.
  [[nodiscard]] bool has_fault(std::uint8_t state, std::uint32_t generation) const noexcept {
    return state > 3 || ranges[state & 3].lacks(generation);
  }

  std::array<Range, 4> ranges;  // by state
};

Status refuse_slot(const TableDescriptor& table, std::uint64_t slot, std::uint8_t state,
                   std::uint32_t generation) {
  const std::string name = "slot " + std::to_string(slot);
  if (state > 3)
    return fail(ErrorCode::bad_slots, name + " has the unknown state " + std::to_string(state));
  return fail(ErrorCode::bad_slots,
              name + " is " + std::string(state_name(static_cast<SlotState>(state))) +
                  " with generation " + std::to_string(generation) + " (highest issued " +
                  std::to_string(table.highest_generation) + ")");
}

}  // namespace

Status check_group_slots(const TableDescriptor& table, std::uint64_t group, const RowGroup& slots) {
  const auto slots_text = [](std::uint64_t live, std::uint64_t free, std::uint64_t retired,
                             std::uint64_t unissued) {
    return std::to_string(live) + " live, " + std::to_string(free) + " free, " +
           std::to_string(retired) + " retired and " + std::to_string(unissued) + " unissued slots";
  };
  const std::uint64_t count = table.group_end(group) - table.group_begin(group);
  if (slots.first_slot != table.group_begin(group) || slots.states.size() != count ||
      slots.generations.size() != count) {
    return fail(ErrorCode::bad_slots, std::to_string(slots.states.size()) + " slot states and " +
                                          std::to_string(slots.generations.size()) +
                                          " generations for " + std::to_string(count) + " slots");
  }
  const GenerationRules rules(table);
  const auto [free, live, retired] = format::count_states(slots.states);
  bool has_faults = false;
  if (live == slots.states.size()) {
    // No branches: the compiler makes vectors of it.
    const GenerationRules::Range range = rules.of(SlotState::live);
    for (const std::uint32_t generation : slots.generations) has_faults |= range.lacks(generation);
  } else {
    for (std::size_t i = 0; i < slots.states.size(); ++i)
      has_faults |= rules.has_fault(slots.states[i], slots.generations[i]);
  }
  for (std::size_t i = 0; has_faults && i < slots.states.size(); ++i) {
    if (rules.has_fault(slots.states[i], slots.generations[i])) {
      return refuse_slot(table, slots.first_slot + i, slots.states[i], slots.generations[i]);
    }
  }
  // Before all groups are added up, so that a group of another state is found where it is.
  const std::uint64_t unissued = count - live - retired - free;
  if (live > table.live_count || free > table.free_count || retired > table.retired_count ||
      unissued > table.unissued_count()) {
    return fail(ErrorCode::bad_slots, "the group has " + slots_text(live, free, retired, unissued) +
                                          ", but the whole table has " +
                                          slots_text(table.live_count, table.free_count,
                                                     table.retired_count, table.unissued_count()));
  }
  const std::size_t positions = table.policy.storage == Storage::dense ? live : 0;
  if (slots.positions.size() != positions) {
    return fail(ErrorCode::bad_dense_order, std::to_string(slots.positions.size()) +
                                                " dense positions for " +
                                                std::to_string(positions) + " records");
  }
  return {};
}

Status check_slot(const TableDescriptor& table, std::uint64_t slot, SlotState state,
                  std::uint32_t generation) {
  const std::uint8_t byte = state_byte(state);
  if (!GenerationRules(table).has_fault(byte, generation)) return {};
  return refuse_slot(table, slot, byte, generation);
}

SlotChecker::SlotChecker(const TableDescriptor& table)
    : table_(table),
      seen_groups_(words_for(table.group_count())),
      free_by_state_(
          words_for(table.policy.is_component || table.listed_count() == 0 ? 0 : table.slot_count)),
      free_by_list_(free_by_state_.size()),
      positions_(words_for(table.policy.storage == Storage::dense ? table.position_count() : 0)) {
  if (table.policy.names != RecordNames::none || table.blobs)
    extras_ = std::make_unique<format::ExtrasChecker>(table_);
}

SlotChecker::~SlotChecker() = default;

// A table that grew without erasures has its records in slot order: then whole words of positions
// can be marked at once. Returns how many positions from `first` on were, 0 when they are not 64
// consecutive unmarked ones.
std::size_t SlotChecker::take_whole_words(const std::vector<std::uint32_t>& positions,
                                          std::size_t first) {
  constexpr std::size_t kBits = 64;
  const std::uint32_t begin = positions[first];
  if (begin % kBits != 0 || first + kBits > positions.size() ||
      begin + std::uint64_t{kBits} > table_.position_count() || positions_[begin / kBits] != 0) {
    return 0;
  }
  std::uint32_t difference = 0;
  for (std::uint32_t k = 0; k < kBits; ++k) difference |= positions[first + k] ^ (begin + k);
  if (difference != 0) return 0;
  positions_[begin / kBits] = ~std::uint64_t{0};
  return kBits;
}

Status SlotChecker::add_group(std::uint64_t group, const RowGroup& slots) {
  const std::lock_guard lock(mutex_);
  if (group >= table_.group_count() || !set_bit(seen_groups_, group)) {
    return fail(ErrorCode::bad_slots,
                "group " + std::to_string(group) + " is there twice or does not exist");
  }
  if (extras_) {
    if (auto added = extras_->add_group(slots); !added) return added;
  }
  const format::StateCounts counts = format::count_states(slots.states);
  live_ += counts.live;
  retired_ += counts.retired;
  free_ += counts.free;
  if (counts.free != 0 && !free_by_state_.empty()) {
    for (std::size_t i = 0; i < slots.states.size(); ++i) {
      if (slots.states[i] == state_byte(SlotState::free)) {
        set_bit(free_by_state_, slots.first_slot + i);
      }
    }
  }
  for (std::size_t i = 0; i < slots.positions.size();) {
    if (const std::size_t run = take_whole_words(slots.positions, i); run != 0) {
      i += run;
      continue;
    }
    const std::uint32_t position = slots.positions[i++];
    const bool is_possible = position < table_.position_count();
    if (!is_possible || !set_bit(positions_, position)) {
      const char* const twice =
          table_.policy.is_component ? " is used twice or is a hole" : " is used twice";
      return fail(ErrorCode::bad_dense_order, "dense position " + std::to_string(position) +
                                                  " of group " + std::to_string(group) +
                                                  (is_possible ? twice : " is too large"));
    }
  }
  return {};
}

Status SlotChecker::add_free(std::span<const std::uint32_t> slots) {
  const std::lock_guard lock(mutex_);
  listed_ += slots.size();
  if (table_.policy.is_component) return add_holes(slots);
  for (const std::uint32_t slot : slots) {
    if (slot >= table_.slot_count || free_by_list_.empty()) {
      return fail(ErrorCode::bad_free_list,
                  "slot " + std::to_string(slot) + " is in the free list but is not free");
    }
    if (!set_bit(free_by_list_, slot)) {
      return fail(ErrorCode::bad_free_list,
                  "slot " + std::to_string(slot) + " is in the free list twice");
    }
  }
  return {};
}

// A hole is a position without a record: with the positions of the records, each is there once.
Status SlotChecker::add_holes(std::span<const std::uint32_t> positions) {
  for (const std::uint32_t position : positions) {
    if (position < table_.position_count() && set_bit(positions_, position)) continue;
    return fail(ErrorCode::bad_free_list,
                "position " + std::to_string(position) +
                    " is listed as a hole, but is too large, has a record or is listed twice");
  }
  return {};
}

Status SlotChecker::finish() {
  const std::lock_guard lock(mutex_);
  if (live_ != table_.live_count || retired_ != table_.retired_count ||
      free_ != table_.free_count) {
    return fail(ErrorCode::bad_slots, std::to_string(live_) + " live, " + std::to_string(free_) +
                                          " free and " + std::to_string(retired_) +
                                          " retired slots contradict the table's counts");
  }
  if (listed_ != table_.listed_count()) {
    return fail(ErrorCode::bad_free_list, "the free list has " + std::to_string(listed_) +
                                              " entries instead of " +
                                              std::to_string(table_.listed_count()));
  }
  if (free_by_state_ != free_by_list_) {
    const std::uint64_t slot = first_difference(free_by_state_, free_by_list_);
    const bool listed = bit_at(free_by_list_, slot);
    return fail(ErrorCode::bad_free_list, "slot " + std::to_string(slot) +
                                              (listed ? " is in the free list but is not free"
                                                      : " is free but is not in the free list"));
  }
  return extras_ ? extras_->finish() : Status{};
}

ComponentChecker::ComponentChecker(const std::vector<TableDescriptor>& tables)
    : tables_(&tables), owners_(tables.size()), seen_(tables.size()) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!tables[i].policy.is_component) continue;
    const auto owner = std::find_if(tables.begin(), tables.end(), [&](const TableDescriptor& each) {
      return each.name == tables[i].owner;
    });
    if (owner == tables.end()) continue;
    owners_[i] = static_cast<std::size_t>(owner - tables.begin());
    for (const std::size_t table : {i, *owners_[i]})
      seen_[table].resize(static_cast<std::size_t>(tables[table].group_count()));
  }
}

void ComponentChecker::add_group(std::size_t table, std::uint64_t group, const RowGroup& slots) {
  if (!needs(table)) return;
  std::vector<std::uint32_t>& seen = seen_[table][static_cast<std::size_t>(group)];
  seen.assign(slots.states.size(), 0);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (slots.states[i] == state_byte(SlotState::live)) seen[i] = slots.generations[i];
  }
}

std::optional<std::uint64_t> ComponentChecker::find_orphan(std::size_t table,
                                                           std::uint64_t group) const {
  const std::vector<std::uint32_t>& own = seen_[table][static_cast<std::size_t>(group)];
  const Seen& owner = seen_[*owners_[table]];
  const unsigned shift = (*tables_)[*owners_[table]].group_shift;
  const std::uint64_t begin = (*tables_)[table].group_begin(group);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::uint64_t slot = begin + i;
    const std::vector<std::uint32_t>& there = owner[static_cast<std::size_t>(slot >> shift)];
    if (own[i] == 0 || there.empty()) continue;
    if (there[static_cast<std::size_t>(slot & ((std::uint64_t{1} << shift) - 1))] != own[i])
      return slot;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ComponentChecker::find_orphan(std::size_t table) const {
  for (std::uint64_t group = 0; owners_[table] && group < seen_[table].size(); ++group) {
    if (const auto slot = find_orphan(table, group)) return slot;
  }
  return std::nullopt;
}

void ComponentChecker::add_missing(std::size_t of, std::size_t other,
                                   std::vector<std::pair<std::size_t, std::uint64_t>>& out) const {
  const TableDescriptor& table = (*tables_)[of];
  const TableDescriptor& partner = (*tables_)[other];
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    if (!seen_[of][static_cast<std::size_t>(group)].empty()) continue;
    const std::uint64_t last = (table.group_end(group) - 1) >> partner.group_shift;
    bool is_needed = false;
    for (std::uint64_t at = table.group_begin(group) >> partner.group_shift;
         at <= last && at < partner.group_count(); ++at) {
      is_needed |= !seen_[other][static_cast<std::size_t>(at)].empty();
    }
    if (is_needed) out.emplace_back(of, group);
  }
}

std::vector<std::pair<std::size_t, std::uint64_t>> ComponentChecker::missing() const {
  std::vector<std::pair<std::size_t, std::uint64_t>> found;
  for (std::size_t table = 0; table < owners_.size(); ++table) {
    if (!owners_[table]) continue;
    add_missing(table, *owners_[table], found);
    add_missing(*owners_[table], table, found);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Error ComponentChecker::error_of(std::size_t table, std::uint64_t slot) const {
  const TableDescriptor& descriptor = (*tables_)[table];
  const auto group = static_cast<std::size_t>(slot >> descriptor.group_shift);
  const auto at = static_cast<std::size_t>(slot - descriptor.group_begin(group));
  return {ErrorCode::bad_components,
          "slot " + std::to_string(slot) + " has a component with generation " +
              std::to_string(seen_[table][group][at]) + ", but table '" + descriptor.owner +
              "' has no such record there",
          kNoOffset, "table '" + descriptor.name + "'"};
}

Status ComponentChecker::finish() const {
  for (std::size_t table = 0; table < owners_.size(); ++table) {
    if (const auto slot = find_orphan(table)) return fail(error_of(table, *slot));
  }
  return {};
}

}  // namespace hdb
