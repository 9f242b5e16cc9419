// Canonical row bytes put together again from columns, for hashes.
//
// One cursor a column; a row is a walk over the schema that takes the next value of each column it
// comes to. The columns have passed the grammar, so every cursor stays within its column.
#include "format/columns/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "base/long_hash.hpp"
#include "base/using_detail.hpp"
#include "format/columns/column_walk.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace format {
namespace {

// The bytes of one row. A long row is hashed in pieces: it need not fit into memory twice.
class HashedRow {
 public:
  void begin(std::uint64_t seed) noexcept {
    row_.clear();
    seed_ = seed;
    is_long_ = false;
  }
  // As those of Bytes.
  void push_back(std::byte byte) { insert(end(), &byte, &byte + 1); }
  [[nodiscard]] std::nullptr_t end() const noexcept { return nullptr; }
  void insert(std::nullptr_t, const std::byte* from, const std::byte* end) {
    while (from != end) {
      if (row_.size() >= kPieceBytes) hash_piece();
      const auto size = static_cast<std::size_t>(end - from);
      const std::byte* const piece = from + std::min(size, kPieceBytes);
      row_.insert(row_.end(), from, piece);
      from = piece;
    }
  }
  [[nodiscard]] Hash128 hash() {
    if (!is_long_) return hash128(row_, seed_);
    hasher_->update(row_);
    return hasher_->digest();
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

  void hash_piece() {
    if (!hasher_) hasher_.emplace();
    if (!is_long_) hasher_->reset(seed_);
    is_long_ = true;
    hasher_->update(row_);
    row_.clear();
  }

  Bytes row_;  // of a long row, what is not hashed yet
  std::uint64_t seed_ = 0;
  bool is_long_ = false;
  std::optional<SeededHash128> hasher_;
};

// Rows of fixed size: the values of one column go to the same place of every row, so each column is
// one loop.

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

// Sum of the row hashes of rows whose columns passed the grammar; nothing when the records have no
// fixed size, or very many values.
std::optional<Hash128> hash_fixed_rows(const Field& root, const std::vector<Bytes>& all,
                                       std::span<const std::uint64_t> seeds) {
  FixedRow row;
  std::size_t columns = 0;
  if (!place(root, columns, row)) return std::nullopt;
  const std::size_t at_once =
      std::clamp<std::size_t>(kCacheBytes / std::max<std::size_t>(row.bytes, 1), 1, 1024);
  Bytes rows(row.bytes * std::min(at_once, seeds.size()));
  Hash128 sum;
  for (std::size_t begin = 0; begin < seeds.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, seeds.size() - begin);
    for (const Placement& at : row.placements) {
      const std::size_t step = row.values_per_row[at.column] * at.width;
      const std::byte* const from = all[at.column].data() + begin * step + at.index * at.width;
      copy_values(at.width, from, step, rows.data() + at.offset, row.bytes, count);
    }
    sum += sum_of_rows(rows.data(), static_cast<std::ptrdiff_t>(row.bytes), row.bytes,
                       seeds.subspan(begin, count));
  }
  return sum;
}

}  // namespace
}  // namespace format

Hash128 hash_live_rows(const Field& root, const std::vector<Bytes>& columns,
                       std::span<const std::uint64_t> seeds) {
  if (const auto sum = format::hash_fixed_rows(root, columns, seeds)) return *sum;
  std::uint32_t column = 0;
  const RowNode node = make_row_node(root, column);
  format::ColumnWalk rows(columns);
  format::HashedRow row;
  Hash128 sum;
  for (const std::uint64_t seed : seeds) {
    row.begin(seed);
    rows.append(node, row);
    sum += row.hash();
  }
  return sum;
}

namespace format {

Hash128 hash_rows_of(const Field& root, const RowGroup& group) {
  Hash128 sum;
  std::vector<std::uint64_t> seeds;
  seeds.reserve(group.states.size());
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(group.first_slot + i);
    const auto state = static_cast<SlotState>(group.states[i]);
    if (state != SlotState::live) {
      sum += vacant_slot_hash(slot, state, group.generations[i]);
      continue;
    }
    const std::uint32_t position = group.positions.empty() ? 0 : group.positions[seeds.size()];
    seeds.push_back(row_seed(slot, group.generations[i], position));
  }
  sum += hash_live_rows(root, group.columns, seeds);
  return sum;
}

}  // namespace format
}  // namespace hdb
