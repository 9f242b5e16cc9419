// How a file is written: compression, threads, progress, cancelling. Games set it in
// SaveOptions::write, tools pass it to write_image.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"
#include "hdb/fwd.hpp"

namespace hdb {

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
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// hdb::SaveOptions options;
/// options.write.level = 9;  // for a save that is sent over a network
/// options.write.threads = 2;
/// std::uint64_t groups = 0;
/// options.write.on_progress = [&](const hdb::Progress&) { ++groups; };
/// const auto saved = hdb::save(db.capture(), "slot4.hdb", options);
/// assert(saved && groups > 0);
/// @endcode
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
