// What is new of a save goes to the store in batches; the manifest goes last.
#include "archive/version_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/using_detail.hpp"
#include "format/write/file_writer.hpp"
#include "hdb/hash.hpp"

namespace hdb::archive {
namespace {

// So much is gathered before it goes to the store.
constexpr std::uint64_t kBatchBytes = std::uint64_t{16} << 20;
// So many raw bytes of a save are remembered as bases for the next: all of a small one.
constexpr std::uint64_t kRememberedBytes = std::uint64_t{1} << 20;
// Nodes and lists of blocks consist of numbers of 8 bytes.
constexpr unsigned kTreeWidth = 8;

// Blocks of at most this size are one object with all their chunks: a difference from the last save
// takes less than one for each column that changed, with its id.
constexpr std::uint64_t kWholeBlockBytes = std::uint64_t{256} << 10;

BlockKind kind_of(const BlockInfo& block) noexcept {
  return block.stored_bytes <= kWholeBlockBytes ? BlockKind::whole : BlockKind::chunks;
}

std::vector<PreviousGroup>& list_of(PreviousTable& table, format::GroupPart part) noexcept {
  return part == format::GroupPart::free_list ? table.free_list : table.groups;
}

}  // namespace

PreviousSave known_from(const format::Catalog& catalog, std::span<const RootEntry> entries) {
  PreviousSave known;
  std::vector<PreviousTable*> tables;
  for (const TableDescriptor& table : catalog.tables) {
    PreviousTable& entry = known.tables[table.name];
    entry.schema = schema_fingerprint(catalog.schemas[table.schema]);
    entry.group_shift = table.group_shift;
    entry.groups.resize(static_cast<std::size_t>(table.group_count()));
    entry.free_list.resize(static_cast<std::size_t>(format::free_list_blocks(table)));
    tables.push_back(&entry);
  }
  for (const RootEntry& entry : entries) {
    if (!format::is_indexed(entry.block)) {
      known.others.push_back(entry);
    } else if (entry.block.table < tables.size()) {
      const bool is_list = entry.block.type == format::type_number(format::BlockType::free_list);
      auto& list = list_of(*tables[entry.block.table],
                           is_list ? format::GroupPart::free_list : format::GroupPart::rows);
      const std::uint64_t number = is_list ? entry.block.part : entry.block.group;
      if (number < list.size()) list[static_cast<std::size_t>(number)].blocks.push_back(entry);
    }
  }
  return known;
}

// An encoder for the time of a call.
class VersionWriter::EncoderLease {
 public:
  explicit EncoderLease(VersionWriter& owner) : owner_(owner) {
    const std::lock_guard lock(owner.mutex_);
    if (owner.encoders_.empty()) {
      encoder_ = std::make_unique<ObjectEncoder>(owner.options_.level);
    } else {
      encoder_ = std::move(owner.encoders_.back());
      owner.encoders_.pop_back();
    }
  }
  ~EncoderLease() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.encoders_.push_back(std::move(encoder_));
  }
  EncoderLease(const EncoderLease&) = delete;
  EncoderLease& operator=(const EncoderLease&) = delete;
  [[nodiscard]] ObjectEncoder& operator*() noexcept { return *encoder_; }

 private:
  VersionWriter& owner_;
  std::unique_ptr<ObjectEncoder> encoder_;
};

VersionWriter::VersionWriter(ObjectStore& store, const ImageSource& image, PreviousSave& last,
                             const WriteOptions& options)
    : store_(store), last_(last), options_(options) {
  next_.position_sums = std::exchange(last.position_sums, {});
  for (const TableDescriptor& table : image.tables()) {
    PreviousTable& entry = next_.tables[table.name];
    entry.schema = schema_fingerprint(image.schemas()[table.schema]);
    entry.group_shift = table.group_shift;
    entry.groups.resize(static_cast<std::size_t>(table.group_count()));
    entry.free_list.resize(static_cast<std::size_t>(format::free_list_blocks(table)));
    next_tables_.push_back(&entry);
    const auto known = last.tables.find(table.name);
    const bool is_same = known != last.tables.end() && known->second.schema == entry.schema &&
                         known->second.group_shift == entry.group_shift;
    last_tables_.push_back(is_same ? &known->second : nullptr);
  }
}

// --- groups

format::GroupFacts* VersionWriter::last_group(std::size_t table, std::uint64_t group) noexcept {
  PreviousTable* const last = last_tables_[table];
  return last != nullptr && group < last->groups.size()
             ? &last->groups[static_cast<std::size_t>(group)]
             : nullptr;
}

void VersionWriter::reuse_from_last(std::size_t table, std::uint64_t group, const Hash128&,
                                    format::EncodedBlocks& out) {
  const PreviousGroup& last = last_tables_[table]->groups[static_cast<std::size_t>(group)];
  for (const RootEntry& entry : last.blocks) {
    out.blocks.push_back(entry.block);
    out.blocks.back().table = static_cast<std::uint32_t>(table);
    out.ids.push_back(entry.id);
  }
  next_tables_[table]->groups[static_cast<std::size_t>(group)] = last;
}

// The chunks of all parts; none where the last save cannot be read, which costs only room.
std::vector<NodeChunk> VersionWriter::last_chunks(const PreviousGroup* group) {
  std::vector<NodeChunk> chunks;
  if (group == nullptr) return chunks;
  for (const RootEntry& entry : group->blocks) {
    if (entry.kind != BlockKind::chunks) continue;
    const auto bytes = node_bytes_of(entry.block);
    if (!bytes) return {};
    const auto node = store_.read(entry.id, *bytes, true);
    if (!node) return {};
    auto decoded = decode_node(**node, entry.block);
    if (!decoded) return {};
    chunks.insert(chunks.end(), decoded->begin(), decoded->end());
  }
  return chunks;
}

Status VersionWriter::store_group(std::size_t table, format::GroupPart part, std::uint64_t number,
                                  const format::GroupFacts& facts, format::EncodedBlocks& out) {
  if (out.is_packed) return {};
  const auto index = static_cast<std::size_t>(number);
  const PreviousGroup* last = nullptr;
  if (PreviousTable* const known = last_tables_[table]) {
    const auto& list = list_of(*known, part);
    if (index < list.size()) last = &list[index];
  }
  const std::vector<NodeChunk> last_ones = last_chunks(last);
  std::vector<Bytes> nodes;
  std::vector<Candidate> candidates;
  out.ids.clear();
  PreviousGroup next{facts, {}};
  next.is_checked = true;  // it becomes the last one only if the write succeeds
  nodes.reserve(out.blocks.size());
  for (std::size_t i = 0; i < out.blocks.size(); ++i) {
    const BlockInfo& block = out.blocks[i];
    const auto content = std::as_const(out.bytes).bytes().subspan(
        static_cast<std::size_t>(block.offset) + format::kBlockHeadBytes,
        static_cast<std::size_t>(block.stored_bytes));
    const bool has_last =
        last != nullptr && i < last->blocks.size() && last->blocks[i].kind == kind_of(block);
    const auto last_id = has_last ? std::optional(last->blocks[i].id) : std::nullopt;
    const auto entries = format::decode_index(content, block);
    if (!entries) return fail(entries.error());
    if (kind_of(block) == BlockKind::whole) {
      std::vector<NodeChunk> chunks;
      for (const format::ChunkEntry& entry : *entries)
        chunks.push_back(
            {entry.info.column, entry.info.piece, entry.width, entry.info.raw_bytes, {}, 0, {}});
      nodes.push_back(index_of(chunks));
      const auto rest = content.subspan(nodes.back().size());
      nodes.back().insert(nodes.back().end(), rest.begin(), rest.end());
      const ObjectId id = blake2b_256(nodes.back());
      candidates.push_back({id, nodes.back(), 1, last_id});
      out.ids.push_back(id);
      next.blocks.push_back({block, BlockKind::whole, id});
      continue;
    }
    std::vector<NodeChunk> chunks;
    chunks.reserve(entries->size());
    for (const format::ChunkEntry& entry : *entries) {
      const auto raw = content.subspan(static_cast<std::size_t>(entry.content_offset),
                                       static_cast<std::size_t>(entry.info.raw_bytes));
      NodeChunk chunk{entry.info.column,   entry.info.piece,  entry.width, entry.info.raw_bytes,
                      entry.info.raw_hash, entry.stored_hash, {}};
      const auto same =
          std::find_if(last_ones.begin(), last_ones.end(), [&](const NodeChunk& each) {
            return each.column == chunk.column && each.piece == chunk.piece;
          });
      const bool is_known = same != last_ones.end();
      if (is_known && same->raw_hash == chunk.raw_hash && same->raw_bytes == chunk.raw_bytes) {
        chunk.id = same->id;
      } else {
        chunk.id = blake2b_256(raw);
        candidates.push_back(
            {chunk.id, raw, chunk.width, is_known ? std::optional(same->id) : std::nullopt});
      }
      chunks.push_back(chunk);
    }
    nodes.push_back(encode_node(chunks));
    const ObjectId id = blake2b_256(nodes.back());
    candidates.push_back({id, nodes.back(), kTreeWidth, last_id});
    out.ids.push_back(id);
    next.blocks.push_back({block, BlockKind::chunks, id});
  }
  if (Status status = store_new(candidates); !status) return status;
  list_of(*next_tables_[table], part)[index] = std::move(next);
  return {};
}

// --- objects

Status VersionWriter::encode(const Candidate& candidate, bool has_last, ObjectEncoder& encoder,
                             Bytes& out) {
  if (has_last && candidate.raw.size() <= kMaxDifferenceBytes) {
    // A base that cannot be read costs only room.
    const auto base = store_.next_base(*candidate.last);
    if (base && !base->is_whole) {
      const auto bytes = store_.read_base(base->id);
      if (bytes && *bytes != nullptr) {
        encoder.encode_difference(candidate.raw, candidate.width, **bytes, base->id, base->step,
                                  out);
        return {};
      }
    }
  }
  if (candidate.raw.size() > 0xffffffffU)
    return fail(ErrorCode::limit_exceeded, "an object of the archive would have more than 4 GiB");
  encoder.encode_whole(candidate.raw, candidate.width, out);
  return {};
}

Status VersionWriter::store_new(std::span<const Candidate> candidates) {
  std::vector<const Candidate*> wanted;
  std::vector<ObjectKey> keys;
  {
    const std::lock_guard lock(mutex_);
    for (const Candidate& candidate : candidates) {
      if (!stored_.insert(candidate.id).second) continue;
      wanted.push_back(&candidate);
      keys.push_back(key_of(candidate.id));
    }
  }
  if (wanted.empty()) return {};
  // What may not be shared may not be the base of a difference.
  std::vector<std::size_t> lasts(wanted.size());  // the numbers of their keys; 0: none
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]->last) continue;
    lasts[i] = keys.size();
    keys.push_back(key_of(*wanted[i]->last));
  }
  const auto exist = store_.backend().exists_many(keys);
  if (!exist) return fail(store_.about(exist.error()));
  EncoderLease encoder(*this);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if ((*exist)[i]) continue;
    Pending object;
    object.id = wanted[i]->id;
    const bool has_last = lasts[i] != 0 && (*exist)[lasts[i]];
    if (Status status = encode(*wanted[i], has_last, *encoder, object.stored); !status)
      return status;
    const std::lock_guard lock(mutex_);
    raw_bytes_ += wanted[i]->raw.size();
    if (raw_bytes_ <= kRememberedBytes) store_.remember(object.id, wanted[i]->raw);
    ++new_objects_;
    new_bytes_ += object.stored.size();
    pending_bytes_ += object.stored.size();
    pending_.push_back(std::move(object));
  }
  {
    const std::lock_guard lock(mutex_);
    if (pending_bytes_ < kBatchBytes) return {};
  }
  return flush();
}

// The manifest is stored only after all of this succeeded, so it does not matter which thread
// stores what.
Status VersionWriter::flush() {
  std::vector<Pending> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(pending_);
    pending_bytes_ = 0;
  }
  if (batch.empty()) return {};
  std::vector<ArchiveObject> objects;
  objects.reserve(batch.size());
  for (const Pending& object : batch) objects.push_back({key_of(object.id), object.stored});
  const auto stored = store_.backend().put_if_absent(objects);
  if (!stored) return fail(store_.about(stored.error()));
  for (Pending& object : batch) store_.remember_stored(object.id, std::move(object.stored));
  return {};
}

// --- the frame

Status VersionWriter::begin(std::uint64_t) {
  size_ = format::kHeaderBytes;
  return {};
}

Status VersionWriter::add_block(const BlockInfo& info, BlockKind kind, const ObjectId& id) {
  if (entries_.size() >= std::min(options_.limits.max_blocks, format::kMaxBlocks)) {
    return fail(
        ErrorCode::limit_exceeded,
        "the save would have more than " + std::to_string(options_.limits.max_blocks) + " blocks",
        "writing");
  }
  entries_.push_back({info, kind, id});
  entries_.back().block.offset = size_;
  size_ += info.total_bytes;
  if (size_ <= std::min(options_.limits.max_file_bytes, format::kMaxFileBytes)) return {};
  return fail(ErrorCode::limit_exceeded,
              "the save would have more than " + std::to_string(options_.limits.max_file_bytes) +
                  " bytes as a file",
              "writing");
}

Status VersionWriter::add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                    std::uint64_t raw_bytes) {
  const auto finished = format::finished_block(info, payload, raw_bytes);
  if (!finished) return fail(finished.error());
  if (entries_.empty()) {
    metadata_.assign(payload.begin(), payload.end());
    return add_block(*finished, BlockKind::metadata, {});
  }
  const ObjectId id = blake2b_256(payload);
  const auto same =
      std::find_if(last_.others.begin(), last_.others.end(), [&](const RootEntry& each) {
        return each.kind == BlockKind::bytes &&
               format::block_key(each.block) == format::block_key(*finished);
      });
  Candidate candidate{id, payload, 1, std::nullopt};
  if (same != last_.others.end()) candidate.last = same->id;
  if (Status status = store_new({&candidate, 1}); !status) return status;
  next_.others.push_back({*finished, BlockKind::bytes, id});
  return add_block(*finished, BlockKind::bytes, id);
}

Status VersionWriter::add_compressed(const BlockInfo& info, std::span<const std::byte> content) {
  return add_unchunked(info, content, content.size());  // it is compressed as an object
}

Status VersionWriter::add_encoded(const format::EncodedBlocks& encoded) {
  for (std::size_t i = 0; i < encoded.blocks.size(); ++i) {
    const BlockInfo& block = encoded.blocks[i];
    if (Status status = add_block(block, kind_of(block), encoded.ids[i]); !status) return status;
  }
  return {};
}

Status VersionWriter::finish(const Hash128& state_hash) {
  state_hash_ = state_hash;
  const std::uint64_t directory =
      format::kDirectoryHeadBytes + entries_.size() * format::kDirectoryEntryBytes;
  if (directory > options_.limits.max_directory_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "the directory would have " + std::to_string(directory) + " bytes; at most " +
                    std::to_string(options_.limits.max_directory_bytes) +
                    " are allowed (ReadLimits::max_directory_bytes)",
                "writing");
  }
  size_ += directory + format::kFooterBytes;
  const Bytes root = encode_root(entries_);
  next_.root = blake2b_256(root);
  next_.root_bytes = root.size();
  Candidate candidate{next_.root, root, kTreeWidth, std::nullopt};
  if (!last_.manifest.empty()) candidate.last = last_.root;
  return store_new({&candidate, 1});
}

Result<bool> VersionWriter::commit(Manifest& manifest) {
  manifest.state_hash = state_hash_;
  manifest.file_bytes = size_;
  manifest.root = next_.root;
  manifest.root_bytes = next_.root_bytes;
  manifest.new_objects = new_objects_;
  manifest.new_bytes = new_bytes_;
  manifest.metadata = metadata_;
  next_.manifest = encode_manifest(manifest);
  next_.sequence = manifest.sequence;
  std::vector<ArchiveObject> objects;
  objects.reserve(pending_.size() + 1);
  for (const Pending& object : pending_) objects.push_back({key_of(object.id), object.stored});
  objects.push_back({save_key(manifest.world, manifest.sequence), next_.manifest});
  const auto stored = store_.backend().put_if_absent(objects);
  if (!stored) return fail(store_.about(stored.error()));
  if (!stored->back()) return false;
  for (Pending& object : pending_) store_.remember_stored(object.id, std::move(object.stored));
  pending_.clear();
  return true;
}

}  // namespace hdb::archive
