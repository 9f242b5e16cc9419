// diff_equal, diff_1pct, validate_full_2t: what the inspector does with whole files.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench.hpp"
#include "game.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "reference/zstd_frames.hpp"

namespace hdb::bench {
namespace {

Bytes file_of(const Snapshot& snapshot, std::uint64_t sequence) {
  MemorySink sink;
  SaveOptions options;
  options.metadata.sequence = sequence;  // so that no two files are the same
  static_cast<void>(save(snapshot, sink, options));
  return sink.take();
}

// Opens and compares; returns how many records differ.
std::uint64_t compared(const Bytes& a, const Bytes& b) {
  const auto old_file = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(a)));
  const auto new_file = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(b)));
  if (!old_file || !new_file) return 0;
  const auto found = diff(**old_file, **new_file);
  return found ? found->records() : 0;
}

// Decodes every group.
std::uint64_t decoded(const Bytes& file) {
  const auto reader = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  if (!reader) return 0;
  RowGroup group;
  std::uint64_t live = 0;
  for (std::size_t table = 0; table < (*reader)->tables().size(); ++table) {
    for (std::uint64_t i = 0; i < (*reader)->tables()[table].group_count(); ++i) {
      if ((*reader)->read_group(table, i, group)) live += group.live_count();
    }
  }
  return live;
}

std::vector<reference::ZstdFrame> frames_of(const Bytes& file) {
  std::vector<reference::ZstdFrame> frames;
  const auto reader = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  if (!reader) return frames;
  for (std::size_t table = 0; table < (*reader)->tables().size(); ++table) {
    for (std::uint64_t i = 0; i < (*reader)->tables()[table].group_count(); ++i) {
      const auto chunks = (*reader)->chunks(table, i);
      if (!chunks) return {};
      for (const ChunkInfo& chunk : *chunks) {
        if (chunk.codec != static_cast<std::uint8_t>(Codec::zstd)) continue;
        const auto stored = std::span(file).subspan(static_cast<std::size_t>(chunk.offset),
                                                    static_cast<std::size_t>(chunk.stored_bytes));
        frames.push_back({stored, static_cast<std::size_t>(
                                      ZSTD_getFrameContentSize(stored.data(), stored.size()))});
      }
    }
  }
  return frames;
}

}  // namespace

void inspect_rows(Bench& bench) {
  if (!bench.wants({"diff_equal", "diff_1pct", "validate_full_2t", "validate_full_2t_least"}))
    return;
  Game game(false);
  const Bytes before = file_of(game.database.capture(), 1);
  const Bytes same = file_of(game.database.capture(), 2);
  game.move_run(kMillion / 100);
  const Bytes after = file_of(game.database.capture(), 3);
  bench.measure({.name = "diff_equal", .target = 2, .unit = "ms", .note = "opening included"},
                [&] { return time_ns([&] { benchmark::DoNotOptimize(compared(before, same)); }); });
  bench.compare(
      {.name = "diff_1pct",
       .target = 0.15,
       .note = "run / decoding both, one thread",
       .in_ms = true},
      [&] { return time_ns([&] { benchmark::DoNotOptimize(compared(before, after)); }); },
      [&] { return time_ns([&] { benchmark::DoNotOptimize(decoded(before) + decoded(after)); }); });
  const std::vector<reference::ZstdFrame> frames = frames_of(before);
  bench.compare(
      {.name = "validate_full_2t",
       .target = 1.0,
       .note = "/ two-thread zstd decompress of its frames",
       .in_ms = true},
      [&] {
        ValidationOptions options;
        options.threads = 2;
        return time_ns([&] {
          benchmark::DoNotOptimize(
              validate(std::make_unique<MemorySource>(MemorySource::borrowing(before)), options)
                  .is_valid());
        });
      },
      [&] {
        return time_ns([&] { benchmark::DoNotOptimize(reference::decompress_frames(frames, 2)); });
      });
  bench.compare(
      {.name = "validate_full_2t_least",
       .note = "the least that checks them: decompress and hash, two threads, / the same",
       .in_ms = true},
      [&] {
        return time_ns(
            [&] { benchmark::DoNotOptimize(reference::decompress_frames(frames, 2, true)); });
      },
      [&] {
        return time_ns([&] { benchmark::DoNotOptimize(reference::decompress_frames(frames, 2)); });
      });
}

}  // namespace hdb::bench
