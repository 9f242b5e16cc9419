// Gathers plain records into columns, hashes their rows, and scatters columns into records.
#include "record/plain.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "evolve/match.hpp"
#include "hdb/hash.hpp"

namespace hdb::detail::record {
namespace {

// In memory a number has the machine's order of bytes.
template <class Number>
std::uint64_t number_at(const std::byte* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

void add_run(std::vector<PlainRun>& runs, const LeafPlace& place) {
  if (!runs.empty() && runs.back().offset + runs.back().size == place.offset) {
    runs.back().size += place.width;
  } else {
    runs.push_back({place.offset, place.width});
  }
}

bool walk(const Plan& plan, std::uint32_t index, const std::vector<LeafPlace>& places,
          std::size_t& next, PlainLayout& layout, std::vector<PlainRun>& row) {
  const PlanNode& node = plan.nodes[index];
  if (node.kind == FieldKind::structure || node.kind == FieldKind::array) {
    const std::uint64_t times = node.kind == FieldKind::array ? node.count : 1;
    for (std::uint64_t i = 0; i < times; ++i) {
      for (const std::uint32_t child : node.children) {
        if (!walk(plan, child, places, next, layout, row)) return false;
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
  add_run(row, place);
  layout.row_bytes += place.width;
  return true;
}

/// Finds columns of one value a row that lie near each other.
void find_tiles(PlainLayout& layout) {
  const auto width_of = [&](std::uint32_t c) -> std::size_t {
    return layout.columns[c].runs.size() == 1 ? layout.columns[c].row_bytes : 0;
  };
  std::vector<std::uint32_t> order(layout.columns.size());
  for (std::uint32_t c = 0; c < order.size(); ++c) order[c] = c;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto offset = [&](std::uint32_t c) {
      return layout.columns[c].runs.empty() ? 0 : layout.columns[c].runs[0].offset;
    };
    return offset(a) < offset(b);
  });
  std::vector<bool> is_tiled(order.size(), false);
  for (const std::uint32_t first : order) {
    const std::size_t width = width_of(first);
    if (is_tiled[first] || (width != 4 && width != 8) || layout.record_bytes < Tile::kBytes)
      continue;
    Tile tile;
    tile.width = static_cast<unsigned>(width);
    // A tile may begin before its first column, so that it ends inside the record.
    std::size_t offset = layout.columns[first].runs[0].offset;
    while (offset + Tile::kBytes > layout.record_bytes) offset -= std::min(offset, width);
    tile.offset = offset;
    unsigned used = 0;
    for (const std::uint32_t c : order) {
      if (is_tiled[c] || width_of(c) != width) continue;
      const std::size_t at = layout.columns[c].runs[0].offset;
      if (at < offset || at + width > offset + Tile::kBytes || (at - offset) % width != 0) continue;
      tile.columns[(at - offset) / width] = c;
      ++used;
    }
    if (used < 2) continue;
    for (const std::uint32_t c : tile.columns) {
      if (c != Tile::kNoColumn) is_tiled[c] = true;
    }
    layout.tiles.push_back(tile);
  }
  for (std::uint32_t c = 0; c < order.size(); ++c) {
    if (!is_tiled[c]) layout.untiled.push_back(c);
  }
}

bool has_overlap(std::vector<LeafPlace> places) {
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i - 1].offset + places[i - 1].width > places[i].offset) return true;
  }
  return false;
}

}  // namespace

bool PlainLayout::build(const Plan& plan, const std::vector<LeafPlace>& places, std::size_t bytes,
                        std::span<PlacedField> fields) {
  *this = PlainLayout{};
  record_bytes = bytes;
  columns.resize(plan.columns.size());
  std::size_t next = 0;
  const std::vector<std::uint32_t>& nodes = plan.nodes.front().children;
  std::vector<PlainRun>* placed_row = nullptr;  // that of the placed fields just before
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!fields.empty() && !fields[i].is_placed) {
      placed_row = nullptr;
      continue;
    }
    if (!fields.empty() && placed_row == nullptr) placed_row = &fields[i].row;
    if (!walk(plan, nodes[i], places, next, *this, fields.empty() ? row : *placed_row))
      return false;
  }
  if (next != places.size() || has_overlap(places)) return false;
  find_tiles(*this);
  return true;
}

PlainLayout PlainLayout::for_columns(const std::vector<std::uint32_t>& own_columns) const {
  PlainLayout layout;
  layout.record_bytes = record_bytes;
  for (const std::uint32_t own : own_columns) {
    layout.columns.push_back(own == Match::kNoColumn ? PlainColumn{} : columns[own]);
  }
  find_tiles(layout);
  return layout;
}

namespace {

/// `rows` has room for the rows of a block.
Hash128 hash_rows(const PlainLayout& layout, const Block& block, std::byte* rows,
                  std::span<const std::uint64_t> seeds) {
  if (layout.row.size() == 1 && block.stride != 0) {  // a row lies in the record as it is hashed
    return sum_of_rows(block.base + layout.row[0].offset, block.stride, layout.row_bytes, seeds);
  }
  std::byte* to = rows;
  for (const PlainRun& run : layout.row) {
    copy_run(block, run, to, layout.row_bytes);
    to += run.size;
  }
  return sum_of_rows(rows, static_cast<std::ptrdiff_t>(layout.row_bytes), layout.row_bytes, seeds);
}

}  // namespace

ColumnFill::ColumnFill(const PlainLayout& layout, std::size_t rows, std::vector<Bytes>& columns)
    : layout_(layout),
      unused_(unset_bytes(layout.tiles.empty() ? 0 : rows_of_block(layout.record_bytes) * 8)),
      to_(columns.size()) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (layout.columns[c].runs.empty()) continue;
    columns[c].resize(rows * layout.columns[c].row_bytes);  // free if it has this size already
    to_[c] = columns[c].data();
  }
}

void ColumnFill::add(const Block& block) {
  for (const Tile& tile : layout_.tiles) {
    std::byte* lanes[4];
    for (unsigned lane = 0; lane < 4; ++lane)
      lanes[lane] = tile.columns[lane] == Tile::kNoColumn ? unused_.get() : to_[tile.columns[lane]];
    copy_tile(block, tile, lanes);
  }
  for (const std::uint32_t c : layout_.untiled) {
    std::byte* at = to_[c];
    for (const PlainRun& run : layout_.columns[c].runs) {
      copy_run(block, run, at, layout_.columns[c].row_bytes);
      at += run.size;
    }
  }
  for (std::size_t c = 0; c < to_.size(); ++c) to_[c] += block.count * layout_.columns[c].row_bytes;
}

void ColumnFill::add_record(const void* record) {
  const std::size_t block_rows = rows_of_block(layout_.record_bytes);
  if (copies_.get() == nullptr) copies_ = unset_bytes(block_rows * layout_.record_bytes);
  std::memcpy(copies_.get() + copied_ * layout_.record_bytes, record, layout_.record_bytes);
  if (++copied_ == block_rows) add_copies();
}

void ColumnFill::add_copies() {
  add(Block(copies_.get(), copied_, layout_.record_bytes));
  copied_ = 0;
}

void encode_plain(const PlainLayout& layout, const RecordBatch& batch, std::vector<Bytes>* columns,
                  Hash128* hash_sum) {
  const std::size_t block_rows = rows_of_block(layout.record_bytes);
  const std::size_t stride =
      batch.reader == nullptr ? layout.record_bytes : batch.reader->stride_bytes();
  const auto copies = unset_bytes(batch.reader == nullptr ? 0 : block_rows * stride);
  const auto rows = unset_bytes(hash_sum == nullptr ? 0 : block_rows * layout.row_bytes);
  std::vector<std::uint64_t> seeds(hash_sum == nullptr ? 0 : block_rows);
  std::optional<ColumnFill> fill;
  if (columns != nullptr) fill.emplace(layout, batch.size(), *columns);
  for (std::size_t first = 0; first < batch.size(); first += block_rows) {
    const std::size_t count = std::min(block_rows, batch.size() - first);
    if (batch.reader != nullptr) batch.reader->copy(first, count, copies.get());
    const Block block = batch.reader == nullptr ? Block(batch.records.data() + first, count)
                                                : Block(copies.get(), count, stride);
    if (fill) fill->add(block);
    if (hash_sum == nullptr) continue;
    for (std::size_t i = 0; i < count; ++i) seeds[i] = batch.seed(first + i);
    *hash_sum += hash_rows(layout, block, rows.get(), std::span(seeds).first(count));
  }
}

void gather_bits(const PlainColumn& column, unsigned width, std::span<const void* const> records,
                 std::vector<std::uint64_t>& bits) {
  for (const PlainRun& run : column.runs) {
    for (std::size_t at = run.offset; at != run.offset + run.size; at += width) {
      for (const void* const record : records) {
        const std::byte* const from = static_cast<const std::byte*>(record) + at;
        bits.push_back(width == 2   ? number_at<std::uint16_t>(from)
                       : width == 4 ? number_at<std::uint32_t>(from)
                                    : number_at<std::uint64_t>(from));
      }
    }
  }
}

Status scatter(const PlainLayout& layout, const Plan& plan, std::span<const ColumnBytes> columns,
               std::span<void* const> records) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    if (layout.columns[c].runs.empty()) continue;
    const std::string& path = plan.nodes[plan.columns[c].node].path;
    const std::size_t expected = layout.columns[c].row_bytes * records.size();
    if (columns[c].size() != expected) {
      return fail(ErrorCode::bad_lengths,
                  "the column has " + std::to_string(columns[c].size()) +
                      " bytes, but its values need " + std::to_string(expected),
                  "field '" + path + "'");
    }
    if (!layout.columns[c].is_boolean) continue;
    unsigned all = 0;
    for (const std::byte byte : columns[c]) all |= std::to_integer<unsigned>(byte);
    if (all > 1)
      return fail(ErrorCode::bad_value, "a boolean is neither 0 nor 1", "field '" + path + "'");
  }
  const std::size_t block_rows = rows_of_block(layout.record_bytes);
  for (std::size_t first = 0; first < records.size(); first += block_rows) {
    const std::size_t count = std::min(block_rows, records.size() - first);
    void* const* const block = records.data() + first;
    for (const Tile& tile : layout.tiles) {
      const std::byte* lanes[4] = {};
      for (unsigned lane = 0; lane < 4; ++lane) {
        if (tile.columns[lane] == Tile::kNoColumn) continue;
        lanes[lane] = columns[tile.columns[lane]].data() + first * tile.width;
      }
      place_tile(block, count, tile, lanes);
    }
    for (const std::uint32_t c : layout.untiled) {
      const PlainColumn& column = layout.columns[c];
      const std::byte* from = columns[c].data() + first * column.row_bytes;
      for (const PlainRun& run : column.runs) {
        place_run(block, count, run, from, column.row_bytes);
        from += run.size;
      }
    }
  }
  return {};
}

}  // namespace hdb::detail::record
