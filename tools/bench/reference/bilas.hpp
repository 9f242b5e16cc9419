// The handle manager of "A Generic Handle-Based Resource Manager": three vectors (records, magic
// numbers, free indices).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "key.hpp"

namespace hdb::reference {

/// Records stay at their index; a magic number of zero marks a free one.
template <class T>
class BilasTable {
 public:
  Key insert(const T& record) {
    if (++next_magic_ == 0) ++next_magic_;
    if (free_.empty()) {
      const auto index = static_cast<std::uint32_t>(magic_.size());
      records_.push_back(record);
      magic_.push_back(next_magic_);
      return {index, next_magic_};
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    records_[index] = record;
    magic_[index] = next_magic_;
    return {index, next_magic_};
  }
  [[nodiscard]] const T* find(Key key) const noexcept {
    if (key.index >= magic_.size() || magic_[key.index] != key.generation) return nullptr;
    return &records_[key.index];
  }
  [[nodiscard]] T* edit(Key key) noexcept { return const_cast<T*>(find(key)); }
  bool erase(Key key) {
    if (find(key) == nullptr) return false;
    magic_[key.index] = 0;
    free_.push_back(key.index);
    return true;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < magic_.size(); ++i) {
      if (magic_[i] != 0) visit(records_[i]);
    }
  }

 private:
  std::vector<T> records_;
  std::vector<std::uint32_t> magic_;
  std::vector<std::uint32_t> free_;
  std::uint32_t next_magic_ = 0;
};

}  // namespace hdb::reference
