// The folder behind a SaveDirectory, shared with saves that are still to begin: its files, and
// which one a save takes.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/os_calls.hpp"
#include "hdb/save_directory.hpp"

namespace hdb {

class SaveFolder;

/// The file that a save takes. Unless that succeeds, its turn comes again when this is destroyed.
class TakenFile {
 public:
  explicit TakenFile(std::shared_ptr<SaveFolder> folder) : folder_(std::move(folder)) {}
  ~TakenFile();
  TakenFile(const TakenFile&) = delete;
  TakenFile& operator=(const TakenFile&) = delete;

  [[nodiscard]] std::string path() const;
  Result<SaveReport> save(const Snapshot& snapshot, const SaveOptions& options);

 private:
  friend class SaveFolder;
  std::shared_ptr<SaveFolder> folder_;
  std::string file_;  // empty: not chosen yet
  std::uint64_t sequence_ = 0;
  bool saved_ = false;
};

/// Any thread.
class SaveFolder : public std::enable_shared_from_this<SaveFolder> {
 public:
  SaveFolder(std::string folder, const SaveDirectoryOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  [[nodiscard]] const std::string& path() const noexcept { return folder_; }
  [[nodiscard]] const SaveDirectoryOptions& options() const noexcept { return options_; }
  [[nodiscard]] FileSystem& files() const noexcept;

  /// The file of a named save: the one that an earlier version of hdb made, if it or its newest
  /// backup is there, so that a name never has two files.
  [[nodiscard]] std::string file_of_name(std::string_view name) const;
  /// The entries of a folder, newest first.
  struct List {
    std::vector<SaveEntry> entries;
    bool is_whole = true;  ///< Whether no other save can be in the folder.
  };
  /// See SaveDirectory::list_all. If the folder may be used but not listed, the entries of `wanted`
  /// and of the rings; an error for null.
  [[nodiscard]] Result<List> list_all(const SaveName* wanted = nullptr) const;
  /// As list_all, where the name is one that a save can have.
  [[nodiscard]] Result<List> list_for(const SaveName& name) const;
  /// Whether saves may have this name. Errors: bad_name.
  [[nodiscard]] static Status check(const SaveName& name);

  /// Chooses the file of a save now, and fills in what of the options is the folder's to say. Until
  /// the result is gone no other save gets this file of a ring while there is another.
  /// Errors: as list_for; superseded if a ring has a newer capture; bad_options.
  [[nodiscard]] Result<std::shared_ptr<TakenFile>> take(const Snapshot& snapshot,
                                                        const SaveName& name, SaveOptions& options);
  /// Makes the folder if it does not exist, or not any more. Errors: I/O.
  [[nodiscard]] Status make();
  /// Makes the folder's own name durable, once: until then no save in it is. Whoever made it may
  /// have been killed before.
  /// Errors: I/O; not when the parent may not be read and the folder was there before.
  [[nodiscard]] Status make_durable();
  /// A load found damage in the file that has this id.
  void note_damaged(const Hash128& file_id);
  /// Whether a load of this folder found damage in the file.
  [[nodiscard]] bool is_known_damaged(ByteSource& file);
  /// The file was removed.
  void forget(const std::string& file) noexcept;

 private:
  friend class TakenFile;
  [[nodiscard]] Result<std::vector<std::string>> file_names(Descriptor folder,
                                                            const SaveName* wanted,
                                                            bool& is_whole) const;
  /// The save that took the file has ended.
  void end(const std::string& file, std::uint64_t sequence, bool saved) noexcept;
  [[nodiscard]] SaveEntry read_entry(SaveEntry entry, const std::string& file) const;
  [[nodiscard]] bool has_newer(SaveKind ring, std::uint64_t moment,
                               const std::vector<SaveEntry>& entries) const;
  [[nodiscard]] std::string choose_of_ring(SaveKind kind,
                                           const std::vector<SaveEntry>& entries) const;

  const std::string folder_;
  const SaveDirectoryOptions options_;
  std::atomic<bool> was_made_ = false;
  std::atomic<bool> is_durable_ = false;
  std::mutex mutex_;
  // Guarded by mutex_: of saves that run or succeeded, the last of each file.
  struct Given {
    std::string file;
    SaveKind kind;
    std::uint64_t moment;  // of the capture
    std::uint64_t sequence;
    bool is_running;
  };
  std::vector<Given> given_;
  std::set<Hash128> known_damaged_;  // guarded by mutex_
};

/// If the name of the folder is not durable, a save in it is not durable either.
void lower_outcome(SaveReport& report, Status folder_durable);
/// The name of a listed file in its folder.
[[nodiscard]] std::string file_of(const SaveEntry& entry);
/// Whether both are files of one save: the save itself or its backups.
[[nodiscard]] bool is_same_save(const SaveEntry& a, const SaveEntry& b) noexcept;
/// Whether a load that ended with this error goes on with the next older save: what the file holds
/// is not a save that any program could load. Every other error ends the search.
[[nodiscard]] bool is_damage(ErrorCode code) noexcept;
/// Whether the file may hold a sound save that could not be opened or read just now.
[[nodiscard]] bool may_be_read_later(ErrorCode code) noexcept;
/// Opens a folder of saves. Errors: as the system gives them.
[[nodiscard]] Result<OwnedDescriptor> open_folder(FileSystem& files, const std::string& folder);

}  // namespace hdb
