// Inside a ChunkCache: encoded groups by table, and one write's use of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/write/compressed_blocks.hpp"
#include "format/write/frame_sink.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/write_options.hpp"

namespace hdb::format {

/// What the stored bytes of a chunk depend on besides its raw bytes.
struct EncodeSettings {
  Codec codec = Codec::none;
  int level = 0;
  bool filters = true;
  bool packs = true;
  std::uint64_t max_ratio = 0;
  bool has_many_groups = false;

  friend bool operator==(const EncodeSettings&, const EncodeSettings&) = default;
};

/// The blocks of one row group, or one block of a free list, as they were written. Only the worker
/// that writes the group changes it, and not while a file still takes bytes from it.
struct CachedGroup : GroupFacts {
  CachedGroup() = default;
  ~CachedGroup() {
    if (store_bytes != nullptr) *store_bytes -= counted_bytes;
  }
  CachedGroup(const CachedGroup&) = delete;
  CachedGroup& operator=(const CachedGroup&) = delete;

  EncodeSettings settings;
  bool is_packed = false;        ///< As EncodedBlocks::is_packed.
  bool is_diluted = false;       ///< As Appended::is_diluted, of a block.
  std::vector<BlockHead> heads;  ///< Offsets count from the beginning of `bytes`.
  Bytes bytes;                   ///< Heads, payloads and padding; or the group for a pack.
  std::atomic<std::uint64_t>* store_bytes = nullptr;  ///< Of the store that counts it; or null.
  std::uint64_t counted_bytes = 0;

  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  /// A block's payload with its padding.
  [[nodiscard]] std::span<const std::byte> payload(const BlockHead& head) const noexcept {
    return std::span(bytes).subspan(
        static_cast<std::size_t>(head.info.offset) + kBlockHeadBytes,
        static_cast<std::size_t>(head.info.total_bytes) - kBlockHeadBytes);
  }
};

/// The entries themselves. An entry counts while it exists: so one that did not change always has
/// its room, and new ones only get what is left.
class CacheStore {
 public:
  using Entry = std::shared_ptr<CachedGroup>;
  struct TableEntries {
    Hash128 schema;
    std::vector<Entry> groups;
    std::vector<Entry> free_list;
  };

  explicit CacheStore(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  [[nodiscard]] static CacheStore& of(ChunkCache& cache) noexcept { return *cache.store_; }

  [[nodiscard]] std::uint64_t bytes_used() const noexcept { return bytes_used_.load(); }
  [[nodiscard]] std::uint64_t max_bytes() const noexcept { return max_bytes_; }
  void clear() noexcept;

 private:
  friend class CacheSession;
  void put(Entry& place, Entry entry) noexcept;

  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> bytes_used_{0};
  std::atomic<bool> in_use_{false};
  PositionSums position_sums_;  // the session's
  std::map<std::string, TableEntries, std::less<>> tables_;
  CompressedBlocks compressed_{bytes_used_, max_bytes_};
  EncodeSettings compressed_settings_;  // of compressed_
};

/// One write's use of a cache.
class CacheSession final : public GroupStore {
 public:
  /// Null if no cache is set, or another write uses it.
  [[nodiscard]] static std::unique_ptr<CacheSession> begin(ChunkCache* cache,
                                                           const ImageSource& image,
                                                           const EncodeSettings& settings);
  ~CacheSession() override;
  CacheSession(const CacheSession&) = delete;
  CacheSession& operator=(const CacheSession&) = delete;

  [[nodiscard]] GroupFacts* last_group(std::size_t table, std::uint64_t group) noexcept override;
  void add_last_chunks(std::size_t table, GroupPart part, std::uint64_t number,
                       StoredChunks& chunks) const override;
  void reuse_from_last(std::size_t table, std::uint64_t group, const Hash128& file_id,
                       EncodedBlocks& out) override;
  /// Stores nothing where memory or room is missing: the file does not need it. No errors.
  [[nodiscard]] Status store_group(std::size_t table, GroupPart part, std::uint64_t number,
                                   const GroupFacts& facts, EncodedBlocks& out) override;
  [[nodiscard]] PositionSums& position_sums() noexcept override { return store_.position_sums_; }
  /// Packs and catalogs.
  [[nodiscard]] CompressedBlocks& compressed() noexcept { return store_.compressed_; }
  /// The write succeeded: its entries are checked; drops those of groups and tables that its image
  /// lacks.
  void finish() noexcept;

 private:
  CacheSession(CacheStore& store, const ImageSource& image, const EncodeSettings& settings);
  void open_tables();
  [[nodiscard]] CacheStore::Entry& place(std::size_t table, GroupPart part,
                                         std::uint64_t number) const noexcept;
  /// The entry if it has the settings of this write; else null.
  [[nodiscard]] CachedGroup* find(std::size_t table, GroupPart part,
                                  std::uint64_t number) const noexcept;

  CacheStore& store_;
  const ImageSource& image_;
  EncodeSettings settings_;
  std::vector<CacheStore::TableEntries*> tables_;
};

}  // namespace hdb::format
