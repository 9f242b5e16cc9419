// Where the pages of an array lie: one number a page, biased so that a lookup needs no masking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hdb::detail {

/// The pages of an array of elements of `stride` bytes, 2^shift of them a page.
//
//   B1  base(p) = address(p) - p * 2^shift * stride, modulo the width of an address; so the element
//       i of page p lies at base(p) + i * stride.
class PageTable {
 public:
  PageTable() = default;
  PageTable(unsigned shift, std::size_t stride) noexcept : shift_(shift), stride_(stride) {}

  /// The element `index`; its page must exist.
  [[nodiscard]] std::byte* at(std::size_t index) const noexcept {
    return pointer(bases_[index >> shift_] + index * stride_);
  }
  /// As at, where the caller knows the size of an element: no multiplication.
  template <std::size_t Stride>
  [[nodiscard]] std::byte* at_stride(std::size_t index) const noexcept {
    return pointer(bases_[index >> shift_] + index * Stride);
  }
  /// As at, where the caller knows both: lookups are bound by the number of their instructions.
  template <unsigned Shift, std::size_t Stride>
  [[nodiscard]] std::byte* at_fixed(std::size_t index) const noexcept {
    return pointer(bases_[index >> Shift] + index * Stride);
  }
  /// The first byte of a page.
  [[nodiscard]] std::byte* operator[](std::size_t page) const noexcept {
    return pointer(bases_[page] + offset(page));
  }
  [[nodiscard]] std::size_t size() const noexcept { return bases_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return bases_.capacity(); }
  [[nodiscard]] bool empty() const noexcept { return bases_.empty(); }
  [[nodiscard]] unsigned shift() const noexcept { return shift_; }
  [[nodiscard]] std::size_t mask() const noexcept { return (std::size_t{1} << shift_) - 1; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

  void reserve(std::size_t pages) { bases_.reserve(pages); }
  void push_back(std::byte* page) {
    bases_.push_back(reinterpret_cast<std::uintptr_t>(page) - offset(size()));
  }
  void set(std::size_t index, std::byte* page) noexcept {
    bases_[index] = reinterpret_cast<std::uintptr_t>(page) - offset(index);
  }
  void pop_back() noexcept { bases_.pop_back(); }
  /// Complexity: linear in the pages.
  void pop_front() noexcept {
    bases_.erase(bases_.begin());
    for (std::uintptr_t& base : bases_) base += offset(1);
  }
  void clear() noexcept { bases_.clear(); }

 private:
  [[nodiscard]] static std::byte* pointer(std::uintptr_t address) noexcept {
    // Told to the compiler: a page is never null.
    if (address == 0) __builtin_unreachable();
    return reinterpret_cast<std::byte*>(address);
  }
  [[nodiscard]] std::uintptr_t offset(std::size_t page) const noexcept {
    return (page << shift_) * stride_;
  }

  std::vector<std::uintptr_t> bases_;
  unsigned shift_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace hdb::detail
