// Fixed-size rows from columns: the values of one column go to the same place of every row, so each
// column is one loop.
#include "format/columns/fixed_rows.hpp"

#include <algorithm>
#include <cstring>

#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"

namespace hdb::format {
namespace {

constexpr std::size_t kPrefixBytes = 8;  // slot and generation, hashed before the row
constexpr std::size_t kMaxPlacements = 4096;
constexpr std::size_t kCacheBytes = std::size_t{32} << 10;

// Where in the row one value of a row lies; a column has several of them under an array.
struct Placement {
  std::size_t column = 0;
  unsigned width = 0;
  std::size_t index = 0;  // among the column's values of one row
  std::size_t offset = 0;
};

struct FixedRow {
  std::vector<Placement> placements;
  std::vector<std::size_t> values_per_row;  // by column
  std::size_t bytes = 0;
};

// Lays out a row; false when it has no fixed size, or too many values.
bool place(const Field& field, std::size_t& column, FixedRow& row) {
  if (field.kind == FieldKind::structure) {
    return std::all_of(field.children.begin(), field.children.end(),
                       [&](const Field& child) { return place(child, column, row); });
  }
  if (field.kind == FieldKind::array) {
    const std::size_t first = column;
    for (std::uint64_t i = 0; i < field.count; ++i) {
      column = first;
      if (!place(field.children.front(), column, row)) return false;
    }
    return true;
  }
  const unsigned width = fixed_width(field);
  if (width == 0 || row.placements.size() == kMaxPlacements) return false;
  if (row.values_per_row.size() <= column) row.values_per_row.resize(column + 1, 0);
  row.placements.push_back({column, width, row.values_per_row[column]++, row.bytes});
  row.bytes += width;
  ++column;
  return true;
}

template <std::size_t Width>
void copy_values(const std::byte* from, std::size_t from_stride, std::byte* to,
                 std::size_t to_stride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, Width);
  }
}

void copy_values(unsigned width, const std::byte* from, std::size_t from_stride, std::byte* to,
                 std::size_t to_stride, std::size_t count) {
  if (width == 1) copy_values<1>(from, from_stride, to, to_stride, count);
  if (width == 2) copy_values<2>(from, from_stride, to, to_stride, count);
  if (width == 4) copy_values<4>(from, from_stride, to, to_stride, count);
  if (width == 8) copy_values<8>(from, from_stride, to, to_stride, count);
}

}  // namespace

std::optional<Hash128> hash_fixed_rows(const Field& root, const RowGroup& group) {
  FixedRow row;
  std::size_t columns = 0;
  if (!place(root, columns, row)) return std::nullopt;
  std::vector<std::uint32_t> live;
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    if (group.states[i] == static_cast<std::uint8_t>(SlotState::live)) {
      live.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const std::size_t stride = kPrefixBytes + row.bytes;
  const std::size_t at_once = std::clamp<std::size_t>(kCacheBytes / stride, 1, 1024);
  Bytes rows(stride * std::min(at_once, live.size()));
  Hash128 sum;
  for (std::size_t begin = 0; begin < live.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, live.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t slot = live[begin + i];
      store_le(rows.data() + i * stride, static_cast<std::uint32_t>(group.first_slot + slot));
      store_le(rows.data() + i * stride + 4, group.generations[slot]);
    }
    for (const Placement& at : row.placements) {
      const std::size_t step = row.values_per_row[at.column] * at.width;
      const std::byte* const from =
          group.columns[at.column].data() + begin * step + at.index * at.width;
      copy_values(at.width, from, step, rows.data() + kPrefixBytes + at.offset, stride, count);
    }
    sum += sum_of_prefixed_rows(rows.data(), stride, count);
  }
  return sum;
}

}  // namespace hdb::format
