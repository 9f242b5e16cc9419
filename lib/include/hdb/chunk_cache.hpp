// ChunkCache: what repeated saves need not encode again (WriteOptions::cache).
#pragma once

#include <cstdint>
#include <memory>

#include "hdb/detail/base/api.hpp"

namespace hdb {

namespace format {
class CacheStore;
}

/// The encoded row groups and free lists of the last write, so that the next write encodes only
/// what changed. The bytes of a file never depend on the cache.
///
/// Use one cache for the saves of one game, one after another (WriteOptions::cache). An Autosaver
/// has its own. A write copies a group from the cache if the pages of the group did not change;
/// else it copies each column whose bytes have the same 128-bit hash.
///
/// Without a limit, a cache takes about as much memory as the file of the last save has bytes, and
/// as the small tables that share blocks have before they are compressed. An entry that would
/// exceed max_bytes() is not kept; older entries stay. A write that succeeds drops entries of
/// groups and tables that no longer exist, and replaces entries of another codec, level, or choice
/// of filters or packs.
///
/// Threads: one write at a time uses a cache; a second write at the same time runs without it.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// for (int i = 0; i < 1000; ++i) monsters.insert({.hp = i});
/// hdb::ChunkCache cache;  // for all saves of this game
/// hdb::SaveOptions options;
/// options.write.cache = &cache;
/// const auto first = hdb::save(db.capture(), "slot3.hdb", options);
/// const auto second = hdb::save(db.capture(), "slot4.hdb", options);
/// assert(first && first->reused_bytes == 0);
/// assert(second && second->reused_bytes > 0 && cache.bytes_used() > 0);
/// @endcode
//
//   CC1  A file written with a cache has the same bytes as one written without.
//   CC2  Entries are found by the hash of their content, so a write that fails leaves only valid
//        entries.
class HDB_INSPECT_API ChunkCache {
 public:
  /// No limit.
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  /// An empty cache of at most `max_bytes` bytes of memory.
  explicit ChunkCache(std::uint64_t max_bytes = kUnlimited);
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// The memory of all entries in bytes; at most max_bytes(). Any thread may call this.
  [[nodiscard]] std::uint64_t bytes_used() const noexcept;
  /// The limit given to the constructor.
  [[nodiscard]] std::uint64_t max_bytes() const noexcept;
  /// Drops all entries. Requires: no write is using the cache.
  void clear() noexcept;

 private:
  friend class format::CacheStore;
  std::unique_ptr<format::CacheStore> store_;
};

}  // namespace hdb
