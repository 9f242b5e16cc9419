// What the last write left, for the next one.
#include "hdb/write_options.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "format/write/cache_store.hpp"
#include "format/write/group_encoder.hpp"
#include "hdb/bytes.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb {

ChunkCache::ChunkCache(std::uint64_t max_bytes)
    : store_(std::make_unique<format::CacheStore>(max_bytes)) {}
ChunkCache::~ChunkCache() = default;

std::uint64_t ChunkCache::bytes_used() const noexcept { return store_->bytes_used(); }
std::uint64_t ChunkCache::max_bytes() const noexcept { return store_->max_bytes(); }
void ChunkCache::clear() noexcept { store_->clear(); }

namespace format {

std::uint64_t CachedGroup::memory_bytes() const noexcept {
  return sizeof(CachedGroup) + bytes.capacity() + heads.capacity() * sizeof(BlockHead) +
         identity.capacity() * sizeof(std::uint64_t);
}

// --- CacheStore

void CacheStore::put(Entry& place, Entry entry) noexcept {
  const std::uint64_t bytes = entry->memory_bytes();
  if (bytes > entry->counted_bytes) {
    const std::uint64_t more = bytes - entry->counted_bytes;
    if (bytes_used_.fetch_add(more) + more > max_bytes_) {
      bytes_used_ -= more;
      return;
    }
  } else {
    bytes_used_ -= entry->counted_bytes - bytes;
  }
  entry->store_bytes = &bytes_used_;
  entry->counted_bytes = bytes;
  place = std::move(entry);
}

void CacheStore::clear() noexcept {
  tables_.clear();
  compressed_.clear();
}

// --- CacheSession

std::unique_ptr<CacheSession> CacheSession::begin(ChunkCache* cache, const ImageSource& image,
                                                  const EncodeSettings& settings) {
  if (cache == nullptr) return nullptr;
  CacheStore& store = CacheStore::of(*cache);
  if (store.in_use_.exchange(true)) return nullptr;
  struct GiveBack {
    CacheStore* store;
    ~GiveBack() {
      if (store != nullptr) store->in_use_ = false;
    }
  } give_back{&store};
  auto session = std::unique_ptr<CacheSession>(new CacheSession(store, image, settings));
  give_back.store = nullptr;  // now the session's to do
  session->open_tables();
  return session;
}

CacheSession::CacheSession(CacheStore& store, const ImageSource& image,
                           const EncodeSettings& settings)
    : store_(store), image_(image), settings_(settings) {}

CacheSession::~CacheSession() { store_.in_use_ = false; }

void CacheSession::open_tables() {
  if (store_.compressed_settings_ != settings_) store_.compressed_.clear();
  store_.compressed_settings_ = settings_;
  store_.compressed_.begin();
  for (const TableDescriptor& table : image_.tables()) {
    CacheStore::TableEntries& entries = store_.tables_[table.name];
    tables_.push_back(&entries);
    const Hash128 schema = schema_fingerprint(image_.schemas()[table.schema]);
    if (entries.schema != schema) {
      for (auto* list : {&entries.groups, &entries.free_list}) {
        for (CacheStore::Entry& entry : *list) entry.reset();
      }
    }
    entries.schema = schema;
    const auto make_room = [](std::vector<CacheStore::Entry>& list, std::uint64_t count) {
      if (list.size() < count) list.resize(static_cast<std::size_t>(count));
    };
    make_room(entries.groups, table.group_count());
    make_room(entries.free_list, free_list_blocks(table));
  }
}

CacheStore::Entry& CacheSession::place(std::size_t table, GroupPart part,
                                       std::uint64_t number) const noexcept {
  CacheStore::TableEntries& entries = *tables_[table];
  auto& list = part == GroupPart::rows ? entries.groups : entries.free_list;
  return list[static_cast<std::size_t>(number)];
}

CachedGroup* CacheSession::find(std::size_t table, GroupPart part,
                                std::uint64_t number) const noexcept {
  CachedGroup* const entry = place(table, part, number).get();
  return entry != nullptr && entry->settings == settings_ ? entry : nullptr;
}

GroupFacts* CacheSession::last_group(std::size_t table, std::uint64_t group) noexcept {
  return find(table, GroupPart::rows, group);
}

void CacheSession::add_last_chunks(std::size_t table, GroupPart part, std::uint64_t number,
                                   StoredChunks& chunks) const {
  const CachedGroup* const last = find(table, part, number);
  if (last == nullptr || last->is_diluted) return;
  for (const BlockHead& head : last->heads) chunks.add(last->payload(head));
}

// Heads are made again: file and table may be others.
void CacheSession::reuse_from_last(std::size_t table, std::uint64_t group, const Hash128& file_id,
                                   EncodedBlocks& out) {
  const CacheStore::Entry& last = place(table, GroupPart::rows, group);
  out.holder = last;
  out.is_packed = last->is_packed;
  if (last->is_packed) return out.pieces.push_back(last->bytes);
  for (BlockHead head : last->heads) {
    head.file_id = file_id;
    head.info.table = static_cast<std::uint32_t>(table);
    out.bytes.append(encode_block_head(head));
    out.blocks.push_back(head.info);
    out.reused_bytes += head.info.stored_bytes;
  }
  for (std::size_t i = 0; i < last->heads.size(); ++i) {
    out.pieces.push_back(out.bytes.bytes().subspan(i * kBlockHeadBytes, kBlockHeadBytes));
    out.pieces.push_back(last->payload(last->heads[i]));
  }
}

Status CacheSession::store_group(std::size_t table, GroupPart part, std::uint64_t number,
                                 const GroupFacts& facts, EncodedBlocks& out) {
  CacheStore::Entry& to = place(table, part, number);
  CacheStore::Entry entry = std::exchange(to, nullptr);
  try {
    const std::span<const std::byte> bytes = std::as_const(out.bytes).bytes();
    // Groups keep about their size: with some room the next one finds this memory, instead of fresh
    // pages.
    const bool fits = entry && bytes.size() <= entry->bytes.capacity() &&
                      entry->bytes.capacity() / 2 <= bytes.size();
    if (!fits) {
      entry.reset();  // its room is for the new one
      entry = std::make_shared<CachedGroup>();
      entry->bytes.reserve(bytes.size() + bytes.size() / 16);
    }
    static_cast<GroupFacts&>(*entry) = facts;
    entry->settings = settings_;
    entry->is_packed = out.is_packed;
    entry->is_diluted = out.is_diluted;
    entry->heads = out.heads;
    entry->bytes.assign(bytes.begin(), bytes.end());
    store_.put(to, std::move(entry));
  } catch (const std::bad_alloc&) {
  }
  return {};
}

void CacheSession::finish() noexcept {
  store_.compressed_.finish();
  const auto cut = [&](std::vector<CacheStore::Entry>& list, std::uint64_t count) {
    if (list.size() > count) list.resize(static_cast<std::size_t>(count));
  };
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    cut(tables_[i]->groups, image_.tables()[i].group_count());
    cut(tables_[i]->free_list, free_list_blocks(image_.tables()[i]));
    for (const CacheStore::Entry& entry : tables_[i]->groups) {
      if (entry) entry->is_checked = true;
    }
  }
  for (auto at = store_.tables_.begin(); at != store_.tables_.end();) {
    if (std::find(tables_.begin(), tables_.end(), &at->second) != tables_.end()) {
      ++at;
      continue;
    }
    at = store_.tables_.erase(at);
  }
}

}  // namespace format
}  // namespace hdb
