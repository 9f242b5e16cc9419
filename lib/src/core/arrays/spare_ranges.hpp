// The address ranges that arrays left, with their memory, for the next arrays. Private to core.
#pragma once

#include <array>
#include <cstddef>

#include "core/arrays/address_range.hpp"

namespace hdb::detail {

/// Ranges that no array uses, sorted by what they have used. An array that takes one needs no call
/// of the system and, for as many bytes, no fresh page. One thread at a time.
//
// A range in the list lies in its own memory, so putting one in cannot fail.
class SpareRanges {
 public:
  SpareRanges() = default;
  ~SpareRanges() { trim(0); }
  SpareRanges(const SpareRanges&) = delete;
  SpareRanges& operator=(const SpareRanges&) = delete;

  /// A range that has `bytes` or can grow to them, at least as long as a new one would be, and
  /// without much more memory than is asked for; empty if there is none.
  [[nodiscard]] AddressRange take(std::size_t bytes, std::size_t wanted) noexcept;
  /// Keeps a range that is not empty.
  void put(AddressRange range) noexcept;
  /// Gives ranges back to the system, the largest first, until those that stay have used at most
  /// `most` bytes. Returns how many bytes the others had used.
  std::size_t trim(std::size_t most) noexcept;
  /// The bytes that all ranges have used.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Node {
    AddressRange range;
    Node* next = nullptr;
  };
  // By powers of two: the first list has those that used less than one unit.
  static constexpr std::size_t kUnit = 65536;
  static constexpr std::size_t kLists = 48;
  [[nodiscard]] static std::size_t list_of(std::size_t bytes) noexcept;
  [[nodiscard]] AddressRange take_of(std::size_t list, std::size_t size) noexcept;
  [[nodiscard]] AddressRange remove(Node*& node) noexcept;

  std::array<Node*, kLists> lists_{};
  std::size_t bytes_ = 0;
};

}  // namespace hdb::detail
