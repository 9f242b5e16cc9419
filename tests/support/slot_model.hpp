// An independent model of a table: the rules of handles written down with standard containers,
// slowly and plainly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "core/slots/issued.hpp"
#include "hdb/table_options.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// What a table should be. `Value` is the record.
template <class Value>
struct SlotModel {
  struct Slot {
    bool live = false;
    bool retired = false;
    std::uint32_t generation = 0;
    Value value{};
  };
  struct Issued {
    std::uint32_t slot;
    std::uint32_t generation;
  };

  TablePolicy policy;
  std::vector<Slot> slots;
  std::deque<std::uint32_t> free;  // front: used next
  std::set<std::uint32_t> unissued;
  std::vector<std::uint32_t> dense;
  std::uint32_t counter = 0;
  std::uint32_t highest = 0;
  std::uint64_t wraps = 0;

  std::uint32_t last_generation() const {
    const std::uint64_t all = (std::uint64_t{1} << policy.layout.generation_bits) - 1;
    return static_cast<std::uint32_t>(policy.layout.generation_bits == 31 ? all - 1 : all);
  }

  std::optional<Issued> insert(const Value& value) {
    const bool appends = free.empty();
    const bool is_first = appends && !unissued.empty();
    if (appends && !is_first && slots.size() >= (std::uint64_t{1} << policy.layout.index_bits))
      return std::nullopt;
    const auto slot = is_first  ? *unissued.begin()
                      : appends ? static_cast<std::uint32_t>(slots.size())
                                : free.front();
    std::uint32_t generation = counter;
    if (policy.generations == Generations::per_slot && !appends)
      generation = slots[slot].generation;
    if (generation == last_generation()) {
      if (policy.overflow == Overflow::retire) return std::nullopt;
      generation = 0;
      ++wraps;
    }
    ++generation;
    if (is_first) {
      unissued.erase(slot);
    } else if (appends) {
      slots.emplace_back();
    } else {
      free.pop_front();
    }
    if (policy.generations == Generations::table_counter) counter = generation;
    highest = std::max(highest, generation);
    slots[slot] = {true, false, generation, value};
    dense.push_back(slot);
    return Issued{slot, generation};
  }

  /// An insert under a handle that the table could issue one day.
  bool insert_as(std::uint32_t slot, std::uint32_t generation, const Value& value) {
    if (slot >= (std::uint64_t{1} << policy.layout.index_bits) || generation <= counter ||
        generation > last_generation()) {
      return false;
    }
    const bool exists = slot < slots.size();
    if (exists && (slots[slot].live || slots[slot].retired || generation <= slots[slot].generation))
      return false;
    while (slots.size() <= slot) {
      unissued.insert(static_cast<std::uint32_t>(slots.size()));
      slots.emplace_back();
    }
    unissued.erase(slot);
    std::erase(free, slot);
    if (policy.generations == Generations::table_counter) counter = generation;
    highest = std::max(highest, generation);
    slots[slot] = {true, false, generation, value};
    dense.push_back(slot);
    return true;
  }

  bool is_live(std::uint32_t slot, std::uint32_t generation) const {
    return slot < slots.size() && slots[slot].live && slots[slot].generation == generation;
  }

  void release(std::uint32_t slot) {
    Slot& freed = slots[slot];
    freed.live = false;
    freed.value = Value{};
    if (policy.generations == Generations::per_slot && policy.overflow == Overflow::retire &&
        freed.generation == last_generation()) {
      freed.retired = true;
    } else if (policy.free_list == FreeList::lifo) {
      free.push_front(slot);
    } else if (policy.free_list == FreeList::lowest) {
      free.insert(std::lower_bound(free.begin(), free.end(), slot), slot);
    } else {
      free.push_back(slot);
    }
  }

  bool erase(std::uint32_t slot, std::uint32_t generation) {
    if (!is_live(slot, generation)) return false;
    const auto hole = std::find(dense.begin(), dense.end(), slot);
    *hole = dense.back();
    dense.pop_back();
    release(slot);
    return true;
  }

  /// Undo of an erase, if the slot had no tenant since.
  bool revive(std::uint32_t slot, std::uint32_t generation, const Value& value) {
    if (slot >= slots.size() || slots[slot].live || slots[slot].retired || generation == 0 ||
        slots[slot].generation != generation) {
      return false;
    }
    std::erase(free, slot);
    slots[slot] = {true, false, generation, value};
    dense.push_back(slot);
    return true;
  }

  void clear() {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto slot =
          static_cast<std::uint32_t>(policy.free_list == FreeList::fifo ? i : slots.size() - 1 - i);
      if (slots[slot].live) release(slot);
    }
    dense.clear();
  }

  void reset() {
    const TablePolicy kept = policy;
    const std::uint64_t kept_wraps = wraps;
    *this = {};
    policy = kept;
    wraps = kept_wraps;
  }

  std::size_t retired_count() const {
    return static_cast<std::size_t>(
        std::count_if(slots.begin(), slots.end(), [](const Slot& s) { return s.retired; }));
  }

  /// The live slots in the order of iteration.
  std::vector<std::uint32_t> iteration_order() const {
    std::vector<std::uint32_t> order = dense;
    if (policy.storage == Storage::stable) std::sort(order.begin(), order.end());
    return order;
  }
};

}  // namespace hdb::test
