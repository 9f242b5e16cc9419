// A folder that lives as long as a test.
#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace hdb::test {

/// Its name is new, so tests that run at the same time do not meet.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::random_device random;
    do {
      path_ = (parent / ("hdb_test_" + std::to_string(random()))).string();
    } while (!std::filesystem::create_directory(path_));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// The names in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// Whether a save left something, or is running: a temporary, a lock, or a backup that waits to
  /// be moved.
  [[nodiscard]] bool has_temporary() const {
    const auto all = names();
    return std::any_of(all.begin(), all.end(), [](const std::string& name) {
      return name.ends_with(".hdb.tmp") || name.ends_with(".hdb.lock");
    });
  }

 private:
  std::string path_;
};

}  // namespace hdb::test
