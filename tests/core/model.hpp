// A table as a plain, slow model written without looking at the real one: lists, maps and vectors
// of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/slots/issued.hpp"
#include "hdb/table_options.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// What must happen to handles and records; copied whole for a capture.
class ModelTable {
 public:
  struct Issued {
    std::uint32_t slot;
    std::uint32_t generation;
    friend bool operator==(const Issued&, const Issued&) = default;
  };
  enum class State { free, live, retired, unissued };
  struct Slot {
    State state = State::free;
    std::uint32_t last = 0;  ///< Last generation issued.
    std::uint64_t value = 0;
  };

  explicit ModelTable(const TablePolicy& policy) : policy_(policy) {}

  std::optional<Issued> insert(std::uint64_t value) {
    const bool is_new = free_.empty();
    const std::uint32_t fresh = first_unissued();
    if (is_new && fresh >= policy_.layout.max_slots()) return std::nullopt;
    const auto slot = is_new ? fresh : free_.front();
    std::uint32_t last = is_new ? 0 : slots_[slot].last;
    if (policy_.generations == Generations::table_counter) last = counter_;
    last = std::max(last, floor_);
    if (last == policy_.layout.max_generation()) {
      if (policy_.overflow == Overflow::retire) return std::nullopt;
      last = 0;
    }
    const std::uint32_t generation = last + 1;
    if (!is_new) free_.pop_front();
    unissued_.erase(slot);
    slots_[slot] = {State::live, generation, value};
    if (policy_.generations == Generations::table_counter) counter_ = generation;
    highest_ = std::max(highest_, generation);
    order_.push_back(slot);
    ++live_;
    return Issued{slot, generation};
  }
  [[nodiscard]] const std::uint64_t* find(Issued handle) const {
    const auto at = slots_.find(handle.slot);
    if (at == slots_.end() || at->second.state != State::live ||
        at->second.last != handle.generation) {
      return nullptr;
    }
    return &at->second.value;
  }
  void edit(Issued handle, std::uint64_t value) { slots_[handle.slot].value = value; }
  bool erase(Issued handle) {
    if (find(handle) == nullptr) return false;
    // Dense order: the last one comes into the hole.
    const auto hole = std::find(order_.rbegin(), order_.rend(), handle.slot);
    *hole = order_.back();
    order_.pop_back();
    free_slot(handle.slot);
    return true;
  }
  bool erase_keeping_order(Issued handle) {
    if (find(handle) == nullptr) return false;
    order_.erase(std::find(order_.begin(), order_.end(), handle.slot));
    free_slot(handle.slot);
    return true;
  }
  /// Undo of an erase: the record comes back under its handle, last in the dense order, if the slot
  /// had no tenant since.
  bool revive(Issued handle, std::uint64_t value) {
    const auto at = slots_.find(handle.slot);
    if (at == slots_.end() || at->second.state != State::free ||
        at->second.last != handle.generation || handle.generation == 0) {
      return false;
    }
    free_.remove(handle.slot);
    at->second.state = State::live;
    at->second.value = value;
    order_.push_back(handle.slot);
    ++live_;
    return true;
  }
  /// An insert under a handle that the table has not issued, but could issue one day.
  bool insert_as(Issued handle, std::uint64_t value) {
    const auto at = slots_.find(handle.slot);
    const std::uint32_t last = at == slots_.end() ? 0 : at->second.last;
    const std::uint32_t above = std::max(last, counter());
    if (handle.slot >= policy_.layout.max_slots() || handle.generation <= above ||
        handle.generation > last_generation() ||
        (at != slots_.end() &&
         (at->second.state == State::live || at->second.state == State::retired))) {
      return false;
    }
    while (slots_.size() < handle.slot) {
      const auto passed = static_cast<std::uint32_t>(slots_.size());
      slots_[passed].state = State::unissued;
      unissued_.insert(passed);
    }
    unissued_.erase(handle.slot);
    free_.remove(handle.slot);
    slots_[handle.slot] = {State::live, handle.generation, value};
    if (policy_.generations == Generations::table_counter) counter_ = handle.generation;
    highest_ = std::max(highest_, handle.generation);
    order_.push_back(handle.slot);
    ++live_;
    return true;
  }
  void clear() {
    // Rising under FIFO, falling under LIFO: either way the lowest is used first.
    std::vector<std::uint32_t> live = live_slots();
    if (policy_.free_list == FreeList::lifo) std::reverse(live.begin(), live.end());
    for (const std::uint32_t slot : live) free_slot(slot);
    order_.clear();
  }
  void reset() { *this = ModelTable(policy_); }
  /// Fork: from now on only generations above `floor`.
  void raise(std::uint32_t floor) {
    floor_ = std::max(floor_, floor);
    highest_ = std::max(highest_, floor);
    if (policy_.generations == Generations::table_counter) counter_ = std::max(counter_, floor);
  }

  [[nodiscard]] std::size_t size() const { return live_; }
  [[nodiscard]] std::uint32_t highest() const { return highest_; }
  [[nodiscard]] std::uint32_t counter() const { return std::max(counter_, floor_); }
  [[nodiscard]] const std::map<std::uint32_t, Slot>& slots() const { return slots_; }
  [[nodiscard]] std::vector<std::uint32_t> free_list() const {
    return {free_.begin(), free_.end()};
  }
  /// The slots in the order of iteration.
  [[nodiscard]] std::vector<std::uint32_t> iteration() const {
    return policy_.storage == Storage::dense ? order_ : live_slots();
  }
  [[nodiscard]] Issued handle_of(std::uint32_t slot) const { return {slot, slots_.at(slot).last}; }
  /// A live handle by number.
  [[nodiscard]] Issued pick(std::size_t number) const {
    return handle_of(order_[number % order_.size()]);
  }
  [[nodiscard]] std::size_t count(State state) const {
    return static_cast<std::size_t>(
        std::count_if(slots_.begin(), slots_.end(),
                      [state](const auto& entry) { return entry.second.state == state; }));
  }

 private:
  [[nodiscard]] std::uint32_t last_generation() const { return policy_.layout.max_generation(); }
  [[nodiscard]] std::vector<std::uint32_t> live_slots() const {
    std::vector<std::uint32_t> live;
    for (const auto& [slot, content] : slots_) {
      if (content.state == State::live) live.push_back(slot);
    }
    return live;
  }
  // The lowest slot that had no record, there or not.
  [[nodiscard]] std::uint32_t first_unissued() const {
    return unissued_.empty() ? static_cast<std::uint32_t>(slots_.size()) : *unissued_.begin();
  }
  void free_slot(std::uint32_t slot) {
    Slot& content = slots_[slot];
    --live_;
    if (policy_.generations == Generations::per_slot && policy_.overflow == Overflow::retire &&
        (content.last == last_generation() ||
         (content.last <= floor_ && highest_ == last_generation()))) {
      content.state = State::retired;
      return;
    }
    content.state = State::free;
    auto at = free_.end();
    if (policy_.free_list == FreeList::lifo) at = free_.begin();
    if (policy_.free_list == FreeList::lowest)
      at = std::find_if(free_.begin(), free_.end(), [&](auto other) { return other > slot; });
    free_.insert(at, slot);
  }

  TablePolicy policy_;
  std::map<std::uint32_t, Slot> slots_;
  std::list<std::uint32_t> free_;  // in the order of use
  std::set<std::uint32_t> unissued_;
  std::vector<std::uint32_t> order_;  // dense order
  std::size_t live_ = 0;
  std::uint32_t counter_ = 0;
  std::uint32_t floor_ = 0;
  std::uint32_t highest_ = 0;
};

}  // namespace hdb::test
