// The bytes of a blob table: one buffer that never moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"

namespace hdb::detail {

class FrozenBuffer;

/// The buffer itself, owned by one mutating thread.
//
//   V1  No byte of a page is written while a capture sees the live page.
//   V2  Bytes [0, end) are the blocks' and zeros; bytes [end, clean) are zero; those from clean on
//       may be anything.
class HDB_API BlobBuffer {
 public:
  BlobBuffer(const std::shared_ptr<UndoLog>& log, std::uint64_t capacity, std::uint32_t alignment);

  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  /// One past the last used byte.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  /// Makes the pages of [begin, end) private: captures that see them get a copy. No byte changes,
  /// also when memory runs out.
  void make_private(std::uint64_t begin, std::uint64_t end) {
    bytes_.make_private(to_size(begin), to_size(end));
  }
  /// A byte of a private page, to write to.
  [[nodiscard]] std::byte* private_at(std::uint64_t offset) noexcept {
    return bytes_.owned_at(to_size(offset));
  }

  // Of private pages only:
  /// Raises the end; the bytes up to there are zero.
  void extend(std::uint64_t end) noexcept;
  /// Lowers the end; the bytes after it become zero.
  void shrink(std::uint64_t end) noexcept;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  void move(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept;
  void zero(std::uint64_t begin, std::uint64_t end) noexcept;

  [[nodiscard]] FrozenBuffer freeze(const std::shared_ptr<const Moment>& moment);
  /// Brings the bytes of a capture back. The buffer stays at its address if it was captured from
  /// this buffer and adopt was not called since. Cannot fail, after prepare_thaw.
  void commit_thaw(const FrozenBuffer& frozen) noexcept;
  void prepare_thaw(const FrozenBuffer& frozen);
  /// Takes the memory of another buffer, which can only be destroyed afterwards; captures keep the
  /// former one.
  void adopt(BlobBuffer& other) noexcept;

  /// Load: an empty buffer whose bytes are written in any order, from several threads; `set_filled`
  /// then says where the end is, and by then every byte below it is written.
  void begin_fill() noexcept;
  void set_filled(std::uint64_t end) noexcept;

  /// V1, and V2 for the bytes from `end` on. Null when they hold, else what does not.
  [[nodiscard]] const char* check() const noexcept;
  void check_unwritten() const noexcept { bytes_.check_unwritten(); }

 private:
  [[nodiscard]] bool is_private(std::uint64_t begin, std::uint64_t end) const noexcept {
    return bytes_.is_private(to_size(begin), to_size(end));
  }

  std::uint64_t capacity_;
  FlatArray bytes_;
  std::uint64_t end_ = 0;
  std::uint64_t clean_ = 0;
};

}  // namespace hdb::detail
