// Gathers plain records into columns, hashes their rows, and scatters columns into records.
#include "plain.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "hdb/base/hash.hpp"

namespace hdb::record {
namespace {

/// Records of a sub-block stay in the first-level cache while their columns are gathered one after another.
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
constexpr std::size_t kMinBlockRows = 32;
constexpr std::size_t kMaxBlockRows = 1024;

std::size_t rows_of_block(std::size_t record_bytes) {
  return std::clamp(kBlockBytes / std::max<std::size_t>(record_bytes, 1), kMinBlockRows, kMaxBlockRows);
}

/// The distance between neighbours when it is the same for all records of a block, else 0.
std::ptrdiff_t common_stride(const void* const* records, std::size_t count) {
  if (count < 2) return 0;
  const auto* const base = static_cast<const std::byte*>(records[0]);
  const std::ptrdiff_t stride = static_cast<const std::byte*>(records[1]) - base;
  bool is_common = true;
  for (std::size_t i = 2; i < count; ++i) {
    is_common &= static_cast<const std::byte*>(records[i]) == base + stride * static_cast<std::ptrdiff_t>(i);
  }
  return is_common ? stride : 0;
}

template <std::size_t Width>
void copy_values(std::byte* to, std::size_t to_stride, const std::byte* from, std::ptrdiff_t from_stride,
                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to, from, Width);
    to += to_stride;
    from += from_stride;
  }
}

template <std::size_t Width>
void copy_values(std::byte* to, std::size_t to_stride, const void* const* from, std::size_t offset, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to, static_cast<const std::byte*>(from[i]) + offset, Width);
    to += to_stride;
  }
}

template <std::size_t Width>
void place_values(void* const* to, std::size_t offset, const std::byte* from, std::size_t from_stride,
                  std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<std::byte*>(to[i]) + offset, from, Width);
    from += from_stride;
  }
}

/// Calls `fixed.template operator()<Width>()` for the common widths, else `any()`.
template <class Fixed, class Any>
void by_width(std::size_t width, const Fixed& fixed, const Any& any) {
  switch (width) {
    case 1: return fixed.template operator()<1>();
    case 2: return fixed.template operator()<2>();
    case 4: return fixed.template operator()<4>();
    case 8: return fixed.template operator()<8>();
    case 12: return fixed.template operator()<12>();
    case 16: return fixed.template operator()<16>();
    case 24: return fixed.template operator()<24>();
    case 32: return fixed.template operator()<32>();
    case 64: return fixed.template operator()<64>();
    default: return any();
  }
}

/// The records of a block, with their common distance if there is one.
struct Block {
  const void* const* records;
  std::size_t count;
  std::ptrdiff_t stride;
};

/// Copies one run of each record to `to`, `to_stride` bytes apart.
void copy_run(const Block& block, const PlainRun& run, std::byte* to, std::size_t to_stride) {
  if (block.stride != 0) {
    const std::byte* const from = static_cast<const std::byte*>(block.records[0]) + run.offset;
    by_width(
        run.size,
        [&]<std::size_t Width>() {
          to_stride == Width ? copy_values<Width>(to, Width, from, block.stride, block.count)
                             : copy_values<Width>(to, to_stride, from, block.stride, block.count);
        },
        [&] {
          for (std::size_t i = 0; i < block.count; ++i) {
            std::memcpy(to + i * to_stride, from + block.stride * static_cast<std::ptrdiff_t>(i), run.size);
          }
        });
    return;
  }
  by_width(
      run.size, [&]<std::size_t Width>() { copy_values<Width>(to, to_stride, block.records, run.offset, block.count); },
      [&] {
        for (std::size_t i = 0; i < block.count; ++i) {
          std::memcpy(to + i * to_stride, static_cast<const std::byte*>(block.records[i]) + run.offset, run.size);
        }
      });
}

void add_run(std::vector<PlainRun>& runs, const LeafPlace& place) {
  if (!runs.empty() && runs.back().offset + runs.back().size == place.offset) {
    runs.back().size += place.width;
  } else {
    runs.push_back({place.offset, place.width});
  }
}

bool walk(const Plan& plan, std::uint32_t index, const std::vector<LeafPlace>& places, std::size_t& next,
          PlainLayout& layout) {
  const PlanNode& node = plan.nodes[index];
  if (node.kind == FieldKind::structure || node.kind == FieldKind::array) {
    const std::uint64_t times = node.kind == FieldKind::array ? node.count : 1;
    for (std::uint64_t i = 0; i < times; ++i) {
      for (const std::uint32_t child : node.children) {
        if (!walk(plan, child, places, next, layout)) return false;
      }
    }
    return true;
  }
  if (node.width == 0 || next == places.size() || places[next].width != node.width) return false;
  const LeafPlace& place = places[next++];
  PlainColumn& column = layout.columns[node.column];
  add_run(column.runs, place);
  column.row_bytes += place.width;
  column.is_boolean = node.leaf == FieldKind::boolean;
  add_run(layout.row, place);
  layout.row_bytes += place.width;
  return true;
}

bool has_overlap(std::vector<LeafPlace> places) {
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i - 1].offset + places[i - 1].width > places[i].offset) return true;
  }
  return false;
}

}  // namespace

bool PlainLayout::build(const Plan& plan, const std::vector<LeafPlace>& places, std::size_t bytes) {
  *this = PlainLayout{};
  record_bytes = bytes;
  columns.resize(plan.columns.size());
  std::size_t next = 0;
  return walk(plan, 0, places, next, *this) && next == places.size() && !has_overlap(places);
}

void gather(const PlainLayout& layout, std::span<const void* const> records, std::vector<Bytes>& columns) {
  const std::size_t block_rows = rows_of_block(layout.record_bytes);
  std::size_t widest = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widest = std::max(widest, layout.columns[c].row_bytes);
    columns[c].reserve(columns[c].size() + records.size() * layout.columns[c].row_bytes);
  }
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(block_rows * widest);
  for (std::size_t first = 0; first < records.size(); first += block_rows) {
    const std::size_t count = std::min(block_rows, records.size() - first);
    const Block block{records.data() + first, count, common_stride(records.data() + first, count)};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const PlainColumn& column = layout.columns[c];
      std::byte* to = staging.get();
      for (const PlainRun& run : column.runs) {
        copy_run(block, run, to, column.row_bytes);
        to += run.size;
      }
      columns[c].insert(columns[c].end(), staging.get(), staging.get() + count * column.row_bytes);
    }
  }
}

Hash128 hash_plain_rows(const PlainLayout& layout, const RecordBatch& batch) {
  const std::size_t stride = 8 + layout.row_bytes;
  const std::size_t block_rows = rows_of_block(std::max(stride, layout.record_bytes));
  const auto rows = std::make_unique_for_overwrite<std::byte[]>(block_rows * stride);
  Hash128 sum;
  for (std::size_t first = 0; first < batch.records.size(); first += block_rows) {
    const std::size_t count = std::min(block_rows, batch.records.size() - first);
    const Block block{batch.records.data() + first, count, common_stride(batch.records.data() + first, count)};
    for (std::size_t i = 0; i < count; ++i) {
      store_le(rows.get() + i * stride, batch.slots[first + i]);
      store_le(rows.get() + i * stride + 4, batch.generations[first + i]);
    }
    std::byte* to = rows.get() + 8;
    for (const PlainRun& run : layout.row) {
      copy_run(block, run, to, stride);
      to += run.size;
    }
    sum += sum_of_prefixed_rows(rows.get(), stride, count);
  }
  return sum;
}

Status scatter(const PlainLayout& layout, const Plan& plan, std::span<const Bytes> columns,
               std::span<void* const> records) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const std::string& path = plan.nodes[plan.columns[c].node].path;
    const std::size_t expected = layout.columns[c].row_bytes * records.size();
    if (columns[c].size() != expected) {
      return fail(ErrorCode::bad_lengths,
                  "the column has " + std::to_string(columns[c].size()) + " bytes, its values take " +
                      std::to_string(expected),
                  "field '" + path + "'");
    }
    if (!layout.columns[c].is_boolean) continue;
    unsigned all = 0;
    for (const std::byte byte : columns[c]) all |= std::to_integer<unsigned>(byte);
    if (all > 1) return fail(ErrorCode::bad_value, "a boolean is neither 0 nor 1", "field '" + path + "'");
  }
  const std::size_t block_rows = rows_of_block(layout.record_bytes);
  for (std::size_t first = 0; first < records.size(); first += block_rows) {
    const std::size_t count = std::min(block_rows, records.size() - first);
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      const PlainColumn& column = layout.columns[c];
      const std::byte* from = columns[c].data() + first * column.row_bytes;
      void* const* const to = records.data() + first;
      for (const PlainRun& run : column.runs) {
        by_width(
            run.size,
            [&]<std::size_t Width>() { place_values<Width>(to, run.offset, from, column.row_bytes, count); },
            [&] {
              for (std::size_t i = 0; i < count; ++i) {
                std::memcpy(static_cast<std::byte*>(to[i]) + run.offset, from + i * column.row_bytes, run.size);
              }
            });
        from += run.size;
      }
    }
  }
  return {};
}

}  // namespace hdb::record
