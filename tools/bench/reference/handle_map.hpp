// The handle map design: a sparse array of ids with a free list through it, dense records, and
// per-record meta data that leads back to the sparse entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "key.hpp"

namespace hdb::reference {

template <class T>
class HandleMap {
 public:
  Key insert(const T& record) {
    const auto dense = static_cast<std::uint32_t>(records_.size());
    std::uint32_t index = 0;
    if (free_count_ == 0) {
      index = static_cast<std::uint32_t>(sparse_.size());
      sparse_.push_back({dense, 1, kLive});
    } else {
      index = first_free_;
      Sparse& entry = sparse_[index];
      first_free_ = entry.position;
      --free_count_;
      entry = {dense, entry.generation + 1, kLive};
    }
    records_.push_back(record);
    meta_.push_back({index});
    return {index, sparse_[index].generation};
  }
  [[nodiscard]] const T* find(Key key) const noexcept {
    if (key.index >= sparse_.size()) return nullptr;
    const Sparse& entry = sparse_[key.index];
    if (entry.generation != key.generation || entry.state != kLive) return nullptr;
    return &records_[entry.position];
  }
  bool erase(Key key) {
    if (find(key) == nullptr) return false;
    Sparse& entry = sparse_[key.index];
    const std::uint32_t hole = entry.position;
    records_[hole] = records_.back();
    meta_[hole] = meta_.back();
    sparse_[meta_[hole].sparse].position = hole;
    records_.pop_back();
    meta_.pop_back();
    // First freed, first used.
    entry.state = kFree;
    if (free_count_ == 0) {
      first_free_ = key.index;
    } else {
      sparse_[last_free_].position = key.index;
    }
    last_free_ = key.index;
    ++free_count_;
    return true;
  }
  [[nodiscard]] const std::vector<T>& records() const noexcept { return records_; }
  /// Frees all: every sparse entry is written, the free list leads through them in order.
  void clear() {
    for (std::uint32_t i = 0; i < sparse_.size(); ++i)
      sparse_[i] = {i + 1, sparse_[i].generation, kFree};
    first_free_ = 0;
    free_count_ = sparse_.size();
    last_free_ = static_cast<std::uint32_t>(free_count_ - (free_count_ == 0 ? 0 : 1));
    records_.clear();
    meta_.clear();
  }
  /// Sorts by insertion from the front, as each call of the design does: a record that is out of
  /// order is taken out, those it belongs before move up by one, and it is put in front of them.
  /// Stops after `max_swaps` such moves unless that is 0. Returns how many there were.
  template <class Precedes>
  std::size_t defragment(const Precedes& precedes, std::size_t max_swaps) {
    std::size_t swaps = 0;
    for (std::size_t i = 1; i < records_.size() && (max_swaps == 0 || swaps < max_swaps); ++i) {
      const T record = records_[i];
      const Meta meta = meta_[i];
      std::size_t to = i;
      for (; to > 0 && precedes(record, records_[to - 1]); --to)
        sparse_[meta_[to - 1].sparse].position = static_cast<std::uint32_t>(to);
      if (to == i) continue;
      const auto move_up = [&](auto& list) {
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(to);
        std::move_backward(begin, list.begin() + static_cast<std::ptrdiff_t>(i),
                           list.begin() + static_cast<std::ptrdiff_t>(i + 1));
      };
      move_up(records_);
      move_up(meta_);
      records_[to] = record;
      meta_[to] = meta;
      sparse_[meta.sparse].position = static_cast<std::uint32_t>(to);
      ++swaps;
    }
    return swaps;
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kLive = 1;
  struct Sparse {
    std::uint32_t position;  // of the record, or the next free entry
    std::uint32_t generation;
    std::uint32_t state;
  };
  struct Meta {
    std::uint32_t sparse;
  };
  std::vector<Sparse> sparse_;
  std::vector<T> records_;
  std::vector<Meta> meta_;
  std::uint32_t first_free_ = 0;
  std::uint32_t last_free_ = 0;
  std::size_t free_count_ = 0;
};

}  // namespace hdb::reference
