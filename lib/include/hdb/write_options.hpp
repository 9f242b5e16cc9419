// How a file is written: compression, threads, progress, cancelling, and the cache of repeated
// saves. Games set them in SaveOptions::write, tools pass them to write_image.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"

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
class ChunkCache {
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

/// How the columns of a file are compressed.
enum class Codec : std::uint8_t {
  none = 0,  ///< Not compressed.
  zstd = 1,
};

/// How far a save or write is: row groups, and bytes of the file.
struct Progress {
  std::uint64_t groups_done = 0;
  std::uint64_t groups_total = 0;
  std::uint64_t bytes_written = 0;
};

/// The options of write_image.
struct WriteOptions {
  Codec codec = Codec::zstd;
  int level = 1;           ///< zstd level, 1 to 19.
  unsigned threads = 1;    ///< Encoding threads, at least 1; the bytes do not depend on it.
  bool filters = true;     ///< false: no filters (larger, for tests and for reading by eye).
  bool packs = true;       ///< Small tables share blocks. false: each table has blocks of its own,
                           ///< so that one damaged byte never costs more than one table.
  Executor executor = {};  ///< Runs the tasks; empty: threads of our own.
  /// Called after each row group. With several threads, any of them calls this and the sink's
  /// `write`, but only one at a time.
  std::function<void(const Progress&)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;  ///< Set it to stop; the write returns `cancelled`.
  ReadLimits limits = {};                     ///< Limits of the loads: a larger save is refused.
  /// The id of the file; empty: 16 random bytes. Set it only to get the same bytes from the same
  /// state: if two different files have one id, a repair may mix their parts.
  std::optional<Hash128> file_id = {};
  /// Supplies what did not change since the last write; null: encode everything. The bytes of the
  /// file do not depend on the cache.
  ChunkCache* cache = nullptr;
};

}  // namespace hdb
