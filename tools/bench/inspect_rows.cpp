// diff_equal, diff_1pct, validate_full_2t: what the inspector does with whole files.

#include "bench.hpp"
#include "game.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "reference/zstd.hpp"

namespace hdb::bench {
namespace {

std::shared_ptr<const Reader> open(const Bytes& file) {
  return Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file))).value();
}

// Opens and compares; returns how many records differ.
std::uint64_t compared(const Bytes& a, const Bytes& b) {
  const auto found = diff(*open(a), *open(b));
  return found ? found->records() : 0;
}

void for_each_group(const Reader& reader, const auto& visit) {
  for (std::size_t table = 0; table < reader.tables().size(); ++table) {
    for (std::uint64_t i = 0; i < reader.tables()[table].group_count(); ++i) visit(table, i);
  }
}

// Decodes every group; returns how many records live.
std::uint64_t decoded(const Bytes& file) {
  const auto reader = open(file);
  RowGroup group;
  std::uint64_t live = 0;
  for_each_group(*reader, [&](std::size_t table, std::uint64_t i) {
    if (reader->read_group(table, i, group)) live += group.live_count();
  });
  return live;
}

std::vector<reference::ZstdFrame> frames_of(const Bytes& file) {
  std::vector<reference::ZstdFrame> frames;
  const auto reader = open(file);
  for_each_group(*reader, [&](std::size_t table, std::uint64_t i) {
    const std::vector<ChunkInfo> chunks = reader->chunks(table, i).value();
    for (const ChunkInfo& chunk : chunks) {
      if (chunk.codec != static_cast<std::uint8_t>(Codec::zstd)) continue;
      const auto stored = std::span(file).subspan(static_cast<std::size_t>(chunk.offset),
                                                  static_cast<std::size_t>(chunk.stored_bytes));
      const auto raw_bytes = ZSTD_getFrameContentSize(stored.data(), stored.size());
      frames.push_back({stored, static_cast<std::size_t>(raw_bytes)});
    }
  });
  return frames;
}

}  // namespace

void inspect_rows(Bench& bench) {
  if (!bench.wants({"diff_equal", "diff_1pct", "validate_full_2t_least"})) return;
  Game game(false);
  SaveOptions options;
  const auto next_file = [&] {
    ++options.metadata.sequence;  // so that no two files are the same
    return file_of(game.database.capture(), options);
  };
  const Bytes before = next_file();
  const Bytes same = next_file();
  game.move_run(kMillion / 100);
  const Bytes changed = next_file();
  bench.measure({"diff_equal", 2, "ms", "opening included"},
                [&] { return compared(before, same); });
  bench.compare(
      {"diff_1pct", 0.15, "", "run / decoding both, one thread", true},
      [&] { return compared(before, changed); },
      [&] { return decoded(before) + decoded(changed); });
  const std::vector<reference::ZstdFrame> frames = frames_of(before);
  const Run decompress = [&] { return reference::decompress_frames(frames, 2); };
  bench.compare(
      {"validate_full_2t", 1.0, "", "/ two-thread zstd decompress of its frames", true},
      [&] {
        auto source = std::make_unique<MemorySource>(MemorySource::borrowing(before));
        return validate(std::move(source), {.threads = 2}).is_valid();
      },
      decompress);
  bench.compare(
      {"validate_full_2t_least",
       {},
       "",
       "the least that checks them: decompress and hash, two threads, / the same",
       true},
      [&] { return reference::decompress_frames(frames, 2, true); }, decompress);
}

}  // namespace hdb::bench
