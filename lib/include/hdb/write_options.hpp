// How a file is written: compression, threads, progress, and the cache of an autosave.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"

namespace hdb {

namespace format {
class CacheStore;
}

/// Encoded row groups and free lists of the last write through it, by table name, schema and group.
///
/// Give one cache to the saves of one game, one after another (`WriteOptions::cache`, or an
/// Autosaver). A group is taken over whole where the image proves it unchanged, else column by
/// column where the raw bytes have the same 128-bit hash. The bytes of a file never depend on the
/// cache.
///
//   CC1  A file written through a cache is byte-identical to one written without.
//   CC2  What it holds is content-addressed: a write that fails half-way leaves entries that are
//        true, or none.
///
/// What does not fit `max_bytes` is not kept, and what is in stays in until it is replaced: every
/// write asks for all groups in turn, so that dropping the oldest would drop just what is wanted
/// next. Groups and tables that are gone are dropped by the next write that succeeds. Entries of
/// another codec, level or choice of filters do not apply, and are replaced.
///
/// One write at a time uses a cache; one that comes meanwhile goes on without.
class ChunkCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{256} << 20;

  explicit ChunkCache(std::uint64_t max_bytes = kDefaultMaxBytes);
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// Memory that the entries take, in bytes; never more than max_bytes(). Any thread.
  [[nodiscard]] std::uint64_t bytes_used() const noexcept;
  [[nodiscard]] std::uint64_t max_bytes() const noexcept;
  /// Drops all entries. No write may be using the cache.
  void clear() noexcept;

 private:
  friend class format::CacheStore;
  std::unique_ptr<format::CacheStore> store_;
};

/// How column chunks are compressed.
enum class Codec : std::uint8_t {
  none = 0,
  zstd = 1,
};

/// Told while writing.
struct Progress {
  std::uint64_t groups_done = 0;
  std::uint64_t groups_total = 0;
  std::uint64_t bytes_written = 0;
};

struct WriteOptions {
  Codec codec = Codec::zstd;
  int level = 1;           ///< zstd level, 1 to 19.
  unsigned threads = 1;    ///< Encoding threads, at least 1; the bytes do not depend on it.
  bool filters = true;     ///< false: no filters (larger, for tests and for reading by eye).
  Executor executor = {};  ///< Runs the tasks; empty: threads of our own.
  /// Called for one group after another. With several threads, this and the sink's `write` are
  /// called from any of them, but never from two at once.
  std::function<void(const Progress&)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;  ///< Set it to stop; the write returns `cancelled`.
  ReadLimits limits = {};                     ///< What would not load with these is refused.
  /// What former writes wrote, to be taken over where nothing changed; null: none. The bytes do not
  /// depend on it.
  ChunkCache* cache = nullptr;
};

}  // namespace hdb
