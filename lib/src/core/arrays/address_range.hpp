// Address space that is reserved first and backed by memory as it is needed. Private to core.
#pragma once

#include <cstddef>
#include <utility>

namespace hdb::detail {

/// A range of addresses whose first `committed()` bytes can be used. Growing it moves nothing.
//
// On 64-bit Linux and Windows. Elsewhere reserve() gives an empty range, and arrays grow by
// copying.
class AddressRange {
 public:
  AddressRange() = default;
  ~AddressRange();
  AddressRange(AddressRange&& other) noexcept { swap(other); }
  AddressRange& operator=(AddressRange&& other) noexcept {
    AddressRange(std::move(other)).swap(*this);
    return *this;
  }

  /// Reserves at least `least` bytes, and up to `wanted`; empty where the system refuses.
  [[nodiscard]] static AddressRange reserve(std::size_t least, std::size_t wanted) noexcept;
  /// The size of the range that reserve(least, wanted) tries to get first.
  [[nodiscard]] static std::size_t size_for(std::size_t least, std::size_t wanted) noexcept;
  /// Makes bytes [0, bytes) usable. Those that no array has used yet are zero. False when memory
  /// runs out.
  [[nodiscard]] bool commit(std::size_t bytes) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t committed() const noexcept { return committed_; }
  /// The most bytes that were asked of commit: as many take memory at most.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

  /// No array uses the range: sanitizers report who reads it, and what lies in it keeps no other
  /// memory alive. The first `head` bytes stay readable.
  void rest(std::size_t head) noexcept;
  /// An array uses the range again. Its content means nothing.
  void wake() noexcept;

 private:
  void swap(AddressRange& other) noexcept;
  [[nodiscard]] bool grow(std::size_t bytes) noexcept;

  std::byte* data_ = nullptr;  // at the begin of a huge page
  std::byte* reserved_ = nullptr;
  std::size_t size_ = 0;
  std::size_t committed_ = 0;
  std::size_t used_ = 0;
};

}  // namespace hdb::detail
