// Inside a ChunkCache: encoded groups by table, and how one write takes them out and puts them
// back.
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

#include "format/columns/chunk.hpp"
#include "format/write/slot_sums.hpp"
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

/// The blocks of one row group, or one block of a free list, as they were written. Only its holder
/// changes it: the encoder that took it out, and not while a file still takes bytes from it.
struct CachedGroup {
  CachedGroup() = default;
  ~CachedGroup() {
    if (store_bytes != nullptr) *store_bytes -= counted_bytes;
  }
  CachedGroup(const CachedGroup&) = delete;
  CachedGroup& operator=(const CachedGroup&) = delete;

  EncodeSettings settings;
  std::vector<std::uint64_t> identity;  ///< ImageSource::group_identity; empty: not known.
  std::optional<Hash128> records;       ///< Sum of the row hashes, where it was asked for.
  std::optional<SlotSums> slots;        ///< Row group of a table that is checked by sums.
  TablePolicy policy;                   ///< By which the slots were checked.
  bool is_diluted = false;              ///< As Appended::is_diluted, of a block.
  bool is_checked = false;              ///< All checks of a write with this entry passed.
  std::uint64_t raw_bytes = 0;
  std::uint64_t largest_column_bytes = 0;
  std::vector<BlockHead> heads;  ///< Offsets count from the beginning of `bytes`.
  Bytes bytes;                   ///< Heads, payloads and padding.
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

/// The entries themselves. An entry counts while it exists, also taken out: so one that comes back
/// unchanged always finds its room, and new ones only get what is left.
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
};

/// One write's use of a cache. Workers take and put different groups at once.
class CacheSession {
 public:
  /// Null if no cache is set, or another write uses it.
  [[nodiscard]] static std::unique_ptr<CacheSession> begin(ChunkCache* cache,
                                                           const ImageSource& image,
                                                           const EncodeSettings& settings);
  ~CacheSession();
  CacheSession(const CacheSession&) = delete;
  CacheSession& operator=(const CacheSession&) = delete;

  enum class Part : std::uint8_t { rows, free_list };
  /// Takes the entry out of the cache; null when there is none that applies.
  [[nodiscard]] CacheStore::Entry take(std::size_t table, Part part, std::uint64_t number) noexcept;
  /// Puts an entry in, if it fits.
  void put(std::size_t table, Part part, std::uint64_t number, CacheStore::Entry entry) noexcept;
  /// The write succeeded: its entries are checked; drops those of groups and tables that its image
  /// lacks.
  void finish() noexcept;
  /// Of the store, so that they are computed once.
  [[nodiscard]] PositionSums& position_sums() noexcept { return store_.position_sums_; }

  [[nodiscard]] const EncodeSettings& settings() const noexcept { return settings_; }

 private:
  CacheSession(CacheStore& store, const ImageSource& image, const EncodeSettings& settings);
  void open_tables();
  [[nodiscard]] CacheStore::Entry& place(std::size_t table, Part part,
                                         std::uint64_t number) noexcept;

  CacheStore& store_;
  const ImageSource& image_;
  EncodeSettings settings_;
  std::vector<CacheStore::TableEntries*> tables_;
};

}  // namespace hdb::format
