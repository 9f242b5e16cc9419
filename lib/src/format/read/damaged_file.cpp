// What can be read of a file whose frame may be lost: blocks by their keys, each from its sound
// copy.
#include "format/read/damaged_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

namespace hdb::format {
namespace {

constexpr const char* kNothingLost = "nothing is lost: each block also stores its own place";
constexpr const char* kHashLost =
    "nothing is lost: each block also stores its own place; but there is no state hash to compare "
    "the content with";

// Its head has a critical extension: the payload hash, which covers it, is right.
bool needs_newer(const FoundBlock& block) {
  return block.fault && category_of(block.fault->code) == ErrorCategory::newer;
}

bool have_same_content(const BlockInfo& a, const BlockInfo& b) {
  return std::tie(a.type, a.payload_hash, a.stored_bytes, a.raw_bytes) ==
         std::tie(b.type, b.payload_hash, b.stored_bytes, b.raw_bytes);
}

Error fault_of(const FoundBlock* block, std::string where) {
  Error error = block != nullptr && block->fault
                    ? *block->fault
                    : error_at(kNoOffset, ErrorCode::missing_block, "none of its blocks was found");
  error.where = std::move(where);
  return error;
}

}  // namespace

Result<std::unique_ptr<DamagedFile>> DamagedFile::open(std::unique_ptr<ByteSource> source,
                                                       const ReadLimits& limits) {
  const auto size = source->size();
  if (!size) return fail(size.error());
  std::unique_ptr<DamagedFile> file(new DamagedFile(std::move(source), *size, limits));
  if (Status status = file->find_all(); !status) return fail(std::move(status.error()));
  return file;
}

DamagedFile::DamagedFile(std::unique_ptr<ByteSource> source, std::uint64_t file_bytes,
                         const ReadLimits& limits)
    : patched_(std::move(source), file_bytes),
      source_(patched_, patched_.readable_bytes()),
      file_bytes_(file_bytes) {
  source_.accept_any_padding();
  source_.accept_frames_without_checksum();  // the header may be damaged, too
  options_.limits = limits;
  options_.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
}

Status DamagedFile::find_all() {
  const std::uint64_t most = std::min(options_.limits.max_file_bytes, kMaxFileBytes);
  if (file_bytes_ > most) {
    return fail(ErrorCode::limit_exceeded,
                "the file has " + std::to_string(file_bytes_) + " bytes" + at_most(most), "file");
  }
  auto found = find_blocks(patched_, file_bytes_, options_.limits);
  if (!found) return fail(std::move(found.error()));
  for (Error& fault : found->frame_faults) {
    const bool loses_hash = !found->footer && fault.where == "footer";
    faults_.push_back({std::move(fault), loses_hash ? kHashLost : kNothingLost, false});
  }
  if (found->footer) state_hash_ = found->footer->state_hash;
  has_directory_ = found->directory_id.has_value();
  if (Status status = choose_file(*found); !status) return status;
  index_blocks(*found);
  if (Status status = refuse_newer(); !status) return status;
  report_repaired_blocks();
  report_catalogs();
  if (Status status = read_metadata(); !status) return status;
  if (Status status = read_others(); !status) return status;
  for (const Field& schema : catalog_.schemas) grammars_.emplace_back(schema);
  open_packs();
  unexplained_bytes_ = count_unexplained();
  return {};
}

Status DamagedFile::read_group(std::size_t table, std::uint64_t group, RowGroup& out) const {
  return read(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.decode_all(place, out);
  });
}

Status DamagedFile::read_sound_columns(std::size_t table, std::uint64_t group,
                                       const ChunkSpare& spare, RowGroup& out,
                                       std::vector<bool>& lost) const {
  return read(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.decode_sound(place, spare, out, lost);
  });
}

bool DamagedFile::copy_chunk(std::size_t table, std::uint64_t group, const ChunkInfo& chunk,
                             std::span<std::byte> to) const {
  bool found = false;
  const Status status = read(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    found = decoder.copy_chunk(place, chunk, to);
    return Status{};
  });
  return status && found;
}

bool DamagedFile::has_same_blocks(std::size_t table, std::uint64_t group,
                                  const DamagedFile& other) const {
  const std::vector<BlockInfo> ours = parts_of(table, group);
  const std::vector<BlockInfo> theirs = other.parts_of(table, group);
  return !ours.empty() &&
         std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), have_same_content);
}

bool DamagedFile::has_same_free_list(std::size_t table, std::uint32_t part,
                                     const DamagedFile& other) const {
  const BlockKey key = block_key(BlockType::free_list, table, 0, part);
  const FoundBlock* const ours = find(key);
  const FoundBlock* const theirs = other.find(key);
  if (ours == nullptr && theirs == nullptr) return has_same_blocks(table, 0, other);
  return ours != nullptr && theirs != nullptr && have_same_content(ours->info, theirs->info);
}

Status DamagedFile::read_slots(std::size_t table, std::uint64_t group, RowGroup& out) const {
  return read(table, group, [&](GroupDecoder& decoder, const GroupPlace& place) {
    return decoder.decode_slots_only(place, out);
  });
}

std::uint32_t DamagedFile::free_list_parts(std::size_t table) const {
  return static_cast<std::uint32_t>(free_list_blocks(tables()[table]));
}

Result<std::vector<std::uint32_t>> DamagedFile::read_free_list_part(std::size_t table,
                                                                    std::uint32_t part) const {
  const BlockKey key = block_key(BlockType::free_list, table, 0, part);
  const FoundBlock* const block = find(key);
  const std::string where = block_place(block_of(key), tables()[table].name);
  if (block == nullptr) {
    std::vector<std::uint32_t> entries;
    Status status = read(table, 0, [&](GroupDecoder& decoder, const GroupPlace& place) -> Status {
      if (!place.is_packed)
        return fail(ErrorCode::missing_block, "none of its blocks was found", where);
      auto list = decoder.decode_packed_free_list(place);
      if (!list) return fail(std::move(list.error()));
      entries = std::move(*list);
      return {};
    });
    if (!status) return fail(std::move(status.error()));
    return entries;
  }
  const std::uint64_t first = std::uint64_t{part} * kFreeListBlockEntries;
  const std::uint64_t count =
      std::min<std::uint64_t>(tables()[table].listed_count() - first, kFreeListBlockEntries);
  std::vector<std::uint32_t> entries(static_cast<std::size_t>(count));
  ScratchPool::Lease scratch(pool_);
  Status status = source_.read_free_list(block->info, true, *scratch, entries);
  if (!status) return fail(std::move(status.error()).in(where));
  return entries;
}

// Of several files in one (two saves one after the other, a save in a blob of a damaged one)
// takes that of the header, else of the directory, else the one with most bytes; but one that has
// a catalog.
Status DamagedFile::choose_file(FoundFile& found) {
  std::map<Hash128, std::uint64_t> sizes;
  for (const FoundBlock& block : found.blocks) {
    if (block.is_sound) sizes[block.file_id] += block.info.total_bytes;
  }
  if (found.blocks.empty()) {
    const bool named = !found.frame_faults.empty() &&
                       found.frame_faults.front().code == ErrorCode::text_mode_damage;
    if (named) return fail(found.frame_faults.front());
    return fail(ErrorCode::bad_signature, "no block of an hdb file was found", "file");
  }
  std::vector<std::pair<std::uint64_t, Hash128>> order;
  constexpr std::uint64_t kFirst = ~std::uint64_t{0};
  for (const auto& [id, size] : sizes) {
    const bool in_header = found.header && found.header->file_id == id;
    const bool in_directory = found.directory_id && *found.directory_id == id;
    order.emplace_back(in_header ? kFirst : in_directory ? kFirst - 1 : size, id);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::optional<Error> refused;
  for (const auto& [size, id] : order) {
    auto taken = take_catalog(found, id);
    if (!taken) {
      if (!refused) refused = std::move(taken.error());
      continue;
    }
    if (!*taken) continue;
    if (found.header && found.header->file_id != id) {
      faults_.push_back({error_at(0, ErrorCode::foreign_block,
                                  "the header and the blocks belong to different files", "header"),
                         kNothingLost, false});
    }
    return {};
  }
  if (refused) return fail(*refused);
  return fail(ErrorCode::missing_block,
              "both copies of the catalog are lost, so the blocks cannot be interpreted",
              "catalog");
}

// False when no catalog of this file id is sound.
Result<bool> DamagedFile::take_catalog(FoundFile& found, const Hash128& id) {
  source_.set_file_id(id);
  ScratchPool::Lease scratch(pool_);
  std::optional<Error> fault;
  for (FoundBlock& block : found.blocks) {
    if (block.file_id != id || block.info.table != 0 || block.info.group != 0 ||
        block.info.type != type_number(BlockType::catalog) || block.info.part > 1) {
      continue;
    }
    if (!fault && needs_newer(block)) fault = block.fault;
    if (!block.is_sound) continue;
    const auto content = source_.read_content(block.info, *scratch);
    auto decoded = content ? decode_catalog(*content, block.info, options_.limits)
                           : Result<Catalog>(fail(content.error()));
    if (decoded) {
      catalog_ = std::move(*decoded);
      file_id_ = id;
      return true;
    }
    block.is_sound = false;
    block.fault = decoded.error();
    if (!fault) fault = std::move(decoded.error());
  }
  if (fault) return fail(std::move(*fault));
  return false;
}

// The blocks of this file by their keys; of several for one key the sound one, else the first. Keys
// of unknown blocks need not differ, but the search may find again what the directory lists.
void DamagedFile::index_blocks(FoundFile& found) {
  for (FoundBlock& block : found.blocks) {
    if (block.file_id != file_id_) continue;
    regions_.emplace_back(block.info.offset, block.info.offset + block.info.total_bytes);
    blocks_.push_back(std::move(block));
  }
  const auto place = [](const FoundBlock& block) {
    return is_known(block.info.type) ? std::uint64_t{0} : block.info.offset;
  };
  std::stable_sort(blocks_.begin(), blocks_.end(), [&](const FoundBlock& a, const FoundBlock& b) {
    return std::tuple(block_key(a.info), place(a), !a.is_sound) <
           std::tuple(block_key(b.info), place(b), !b.is_sound);
  });
  blocks_.erase(std::unique(blocks_.begin(), blocks_.end(),
                            [&](const FoundBlock& a, const FoundBlock& b) {
                              return std::tuple(block_key(a.info), place(a)) ==
                                     std::tuple(block_key(b.info), place(b));
                            }),
                blocks_.end());
}

std::vector<FoundBlock>::const_iterator DamagedFile::lower_bound(const BlockKey& key) const {
  return std::lower_bound(blocks_.begin(), blocks_.end(), key,
                          [](const FoundBlock& block, const BlockKey& wanted) {
                            return block_key(block.info) < wanted;
                          });
}

// Null when none was found.
const FoundBlock* DamagedFile::find(const BlockKey& key) const {
  const auto at = lower_bound(key);
  return at != blocks_.end() && block_key(at->info) == key ? &*at : nullptr;
}

Status DamagedFile::refuse_newer() const {
  for (const FoundBlock& block : blocks_) {
    if (needs_newer(block)) return fail(Error(*block.fault).in(place_of(block.info)));
    if (!is_known(block.info.type) && (block.info.flags & kBlockCritical) != 0) {
      return fail(ErrorCode::unknown_block,
                  "the file needs a block of the unknown type " + std::to_string(block.info.type),
                  "salvage", block.info.offset);
    }
  }
  return {};
}

void DamagedFile::report_repaired_blocks() {
  for (const FoundBlock& block : blocks_) {
    if (!block.is_sound || !block.fault) continue;
    Error error = *block.fault;
    error.where = place_of(block.info);
    faults_.push_back({std::move(error), "nothing is lost: its content is sound", false});
  }
}

void DamagedFile::report_catalogs() {
  for (const std::uint32_t part : {0U, 1U}) {
    const FoundBlock* const block = find(block_key(BlockType::catalog, 0, 0, part));
    if (block != nullptr && block->is_sound) continue;
    faults_.push_back({fault_of(block, part == 0 ? "catalog" : "second copy of the catalog"),
                       "nothing is lost: the other copy of the catalog is sound", false});
  }
}

Result<Bytes> DamagedFile::content_of(const FoundBlock& block, std::uint64_t limit,
                                      std::vector<Extension>* extensions) const {
  if (block.info.stored_bytes > limit) {
    return fail(ErrorCode::limit_exceeded,
                std::to_string(block.info.stored_bytes) + " bytes" + at_most(limit),
                DamagedFile::place_of(block.info), block.info.offset);
  }
  ScratchPool::Lease scratch(pool_);
  const auto payload = source_.read_block(block.info, scratch->block, extensions);
  if (!payload) return fail(payload.error());
  return Bytes(payload->begin(), payload->end());
}

Status DamagedFile::read_metadata() {
  const FoundBlock* const block = find(block_key(BlockType::metadata));
  Error error = fault_of(block, "metadata");
  if (block != nullptr && block->is_sound) {
    const auto payload = content_of(*block, options_.limits.max_metadata_bytes);
    if (!payload) return fail(payload.error());
    auto metadata = decode_metadata(*payload, content_offset(block->info));
    if (metadata) {
      metadata_ = std::move(*metadata);
      return {};
    }
    error = std::move(metadata.error());
  }
  faults_.push_back({std::move(error),
                     "title, date, play time, sequence number and values are lost; the new file "
                     "has no metadata",
                     true});
  return {};
}

// Thumbnail and unknown blocks.
Status DamagedFile::read_others() {
  std::uint64_t total = 0;
  for (const FoundBlock& block : blocks_) {
    const bool is_thumbnail = block_key(block.info) == block_key(BlockType::thumbnail);
    const bool is_unknown = !is_known(block.info.type);
    if (!is_thumbnail && (!is_unknown || (block.info.flags & kBlockSafeToCopy) == 0)) continue;
    if (!block.is_sound) {
      faults_.push_back({fault_of(&block, place_of(block.info)),
                         is_thumbnail ? "the thumbnail is lost"
                                      : "a block of a type unknown to this version of hdb is lost",
                         true});
      continue;
    }
    total += block.info.stored_bytes;
    if (total > options_.limits.max_memory_bytes) {
      return fail(ErrorCode::memory_budget,
                  "thumbnail and unknown blocks have more than " +
                      std::to_string(options_.limits.max_memory_bytes) + " bytes",
                  "salvage", block.info.offset);
    }
    std::vector<Extension> extensions;
    auto payload =
        content_of(block, is_thumbnail ? options_.limits.max_thumbnail_bytes : kMaxAncillaryBytes,
                   &extensions);
    if (!payload) return fail(std::move(payload.error()));
    if (is_thumbnail) {
      thumbnail_ = std::move(*payload);
    } else {
      ancillary_.push_back({block.info.type, block.info.flags, block.info.group, block.info.part,
                            block.info.raw_bytes, std::move(extensions), std::move(*payload)});
    }
  }
  return {};
}

// Sound packs say which tables they hold.
void DamagedFile::open_packs() {
  ScratchPool::Lease scratch(pool_);
  for (FoundBlock& block : blocks_) {
    if (block.info.type != type_number(BlockType::pack) || !block.is_sound) continue;
    const auto content = source_.read_content(block.info, *scratch);
    const auto packed = content ? split_pack(*content, block.info, {tables(), grammars_})
                                : Result<std::vector<PackedTable>>(fail(content.error()));
    if (packed) {
      for (const PackedTable& each : *packed) packs_.emplace(each.table, &block);
    } else {
      block.is_sound = false;
      block.fault = packed.error();
    }
  }
}

// A table without blocks of its own is in a pack: in a sound one that has it, else in the damaged
// one that begins at it or last before it. Null: none of these.
const FoundBlock* DamagedFile::pack_of(std::size_t table) const {
  if (tables()[table].group_count() != 1) return nullptr;
  if (const auto found = packs_.find(static_cast<std::uint32_t>(table)); found != packs_.end()) {
    return found->second;
  }
  const FoundBlock* nearest = nullptr;
  for (const FoundBlock& block : blocks_) {
    if (block.info.type == type_number(BlockType::pack) && block.info.table <= table)
      nearest = &block;
  }
  return nearest != nullptr && !nearest->is_sound ? nearest : nullptr;
}

std::string DamagedFile::place_of(const BlockInfo& block) const {
  const bool known = block.table < catalog_.tables.size();
  return block_place(block, known ? std::string_view(catalog_.tables[block.table].name) : "");
}

// The blocks of a row group, or its pack; none if none was found.
std::vector<BlockInfo> DamagedFile::parts_of(std::size_t table, std::uint64_t group) const {
  std::vector<BlockInfo> parts;
  for (auto at = lower_bound(block_key(BlockType::rows, table, group)); at != blocks_.end(); ++at) {
    const auto part = static_cast<std::uint32_t>(parts.size());
    if (block_key(at->info) != block_key(BlockType::rows, table, group, part)) break;
    parts.push_back(at->info);
  }
  const FoundBlock* const pack = parts.empty() ? pack_of(table) : nullptr;
  if (pack != nullptr) parts.push_back(pack->info);
  return parts;
}

template <class Decode>
Status DamagedFile::read(std::size_t table, std::uint64_t group, const Decode& decode) const {
  const std::vector<BlockInfo> parts = parts_of(table, group);
  const std::string where = place_of(block_of(block_key(BlockType::rows, table, group)));
  GroupPlace place;
  if (parts.empty() || parts.front().type == type_number(BlockType::pack)) {
    const FoundBlock* const pack = pack_of(table);
    if (pack == nullptr || !pack->is_sound) return fail(fault_of(pack, where));
    place.is_packed = true;
    place.catalog = {tables(), grammars_};
  }
  place.table = &tables()[table];
  place.grammar = &grammars_[place.table->schema];
  place.group = group;
  place.parts = parts;
  ScratchPool::Lease scratch(pool_);
  GroupDecoder decoder(source_, options_, *scratch);
  Status status = decode(decoder, place);
  if (!status) return fail(std::move(status.error()).in(where));
  return {};
}

std::uint64_t DamagedFile::count_unexplained() {
  if (has_directory_) return 0;
  // The head of a damaged block says what the block was; its loss is reported there.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> regions = regions_;
  std::sort(regions.begin(), regions.end());
  const FoundBlock* const last = find(block_key(BlockType::catalog, 0, 0, 1));
  const std::uint64_t enough =
      last != nullptr ? last->info.offset + last->info.total_bytes : file_bytes_;
  std::uint64_t at = regions.front().first;
  std::uint64_t gaps = 0;
  for (const auto& [begin, end] : regions) {
    if (begin > at && at >= enough) break;  // another file may follow
    if (begin > at) gaps += begin - at;
    at = std::max(at, end);
  }
  const std::uint64_t copy = lost_catalog_bytes();
  if (copy <= gaps) {
    gaps -= copy;
  } else {
    at += copy;  // it was the last block
  }
  return gaps + count_behind(at, regions_.size() + (copy != 0 ? 1 : 0));
}

// The size of the copy of the catalog whose head is lost; 0 if there are both.
std::uint64_t DamagedFile::lost_catalog_bytes() const {
  const FoundBlock* const first = find(block_key(BlockType::catalog, 0, 0, 0));
  const FoundBlock* const second = find(block_key(BlockType::catalog, 0, 0, 1));
  if (first != nullptr && second != nullptr) return 0;
  return (first != nullptr ? first : second)->info.total_bytes;
}

// The bytes behind the last block; 0 if they are the directory and the footer of so many blocks, or
// a remainder of both.
std::uint64_t DamagedFile::count_behind(std::uint64_t offset, std::uint64_t blocks) {
  if (offset >= file_bytes_) return 0;
  const std::uint64_t bytes = file_bytes_ - offset;
  if (bytes == kDirectoryHeadBytes + blocks * kDirectoryEntryBytes + kFooterBytes) return 0;
  std::array<std::byte, kDirectoryMagic.size()> magic{};
  if (bytes < magic.size() || !patched_.read_at(offset, magic)) return 0;
  const bool is_directory = std::memcmp(magic.data(), kDirectoryMagic.data(), magic.size()) == 0;
  return is_directory ? 0 : bytes;
}

}  // namespace hdb::format
