// A durable file without hdb, for comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bench.hpp"
#include "hdb/file_system.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {

/// What a durable file takes without hdb: writes these bytes a MiB at a time, syncs, renames, syncs
/// the folder. With `early`, the disk begins with each MiB at once, as for a save of hdb.
inline double write_durably(std::span<const std::byte> bytes, const TemporaryFolder& folder,
                            bool early) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  FileSystem& files = system_files();
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  if (!directory) return 0;
  const double ns = time_ns([&] {
    const auto file = files.create_exclusive(*directory, "raw.tmp");
    if (!file) return;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
      benchmark::DoNotOptimize(files.write(*file, piece).has_value());
      if (early) files.start_writing(*file, at, piece.size());
    }
    benchmark::DoNotOptimize(files.sync_file(*file).has_value());
    benchmark::DoNotOptimize(files.close(*file).has_value());
    benchmark::DoNotOptimize(files.rename(*directory, "raw.tmp", "raw").has_value());
    benchmark::DoNotOptimize(files.sync_directory(*directory).has_value());
  });
  benchmark::DoNotOptimize(files.close(*directory).has_value());
  return ns;
}

}  // namespace hdb::bench
