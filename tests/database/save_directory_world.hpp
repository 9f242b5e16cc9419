// What the tests of the SaveDirectory share: a world, and ways to show and to damage saves.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/folder.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_directory_test {

struct World {
  Database db;
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  Snapshot at(std::uint64_t tick) {
    clock.edit().tick = tick;
    return db.capture();
  }
};

inline SaveDirectory open(const std::string& folder, const SaveDirectoryOptions& options = {}) {
  auto directory = SaveDirectory::open(folder, options);
  if (!directory) ADD_FAILURE() << directory.error().message();
  return *std::move(directory);
}

// "quick 2", "hero backup 1", "auto 3 broken" (no information could be read).
inline std::vector<std::string> shown(const std::vector<SaveEntry>& entries) {
  std::vector<std::string> texts;
  for (const SaveEntry& entry : entries) {
    const char* const kinds[] = {"", "quick ", "auto ", "renamed "};
    texts.push_back(kinds[static_cast<int>(entry.kind)] + entry.name +
                    (entry.backup == 0 ? "" : " backup " + std::to_string(entry.backup)) +
                    (entry.info ? "" : " broken"));
  }
  return texts;
}
inline std::vector<std::string> shown(const Result<std::vector<SaveEntry>>& entries) {
  return shown(entries.value());
}

// Damages the records, not what tells about the save.
inline void damage(const std::string& path) {
  std::string bytes = get(path);
  const auto reader = Reader::open(
      std::make_unique<MemorySource>(MemorySource::borrowing(std::as_bytes(std::span(bytes)))));
  ASSERT_TRUE(reader) << reader.error().message();
  const auto& blocks = (*reader)->blocks();
  const auto largest = std::max_element(
      blocks.begin(), blocks.end(),
      [](const BlockInfo& a, const BlockInfo& b) { return a.stored_bytes < b.stored_bytes; });
  char& byte = bytes.at(static_cast<std::size_t>(largest->offset + largest->total_bytes / 2));
  byte = static_cast<char>(byte ^ 0x10);
  put(path, bytes);
}
inline void truncate(const std::string& path) { put(path, get(path).substr(0, 100)); }

}  // namespace hdb::test::save_directory_test
