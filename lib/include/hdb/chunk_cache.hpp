// ChunkCache: what a save wrote, kept so that the next one encodes and compresses only what changed.
#pragma once

#include <cstdint>
#include <memory>

namespace hdb {

namespace format {
class CacheStore;
}

/// Encoded row groups and free lists of the last write through it, by table name, schema and group.
///
/// Give one cache to the saves of one game, one after another (`WriteOptions::cache`, or an Autosaver). A group is taken
/// over whole where the image proves it unchanged, else column by column where the raw bytes have the same 128-bit hash.
/// The bytes of a file never depend on the cache.
///
//   CC1  A file written through a cache is byte-identical to one written without.
//   CC2  What it holds is content-addressed: a write that fails half-way leaves entries that are true, or none.
///
/// What does not fit `max_bytes` is not kept, and what is in stays in until it is replaced: every write asks for all groups in
/// turn, so that dropping the oldest would drop just what is wanted next. Groups and tables that are gone are dropped by the
/// next write that succeeds. Entries of another codec, level or choice of filters do not apply, and are replaced.
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

}  // namespace hdb
