// Hashes over lists of slots; that over the dense order of a table, gathered from its groups in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {

/// XXH3-128 over slot numbers as little-endian u32: of a free list, of a dense order.
[[nodiscard]] Hash128 hash_slots(std::span<const std::uint32_t> slots);

/// Reads the slot columns of one group.
using ReadSlots = std::function<Status(std::uint64_t group, RowGroup& out)>;

/// Groups say at which dense position each record is; the hash goes over the slots in the order of positions. Some of them (a
/// window) are kept at once; a table with more is read again, window by window.
///
/// Memory: 32 MiB at most, four bytes a live record in smaller tables; nothing for stable tables.
class DenseOrder {
 public:
  static constexpr std::uint64_t kDefaultWindow = std::uint64_t{8} << 20;

  /// `window`: positions kept at once.
  explicit DenseOrder(const TableDescriptor& table, std::uint64_t window = kDefaultWindow);

  /// Takes the first window's part of a group. May be called from several threads at once for different groups, whose
  /// positions must then be known to be distinct.
  /// Errors: bad_dense_order where a position is too large, or there are fewer positions than records.
  [[nodiscard]] Status add(const RowGroup& group);
  /// The hash, when all groups were added; `read` reads them again where there is more than one window.
  /// Errors: those of `read` and `add`. Complexity: the groups times the windows.
  [[nodiscard]] Result<Hash128> finish(const ReadSlots& read);

 private:
  const TableDescriptor& table_;
  std::uint64_t window_;
  std::uint64_t first_ = 0;  // position where the window begins
  std::vector<std::uint32_t> slots_;
};

/// The hash over the dense order of a table (slot numbers as little-endian u32), zero for stable tables.
/// Errors: those of `read`; bad_dense_order.
[[nodiscard]] Result<Hash128> hash_dense_order(const TableDescriptor& table, const ReadSlots& read);

}  // namespace hdb
