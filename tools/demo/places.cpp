// Folders of files and of WADs.
#include "places.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>

namespace demo {

std::string make_folder(const std::string& wanted) {
  namespace fs = std::filesystem;
  fs::path folder = wanted;
  if (wanted.empty()) {
    std::random_device random;
    folder = fs::temp_directory_path() / fmt::format("hdb_demo.{:08x}{:08x}", random(), random());
    if (!fs::create_directory(folder)) throw std::runtime_error(folder.string() + " exists");
    fs::permissions(folder, fs::perms::owner_all);
  }
  fs::create_directories(folder);
  return folder.string();
}

std::string find_wad() {
  const char* const folder = std::getenv("DOOMWADDIR");
  const std::filesystem::path wads = folder != nullptr ? folder : "/usr/share/games/doom";
  for (const char* const name : {"freedoom2.wad", "freedoom1.wad"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(wads / name, error)) return (wads / name).string();
  }
  return {};
}

}  // namespace demo
