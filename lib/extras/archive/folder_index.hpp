// Which files an archive in a folder has, and which object is in which of them.
#pragma once

#include <array>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "archive/manifest.hpp"
#include "archive/pack_file.hpp"

namespace hdb::archive {

// Names in the folder. WORLD@SEQUENCE.save is a save; others have random names.
inline constexpr std::string_view kSaveSuffix = ".save";
inline constexpr std::string_view kPackSuffix = ".pack";
inline constexpr const char* kMarkerName = "hdb-archive";
inline constexpr const char* kGenerationName = "generation";
inline constexpr const char* kCondemnedName = "condemned";

/// `gate@00000000000000000007.save` for `save/gate/00000000000000000007`.
[[nodiscard]] std::string file_name_of(const SaveName& save);
/// Nothing for other names.
[[nodiscard]] std::optional<SaveName> save_of_file(std::string_view file);

/// An open file that the last user closes.
struct OpenPack {
  OwnedDescriptor file;
};

/// Any thread may call any member.
class FolderIndex {
 public:
  FolderIndex(FileSystem& files, Descriptor folder, std::string path)
      : files_(files), folder_(folder), path_(std::move(path)) {}

  /// Looks at the folder again: new files are read, those that are gone forgotten. After a
  /// collection of garbage, all files are read again. Errors: bad_archive, I/O.
  [[nodiscard]] Status refresh();
  /// Reads all again if a collection of garbage ran since the last look.
  [[nodiscard]] Status refresh_if_collected();

  [[nodiscard]] bool contains(const ObjectId& id) const;
  /// The bytes of an object; nothing if it is not there. Errors: bad_archive, I/O.
  [[nodiscard]] Result<std::optional<Bytes>> read(const ObjectId& id);
  /// The manifest of a save. Errors: as read.
  [[nodiscard]] Result<std::optional<Bytes>> manifest(const SaveName& save);
  [[nodiscard]] std::vector<ListedObject> list(std::string_view prefix) const;

  /// Files by name, and what is in them.
  using Files = std::map<std::string, std::shared_ptr<const PackIndex>, std::less<>>;
  [[nodiscard]] Files all_files() const;
  /// Takes a file in that this process made.
  void add(const std::string& name, PackIndex index);
  /// Forgets everything.
  void clear();

 private:
  struct Place {
    const std::string* file = nullptr;  // a key of packs_
    PackedObject object;
  };
  // The content of the file: numbers of files and times come back.
  using Generation = std::array<std::byte, 16>;

  [[nodiscard]] Result<Generation> generation() const;
  [[nodiscard]] Status refresh_locked();
  void add_locked(const std::string& name, std::shared_ptr<const PackIndex> index);
  void clear_locked();
  [[nodiscard]] Result<std::shared_ptr<OpenPack>> open_locked(const std::string& name,
                                                              const PackIndex& expected);
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + "/" + name; }

  FileSystem& files_;
  const Descriptor folder_;
  const std::string path_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  Files packs_;
  std::unordered_map<ObjectId, Place, HashOfId> places_;
  Generation generation_{};
  std::list<std::pair<std::string, std::shared_ptr<OpenPack>>> open_;  // the last used first
};

}  // namespace hdb::archive
