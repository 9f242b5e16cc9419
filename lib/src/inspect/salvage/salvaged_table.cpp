// Surveying a table, and settling what is left of it.
#include "inspect/salvage/salvaged_table.hpp"

#include <algorithm>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::salvaging {
namespace {

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

bool is_damage(const Error& error) noexcept {
  return category_of(error.code) == ErrorCategory::corrupt;
}

constexpr std::uint8_t byte_of(Fate fate) noexcept { return static_cast<std::uint8_t>(fate); }

std::vector<std::uint64_t> live_slots(const RowGroup& group) {
  std::vector<std::uint64_t> slots;
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    if (group.states[i] == static_cast<std::uint8_t>(SlotState::live))
      slots.push_back(group.first_slot + i);
  }
  return slots;
}

}  // namespace

SalvagedTable::SalvagedTable(const format::DamagedFile& file, GroupSource& groups,
                             std::size_t number, const SalvageOptions& options)
    : file_(file),
      groups_(groups),
      number_(number),
      options_(options),
      stored_(file.tables()[number]) {
  report.name = stored_.name;
  report.records_before = stored_.live_count;
  report.highest_generation = stored_.highest_generation;
  const TablePolicy& policy = stored_.policy;
  const bool at_the_end = policy.generations == Generations::per_slot &&
                          stored_.highest_generation == policy.layout.max_generation();
  if (stored_.highest_generation == 0 || policy.is_component) {
    lost_fate_ = Fate::unissued;
  } else if (policy.overflow == Overflow::wrap || at_the_end) {
    lost_fate_ = Fate::retired;
  }
}

Status SalvagedTable::survey() {
  const auto slots = static_cast<std::size_t>(stored_.slot_count);
  fates_.assign(slots, byte_of(Fate::free));
  generations_.assign(slots, 0);
  sound_groups_.assign(static_cast<std::size_t>(stored_.group_count()), false);
  if (stored_.policy.storage == Storage::dense)
    order_.assign(static_cast<std::size_t>(stored_.position_count()), kNoSlot);
  if (Status status = read_free_list(); !status) return status;
  for (std::uint64_t number = 0; number < stored_.group_count(); ++number) {
    Status read = groups_.survey(number_, number, group_, report);
    if (read) {
      take_group(number, group_);
    } else if (!is_damage(read.error())) {
      return read;
    } else if (Status lost = lose_group(number, std::move(read.error())); !lost) {
      return lost;
    }
  }
  report_lost_slots();
  lose_overlapping_blocks();
  lose_further_records();
  return {};
}

Status SalvagedTable::read_free_list() {
  for (std::uint32_t part = 0; part < file_.free_list_parts(number_); ++part) {
    auto entries = groups_.read_free_list_part(number_, part);
    if (entries) {
      listed_.insert(listed_.end(), entries->begin(), entries->end());
    } else if (is_damage(entries.error())) {
      report.free_list_faults.push_back(std::move(entries.error()));
    } else {
      return fail(std::move(entries.error()));
    }
  }
  return {};
}

void SalvagedTable::take_group(std::uint64_t number, const RowGroup& group) {
  const auto first = static_cast<std::ptrdiff_t>(group.first_slot);
  std::copy(group.states.begin(), group.states.end(), fates_.begin() + first);
  std::copy(group.generations.begin(), group.generations.end(), generations_.begin() + first);
  sound_groups_[static_cast<std::size_t>(number)] = true;
  const bool has_names = stored_.policy.names != RecordNames::none;
  if (group.positions.empty() && !has_names && !stored_.blobs) return;
  const std::vector<std::uint64_t> slots = live_slots(group);
  for (std::size_t i = 0; i < group.positions.size(); ++i) {
    const std::uint32_t position = group.positions[i];
    const auto slot = static_cast<std::uint32_t>(slots[i]);
    if (position < order_.size() && order_[position] == kNoSlot) {
      order_[position] = slot;
    } else {
      misplaced_.emplace_back(position, slot);
    }
  }
  if (has_names) take_names(group, slots);
  if (stored_.blobs) take_blocks(group, slots);
}

// The first record with a name keeps it.
void SalvagedTable::take_names(const RowGroup& group, const std::vector<std::uint64_t>& slots) {
  const Bytes& lengths = group.columns[0];
  const Bytes& bytes = group.columns[1];
  const std::byte* at = lengths.data();
  const std::byte* const end = at + lengths.size();
  std::size_t begin = 0;
  Bytes name;
  for (const std::uint64_t slot : slots) {
    std::uint64_t length = 0;
    at = load_varint(at, end, length);  // the grammar was checked
    if (at == nullptr || length > bytes.size() - begin) return;
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    name.assign(from, from + static_cast<std::ptrdiff_t>(length));
    begin += static_cast<std::size_t>(length);
    if (name.empty()) continue;
    if (stored_.policy.names == RecordNames::ignore_case) {
      for (std::byte& c : name) c = lower_ascii(c);
    }
    if (!names_.insert(hash128(name)).second) lose(slot, LossCause::name_taken);
  }
}

void SalvagedTable::take_blocks(const RowGroup& group, const std::vector<std::uint64_t>& slots) {
  const std::size_t first_column = stored_.policy.names == RecordNames::none ? 0 : 2;
  const Bytes& offsets = group.columns[first_column];
  const Bytes& lengths = group.columns[first_column + 1];
  const BlobPolicy& blobs = *stored_.blobs;
  const std::byte* at = lengths.data();
  const std::byte* const end = at + lengths.size();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint64_t size = 0;
    at = load_varint(at, end, size);
    if (at == nullptr || offsets.size() < (i + 1) * 8) return;
    const auto offset = load_le<std::uint64_t>(offsets.data() + i * 8);
    const bool fits = size <= blobs.capacity_bytes && offset <= blobs.capacity_bytes - size;
    const std::uint64_t taken = fits ? (std::max<std::uint64_t>(size, 1) + blobs.alignment - 1) /
                                           blobs.alignment * blobs.alignment
                                     : 0;
    if (!fits || offset % blobs.alignment != 0 || taken > blobs.capacity_bytes - offset) {
      lose(slots[i], LossCause::place_taken);
    } else if (fate(slots[i]) == Fate::live) {
      blocks_.push_back({offset, offset + taken, slots[i]});
    }
  }
}

void SalvagedTable::lose_overlapping_blocks() {
  std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) {
    return std::pair(a.offset, a.slot) < std::pair(b.offset, b.slot);
  });
  std::uint64_t end = 0;
  for (const Block& block : blocks_) {
    if (fate(block.slot) != Fate::live) continue;
    if (block.offset < end) {
      lose(block.slot, LossCause::place_taken);
    } else {
      end = block.end;
    }
  }
}

// A singleton has one record.
void SalvagedTable::lose_further_records() {
  if (!stored_.singleton) return;
  bool has_one = false;
  for (std::uint64_t slot = 0; slot < stored_.slot_count; ++slot) {
    if (fate(slot) != Fate::live) continue;
    if (has_one) lose(slot, LossCause::place_taken);
    has_one = true;
  }
}

Status SalvagedTable::lose_group(std::uint64_t number, Error error) {
  const std::uint64_t first = stored_.group_begin(number);
  const std::uint64_t end = stored_.group_end(number);
  has_lost_slots_ = true;
  LostGroups lost{number, number + 1, first, end, std::nullopt, std::move(error)};
  Status read = file_.read_slots(number_, number, group_);
  if (read) {
    lost.records = group_.live_count();
    for (std::size_t i = 0; i < group_.states.size(); ++i) {
      const auto slot = static_cast<std::size_t>(first + i);
      const bool was_live = group_.states[i] == static_cast<std::uint8_t>(SlotState::live);
      fates_[slot] = was_live ? byte_of(Fate::lost) : group_.states[i];
      generations_[slot] = group_.generations[i];
    }
  } else if (!is_damage(read.error())) {
    return read;
  } else {
    std::fill(fates_.begin() + static_cast<std::ptrdiff_t>(first),
              fates_.begin() + static_cast<std::ptrdiff_t>(end), byte_of(Fate::unknown));
  }
  if (!report.lost_groups.empty()) {
    LostGroups& last = report.lost_groups.back();
    const bool both_missing =
        last.error.code == ErrorCode::missing_block && lost.error.code == ErrorCode::missing_block;
    if (both_missing && last.end_group == number) {
      last.end_group = lost.end_group;
      last.end_slot = lost.end_slot;
      return {};
    }
  }
  report.lost_groups.push_back(std::move(lost));
  return {};
}

void SalvagedTable::report_lost_slots() {
  for (const std::uint32_t slot : listed_) {
    if (stored_.policy.is_component) break;  // these are positions
    if (slot < stored_.slot_count && fate(slot) == Fate::unknown)
      fates_[slot] = byte_of(Fate::lost_free);
  }
  std::uint64_t found = 0;
  std::uint64_t unknown = 0;
  for (const std::uint8_t fate : fates_) {
    found += fate == byte_of(Fate::live) || fate == byte_of(Fate::lost) ? 1 : 0;
    unknown += fate == byte_of(Fate::unknown) ? 1 : 0;
  }
  // If as many records are missing as slots are unknown, each of these slots held a record.
  const bool is_certain = found + unknown == stored_.live_count;
  const bool none_issued = stored_.highest_generation == 0;
  if (!options_.on_lost_slot || none_issued) return;
  for (const LostGroups& lost : report.lost_groups) {
    const LossCause cause = lost.error.code == ErrorCode::missing_block ? LossCause::missing_group
                                                                        : LossCause::damaged_group;
    for (std::uint64_t slot = lost.first_slot; slot < lost.end_slot; ++slot) {
      if (fate(slot) == Fate::lost) {
        options_.on_lost_slot(
            {number_, stored_.name, slot, generation(slot), true, cause, lost.error.offset});
      } else if (fate(slot) == Fate::unknown) {
        options_.on_lost_slot(
            {number_, stored_.name, slot, std::nullopt, is_certain, cause, lost.error.offset});
      }
    }
  }
}

void SalvagedTable::lose(std::uint64_t slot, LossCause cause) {
  if (fate(slot) != Fate::live) return;
  fates_[static_cast<std::size_t>(slot)] = byte_of(Fate::lost);
  has_lost_slots_ = true;
  ++(cause == LossCause::lost_reference ? report.records_dropped
     : cause == LossCause::lost_owner   ? report.records_orphaned
                                        : report.records_clashed);
  if (options_.on_lost_slot)
    options_.on_lost_slot({number_, stored_.name, slot, generation(slot), true, cause, kNoOffset});
}

bool SalvagedTable::is_free(std::uint64_t slot) const noexcept {
  const Fate now = fate(slot);
  return now == Fate::free || (now >= Fate::lost && lost_fate_ == Fate::free);
}

void SalvagedTable::lose_orphans(const SalvagedTable& owner) {
  for (std::uint64_t slot = 0; slot < stored_.slot_count; ++slot) {
    if (fate(slot) != Fate::live) continue;
    if (owner.fate(slot) != Fate::live || owner.generation(slot) != generation(slot))
      lose(slot, LossCause::lost_owner);
  }
}

void SalvagedTable::settle() {
  settled_ = stored_;
  settled_.live_count = 0;
  settled_.retired_count = 0;
  settled_.free_count = 0;
  for (const std::uint8_t fate : fates_) {
    const bool lost = fate >= byte_of(Fate::lost);
    const Fate settled = lost ? lost_fate_ : static_cast<Fate>(fate);
    settled_.live_count += settled == Fate::live ? 1 : 0;
    settled_.retired_count += settled == Fate::retired ? 1 : 0;
    settled_.free_count += settled == Fate::free ? 1 : 0;
    if (lost && !stored_.policy.is_component)
      ++(lost_fate_ == Fate::retired ? report.slots_retired : report.slots_jumped);
  }
  report.records_after = settled_.live_count;
  settle_free_list();
  settle_order();
  settle_blocks();
  const bool is_changed = report.has_loss();
  if (!is_changed) return;
  // They are of the records that were; what moved or became null may not be in order.
  report.is_sort_forgotten =
      find_extension(settled_.extensions, format::kExtensionSortWork) != nullptr;
  report.extensions_dropped =
      std::erase_if(settled_.extensions,
                    [](const Extension& extension) {
                      return (extension.flags & format::kExtensionSafeToCopy) == 0;
                    }) -
      (report.is_sort_forgotten ? 1 : 0);
}

void SalvagedTable::settle_free_list() {
  if (settled_.policy.is_component) return;                   // see settle_holes
  if (settled_.policy.free_list == FreeList::lowest) return;  // follows from the states
  std::vector<bool> seen(static_cast<std::size_t>(settled_.slot_count));
  free_list_.reserve(static_cast<std::size_t>(settled_.free_count));
  const auto take = [&](std::uint32_t slot) {
    if (slot >= settled_.slot_count || seen[slot] || !is_free(slot)) return false;
    seen[slot] = true;
    free_list_.push_back(slot);
    return true;
  };
  for (const std::uint32_t slot : listed_) report.free_list_kept += take(slot) ? 1 : 0;
  if (report.free_list_kept != settled_.free_count) {
    for (std::uint64_t slot = 0; slot < settled_.slot_count; ++slot)
      report.free_list_added += take(static_cast<std::uint32_t>(slot)) ? 1 : 0;
  }
  const bool contradicts = !has_lost_slots_ && report.free_list_faults.empty() &&
                           (report.free_list_kept != listed_.size() || report.free_list_added != 0);
  if (contradicts) {
    report.free_list_faults.push_back(
        error_at(kNoOffset, ErrorCode::bad_free_list,
                 "the free list does not list each free slot exactly once",
                 "free list of table '" + stored_.name + "'"));
  }
  listed_ = {};
}

void SalvagedTable::settle_order() {
  if (stored_.policy.storage != Storage::dense) return;
  std::sort(misplaced_.begin(), misplaced_.end());
  if (stored_.policy.removal == Removal::in_place) return settle_holes();
  for (const auto& [position, slot] : misplaced_) order_.push_back(slot);
  std::erase_if(order_,
                [&](std::uint32_t slot) { return slot == kNoSlot || fate(slot) != Fate::live; });
  positions_.assign(static_cast<std::size_t>(settled_.slot_count), 0);
  for (std::size_t i = 0; i < order_.size(); ++i)
    positions_[order_[i]] = static_cast<std::uint32_t>(i);
  order_ = {};
}

// Every record keeps its position, unless another one has it too. The positions of lost records are
// holes, after those that were there.
void SalvagedTable::settle_holes() {
  for (std::uint32_t& slot : order_) {
    if (slot != kNoSlot && fate(slot) != Fate::live) slot = kNoSlot;
  }
  auto free = order_.begin();
  for (const auto& [position, slot] : misplaced_) {
    if (fate(slot) != Fate::live) continue;
    free = std::find(free, order_.end(), kNoSlot);
    if (free == order_.end()) free = order_.insert(free, kNoSlot);
    *free = slot;
  }
  positions_.assign(static_cast<std::size_t>(settled_.slot_count), 0);
  std::vector<bool> seen(order_.size());
  const auto take = [&](std::uint32_t position) {
    if (position >= order_.size() || order_[position] != kNoSlot || seen[position]) return false;
    seen[position] = true;
    free_list_.push_back(position);
    return true;
  };
  for (const std::uint32_t position : listed_) report.free_list_kept += take(position) ? 1 : 0;
  for (std::uint32_t position = 0; position < order_.size(); ++position) {
    if (order_[position] != kNoSlot) {
      positions_[order_[position]] = position;
    } else {
      report.free_list_added += take(position) ? 1 : 0;
    }
  }
  const bool contradicts = !has_lost_slots_ && report.free_list_faults.empty() &&
                           (report.free_list_kept != listed_.size() || report.free_list_added != 0);
  if (contradicts) {
    report.free_list_faults.push_back(
        error_at(kNoOffset, ErrorCode::bad_free_list,
                 "the list of holes does not list each hole exactly once",
                 "free list of table '" + stored_.name + "'"));
  }
  settled_.hole_count = free_list_.size();
  listed_ = {};
  order_ = {};
}

// Where a table is packed at every release, it is packed now.
void SalvagedTable::settle_blocks() {
  if (!stored_.blobs || stored_.blobs->compaction != Compaction::at_release) return;
  std::uint64_t end = 0;
  for (const Block& block : blocks_) {
    if (fate(block.slot) != Fate::live) continue;
    if (block.offset != end && offsets_.empty()) {
      offsets_.resize(static_cast<std::size_t>(stored_.slot_count));
      for (const Block& other : blocks_)
        offsets_[static_cast<std::size_t>(other.slot)] = other.offset;
    }
    if (block.offset != end) {
      offsets_[static_cast<std::size_t>(block.slot)] = end;
      ++report.blobs_moved;
    }
    end += block.end - block.offset;
  }
}

void SalvagedTable::fill_slots(std::uint64_t group, RowGroup& out) const {
  out.first_slot = settled_.group_begin(group);
  const auto count = static_cast<std::size_t>(settled_.group_end(group) - out.first_slot);
  out.states.resize(count);
  out.generations.resize(count);
  out.positions.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t slot = out.first_slot + i;
    const bool lost = fate(slot) >= Fate::lost;
    out.states[i] = byte_of(lost ? lost_fate_ : fate(slot));
    out.generations[i] = !lost                          ? generation(slot)
                         : lost_fate_ == Fate::unissued ? 0
                         : lost_fate_ == Fate::retired  ? stored_.policy.layout.max_generation()
                                                        : stored_.highest_generation;
    if (fate(slot) == Fate::live && !positions_.empty())
      out.positions.push_back(positions_[static_cast<std::size_t>(slot)]);
  }
}

}  // namespace hdb::salvaging
