// log_1000_*: what hdbinspect log does with the autosaves of a game, one record's field over all.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "bench.hpp"
#include "game.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {
namespace {

// A twentieth of the thousand, so that a run takes a GB of disk and not twenty.
constexpr int kAutosaves = 50;

std::vector<std::string> autosaves_in(const TemporaryFolder& folder) {
  Game game(false);
  ChunkCache cache;
  std::vector<std::string> files;
  for (int i = 1; i <= kAutosaves; ++i) {
    game.move_clusters();
    SaveOptions options;
    options.metadata.sequence = static_cast<std::uint64_t>(i);
    options.write.cache = &cache;
    options.write.threads = 2;
    files.push_back(folder.path() + "/auto-" + std::to_string(i) + ".hdb");
    if (!save(game.database.capture(), files.back(), options)) return {};
  }
  return files;
}

struct Followed {
  std::uint64_t bytes_read = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t changes = 0;
};

// As hdbinspect: reads what all files say about themselves, then opens one after another.
Followed follow(const std::vector<std::string>& files) {
  Followed sum;
  RecordFollower follower(
      {.table = "bodies", .slot = kMillion / 2, .generation = 1, .fields = "position.x"});
  for (const std::string& file : files) {
    const auto info = read_info(file);
    if (info) sum.file_bytes += info->file_bytes;
  }
  for (const std::string& file : files) {
    auto source = FileSource::open(file);
    if (!source) return {};
    auto opened = Reader::open(std::move(*source));
    if (!opened) return {};
    const std::shared_ptr<const Reader> reader = std::move(*opened);
    const auto step = follower.next(reader);
    if (!step) return {};
    if (step->event == RecordEvent::changed) ++sum.changes;
    sum.bytes_read += reader->bytes_read();
  }
  return sum;
}

// The files are durable, so the system can take their pages away.
void drop_pages(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED));
    ::close(descriptor);
  }
}

}  // namespace

void history_rows(Bench& bench) {
  if (!bench.wants({"log_1000_warm", "log_1000_cold", "log_bytes_read"})) return;
  const TemporaryFolder folder;
  const std::vector<std::string> files = autosaves_in(folder);
  if (files.empty()) return;
  const auto timed = [&] {
    return 1000.0 / kAutosaves * time_ns([&] { benchmark::DoNotOptimize(follow(files).changes); });
  };
  bench.measure({.name = "log_1000_warm",
                 .target = 100,
                 .unit = "ms",
                 .note = "a field over 1,000 autosaves of 1 M records, clusters of 1 % changed"},
                timed);
  bench.measure({.name = "log_1000_cold",
                 .target = 1000,
                 .unit = "ms",
                 .note = "the same; the files are not in the page cache"},
                [&] {
                  drop_pages(files);
                  return timed();
                });
  const Followed sum = follow(files);
  bench.report({.name = "log_bytes_read",
                .target = 0.01,
                .note = "bytes that it reads / bytes of the files"},
               static_cast<double>(sum.bytes_read) / static_cast<double>(sum.file_bytes));
}

}  // namespace hdb::bench
