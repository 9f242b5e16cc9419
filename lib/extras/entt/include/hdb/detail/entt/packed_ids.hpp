// The identifiers in a packed array of another library's registry, and the array rebuilt from a
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hdb/handle.hpp"

namespace hdb::detail {

/// How an identifier is made of an index (the lowest bits) and a version above it. An identifier
/// whose version is all ones marks a position without an entity: its index is the next such
/// position, or all ones.
struct IdFormat {
  unsigned width_bytes = 4;  ///< 4 or 8.
  unsigned index_bits = 20;
  unsigned version_bits = 12;

  [[nodiscard]] constexpr std::uint64_t index_mask() const noexcept {
    return (std::uint64_t{1} << index_bits) - 1;
  }
  [[nodiscard]] constexpr std::uint64_t version_mask() const noexcept {
    return (std::uint64_t{1} << version_bits) - 1;
  }
  friend constexpr bool operator==(const IdFormat&, const IdFormat&) noexcept = default;
};

/// The handles of a table that mirrors entities: generation = version + 1.
template <unsigned IndexBits, unsigned VersionBits>
using MirrorLayout = Layout<IndexBits, (VersionBits < 31 ? VersionBits : 31)>;

struct PackedId {
  std::uint64_t index = 0;
  std::uint64_t version = 0;
};

/// Identifiers in the memory of the registry.
struct PackedIds {
  const void* data = nullptr;
  std::size_t size = 0;
  IdFormat format;

  [[nodiscard]] std::size_t size_bytes() const noexcept { return size * format.width_bytes; }
  [[nodiscard]] std::uint64_t bits(std::size_t i) const noexcept {
    if (format.width_bytes == 4) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, static_cast<const std::byte*>(data) + i * 4, 4);
      return bits;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(data) + i * 8, 8);
    return bits;
  }
  [[nodiscard]] PackedId operator[](std::size_t i) const noexcept {
    const std::uint64_t id = bits(i);
    return {id & format.index_mask(), id >> format.index_bits & format.version_mask()};
  }
  [[nodiscard]] bool is_hole(std::size_t i) const noexcept {
    return (*this)[i].version == format.version_mask();
  }
};

/// A packed array of identifiers, rebuilt.
struct PackedArray {
  IdFormat format;
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  std::uint64_t index_end = 0;  ///< Of entities: above the highest index.
  /// Of entities: how many are live; they come first, then the free ones in the order of use.
  std::size_t live_count = 0;
  /// Of components: the hole that is used next; all index bits if there is none.
  std::uint64_t first_hole = 0;

  [[nodiscard]] PackedIds ids() const noexcept { return {bytes.data(), size, format}; }
  void set(std::size_t i, std::uint64_t index, std::uint64_t version) noexcept {
    const std::uint64_t bits = index | version << format.index_bits;
    if (format.width_bytes == 8) {
      std::memcpy(bytes.data() + i * 8, &bits, 8);
    } else {
      const auto narrow = static_cast<std::uint32_t>(bits);
      std::memcpy(bytes.data() + i * 4, &narrow, 4);
    }
  }
};

}  // namespace hdb::detail
