// What captures see of a blob table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/arrays/frozen_array.hpp"
#include "core/tables/frozen_table.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb::detail {

/// The bytes of a buffer at one moment: immutable, readable from any thread while the owner goes on
/// writing.
class FrozenBuffer {
 public:
  FrozenBuffer() = default;
  FrozenBuffer(FrozenArray bytes, std::uint64_t end) noexcept
      : bytes_(std::move(bytes)), end_(end) {}

  /// The used bytes at that moment.
  [[nodiscard]] std::uint64_t size() const noexcept { return end_; }
  /// Copies bytes [offset, offset + out.size()) out. Requires: they lie within size().
  HDB_API void read(std::uint64_t offset, std::span<std::byte> out) const;
  [[nodiscard]] const FrozenArray& bytes() const noexcept { return bytes_; }
  /// See FrozenArray::see.
  void see(const std::shared_ptr<const Moment>& moment, bool is_now) { bytes_.see(moment, is_now); }

 private:
  FrozenArray bytes_;
  std::uint64_t end_ = 0;
};

/// A blob table at one moment: immutable, readable from any thread.
struct FrozenBlobs {
  FrozenBuffer buffer;  ///< Its size() is the used end.
  std::uint32_t first = kNoBlock;
  std::uint32_t last = kNoBlock;
  std::uint64_t allocated_bytes = 0;
  std::size_t tail = 0;

  /// Whether all is equal but for the content of the array, which is the same.
  [[nodiscard]] bool is_same_state(const FrozenBlobs& other) const noexcept {
    return buffer.size() == other.buffer.size() &&
           buffer.bytes().is_same_array(other.buffer.bytes()) && first == other.first &&
           last == other.last && allocated_bytes == other.allocated_bytes;
  }
};

/// The content at this moment of a table that was frozen without one; see FrozenArray::see.
[[nodiscard]] HDB_API FrozenTable seen_at(const FrozenTable& table,
                                          const std::shared_ptr<const Moment>& moment,
                                          bool is_now = false);
/// Whether all is equal but for the content of the arrays, which are the same.
[[nodiscard]] HDB_API bool is_same_state(const FrozenTable& a, const FrozenTable& b) noexcept;

/// The place of the block of a live slot. Requires: `table` was captured from a blob table.
[[nodiscard]] inline BlockPlace block_place(const FrozenTable& table, std::uint64_t slot) noexcept {
  PagePin pin(table.records);
  return *reinterpret_cast<const BlockPlace*>(pin.at(slot) + table.blobs->tail);
}

}  // namespace hdb::detail
