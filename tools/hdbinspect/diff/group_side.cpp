// Reads one side of a comparison.
#include "diff/group_side.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hdb/schema/constants.hpp"
#include "input.hpp"

namespace hdb::inspect {

std::vector<ColumnPair> common_columns(const Field& a, const Field& b) {
  const std::vector<Column> columns_a = columns_of(a);
  const std::vector<Column> columns_b = columns_of(b);
  std::map<std::pair<std::string, ColumnRole>, std::uint32_t> by_path;
  for (std::uint32_t i = 0; i < columns_b.size(); ++i)
    by_path.emplace(std::pair(columns_b[i].path, columns_b[i].role), i);
  std::vector<ColumnPair> pairs;
  for (std::uint32_t i = 0; i < columns_a.size(); ++i) {
    const Column& column = columns_a[i];
    const auto found = by_path.find({column.path, column.role});
    if (found == by_path.end()) continue;
    const Column& other = columns_b[found->second];
    const bool comparable = column.width == other.width && column.kind == other.kind;
    pairs.push_back({i, found->second, comparable});
  }
  return pairs;
}

ColumnHashes::ColumnHashes(const std::vector<ChunkInfo>& chunks) {
  for (const ChunkInfo& chunk : chunks) {
    if (chunk.column >= columns_.size()) columns_.resize(chunk.column + 1);
    Pieces& pieces = columns_[chunk.column];
    if (chunk.piece >= pieces.size()) pieces.resize(chunk.piece + 1);
    pieces[chunk.piece] = {chunk.raw_bytes, chunk.raw_hash};
  }
}

const ColumnHashes::Pieces& ColumnHashes::system(std::uint32_t column) const {
  static const Pieces kNone;
  return column < columns_.size() ? columns_[column] : kNone;
}

const ColumnHashes::Pieces& ColumnHashes::of_column(std::uint32_t column) const {
  return system(format::kFirstSchemaColumn + column);
}

bool ColumnHashes::same_slots(const ColumnHashes& other) const {
  return system(format::kColumnStates) == other.system(format::kColumnStates) &&
         system(format::kColumnGenerations) == other.system(format::kColumnGenerations);
}

bool ColumnHashes::same_positions(const ColumnHashes& other) const {
  return system(format::kColumnPositions) == other.system(format::kColumnPositions);
}

GroupSide::GroupSide(TableSide side)
    : side_(std::move(side)),
      groups_(static_cast<std::size_t>(table().group_count())),
      decoder_(root(), columns_) {
  std::vector<Bytes> hashes(groups_.size());
  for (const BlockInfo& block : side_.reader->blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows ||
        block.table != side_.table)
      continue;
    if (block.group >= groups_.size()) continue;
    const auto group = static_cast<std::size_t>(block.group);
    groups_[group].blocks += 1;
    ByteWriter(hashes[group]).u64(block.payload_hash);
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].stored_hash = hash64(hashes[i]);
}

Result<ColumnHashes> GroupSide::column_hashes_at(std::uint64_t slot) const {
  auto chunks = side_.reader->chunks(side_.table, index_of(slot));
  if (!chunks) return fail(with_file(std::move(chunks.error()), side_.file));
  return ColumnHashes(*chunks);
}

Status GroupSide::load(std::uint64_t slot, const std::vector<ColumnPair>& pairs,
                       std::uint32_t ColumnPair::*column) {
  std::vector<std::uint32_t> columns;
  for (const ColumnPair& pair : pairs) columns.push_back(pair.*column);
  if (columns != columns_) {
    columns_ = std::move(columns);
    decoder_ = RowDecoder(root(), columns_);
  }
  auto read =
      side_.reader->read_columns(side_.table, index_of(slot), decoder_.needed_columns(), group_);
  if (!read) return fail(with_file(std::move(read.error()), side_.file));
  decoder_.begin(group_.columns);
  group_begin_ = slot;
  next_position_ = 0;
  return {};
}

Result<SlotView> GroupSide::take_slot(std::uint64_t slot) {
  if (slot >= table().slot_count) return SlotView{};
  const auto at = static_cast<std::size_t>(slot - group_begin_);
  SlotView view{true, static_cast<SlotState>(group_.states[at]), group_.generations[at], 0};
  if (!view.is_live()) return view;
  if (!group_.positions.empty()) view.position = group_.positions[next_position_++];
  if (auto read = decoder_.next(row_); !read) {
    Error error = std::move(read.error()).in(handle_name(table(), slot, view.generation));
    return fail(with_file(std::move(error), side_.file));
  }
  return view;
}

}  // namespace hdb::inspect
