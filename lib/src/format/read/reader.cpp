// Reader: opens a file, then reads groups, free lists and blocks on any thread.
#include "hdb/inspect/reader.hpp"

#include <utility>

#include "format/columns/rows.hpp"
#include "format/frame/catalog.hpp"
#include "format/frame/layout.hpp"
#include "format/read/group_decoder.hpp"
#include "format/read/open.hpp"
#include "format/read/scratch_pool.hpp"

namespace hdb {

using namespace format;

struct Reader::Parts {
  std::unique_ptr<ByteSource> source;
  BlockSource blocks;
  ReadOptions options;
  OpenedFile file;
  std::vector<Grammar> grammars;  // of the schemas
  mutable ScratchPool pool;

  Parts(std::unique_ptr<ByteSource> bytes, std::uint64_t file_bytes, const ReadOptions& how)
      : source(std::move(bytes)), blocks(*source, file_bytes), options(how) {}

  [[nodiscard]] const std::vector<TableDescriptor>& tables() const { return file.catalog.tables; }

  [[nodiscard]] Result<GroupPlace> find(std::size_t table, std::uint64_t group) const {
    if (table >= tables().size() || group >= tables()[table].group_count()) {
      return fail(ErrorCode::not_found, "there is no group " + std::to_string(group) +
                                            " of table " + std::to_string(table));
    }
    GroupPlace place;
    place.table = &tables()[table];
    place.grammar = &grammars[place.table->schema];
    place.group = group;
    place.catalog = {tables(), grammars};
    const TableLayout& layout = file.layout[table];
    place.is_packed = layout.pack.has_value();
    if (place.is_packed) {
      place.parts = std::span(file.blocks).subspan(*layout.pack, 1);
      return place;
    }
    const auto begin = layout.groups[static_cast<std::size_t>(group)];
    std::uint32_t end = begin + 1;
    while (end < file.blocks.size() && file.blocks[end].type == type_number(BlockType::rows) &&
           file.blocks[end].part != 0) {
      ++end;
    }
    place.parts = std::span(file.blocks).subspan(begin, end - begin);
    return place;
  }

  [[nodiscard]] Result<const BlockInfo*> find_block(std::size_t block) const {
    if (block < file.blocks.size()) return &file.blocks[block];
    return fail(ErrorCode::not_found, "the file has no block " + std::to_string(block));
  }

  [[nodiscard]] std::string place_of(const BlockInfo& block) const {
    return block_place(block, block.table < tables().size() ? tables()[block.table].name : "");
  }

  // Calls read(decoder, place) for one row group; its error names the place.
  template <class Read>
  auto with_group(std::size_t table, std::uint64_t group, const Read& read) const
      -> decltype(read(std::declval<GroupDecoder&>(), std::declval<const GroupPlace&>())) {
    const auto place = find(table, group);
    if (!place) return fail(place.error());
    ScratchPool::Lease scratch(pool);
    GroupDecoder decoder(blocks, options, *scratch);
    auto result = read(decoder, *place);
    if (result) return result;
    const BlockKey key = block_key(BlockType::rows, table, group);
    return fail(std::move(result.error()).in(block_place(block_of(key), place->table->name)));
  }

  [[nodiscard]] Result<Bytes> content_of(const BlockInfo& block,
                                         std::vector<Extension>* extensions = nullptr) const {
    ScratchPool::Lease scratch(pool);
    const auto content = blocks.read_block(block, scratch->block, extensions);
    if (!content) return fail(Error(content.error()).in(place_of(block)));
    if (Status status = is_indexed(block) ? check_chunks(block, *content) : Status(); !status)
      return fail(std::move(status.error()).in(place_of(block)));
    return Bytes(content->begin(), content->end());
  }
};

Reader::Reader(std::unique_ptr<const Parts> parts) noexcept : parts_(std::move(parts)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(std::unique_ptr<ByteSource> source,
                                             const ReadOptions& options) {
  const auto size = source->size();
  if (!size) return fail(size.error());
  auto parts = std::make_unique<Parts>(std::move(source), *size, options);
  auto opened = open_file(parts->blocks, options.limits, options.accept_damaged_copies,
                          *ScratchPool::Lease(parts->pool));
  if (!opened) return fail(std::move(opened.error()));
  parts->file = std::move(*opened);
  for (const Field& schema : parts->file.catalog.schemas) parts->grammars.emplace_back(schema);
  return std::unique_ptr<Reader>(new Reader(std::move(parts)));
}

const FileInfo& Reader::info() const { return parts_->file.info; }
const std::vector<Field>& Reader::schemas() const { return parts_->file.catalog.schemas; }
const std::vector<TableDescriptor>& Reader::tables() const { return parts_->tables(); }
const DatabaseDescriptor& Reader::database() const { return parts_->file.catalog.database; }
const std::vector<BlockInfo>& Reader::blocks() const { return parts_->file.blocks; }
std::vector<std::uint32_t> Reader::tables_in(std::size_t block) const {
  const auto info = parts_->find_block(block);
  if (!info) return {};
  const auto type = static_cast<BlockType>((*info)->type);
  if (type == BlockType::rows || type == BlockType::free_list) return {(*info)->table};
  std::vector<std::uint32_t> packed;
  if (type != BlockType::pack) return packed;
  for (std::uint32_t i = (*info)->table; packed.size() < (*info)->group; ++i) {
    if (parts_->file.layout[i].pack == block) packed.push_back(i);
  }
  return packed;
}
std::uint64_t Reader::bytes_read() const { return parts_->blocks.bytes_read(); }
const std::vector<Error>& Reader::open_faults() const { return parts_->file.faults; }

Status Reader::read_group(std::size_t table, std::uint64_t group, RowGroup& out) const {
  return parts_->with_group(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.decode_all(place, out);
  });
}

Status Reader::read_group_hash(std::size_t table, std::uint64_t group, RowGroup& out) const {
  if (Status status = read_group(table, group, out); !status) return status;
  out.record_hash = hash_rows_of(schemas()[tables()[table].schema], out);
  return {};
}

Status Reader::check_group(std::size_t table, std::uint64_t group, RowGroup& out) const {
  return parts_->with_group(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.check_all(place, out);
  });
}

Status Reader::read_columns(std::size_t table, std::uint64_t group,
                            std::span<const std::uint32_t> wanted, RowGroup& out) const {
  return parts_->with_group(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.decode_some(place, wanted, out);
  });
}

Result<std::vector<ChunkInfo>> Reader::chunks(std::size_t table, std::uint64_t group) const {
  return parts_->with_group(table, group, [](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.read_chunks(place);
  });
}

Result<std::vector<std::uint32_t>> Reader::read_free_list(std::size_t table) const {
  if (table >= tables().size())
    return fail(ErrorCode::not_found, "the file has no table " + std::to_string(table));
  const TableLayout& layout = parts_->file.layout[table];
  if (layout.pack) {
    return parts_->with_group(table, 0, [](GroupDecoder& decoder, const GroupPlace& place) {
      return decoder.decode_packed_free_list(place);
    });
  }
  const std::uint64_t count = tables()[table].listed_count();
  // All sizes are compared before memory is taken: the blocks' raw sizes are in the directory.
  if (4 * count > parts_->options.limits.max_memory_bytes) {
    return fail(ErrorCode::memory_budget,
                "the free list has " + std::to_string(count) + " entries; the memory budget is " +
                    std::to_string(parts_->options.limits.max_memory_bytes) + " bytes");
  }
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(count));
  std::span<std::uint32_t> left(slots);
  for (std::uint32_t i = 0; i < layout.free_list_blocks; ++i) {
    const BlockInfo& block = parts_->file.blocks[layout.free_list + i];
    const auto size = std::min<std::size_t>(left.size(), kFreeListBlockEntries);
    ScratchPool::Lease scratch(parts_->pool);
    Status status = parts_->blocks.read_free_list(block, parts_->options.verify_raw_hashes,
                                                  *scratch, left.first(size));
    if (!status) return fail(std::move(status.error()).in(parts_->place_of(block)));
    left = left.subspan(size);
  }
  return slots;
}

Result<Bytes> Reader::read_thumbnail() const {
  for (const BlockInfo& block : blocks()) {
    if (block.type == type_number(BlockType::thumbnail)) return parts_->content_of(block);
  }
  return Bytes{};
}

Status Reader::check_block(std::size_t block) const {
  const auto info = parts_->find_block(block);
  if (!info) return fail(info.error());
  ScratchPool::Lease scratch(parts_->pool);
  Status status = parts_->blocks.check_block(**info, parts_->options.verify_raw_hashes, *scratch);
  if (!status) return fail(std::move(status.error()).in(parts_->place_of(**info)));
  return {};
}

Result<std::vector<DamagedChunk>> Reader::damaged_chunks(std::size_t block) const {
  const auto found = parts_->find_block(block);
  if (!found) return fail(found.error());
  const BlockInfo& info = **found;
  std::vector<DamagedChunk> damaged;
  if (!is_indexed(info)) return damaged;
  ScratchPool::Lease scratch(parts_->pool);
  const auto entries = parts_->blocks.read_index(info, scratch->block);
  if (!entries) return fail(Error(entries.error()).in(parts_->place_of(info)));
  for (const ChunkEntry& entry : *entries) {
    scratch->block.reset(static_cast<std::size_t>(entry.info.stored_bytes));
    const auto bytes = scratch->block.bytes();
    if (Status status = parts_->blocks.read(entry.info.offset, bytes); !status)
      return fail(std::move(status.error()).in(parts_->place_of(info)));
    const std::uint64_t computed = hash64(bytes);
    if (computed != entry.stored_hash) damaged.push_back({entry.info, entry.stored_hash, computed});
  }
  return damaged;
}

Result<Bytes> Reader::read_payload(std::size_t block, std::vector<Extension>* extensions) const {
  const auto info = parts_->find_block(block);
  if (!info) return fail(info.error());
  return parts_->content_of(**info, extensions);
}

}  // namespace hdb
