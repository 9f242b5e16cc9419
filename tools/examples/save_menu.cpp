// A menu of saves: titles, play time, values of the game and thumbnails, read without a load.
#include <hdb/hdb.hpp>
#include <hdb/save_directory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

constexpr std::uint32_t kWidth = 32, kHeight = 18;
constexpr std::uint32_t kHead = 54;  // bytes before the pixels of a BMP

struct Hero {
  std::int32_t level = 1;
  std::uint8_t red = 0, green = 0, blue = 0;  // the light of the place where the hero is
};

int failed(const std::string& what) {
  std::fprintf(stderr, "save_menu: %s\n", what.c_str());
  return 1;
}

void put(hdb::Bytes& bytes, std::uint32_t number, int count) {
  for (int i = 0; i < count; ++i, number >>= 8) bytes.push_back(static_cast<std::byte>(number));
}
std::uint32_t number_at(const hdb::Bytes& bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;)
    number = number << 8 | static_cast<std::uint8_t>(bytes[place + i]);
  return number;
}

// A thumbnail is an image file of any kind; this is a BMP. hdbinspect open shows it as well.
hdb::Bytes picture_of(const Hero& hero) {
  constexpr std::uint32_t kRow = kWidth * 3;
  hdb::Bytes image{std::byte{'B'}, std::byte{'M'}};
  put(image, kHead + kRow * kHeight, 4);
  for (const std::uint32_t number : {0u, kHead, 40u, kWidth, kHeight}) put(image, number, 4);
  put(image, 1, 2);
  put(image, 24, 2);
  for (int i = 0; i < 6; ++i) put(image, 0, 4);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      for (const std::uint32_t light : {hero.blue, hero.green, hero.red}) {
        put(image, light * (y + 1) / kHeight, 1);  // darker towards the ground
      }
    }
  }
  return image;
}

hdb::Result<hdb::SaveReport> save(hdb::SaveDirectory& saves, hdb::Database& db, const Hero& hero,
                                  const char* place, std::uint64_t minutes) {
  hdb::SaveOptions options;
  options.metadata.title = place;
  options.metadata.play_time_ms = minutes * 60'000;
  options.metadata.values["level"] = std::to_string(hero.level);
  options.thumbnail = picture_of(hero);
  return saves.save(db.capture(), place, options);  // a name may be any short text
}

// Reads a few KiB of each file, however big it is. Returns how many saves the menu shows.
hdb::Result<std::size_t> show(const hdb::SaveDirectory& saves) {
  const auto menu = saves.list();  // newest first
  if (!menu) return hdb::fail(menu.error());
  for (const hdb::SaveEntry& entry : *menu) {
    if (!entry.info) {  // a damaged file is listed, too: the player should see it
      std::printf("  %s: %s\n", entry.name.c_str(), entry.problem.message().c_str());
      continue;
    }
    const hdb::Metadata& data = entry.info->metadata;
    const auto image = saves.read_thumbnail(entry);
    if (!image) return hdb::fail(image.error());
    // Saves of other versions of the game may have no such value, or no picture.
    const auto level = data.values.find("level");
    std::printf("  %-14s %3d min  level %s", data.title.c_str(),
                static_cast<int>(data.play_time_ms / 60'000),
                level != data.values.end() ? level->second.c_str() : "?");
    if (image->size() >= kHead)
      std::printf("  picture %ux%u", number_at(*image, 18), number_at(*image, 22));
    std::printf("\n");
  }
  return menu->size();
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-save-menu";
  hdb::Database db;
  auto& hero = db.singleton<Hero>("hero");
  auto saves = hdb::SaveDirectory::open(folder.string());
  if (!saves) return failed(saves.error().message());

  hero.edit() = {.level = 2, .red = 40, .green = 160, .blue = 60};
  if (const auto done = save(*saves, db, *hero, "The Forest", 25); !done) {
    return failed(done.error().message());
  }
  hero.edit() = {.level = 5, .red = 200, .green = 90, .blue = 30};
  if (const auto done = save(*saves, db, *hero, "Under: Ember?", 110); !done) {
    return failed(done.error().message());
  }
  std::printf("load a game:\n");
  const auto count = show(*saves);
  if (!count) return failed(count.error().message());
  if (*count != 2) return failed("the menu does not show two saves");

  // Only the save that the player chooses is loaded; of a damaged one, its backup.
  const auto loaded = saves->load(db, "The Forest");
  if (!loaded) return failed(loaded.error().message());
  for (const hdb::SaveEntry& entry : loaded->skipped)
    std::printf("damaged: %s\n", entry.path.c_str());
  std::printf("loaded %s: level %d\n", loaded->entry.name.c_str(), hero->level);
  if (hero->level != 2 || !loaded->skipped.empty()) return failed("another save was loaded");

  const auto removed = saves->remove("Under: Ember?");  // the player deletes one, with its backups
  if (!removed) return failed(removed.error().message());
  std::printf("after one was deleted:\n");
  const auto rest = show(*saves);
  if (!rest) return failed(rest.error().message());
  return *removed && *rest == 1 ? 0 : failed("the save is still there");
}
