// The free list: its order, slots that are taken out of its middle, and the gaps that they leave.
#include <algorithm>
#include <cstring>

#include "core/slots/frozen_slots.hpp"
#include "hdb/detail/core/slots/slot_set.hpp"
#include "hdb/detail/core/slots/slots.hpp"

namespace hdb::detail {
namespace {

// How near the end of the list a slot is searched without FreePlaces, and taken without a gap.
constexpr std::size_t kNearEnd = 64;
// The entries of a part of the list: FrozenGaps counts the slots among them.
constexpr std::size_t kPart = 4096;

// Copies entries [first, first + out.size()) of the order of use, of a list of `size`.
// `read(rank, to)` copies from the array, where gaps do not count.
template <class Read>
void read_in_order(const Read& read, FreeList order, std::uint64_t size, std::uint64_t first,
                   std::span<std::uint32_t> out) noexcept {
  if (order == FreeList::fifo) return read(first, out);
  read(size - first - out.size(), out);
  std::reverse(out.begin(), out.end());
}

// Copies entries of an array from `at` on, after the first `skipped`. Gaps do not count.
// `read(index, count, to)` copies from the array, which has entries below `end`.
template <class Read>
void read_around_gaps(const Read& read, std::uint64_t at, std::uint64_t end, std::uint64_t skipped,
                      std::span<std::uint32_t> out) noexcept {
  std::uint32_t piece[kPart / 4];
  for (std::size_t done = 0; done < out.size() && at < end;) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::size(piece), end - at));
    read(at, count, piece);
    at += count;
    for (const std::uint32_t slot : std::span(piece, count)) {
      if (slot == kGap) continue;
      if (skipped != 0) {
        --skipped;
      } else if (done < out.size()) {
        out[done++] = slot;
      }
    }
  }
}

}  // namespace

std::size_t FreePlaces::find(const FlatArray& list, std::size_t begin, std::size_t end,
                             std::uint32_t slot, std::uint64_t slot_count) {
  const auto is_there = [&](std::size_t i) { return list.as<std::uint32_t>(i) == slot; };
  if (slot < place_of_.size()) {
    if (const std::size_t place = place_of_[slot]; place >= begin && place < end && is_there(place))
      return place;
  }
  const std::size_t near_end = end - std::min(end - begin, kNearEnd);
  for (std::size_t i = end; i > near_end;) {
    if (is_there(--i)) return i;
  }
  if (place_of_.size() < slot_count) place_of_.resize(static_cast<std::size_t>(slot_count));
  const auto note_at = [&](std::size_t i) { note(list.as<std::uint32_t>(i), i); };
  std::size_t found = end;
  do {
    note_at(--found);
  } while (!is_there(found));  // H4: it is there
  // As many entries again: so the next search that goes on there is twice as long, and all of them
  // cost as much as the last.
  const std::size_t stop = found - std::min(found - begin, end - found);
  for (std::size_t i = found; i > stop;) note_at(--i);
  return found;
}

// --- slots that are taken out of the middle

std::size_t Slots::prepare_take(std::uint32_t slot) {
  if (slot >= counters_.slot_count) {
    add_unissued(std::uint64_t{slot} + 1);  // only the last of them is live at once
    if (is_stable()) live_bits_.make_private(slot / 64);
    return 0;
  }
  entries_.make_private(slot);
  if (is_stable()) live_bits_.make_private(slot / 64);
  if (slot_tag::kind(tag(slot)) != SlotState::free) return 0;
  if (uses_lowest()) {
    slot_set::prepare(free_list_, slot);
    return 0;
  }
  // Closing the gaps passes at most twice as many entries as there are gaps, each of which one take
  // has left.
  if (gap_count_ > std::max<std::uint64_t>(counters_.free_count, kNearEnd)) close_gaps();
  calls_past_gaps_ = 0;
  const std::size_t end = list_end();
  // Under both other policies the slot freed last is the last entry.
  const std::size_t place = places_.find(free_list_, static_cast<std::size_t>(free_head_), end,
                                         slot, counters_.slot_count);
  free_list_.make_private(place, end - place <= kNearEnd ? end : place + 1);
  return place;
}

void Slots::take(const Next& tenant, std::uint32_t position, std::size_t free_place) noexcept {
  const bool is_revived = can_revive(tenant.slot, tenant.generation);
  HDB_ASSERT(is_revived || can_issue(tenant.slot, tenant.generation),
             "the slot is live, or has held a later record");
  if (tenant.slot >= counters_.slot_count) {
    if (counters_.unissued_count() == 0 && !policy_.is_component)
      first_unissued_ = counters_.slot_count;
    counters_.slot_count = std::uint64_t{tenant.slot} + 1;
  } else {
    if (slot_tag::kind(tag(tenant.slot)) == SlotState::free)
      leave_free_list(tenant.slot, free_place);
  }
  if (policy_.generations == Generations::table_counter && !is_revived)
    counters_.counter = tenant.generation;
  occupy(policy_.storage, tenant, position);
  if (policy_.is_component) return;
  if (counters_.unissued_count() != 0) first_unissued_ = unissued_from(first_unissued_);
}

void Slots::leave_free_list(std::uint32_t slot, std::size_t free_place) noexcept {
  if (uses_lowest()) return take_free(slot);
  const std::size_t end = list_end();
  if (end - free_place <= kNearEnd) {
    for (std::size_t i = free_place; i + 1 < end; ++i) {
      free_list_.owned_as<std::uint32_t>(i) = free_list_.as<std::uint32_t>(i + 1);
    }
  } else {
    free_list_.owned_as<std::uint32_t>(free_place) = kGap;
    ++gap_count_;
  }
  --counters_.free_count;
  drop_end_gaps();
}

// The next slot in the order of use is not a gap.
void Slots::drop_end_gaps() noexcept {
  if (counters_.free_count == 0) {
    free_head_ = 0;
    gap_count_ = 0;
  }
  if (policy_.free_list == FreeList::fifo) {
    for (; gap_count_ != 0 && listed(0) == kGap; --gap_count_) ++free_head_;
  } else {
    while (gap_count_ != 0 && listed(0) == kGap) --gap_count_;
  }
}

void Slots::pass_gaps(std::uint64_t calls) {
  if (gap_count_ == 0) return;
  calls_past_gaps_ += calls;
  if (calls_past_gaps_ <= counters_.free_count) return;
  close_gaps();
  places_.forget();
}

void Slots::pass_gaps_at_capture() { pass_gaps(counters_.free_count / 16 + 1); }

void Slots::close_gaps() {
  const std::size_t end = list_end();
  std::size_t from = static_cast<std::size_t>(free_head_);
  std::size_t to = 0;
  if (from == 0) {
    while (free_list_.as<std::uint32_t>(to) != kGap) ++to;
    from = to;
  }
  free_list_.make_private(to, static_cast<std::size_t>(counters_.free_count));
  for (; from < end; ++from) {
    const std::uint32_t slot = free_list_.as<std::uint32_t>(from);
    if (slot == kGap) continue;
    free_list_.owned_as<std::uint32_t>(to) = slot;
    places_.note(slot, to++);
  }
  free_head_ = 0;
  gap_count_ = 0;
  calls_past_gaps_ = 0;
}

// A queue moves to the begin of its memory when it has left at least half of it behind: so moving
// costs as much as what was taken out before.
void Slots::make_free_room(std::uint64_t more) {
  const auto head = static_cast<std::size_t>(free_head_);
  const std::size_t count = list_end() - head;
  if (head < std::max<std::uint64_t>(count, more)) {
    return free_list_.grow_to(head + count + static_cast<std::size_t>(more));
  }
  free_list_.make_private(0, count + static_cast<std::size_t>(more));
  std::memmove(free_list_.owned_at(0), free_list_.at(head), count * sizeof(std::uint32_t));
  free_head_ = 0;
}

// --- reading

void Slots::read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept {
  if (uses_lowest()) {
    std::uint64_t slot = 0;
    for (std::uint64_t i = 0; i < first + out.size(); ++i) {
      slot = *slot_set::first_from(free_list_, slot, counters_.slot_count);
      if (i >= first) out[static_cast<std::size_t>(i - first)] = static_cast<std::uint32_t>(slot);
      ++slot;
    }
    return;
  }
  const auto read = [this](std::uint64_t index, std::size_t count, std::uint32_t* to) {
    if (count != 0)
      std::memcpy(to, free_list_.at(static_cast<std::size_t>(index)), count * sizeof *to);
  };
  const auto read_ranks = [&](std::uint64_t rank, std::span<std::uint32_t> to) {
    if (gap_count_ == 0) return read(free_head_ + rank, to.size(), to.data());
    read_around_gaps(read, free_head_, list_end(), rank, to);
  };
  read_in_order(read_ranks, policy_.free_list, list_size(), first, out);
}

void FrozenSlots::read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept {
  const auto read = [this](std::uint64_t rank, std::span<std::uint32_t> to) {
    read_list_array(rank, to);
  };
  read_in_order(read, policy.free_list, list_size(), first, out);
}

void FrozenSlots::read_list_array(std::uint64_t rank, std::span<std::uint32_t> out) const noexcept {
  const auto read = [this](std::uint64_t index, std::size_t count, std::uint32_t* to) {
    free_list.read(index, count, to);
  };
  if (gaps == nullptr) return read(free_head + rank, out.size(), out.data());
  const std::uint64_t end = free_head + list_size() + gaps->count;
  std::vector<std::uint64_t>& before = gaps->before;
  std::call_once(gaps->counted, [&] {
    std::uint64_t total = 0;
    std::uint32_t piece[kPart];
    for (std::size_t part = 0; part < before.size(); ++part) {
      before[part] = total;
      const std::uint64_t from = free_head + part * kPart;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, end - from));
      read(from, count, piece);
      total += count - static_cast<std::size_t>(std::count(piece, piece + count, kGap));
    }
  });
  const auto part = std::upper_bound(before.begin(), before.end(), rank) - before.begin() - 1;
  read_around_gaps(read, free_head + static_cast<std::uint64_t>(part) * kPart, end,
                   rank - before[static_cast<std::size_t>(part)], out);
}

std::shared_ptr<FrozenGaps> Slots::freeze_gaps() const {
  if (gap_count_ == 0) return nullptr;
  auto gaps = std::make_shared<FrozenGaps>();
  gaps->count = gap_count_;
  gaps->before.resize((list_end() - static_cast<std::size_t>(free_head_) + kPart - 1) / kPart);
  return gaps;
}

const char* Slots::check_free_list() const {
  std::vector<std::uint32_t> list(static_cast<std::size_t>(counters_.free_count));
  if (uses_lowest()) {
    std::uint64_t from = 0;
    for (std::uint32_t& slot : list) {
      const auto next = slot_set::first_from(free_list_, from, counters_.slot_count);
      if (!next) return "H4: the free list is not the free slots";
      slot = *next;
      from = std::uint64_t{slot} + 1;
    }
  } else {
    if (list_end() > free_list_.capacity()) return "H4: the free list is longer than its memory";
    std::uint64_t gaps = 0;
    for (std::size_t i = static_cast<std::size_t>(free_head_); i < list_end(); ++i)
      gaps += free_list_.as<std::uint32_t>(i) == kGap ? 1 : 0;
    if (gaps != gap_count_ || (gaps != 0 && listed(0) == kGap))
      return "H11: the gaps of the free list";
    read_free_list(0, list);
  }
  std::vector<bool> seen(static_cast<std::size_t>(counters_.slot_count));
  for (const std::uint32_t slot : list) {
    if (slot >= counters_.slot_count || seen[slot] || slot_tag::kind(tag(slot)) != SlotState::free)
      return "H4: the free list is not the free slots";
    seen[slot] = true;
  }
  return nullptr;
}

}  // namespace hdb::detail
