// Canonical row bytes put together again from columns, for hashes.
//
// One cursor a column; a row is a walk over the schema that takes the next value of each column it
// comes to. The columns have passed the grammar, so every cursor stays within its column.
#include "format/columns/rows.hpp"

#include <cstddef>
#include <optional>
#include <vector>

#include "base/sees_detail.hpp"
#include "format/columns/fixed_rows.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/format/columns/row_node.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace format {
namespace {

class RowWalk {
 public:
  RowWalk(const Field& root, const std::vector<Bytes>& columns)
      : columns_(columns), at_(columns.size()) {
    std::uint32_t column = 0;
    root_ = make_row_node(root, column);
  }

  // The bytes of the next row; good until the next call.
  const Bytes& next() {
    row_.clear();
    append(root_);
    return row_;
  }

 private:
  void append(const RowNode& node) {
    switch (node.field->kind) {
      case FieldKind::structure:
        for (const RowNode& child : node.children) append(child);
        return;
      case FieldKind::array:
        for (std::uint64_t i = 0; i < node.field->count; ++i) append(node.children[0]);
        return;
      case FieldKind::string:
      case FieldKind::opaque: copy(node.column + 1, append_length(node.column)); return;
      case FieldKind::list:
        for (std::uint64_t left = append_length(node.column); left != 0; --left)
          append(node.children[0]);
        return;
      case FieldKind::map:
        for (std::uint64_t left = append_length(node.column); left != 0; --left) {
          append(node.children[0]);
          append(node.children[1]);
        }
        return;
      case FieldKind::optional: {
        const std::size_t bit = at_[node.column]++;
        const bool present =
            (std::to_integer<unsigned>(columns_[node.column][bit / 8]) >> (bit % 8) & 1) != 0;
        row_.push_back(std::byte{present});
        if (present) append(node.children[0]);
        return;
      }
      case FieldKind::variant: {
        const std::byte tag = columns_[node.column][at_[node.column]];
        copy(node.column, 1);
        append(node.children[std::to_integer<std::size_t>(tag)]);
        return;
      }
      default: copy(node.column, node.width);
    }
  }

  void copy(std::size_t column, std::uint64_t size) {
    const std::byte* const from = columns_[column].data() + at_[column];
    row_.insert(row_.end(), from, from + size);
    at_[column] += static_cast<std::size_t>(size);
  }

  std::uint64_t append_length(std::size_t column) {
    const std::byte* const from = columns_[column].data() + at_[column];
    std::uint64_t length = 0;
    const std::byte* const end =
        load_varint(from, columns_[column].data() + columns_[column].size(), length);
    copy(column, static_cast<std::uint64_t>(end - from));
    return length;
  }

  const std::vector<Bytes>& columns_;
  std::vector<std::size_t> at_;  // bytes taken of each column; bits for presence
  RowNode root_;
  Bytes row_;
};

}  // namespace
}  // namespace format

Hash128 hash_live_rows(const Field& root, const std::vector<Bytes>& columns,
                       std::span<const std::uint32_t> slots,
                       std::span<const std::uint32_t> generations) {
  format::RowWalk rows(root, columns);
  Hash128 sum;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    sum += row_hash(slots[i], generations[i], rows.next());
  }
  return sum;
}

namespace format {

Hash128 hash_rows_of(const Field& root, const RowGroup& group) {
  const std::optional<Hash128> fixed = hash_fixed_rows(root, group);
  Hash128 sum = fixed.value_or(Hash128{});
  std::optional<RowWalk> rows;
  if (!fixed) rows.emplace(root, group.columns);
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(group.first_slot + i);
    const auto state = static_cast<SlotState>(group.states[i]);
    if (state != SlotState::live) {
      sum += vacant_slot_hash(slot, state, group.generations[i]);
    } else if (rows) {
      sum += row_hash(slot, group.generations[i], rows->next());
    }
  }
  return sum;
}

}  // namespace format
}  // namespace hdb
