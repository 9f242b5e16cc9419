// Writes an Image as a snapshot file into a byte sink, with any number of threads, always the same
// bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "hdb/chunk_cache.hpp"
#include "hdb/executor.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/io.hpp"
#include "hdb/limits.hpp"

namespace hdb {

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
  /// What former writes wrote, to be taken over where nothing changed; null: none. The bytes do not depend on it.
  ChunkCache* cache = nullptr;
};

struct WriteReport {
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;  ///< Column bytes before filters and compression.
  Hash128 state_hash;
  Hash128 file_id;
  std::uint64_t reused_bytes = 0;   ///< Stored bytes taken from the cache.
  std::uint64_t reused_groups = 0;  ///< Row groups taken over whole, without being encoded.
};

/// Streams the snapshot file of `image` into `sink`. Memory: a few row groups per thread.
/// Errors: what the sink, the image or the limits refuse, and everything that a reader with those
/// limits would refuse (grammar, slots, free list, dense order); then the sink holds an unfinished
/// file. What an executor's task, the image or the sink throws is thrown again on the calling
/// thread.
[[nodiscard]] Result<WriteReport> write_image(const ImageSource& image, ByteSink& sink,
                                              const WriteOptions& options = {});

}  // namespace hdb
