// Positions in the columns of a row group: takes the values of one row after another. And the
// opposite: appends canonical row bytes to columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/format/columns/row_node.hpp"

namespace hdb::format {

/// Takes values from columns that have passed the grammar, so every cursor stays within its column.
class ColumnWalk {
 public:
  /// Requires: the columns outlive the walk.
  explicit ColumnWalk(std::span<const Bytes> columns) : columns_(columns), at_(columns.size()) {}

  /// Appends the canonical bytes of the next value of a field to `row`: Bytes, or an object with
  /// the same end, insert and push_back.
  template <class Row>
  void append(const RowNode& node, Row& row) {
    switch (node.field->kind) {
      case FieldKind::structure:
        for (const RowNode& child : node.children) append(child, row);
        return;
      case FieldKind::array:
        for (std::uint64_t i = 0; i < node.field->count; ++i) append(node.children[0], row);
        return;
      case FieldKind::string:
      case FieldKind::opaque: copy(node.column + 1, append_length(node.column, row), row); return;
      case FieldKind::list:
        for (std::uint64_t left = append_length(node.column, row); left != 0; --left)
          append(node.children[0], row);
        return;
      case FieldKind::map:
        for (std::uint64_t left = append_length(node.column, row); left != 0; --left) {
          append(node.children[0], row);
          append(node.children[1], row);
        }
        return;
      case FieldKind::optional: {
        const bool present = take_bit(node.column);
        row.push_back(std::byte{present});
        if (present) append(node.children[0], row);
        return;
      }
      case FieldKind::variant: {
        const std::uint8_t tag = take_tag(node.column);
        row.push_back(std::byte{tag});
        append(node.children[tag], row);
        return;
      }
      default: copy(node.column, node.width, row);
    }
  }

  /// The next value of a column of lengths.
  std::uint64_t take_length(std::size_t column) {
    std::uint64_t length = 0;
    const std::byte* const from = columns_[column].data() + at_[column];
    const std::byte* const end =
        load_varint(from, columns_[column].data() + columns_[column].size(), length);
    at_[column] += static_cast<std::size_t>(end - from);
    return length;
  }
  /// The next value of a column of presence.
  bool take_bit(std::size_t column) {
    const std::size_t bit = at_[column]++;
    return (std::to_integer<unsigned>(columns_[column][bit / 8]) >> (bit % 8) & 1) != 0;
  }
  /// The next value of a column of tags.
  std::uint8_t take_tag(std::size_t column) {
    return std::to_integer<std::uint8_t>(columns_[column][at_[column]++]);
  }

 private:
  template <class Row>
  void copy(std::size_t column, std::uint64_t size, Row& row) {
    const std::byte* const from = columns_[column].data() + at_[column];
    row.insert(row.end(), from, from + size);
    at_[column] += static_cast<std::size_t>(size);
  }

  template <class Row>
  std::uint64_t append_length(std::size_t column, Row& row) {
    const std::size_t before = at_[column];
    const std::uint64_t length = take_length(column);
    const std::byte* const from = columns_[column].data() + before;
    row.insert(row.end(), from, from + (at_[column] - before));
    return length;
  }

  std::span<const Bytes> columns_;
  std::vector<std::size_t> at_;  // bytes taken of each column; bits for presence
};

/// Appends rows to columns.
class ColumnFill {
 public:
  /// Requires: the columns outlive the object; those that it fills are empty.
  explicit ColumnFill(std::span<Bytes> columns) : columns_(columns), bits_(columns.size()) {}

  /// Appends one value of a field; [row, end) begins with its canonical bytes. Returns the end of
  /// these bytes.
  const std::byte* put(const RowNode& node, const std::byte* row, const std::byte* end) {
    switch (node.field->kind) {
      case FieldKind::structure:
        for (const RowNode& child : node.children) row = put(child, row, end);
        return row;
      case FieldKind::array:
        for (std::uint64_t i = 0; i < node.field->count; ++i) row = put(node.children[0], row, end);
        return row;
      case FieldKind::string:
      case FieldKind::opaque: {
        std::uint64_t size = 0;
        row = put_length(node.column, row, end, size);
        return copy(node.column + 1, row, size);
      }
      case FieldKind::list:
      case FieldKind::map: {
        std::uint64_t count = 0;
        row = put_length(node.column, row, end, count);
        for (; count != 0; --count) {
          for (const RowNode& child : node.children) row = put(child, row, end);
        }
        return row;
      }
      case FieldKind::optional: {
        const bool present = *row++ != std::byte{};
        put_bit(node.column, present);
        return present ? put(node.children[0], row, end) : row;
      }
      case FieldKind::variant: {
        const auto tag = std::to_integer<std::size_t>(*row);
        row = copy(node.column, row, 1);
        return put(node.children[tag], row, end);
      }
      default: return copy(node.column, row, node.width);
    }
  }

 private:
  const std::byte* copy(std::size_t column, const std::byte* from, std::uint64_t size) {
    columns_[column].insert(columns_[column].end(), from, from + size);
    return from + size;
  }

  const std::byte* put_length(std::size_t column, const std::byte* from, const std::byte* end,
                              std::uint64_t& length) {
    return copy(column, from, static_cast<std::uint64_t>(load_varint(from, end, length) - from));
  }

  void put_bit(std::size_t column, bool bit) {
    const std::size_t at = bits_[column]++;
    if (at % 8 == 0) columns_[column].push_back({});
    columns_[column].back() |= std::byte{bit} << at % 8;
  }

  std::span<Bytes> columns_;
  std::vector<std::size_t> bits_;  // of columns of presence
};

}  // namespace hdb::format
