// Where a pass over the rows of a row group stands in each column.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"

namespace hdb::inspect::dumping {

/// Nothing beyond a column is read: the first try fails the pass, and everything read after it is
/// empty.
class ColumnCursors {
 public:
  void begin(std::span<const Bytes> columns) {
    cursors_.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::byte* const first = columns[i].data();
      cursors_[i] = {first, first + columns[i].size(), 0};
    }
    failed_ = false;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  /// Stops the pass.
  void fail_at(std::uint32_t column) {
    if (!failed_) failed_column_ = column;
    failed_ = true;
  }
  [[nodiscard]] std::uint32_t failed_column() const { return failed_column_; }

  [[nodiscard]] const std::byte* take(std::uint32_t column, std::uint64_t size) {
    Cursor& cursor = cursors_[column];
    if (failed_ || size > static_cast<std::uint64_t>(cursor.end - cursor.at)) {
      fail_at(column);
      return nullptr;
    }
    const std::byte* const at = cursor.at;
    cursor.at += static_cast<std::size_t>(size);
    last_taken_ = at;
    return at;
  }
  /// What `take` returned last.
  [[nodiscard]] const std::byte* last_taken() const { return last_taken_; }
  template <class T>
  [[nodiscard]] T take_value(std::uint32_t column) {
    const std::byte* const at = take(column, sizeof(T));
    return at == nullptr ? T{} : load_le<T>(at);
  }
  [[nodiscard]] std::uint64_t take_length(std::uint32_t column) {
    Cursor& cursor = cursors_[column];
    if (!failed_ && cursor.at != cursor.end && *cursor.at < std::byte{0x80})
      return std::to_integer<std::uint64_t>(*cursor.at++);
    std::uint64_t length = 0;
    const std::byte* const next = failed_ ? nullptr : load_varint(cursor.at, cursor.end, length);
    if (next == nullptr) {
      fail_at(column);
      return 0;
    }
    cursor.at = next;
    return length;
  }
  [[nodiscard]] bool take_bit(std::uint32_t column) {
    Cursor& cursor = cursors_[column];
    if (failed_ || cursor.at == cursor.end) {
      fail_at(column);
      return false;
    }
    const bool bit = (std::to_integer<unsigned>(*cursor.at) >> cursor.bit & 1) != 0;
    if (++cursor.bit == 8) cursor.bit = 0, ++cursor.at;
    return bit;
  }
  [[nodiscard]] std::string_view take_text(std::uint32_t column, std::uint64_t size) {
    const std::byte* const at = take(column, size);
    if (at == nullptr) return {};
    return {reinterpret_cast<const char*>(at), static_cast<std::size_t>(size)};
  }

 private:
  struct Cursor {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;
    unsigned bit = 0;  // presence: of the byte at `at`
  };
  std::vector<Cursor> cursors_;
  const std::byte* last_taken_ = nullptr;
  bool failed_ = false;
  std::uint32_t failed_column_ = 0;
};

}  // namespace hdb::inspect::dumping
