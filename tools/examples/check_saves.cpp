// A check of all saves when the game starts: what is damaged, what that costs, and which backup is
// sound. It changes no file.
#include <hdb/hdb.hpp>
#include <hdb/inspect.hpp>
#include <hdb/save_directory.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

struct Monster {
  std::int32_t hp = 100;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "check_saves: %s\n", what.c_str());
  return 1;
}

hdb::Status make_saves(hdb::SaveDirectory& saves) {
  hdb::Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  for (int i = 0; i < 5000; ++i) monsters.insert({.hp = i * 7919 % 1000});
  for (const char* const name : {"castle", "castle", "harbour"}) {
    monsters.edit(monsters.handle_at(0))->hp += 1;
    if (auto saved = saves.save(db.capture(), name); !saved) return hdb::fail(saved.error());
  }
  return {};
}

// A bit that a disk changed.
bool damage(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(0, std::ios::end);
  const auto middle = static_cast<std::streamoff>(file.tellg()) / 2;
  file.seekg(middle);
  const int byte = file.get();
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 1));
  return file.good();
}

// `full` reads every block once. `quick` reads a few KiB and finds cut files, but not such a bit.
hdb::Result<bool> is_sound(const hdb::SaveEntry& entry, hdb::ValidationLevel level) {
  auto source = hdb::FileSource::open(entry.path);
  if (!source) return hdb::fail(source.error());
  const hdb::Validation found = hdb::validate(*std::move(source), {.level = level});
  if (found.trouble) return hdb::fail(*found.trouble);  // could not be checked
  if (level == hdb::ValidationLevel::quick) return found.is_valid();
  std::printf("%s%s: %s\n", entry.name.c_str(), entry.backup != 0 ? " (backup)" : "",
              found.is_valid() ? "sound" : "damaged");
  for (const hdb::Finding& finding : found.findings) {
    std::printf("  %s: %s\n", hdb::code_id(finding.error.code).c_str(), finding.effect.c_str());
  }
  return found.is_valid();
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-check-saves";
  auto saves = hdb::SaveDirectory::open(folder.string(), {.keep = 1});
  if (!saves) return failed(saves.error().message());
  for (const char* const name : {"castle", "harbour"}) {
    if (const auto gone = saves->remove(name); !gone) return failed(gone.error().message());
  }
  if (auto made = make_saves(*saves); !made) return failed(made.error().message());
  const auto path = saves->path_of("castle");
  if (!path) return failed(path.error().message());
  if (!damage(*path)) return failed("cannot change " + *path);

  const auto all = saves->list_all();  // with backups
  if (!all) return failed(all.error().message());
  std::size_t quick = 0, sound = 0;
  for (const hdb::SaveEntry& entry : *all) {
    const auto fast = is_sound(entry, hdb::ValidationLevel::quick);
    if (!fast) return failed(fast.error().message());
    const auto full = is_sound(entry, hdb::ValidationLevel::full);
    if (!full) return failed(full.error().message());
    quick += *fast ? 1 : 0;
    sound += *full ? 1 : 0;
  }
  std::printf("%zu of %zu files are sound\n", sound, all->size());
  return all->size() == 3 && quick == 3 && sound == 2 ? 0 : failed("another file is damaged");
}
