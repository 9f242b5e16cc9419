// Removes objects from the files of an archive in a folder, and gathers small files into packs.
// Only under a hold `collect`.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "archive/folder_index.hpp"

namespace hdb::archive {

/// A name for a pack. Errors: io_failed.
[[nodiscard]] Result<std::string> random_pack_name(FileSystem& files, const std::string& path);

/// The steps of a removal. First the list of what is removed becomes durable, under the name
/// "condemned": from then on a crash leaves work that the next hold ends, so that no writer ever
/// finds a part of the objects gone. Then the objects that stay are copied into new packs, then the
/// old files go, and at last the list.
class FolderCompaction {
 public:
  FolderCompaction(FileSystem& files, Descriptor folder, const std::string& path,
                   const Hash128& archive_id, FolderIndex& index)
      : files_(files), folder_(folder), path_(path), archive_id_(archive_id), index_(index) {}

  /// Errors: I/O; bad_archive if an object that stays cannot be read.
  [[nodiscard]] Status remove(const std::vector<ObjectId>& objects);
  /// Whether a crash interrupted a removal.
  [[nodiscard]] bool is_unfinished() const;
  /// Ends it. Errors: as remove.
  [[nodiscard]] Status finish_last();

 private:
  using Ids = std::unordered_set<ObjectId, HashOfId>;

  [[nodiscard]] Status compact(const Ids& dead);
  [[nodiscard]] Status copy_live(const std::vector<std::string>& names,
                                 const FolderIndex::Files& all, const Ids& dead);
  [[nodiscard]] Status replace(const std::vector<std::string>& names,
                               const FolderIndex::Files& all);
  [[nodiscard]] Status write_small_file(const char* name, std::span<const std::byte> bytes);
  [[nodiscard]] Status new_generation();
  [[nodiscard]] Status sync();

  FileSystem& files_;
  Descriptor folder_;
  const std::string& path_;
  const Hash128& archive_id_;
  FolderIndex& index_;
};

}  // namespace hdb::archive
