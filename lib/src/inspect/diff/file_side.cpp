// Reads one side of a comparison.
#include "inspect/diff/file_side.hpp"

#include <algorithm>
#include <map>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb::diffing {

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

FileSide::FileSide(const Reader& reader, std::size_t table_number, std::string file,
                   std::uint64_t max_row_values)
    : reader_(reader),
      table_(table_number),
      file_(std::move(file)),
      lookup_(reader),
      groups_(static_cast<std::size_t>(table().group_count())),
      max_row_values_(max_row_values),
      decoder_(root(), columns_) {
  std::vector<Bytes> hashes(groups_.size());
  for (const BlockInfo& block : reader_.blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows ||
        block.table != table_)
      continue;
    if (block.group >= groups_.size()) continue;
    const auto group = static_cast<std::size_t>(block.group);
    groups_[group].blocks += 1;
    ByteWriter(hashes[group]).u64(block.payload_hash);
  }
  if (groups_.size() == 1 && groups_[0].blocks == 0) add_packed(hashes[0]);
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].stored_hash = hash64(hashes[i]);
}

// Of a packed table what its columns hold; of a damaged pack its hash.
void FileSide::add_packed(Bytes& hashes) {
  groups_[0].blocks = 1;
  ByteWriter out(hashes);
  const auto chunks = reader_.chunks(table_, 0);
  if (chunks) {
    for (const ChunkInfo& chunk : *chunks) {
      out.u64(chunk.raw_hash.low);
      out.u64(chunk.raw_hash.high);
    }
    return;
  }
  for (std::size_t i = 0; i < reader_.blocks().size(); ++i) {
    const std::vector<std::uint32_t> tables = reader_.tables_in(i);
    if (std::binary_search(tables.begin(), tables.end(), table_))
      out.u64(reader_.blocks()[i].payload_hash);
  }
}

Result<ColumnHashes> FileSide::column_hashes_at(std::uint64_t slot) const {
  auto chunks = reader_.chunks(table_, index_of(slot));
  if (!chunks) return named(std::move(chunks.error()));
  return ColumnHashes(*chunks);
}

Status FileSide::load(std::uint64_t slot, const std::vector<ColumnPair>& pairs,
                      std::uint32_t ColumnPair::*column) {
  std::vector<std::uint32_t> columns = always_;
  for (const ColumnPair& pair : pairs) columns.push_back(pair.*column);
  if (columns != columns_) {
    columns_ = std::move(columns);
    decoder_ = RowDecoder(root(), columns_, max_row_values_);
  }
  auto read = reader_.read_columns(table_, index_of(slot), decoder_.needed_columns(), group_);
  if (!read) return named(std::move(read.error()));
  decoder_.begin(group_.columns);
  group_begin_ = slot;
  next_position_ = 0;
  return {};
}

Result<SlotView> FileSide::take_slot(std::uint64_t slot) {
  if (slot >= table().slot_count) return SlotView{};
  const auto at = static_cast<std::size_t>(slot - group_begin_);
  SlotView view{true, static_cast<SlotState>(group_.states[at]), group_.generations[at], 0};
  if (!view.is_live()) return view;
  if (!group_.positions.empty()) view.position = group_.positions[next_position_++];
  if (auto read = decoder_.next(row_); !read) {
    return named(std::move(read.error()).in(handle_name(table(), slot, view.generation)));
  }
  return view;
}

std::optional<SlotFacts> FileSide::find_slot(std::size_t table, std::uint64_t slot) {
  const auto facts = lookup_.find(table, slot);
  if (!facts) return std::nullopt;
  return facts->value_or(SlotFacts{});  // a slot that the table does not have is not live
}

Result<std::vector<std::uint32_t>> FileSide::free_list() const {
  auto list = reader_.read_free_list(table_);
  if (!list) return named(std::move(list.error()));
  return list;
}

std::vector<std::uint64_t> FileSide::free_list_hashes() const {
  std::vector<std::uint64_t> hashes;
  for (const BlockInfo& block : reader_.blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::free_list ||
        block.table != table_)
      continue;
    hashes.push_back(block.raw_bytes);
    hashes.push_back(block.payload_hash);
  }
  if (!hashes.empty() || table().listed_count() == 0) return hashes;
  const auto list = reader_.read_free_list(table_);  // of a packed table
  if (!list) return hashes;
  hashes.push_back(4 * list->size());
  hashes.push_back(hash64(std::as_bytes(std::span(*list))));
  return hashes;
}

tl::unexpected<Error> FileSide::named(Error error) const {
  if (error.file.empty()) error.file = file_;
  return fail(std::move(error));
}

}  // namespace hdb::diffing
