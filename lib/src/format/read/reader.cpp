// Reader: opens a file, then reads groups, free lists and blocks on any thread.
#include "hdb/inspect/reader.hpp"

#include <utility>

#include "format/columns/rows.hpp"
#include "format/frame/catalog.hpp"
#include "format/frame/layout.hpp"
#include "format/read/free_list_block.hpp"
#include "format/read/group_decoder.hpp"
#include "format/read/open.hpp"
#include "format/read/scratch_pool.hpp"

namespace hdb {
namespace format {
namespace {

class FileReader final : public Reader {
 public:
  FileReader(std::unique_ptr<ByteSource> source, std::uint64_t file_bytes,
             const ReadOptions& options)
      : source_(std::move(source)), blocks_(*source_, file_bytes), options_(options) {}

  Status open() {
    auto opened = open_file(blocks_, options_.limits, options_.accept_damaged_copies);
    if (!opened) return fail(std::move(opened.error()));
    file_ = std::move(*opened);
    for (const Field& schema : file_.catalog.schemas) grammars_.emplace_back(schema);
    return {};
  }

  const FileInfo& info() const override { return file_.info; }
  const std::vector<Field>& schemas() const override { return file_.catalog.schemas; }
  const std::vector<TableDescriptor>& tables() const override { return file_.catalog.tables; }
  std::uint16_t highest_type_id() const override { return file_.catalog.highest_type_id; }
  const std::vector<BlockInfo>& blocks() const override { return file_.blocks; }
  std::uint64_t bytes_read() const override { return blocks_.bytes_read(); }
  const std::vector<Error>& open_faults() const override { return file_.faults; }

  Status read_group(std::size_t table, std::uint64_t group, RowGroup& out) const override {
    const auto place = find(table, group);
    if (!place) return fail(place.error());
    ScratchPool::Lease scratch(pool_);
    GroupDecoder decoder(blocks_, options_, *scratch);
    return at(*place, decoder.decode_all(*place, out));
  }

  Status read_group_hash(std::size_t table, std::uint64_t group, RowGroup& out) const override {
    if (Status status = read_group(table, group, out); !status) return status;
    out.record_hash = hash_rows_of(schemas()[tables()[table].schema], out);
    return {};
  }

  Status read_columns(std::size_t table, std::uint64_t group, std::span<const std::uint32_t> wanted,
                      RowGroup& out) const override {
    const auto place = find(table, group);
    if (!place) return fail(place.error());
    ScratchPool::Lease scratch(pool_);
    GroupDecoder decoder(blocks_, options_, *scratch);
    return at(*place, decoder.decode_some(*place, wanted, out));
  }

  Result<std::vector<ChunkInfo>> chunks(std::size_t table, std::uint64_t group) const override {
    const auto place = find(table, group);
    if (!place) return fail(place.error());
    ScratchPool::Lease scratch(pool_);
    const auto index = GroupDecoder(blocks_, options_, *scratch).read_index(*place);
    if (!index) return fail(at(*place, fail(index.error())).error());
    std::vector<ChunkInfo> infos;
    infos.reserve(index->chunks.size());
    for (const auto& chunk : index->chunks) infos.push_back(chunk.entry.info);
    return infos;
  }

  Result<std::vector<std::uint32_t>> read_free_list(std::size_t table) const override;

  Result<Bytes> read_thumbnail() const override {
    for (const BlockInfo& block : file_.blocks) {
      if (block.type == type_number(BlockType::thumbnail)) return read_plain(block);
    }
    return Bytes{};
  }

  Status check_block(std::size_t block) const override {
    if (block >= file_.blocks.size())
      return fail(ErrorCode::not_found, "the file has no block " + std::to_string(block));
    ScratchPool::Lease scratch(pool_);
    Status status = blocks_.check_block(file_.blocks[block], scratch->block);
    if (!status) return fail(std::move(status.error()).in(place_of(file_.blocks[block])));
    return {};
  }

  Result<std::vector<DamagedChunk>> damaged_chunks(std::size_t block) const override;

  Result<Bytes> read_payload(std::size_t block) const override {
    if (block >= file_.blocks.size())
      return fail(ErrorCode::not_found, "the file has no block " + std::to_string(block));
    return read_plain(file_.blocks[block]);
  }

 private:
  [[nodiscard]] Result<GroupPlace> find(std::size_t table, std::uint64_t group) const {
    if (table >= tables().size() || group >= tables()[table].group_count()) {
      return fail(ErrorCode::not_found, "there is no group " + std::to_string(group) +
                                            " of table " + std::to_string(table));
    }
    const auto& groups = file_.layout[table].groups;
    const auto begin = groups[static_cast<std::size_t>(group)];
    std::uint32_t end = begin + 1;
    while (end < file_.blocks.size() && file_.blocks[end].type == type_number(BlockType::rows) &&
           file_.blocks[end].part != 0) {
      ++end;
    }
    GroupPlace place;
    place.table = &tables()[table];
    place.grammar = &grammars_[place.table->schema];
    place.group = group;
    place.parts = std::span(file_.blocks).subspan(begin, end - begin);
    return place;
  }

  [[nodiscard]] std::string place_of(const BlockInfo& block) const {
    return block_place(block, block.table < tables().size() ? tables()[block.table].name : "");
  }

  [[nodiscard]] Status at(const GroupPlace& place, Status status) const {
    if (status) return status;
    return fail(std::move(status.error()).in(place_of(place.parts.front())));
  }

  [[nodiscard]] Result<Bytes> read_plain(const BlockInfo& block) const {
    ScratchPool::Lease scratch(pool_);
    const auto payload = blocks_.read_block(block, is_chunked(block.type), scratch->block);
    if (!payload) return fail(Error(payload.error()).in(place_of(block)));
    return Bytes(payload->begin(), payload->end());
  }

  std::unique_ptr<ByteSource> source_;
  BlockSource blocks_;
  ReadOptions options_;
  OpenedFile file_;
  std::vector<Grammar> grammars_;
  mutable ScratchPool pool_;
};

Result<std::vector<DamagedChunk>> FileReader::damaged_chunks(std::size_t block) const {
  if (block >= file_.blocks.size())
    return fail(ErrorCode::not_found, "the file has no block " + std::to_string(block));
  const BlockInfo& info = file_.blocks[block];
  std::vector<DamagedChunk> damaged;
  if (!is_chunked(info.type)) return damaged;
  ScratchPool::Lease scratch(pool_);
  const auto entries = blocks_.read_index(info, scratch->block);
  if (!entries) return fail(Error(entries.error()).in(place_of(info)));
  for (const ChunkEntry& entry : *entries) {
    scratch->block.reset(static_cast<std::size_t>(entry.info.stored_bytes));
    const auto bytes = scratch->block.bytes();
    if (Status status = blocks_.read(entry.info.offset, bytes); !status)
      return fail(std::move(status.error()).in(place_of(info)));
    const std::uint64_t computed = hash64(bytes);
    if (computed != entry.stored_hash) damaged.push_back({entry.info, entry.stored_hash, computed});
  }
  return damaged;
}

Result<std::vector<std::uint32_t>> FileReader::read_free_list(std::size_t table) const {
  if (table >= tables().size())
    return fail(ErrorCode::not_found, "the file has no table " + std::to_string(table));
  const TableLayout& layout = file_.layout[table];
  const std::uint64_t count = tables()[table].free_count;
  // All sizes are compared before memory is taken: the blocks' raw sizes are in the directory.
  if (4 * count > options_.limits.max_memory_bytes) {
    return fail(ErrorCode::memory_budget,
                "the free list has " + std::to_string(count) + " entries; the memory budget is " +
                    std::to_string(options_.limits.max_memory_bytes) + " bytes");
  }
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(count));
  std::span<std::uint32_t> left(slots);
  for (std::uint32_t i = 0; i < layout.free_list_blocks; ++i) {
    const BlockInfo& block = file_.blocks[layout.free_list + i];
    const auto size = std::min<std::size_t>(left.size(), kFreeListBlockEntries);
    ScratchPool::Lease scratch(pool_);
    Status status = read_free_list_block(blocks_, block, options_.verify_raw_hashes, *scratch,
                                         left.first(size));
    if (!status) return fail(std::move(status.error()).in(place_of(block)));
    left = left.subspan(size);
  }
  return slots;
}

}  // namespace
}  // namespace format

Result<std::unique_ptr<Reader>> Reader::open(std::unique_ptr<ByteSource> source,
                                             const ReadOptions& options) {
  const auto size = source->size();
  if (!size) return fail(size.error());
  auto reader = std::make_unique<format::FileReader>(std::move(source), *size, options);
  if (Status status = reader->open(); !status) return fail(std::move(status.error()));
  return std::unique_ptr<Reader>(std::move(reader));
}

}  // namespace hdb
