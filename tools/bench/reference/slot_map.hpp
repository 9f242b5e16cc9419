// A dense slot map at its best: slots of 8 bytes (position and generation side by side), packed
// records, and the slot of each record. Odd generations are live.
#pragma once

#include <cstdint>
#include <vector>

#include "key.hpp"

namespace hdb::reference {

template <class T>
class SlotMap {
 public:
  Key insert(const T& record) {
    const auto position = static_cast<std::uint32_t>(records_.size());
    std::uint32_t index = first_free_;
    if (index == kNone) {
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({position, 1});
    } else {
      first_free_ = slots_[index].position;
      slots_[index] = {position, slots_[index].generation + 1};
    }
    records_.push_back(record);
    slot_of_.push_back(index);
    return {index, slots_[index].generation};
  }
  [[nodiscard]] const T* find(Key key) const noexcept {
    if (key.index >= slots_.size()) return nullptr;
    const Slot slot = slots_[key.index];
    return slot.generation == key.generation ? &records_[slot.position] : nullptr;
  }
  [[nodiscard]] T* edit(Key key) noexcept { return const_cast<T*>(find(key)); }
  bool erase(Key key) {
    if (key.index >= slots_.size() || slots_[key.index].generation != key.generation) return false;
    Slot& slot = slots_[key.index];
    const std::uint32_t hole = slot.position;
    records_[hole] = records_.back();
    slot_of_[hole] = slot_of_.back();
    slots_[slot_of_[hole]].position = hole;
    records_.pop_back();
    slot_of_.pop_back();
    slot = {first_free_, slot.generation + 1};
    first_free_ = key.index;
    return true;
  }
  [[nodiscard]] const std::vector<T>& records() const noexcept { return records_; }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Slot {
    std::uint32_t position;  // of the record, or the next free slot
    std::uint32_t generation;
  };
  std::vector<Slot> slots_;
  std::vector<T> records_;
  std::vector<std::uint32_t> slot_of_;
  std::uint32_t first_free_ = kNone;
};

}  // namespace hdb::reference
