// Backups of a save: name.1 (the youngest) to name.N, and the rotation that makes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/os_calls.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// "name.3" for (name, 3).
[[nodiscard]] HDB_INSPECT_API std::string backup_name(const std::string& name, unsigned number);

/// The beginning of the names of up to `keep` backups: `name`; if such names are too long for the
/// file system, the beginning of `name` and a hash. Errors: as status_at.
[[nodiscard]] OsResult<std::string> backup_stem(FileSystem& files, Descriptor directory,
                                                const std::string& name, unsigned keep);

/// Under this name the old file waits to become name.1 until the new file is safe. Hidden, and as
/// long for every target.
[[nodiscard]] std::string waiting_backup_name(const std::string& name);

/// Makes the file that a save replaces the youngest backup and moves the others up by one; the
/// oldest beyond `keep` goes. With a `keep` of 0 it only removes what an earlier rotation left.
///
///   BR1  Until the new file is in place and its folder synced, nothing but one name is added: a
///        failure or a crash loses no backup.
///   BR2  The target's name is never taken away.
///   BR3  A rotation that stops half-way is finished by the next save of the target.
///
/// Requires: the target is locked, and `directory` open, until the rotation is destroyed.
class BackupRotation {
 public:
  BackupRotation(FileSystem& files, Descriptor directory, std::string name, std::string stem,
                 unsigned keep, std::string path)
      : files_(files),
        directory_(directory),
        name_(std::move(name)),
        stem_(std::move(stem)),
        waiting_name_(waiting_backup_name(name_)),
        keep_(keep),
        path_(std::move(path)) {}
  ~BackupRotation() { cancel(); }
  BackupRotation(const BackupRotation&) = delete;
  BackupRotation& operator=(const BackupRotation&) = delete;

  /// Gives the old file its second name: a link, or a copy if the file system refuses the link.
  /// First finishes what an earlier save left. A damaged file gets none if it would push a backup
  /// out.
  /// Errors: not_regular when something else has the name of a backup; I/O. Then all names are as
  /// they were.
  [[nodiscard]] Status prepare(const std::optional<FileStatus>& old, OldFile content);
  /// The target's name leads to the new file: from now on the second name is all that is left of
  /// the old one.
  void target_replaced() noexcept { must_stay_ = true; }
  /// Moves the backups up. After an error the old file has one of its names still, and the next
  /// save goes on.
  [[nodiscard]] Status finish();
  /// Why the old file was copied; 0: it was not.
  [[nodiscard]] OsError link_problem() const noexcept { return link_problem_; }
  /// Removes the second name, unless the target was replaced. Allocates nothing.
  void cancel() noexcept;

 private:
  Result<std::optional<FileStatus>> backup_status(const std::string& name);
  Status find_gap(const std::optional<FileStatus>& youngest);
  Status finish_earlier();
  Result<bool> is_copy(const FileStatus& copy, const FileStatus& old);
  Status add_second_name(const FileStatus& old);
  Status copy_old_file(const FileStatus& old);
  OsStatus copy_bytes(Descriptor from, Descriptor to, std::vector<std::byte>& buffer);
  Status move_up();
  OsStatus remove_second_name() noexcept;

  FileSystem& files_;
  Descriptor directory_;
  std::string name_;
  std::string stem_;  // see backup_stem
  std::string waiting_name_;
  unsigned keep_;
  std::string path_;
  // Each file gets the next name. Empty if the old file is name.1 already, or becomes no backup.
  std::vector<std::string> chain_;
  bool is_full_ = false;     // the last of the chain is a backup, which goes
  bool is_waiting_ = false;  // the old file has its second name
  bool must_stay_ = false;
  OsError link_problem_;
};

/// Removes what a rotation of the target left unfinished, for a target that shall have no backups
/// any more. The target must be locked. Errors: I/O.
[[nodiscard]] HDB_INSPECT_API OsStatus remove_waiting_backup(FileSystem& files,
                                                             Descriptor directory,
                                                             const std::string& name);

}  // namespace hdb
