// The geometry of a directory, and its order.
#include "format/frame/layout.hpp"

#include <algorithm>

#include "format/columns/chunk.hpp"

namespace hdb::format {
namespace {

// Generous: an index of the largest schema, and chunks that are never larger than raw.
constexpr std::uint64_t kMaxPartStoredBytes = 2 * kMaxPartRawBytes;

std::string number_of(std::size_t index) {
  return "entry " + std::to_string(index) + " of directory";
}

Status check_entry(const BlockInfo& block, std::size_t index) {
  const bool known = is_known(block.type);
  if (block.type == 0 || (block.flags & ~kKnownBlockFlags) != 0 ||
      (known && block.flags != flags_of(block.type))) {
    return fail(ErrorCode::bad_directory,
                "type " + std::to_string(block.type) + " cannot have the flags " +
                    std::to_string(block.flags),
                number_of(index), block.offset);
  }
  if (!known && block.table != 0) {
    return fail(
        ErrorCode::bad_directory,
        "a block of the unknown type " + std::to_string(block.type) + " names a table by its index",
        number_of(index), block.offset);
  }
  const bool indexed = is_indexed(block);
  const std::uint64_t max_stored = known && indexed ? kMaxPartStoredBytes : max_raw(block.type);
  const bool can_be_smaller =
      block.type == type_number(BlockType::catalog) || block.type == type_number(BlockType::pack);
  const bool unchunked_differs = known && !indexed && content_bytes(block) != block.raw_bytes &&
                                 !(can_be_smaller && content_bytes(block) < block.raw_bytes);
  const bool raw_too_large = known && block.raw_bytes > max_raw(block.type);
  const bool empty = block.raw_bytes == 0 && (block.type == type_number(BlockType::thumbnail) ||
                                              block.type == type_number(BlockType::pack));
  if (block.stored_bytes > max_stored || raw_too_large || unchunked_differs || empty) {
    return fail(ErrorCode::bad_directory,
                "no block can have " + std::to_string(block.stored_bytes) + " stored and " +
                    std::to_string(block.raw_bytes) + " raw bytes",
                number_of(index), block.offset);
  }
  return {};
}

// Walks the known blocks and takes the expected ones.
class Walk {
 public:
  Walk(const std::vector<BlockInfo>& blocks, const std::vector<std::uint32_t>& known)
      : blocks_(blocks), known_(known) {}

  /// Takes the next block if it is this one.
  bool take(const BlockKey& key) {
    if (at_ == known_.size()) return false;
    const BlockInfo& block = blocks_[known_[at_]];
    if (block_key(block) != key) return false;
    // Parts of one thing are adjacent, so that they can be found from the first part.
    const bool continues = block.part != 0 && block.type != type_number(BlockType::catalog);
    if (continues && known_[at_] != known_[at_ - 1] + 1) return false;
    ++at_;
    return true;
  }
  /// Whether the next block is this one.
  [[nodiscard]] bool is_next(const BlockKey& key) const {
    return !at_end() && block_key(blocks_[known_[at_]]) == key;
  }
  /// Entry number of the block taken last.
  [[nodiscard]] std::uint32_t last() const { return known_[at_ - 1]; }
  [[nodiscard]] bool at_end() const { return at_ == known_.size(); }

  [[nodiscard]] tl::unexpected<Error> refuse(const BlockKey& expected,
                                             std::string_view name = {}) const {
    const std::string what = block_place(block_of(expected), name);
    if (at_end()) return fail(ErrorCode::missing_block, what + " is missing", "directory");
    const BlockInfo& found = blocks_[known_[at_]];
    return fail(ErrorCode::unexpected_block, block_place(found, {}) + " is in the place of " + what,
                number_of(known_[at_]), found.offset);
  }

 private:
  const std::vector<BlockInfo>& blocks_;
  const std::vector<std::uint32_t>& known_;
  std::size_t at_ = 0;
};

Status lay_out_table(Walk& walk, std::uint32_t number, const TableDescriptor& table,
                     TableLayout& layout) {
  const std::uint64_t groups = table.group_count();
  layout.groups.reserve(static_cast<std::size_t>(groups + 1));
  for (std::uint64_t group = 0; group < groups; ++group) {
    const BlockKey first = block_key(BlockType::rows, number, group);
    if (!walk.take(first)) return walk.refuse(first, table.name);
    layout.groups.push_back(walk.last());
    for (std::uint32_t part = 1; walk.take(block_key(BlockType::rows, number, group, part));)
      ++part;
  }
  layout.groups.push_back(walk.last() + 1);
  const std::uint64_t blocks = free_list_blocks(table);
  for (std::uint32_t part = 0; part < blocks; ++part) {
    const BlockKey expected = block_key(BlockType::free_list, number, 0, part);
    if (!walk.take(expected)) return walk.refuse(expected, table.name);
    if (part == 0) layout.free_list = walk.last();
  }
  layout.free_list_blocks = static_cast<std::uint32_t>(blocks);
  return {};
}

}  // namespace

std::uint64_t max_raw(std::uint8_t type) noexcept {
  switch (static_cast<BlockType>(type)) {
    case BlockType::metadata: return kMaxMetadataBytes;
    case BlockType::thumbnail: return kMaxThumbnailBytes;
    case BlockType::catalog: return kMaxCatalogBytes;
    case BlockType::rows: return kMaxPartRawBytes;
    case BlockType::free_list: return 4 * kFreeListBlockEntries;
    case BlockType::pack: return kMaxPackBytes;
  }
  return kMaxAncillaryBytes;
}

Status check_geometry(const std::vector<BlockInfo>& blocks, std::uint64_t directory_offset) {
  std::uint64_t end = kHeaderBytes;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].offset != end) {
      return fail(ErrorCode::bad_geometry,
                  "a block begins at byte " + std::to_string(blocks[i].offset) +
                      ", but the previous block ends at byte " + std::to_string(end),
                  number_of(i), blocks[i].offset);
    }
    if (blocks[i].total_bytes > directory_offset - end) {
      return fail(ErrorCode::bad_geometry, "the block overlaps the directory", number_of(i),
                  blocks[i].offset);
    }
    end += blocks[i].total_bytes;
    if (Status status = check_entry(blocks[i], i); !status) return status;
  }
  if (end != directory_offset) {
    return fail(ErrorCode::bad_geometry, "the directory does not follow the last block",
                "directory", end);
  }
  std::vector<std::uint32_t> order = known_blocks(blocks);
  const auto by_key = [&](std::uint32_t a, std::uint32_t b) {
    return block_key(blocks[a]) < block_key(blocks[b]);
  };
  std::sort(order.begin(), order.end(), by_key);
  const auto twin =
      std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return block_key(blocks[a]) == block_key(blocks[b]);
      });
  if (twin == order.end()) return {};
  return fail(ErrorCode::bad_directory, "two entries describe the same block", number_of(*twin),
              blocks[*twin].offset);
}

std::vector<std::uint32_t> known_blocks(const std::vector<BlockInfo>& blocks) {
  std::vector<std::uint32_t> known;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (is_known(blocks[i].type)) known.push_back(i);
  }
  return known;
}

Result<std::vector<TableLayout>> lay_out(const std::vector<BlockInfo>& blocks,
                                         const std::vector<std::uint32_t>& known,
                                         const std::vector<TableDescriptor>& tables) {
  Walk walk(blocks, known);
  const BlockKey metadata = block_key(BlockType::metadata);
  const BlockKey catalog = block_key(BlockType::catalog);
  const BlockKey second_catalog = block_key(BlockType::catalog, 0, 0, 1);
  if (!walk.take(metadata) || walk.last() != 0) return walk.refuse(metadata);
  static_cast<void>(walk.take(block_key(BlockType::thumbnail)));
  if (!walk.take(catalog)) return walk.refuse(catalog);
  std::uint64_t groups = 0;
  for (const TableDescriptor& table : tables) {
    if (table.group_count() > 1) groups += table.group_count();
  }
  if (groups > blocks.size()) {  // before anything is allocated for them
    return fail(ErrorCode::missing_block,
                std::to_string(groups) + " row groups are needed, but the directory has only " +
                    std::to_string(blocks.size()) + " blocks",
                "directory");
  }
  std::vector<TableLayout> layout(tables.size());
  std::vector<std::uint32_t> packed;  // tables without blocks of their own, since the last pack
  const auto take_pack = [&] {
    if (packed.empty() || !walk.take(block_key(BlockType::pack, packed.front(), packed.size())))
      return;
    for (const std::uint32_t table : packed) layout[table].pack = walk.last();
    packed.clear();
  };
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    if (tables[i].slot_count == 0) continue;
    take_pack();
    if (tables[i].group_count() == 1 && !walk.is_next(block_key(BlockType::rows, i))) {
      packed.push_back(i);
    } else if (Status status = lay_out_table(walk, i, tables[i], layout[i]); !status) {
      return fail(std::move(status.error()));
    }
  }
  take_pack();
  if (!packed.empty()) {
    return walk.refuse(block_key(BlockType::rows, packed.front()), tables[packed.front()].name);
  }
  if (!walk.take(second_catalog)) return walk.refuse(second_catalog);
  if (!walk.at_end()) {
    return fail(ErrorCode::unexpected_block, "a block follows the second copy of the catalog",
                "directory");
  }
  return layout;
}

}  // namespace hdb::format
