// A file system in memory that remembers what a power cut would lose; for the crash tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdb/file_system.hpp"

namespace hdb::test {

/// One folder with files, and the folder above it. A file's content beyond `synced_bytes` and the
/// name changes in `unsynced` are in the memory of the machine only. Files grow at the end, as
/// saves write them.
struct ModelState {
  struct File {
    std::string content = {};
    std::size_t synced_bytes = 0;
    std::int64_t modified_ns = 0;
    std::uint32_t mode = 0600;
    std::uint32_t owner = 1000;
    std::uint32_t group = 1000;
    std::map<std::string, std::string> attributes = {};
  };
  using Names = std::map<std::string, std::size_t>;
  /// One creation, link, rename or removal: atomic, but ordered with others only by sync_directory.
  struct NameChange {
    std::string removed;  // empty: none
    std::optional<std::pair<std::string, std::size_t>> added;
  };

  std::vector<File> files;
  Names names;         // as programs see them
  Names synced_names;  // as they are on the disk
  std::vector<NameChange> unsynced;
  bool has_folder = true;
  bool folder_is_durable =
      true;  ///< Unless it is, a power cut may take the folder with everything in it.

  static void apply(const NameChange& change, Names& to) {
    if (!change.removed.empty()) to.erase(change.removed);
    if (change.added) to[change.added->first] = change.added->second;
  }
};

/// What a file system does not have: the errno that such a call gives, 0 where it has it.
struct Lacks {
  int locks = 0;
  int links = 0;
  int rename_over = 0;  ///< Renaming to a name that exists.
  int sync_directory = 0;
  int list = 0;
  int reservation = 0;
  int modes = 0;
  int owners = 0;
  int attributes = 0;
  std::size_t longest_name = 255;
  bool ignores_case = false;
};

class ModelFileSystem final : public FileSystem {
 public:
  ModelState state;
  std::vector<ModelState> history;  ///< The state after each call that changed something.
  Lacks lacks;
  std::vector<std::uint32_t> groups;  ///< That a file may be given to, besides its own.
  bool may_give_files_away = true;
  std::map<std::string, std::string> given_attributes;  ///< What new files have from the folder.

  [[nodiscard]] bool all_closed() const { return open_.empty(); }
  /// As after a crash: nothing is open or locked, and what was visible is on the disk.
  void restart(ModelState::Names names, std::vector<ModelState::File> files);

  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override;
  OsStatus make_directory(const std::string& path) override;
  OsResult<std::vector<std::string>> list(Descriptor directory) override;
  OsStatus sync_directory(Descriptor directory) override;
  OsResult<FileStatus> status_at(Descriptor directory, const std::string& name) override;
  OsResult<std::string> read_link(Descriptor directory, const std::string& name) override;
  OsStatus link(Descriptor directory, const std::string& from, const std::string& to) override;
  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override;
  OsStatus unlink(Descriptor directory, const std::string& name) override;
  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override;
  OsResult<Descriptor> open_lock_file(Descriptor directory, const std::string& name,
                                      bool create) override;
  OsStatus try_lock(Descriptor file) override;
  OsResult<Descriptor> open_for_reading(Descriptor base, const std::string& path) override;
  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override;
  OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                std::span<std::byte> out) override;
  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override;
  OsStatus truncate(Descriptor file, std::uint64_t size_bytes) override;
  OsResult<FileStatus> status(Descriptor file) override;
  OsStatus set_mode(Descriptor file, std::uint32_t mode) override;
  OsStatus set_owner(Descriptor file, std::uint32_t owner, std::uint32_t group) override;
  OsResult<std::vector<FileAttribute>> attributes(Descriptor file) override;
  OsStatus set_attribute(Descriptor file, const std::string& name,
                         const std::string* value) override;
  OsStatus sync_file(Descriptor file) override;
  void drop_cache(Descriptor file) override;
  OsStatus close(Descriptor descriptor) override;
  OsStatus random_bytes(std::span<std::byte> out) override;
  OsResult<std::uint32_t> new_file_mode(Descriptor directory) override;

 private:
  static constexpr std::size_t kFolder = ~std::size_t{0};
  static constexpr std::size_t kParent = kFolder - 1;

  [[nodiscard]] ModelState::File& file_of(Descriptor descriptor) {
    return state.files.at(open_.at(descriptor));
  }
  [[nodiscard]] FileStatus status_of(std::size_t file) const;
  [[nodiscard]] ModelState::Names::const_iterator find(const std::string& name) const;
  [[nodiscard]] bool is_too_long(const std::string& name) const {
    return name.size() > lacks.longest_name;
  }
  Descriptor open(std::size_t file);
  void change_names(ModelState::NameChange change);
  void remember() { history.push_back(state); }

  std::map<Descriptor, std::size_t> open_;
  Descriptor next_descriptor_ = 100;
  std::map<std::size_t, Descriptor> locked_;  // which descriptor locks a file
  std::uint64_t random_ = 1;
};

}  // namespace hdb::test
