// A database that changes a little from save to save, as a game does, for the tests of archives.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "files/folder.hpp"
#include "hdb/archive.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/world.hpp"

namespace hdb::test {

/// Tables of several row groups, one with strings, and small ones that go into a pack.
struct GameWorld {
  explicit GameWorld(std::size_t units_count = 40'000, std::size_t tiles_count = 200)
      : units(db.create_table<Unit>("units")),
        tiles(db.create_table<Tile>("tiles", {.storage = Storage::stable})),
        heroes(db.create_table<Hero>("heroes")),
        clock(db.singleton<Clock>("clock")) {
    for (std::size_t i = 0; i < units_count; ++i)
      units.insert(
          {.hp = static_cast<int>(i % 100), .x = static_cast<double>(random.below(1'000'000))});
    for (std::size_t i = 0; i < tiles_count; ++i) {
      const auto tile = tiles.insert({});
      tiles.edit(tile)->cells[i % 4096] = static_cast<std::uint32_t>(i);
    }
    for (int i = 0; i < 30; ++i) heroes.insert({.name = "hero " + std::to_string(i)});
  }

  /// Moves a run of units and ticks the clock.
  void step() {
    ++clock.edit().tick;
    const std::size_t count = units.size();
    const std::size_t first = static_cast<std::size_t>(random.below(count - count / 100));
    for (std::size_t i = first; i < first + count / 100; ++i)
      units.edit(units.handle_at(i))->x += 0.25 + static_cast<double>(random.below(1000)) / 7;
  }

  Database db;
  Table<Unit>& units;
  Table<Tile>& tiles;
  Table<Hero>& heroes;
  Singleton<Clock>& clock;
  Random random{7};
};

/// Waits for other users of the archive as long as a slow machine may take.
inline constexpr std::chrono::hours kPatience{24};
inline const ArchiveOptions kPatient{.patience = kPatience, .lock_timeout = kPatience};

/// How often a test kills: HDB_ARCHIVE_KILLS times, else a number that depends on the scale.
inline std::size_t archive_kills(std::size_t number) {
  const char* const wanted = std::getenv("HDB_ARCHIVE_KILLS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : scaled(number);
}

/// An archive in such a place; a new one if nothing has its name.
inline std::unique_ptr<Archive> new_archive(const std::string& path,
                                            ArchiveOptions options = kPatient) {
  options.create = true;
  auto archive = Archive::open(path, options);
  EXPECT_TRUE(archive) << (archive ? "" : archive.error().message());
  return archive ? std::move(*archive) : nullptr;
}

/// Metadata with this title and number.
inline Metadata titled(const std::string& title, std::uint64_t sequence = 0) {
  Metadata metadata;
  metadata.title = title;
  metadata.sequence = sequence;
  return metadata;
}

/// All bytes of a source.
inline Bytes all_bytes(ByteSource& source) {
  const auto size = source.size();
  EXPECT_TRUE(size);
  Bytes bytes(static_cast<std::size_t>(size ? *size : 0));
  const auto read = source.read_at(0, bytes);
  EXPECT_TRUE(read) << (read ? "" : read.error().message());
  return bytes;
}

/// The file that a version is: codec none, no filters, with its file id.
inline Bytes plain_file(const ImageSource& image, const Hash128& file_id) {
  MemorySink sink;
  WriteOptions options;
  options.codec = Codec::none;
  options.filters = false;
  options.file_id = file_id;
  const auto written = write_image(image, sink, options);
  EXPECT_TRUE(written) << (written ? "" : written.error().message());
  return sink.take();
}

/// What is expected to be a success; prints the error.
template <class T>
testing::AssertionResult succeeded(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().message();
}

}  // namespace hdb::test
