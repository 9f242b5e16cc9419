// Saves of one version each, and the observer that loads them again.
#include "crash/save_kinds.hpp"

#include <algorithm>
#include <filesystem>

#include "hdb/save_directory.hpp"

namespace hdb::test {
namespace {

constexpr unsigned kRecords = 1200;  // more than one write of AtomicFile's buffer

struct Cell {
  std::uint64_t version = 0;
  std::uint64_t noise = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(version), CEREAL_NVP(noise));
  }
};

// Bits that do not compress, so that a save takes several writes.
std::uint64_t noise_of(std::uint64_t version, std::uint64_t index) {
  std::uint64_t bits = version * 0x9e3779b97f4a7c15U + index * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 31)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 29);
}

Snapshot state_of(std::uint64_t version) {
  Database db;
  auto& cells = db.create_table<Cell>("cells");
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    cells.insert({.version = version, .noise = noise_of(version, i)});
  }
  return db.capture();
}

// The version of a database that holds one version and nothing of another.
std::optional<std::uint64_t> version_in(const Table<Cell>& cells) {
  std::optional<std::uint64_t> version;
  std::uint64_t index = 0;
  bool is_whole = cells.size() == kRecords;
  for (const Cell& cell : cells.records()) {
    if (!version) version = cell.version;
    is_whole = is_whole && cell.version == *version && cell.noise == noise_of(*version, index++);
  }
  return is_whole ? version : std::nullopt;
}

std::optional<std::uint64_t> version_of_file(const std::string& path) {
  Database db;
  auto& cells = db.create_table<Cell>("cells");
  if (!db.load(path)) return std::nullopt;
  return version_in(cells);
}

Result<SaveDirectory> open_saves(const std::string& folder) {
  return SaveDirectory::open(folder, {.quicksaves = 3, .keep = 1});
}

}  // namespace

std::optional<SaveWay> parse_save_way(std::string_view name) {
  if (name == "plain") return SaveWay::plain;
  if (name == "backups") return SaveWay::backups;
  if (name == "named") return SaveWay::named;
  if (name == "ring") return SaveWay::ring;
  return std::nullopt;
}

Result<SaveReport> save_version(SaveWay way, const std::string& folder, std::uint64_t version) {
  const Snapshot snapshot = state_of(version);
  SaveOptions options;
  options.metadata.sequence = version;
  options.file.buffer_bytes = 4096;
  if (way == SaveWay::plain || way == SaveWay::backups) {
    options.file.keep = way == SaveWay::backups ? 2 : 0;
    return save(snapshot, folder + "/slot.hdb", options);
  }
  auto saves = open_saves(folder);
  if (!saves) return fail(saves.error());
  return saves->save(snapshot, way == SaveWay::ring ? SaveName::quick() : SaveName("hero"),
                     options);
}

std::vector<FoundFile> find_files(const std::string& folder) {
  std::vector<FoundFile> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && !name.ends_with("-backup.hdb.tmp")) continue;
    found.push_back({name, version_of_file(entry.path().string())});
  }
  std::sort(found.begin(), found.end(),
            [](const FoundFile& a, const FoundFile& b) { return a.name < b.name; });
  return found;
}

std::optional<std::uint64_t> current_version(SaveWay way, const std::string& folder) {
  if (way == SaveWay::plain || way == SaveWay::backups)
    return version_of_file(folder + "/slot.hdb");
  if (way == SaveWay::named) return version_of_file(folder + "/slot-hero.hdb");
  auto saves = open_saves(folder);
  if (!saves) return std::nullopt;
  Database db;
  auto& cells = db.create_table<Cell>("cells");
  const auto loaded = saves->load_newest(db);
  if (!loaded || !loaded->skipped.empty()) return std::nullopt;
  return version_in(cells);
}

}  // namespace hdb::test
