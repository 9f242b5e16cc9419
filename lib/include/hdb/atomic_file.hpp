// AtomicFile: a sink that replaces a file as a whole and durably, or not at all. hdb::save uses it;
// games can use it for other files, such as settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/file_options.hpp"
#include "hdb/fwd.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// A sink that writes a temporary file beside the target. commit() makes the temporary file durable
/// and renames it over the target.
///
/// If the target is a symbolic link, or leads through several, the file at the end is replaced and
/// the links stay. The
/// target stays locked against other saves from create() to commit(), abandon() or the destructor.
/// The destructor calls abandon().
///
/// A file that replaces another has its permission bits (rwx), and as far as the system permits its
/// owner, its group, its access control list, its `user.*` attributes and its SELinux label; what
/// cannot be kept is reported (CommitReport::ownership_problem). If the group cannot be kept, the
/// new group gets no more rights than all other users. Other extended attributes, set-user-id bits
/// and hard links are not kept: the new file is another file. A new file has the mode 0666 without
/// the bits of the umask.
///
/// Threads: one thread at a time.
///
/// Example:
/// @code
/// auto file = hdb::AtomicFile::create("settings.txt", {.keep = 1});
/// if (!file) return;  // file.error().message() says why, for example save_busy
/// if (!(*file)->write(hdb::bytes_of("volume 7\n"))) return;
/// const auto committed = (*file)->commit();
/// assert(committed && committed->outcome == hdb::SaveOutcome::durable);
/// assert(committed->bytes == 9);
/// @endcode
//
//   W1  At every moment, crashes included, the target's name leads to the whole old file or to the
//       whole new file.
//   W2  Unless commit succeeded, no temporary file is left. The next save of the target removes a
//       temporary file that a crash left; after a day, a save of any other name in the folder does,
//       unless somebody still writes to it.
//   W3  One save of a target at a time, among processes (where the file system has locks) and
//       threads. Saves of other targets are not excluded. A user who can only read the folder
//       cannot lock. No lock file is left; one that a crash left is removed as a temporary file is.
//       One that this user may not open counts for an hour.
//   W4  Mode, owner, group, attributes, backups and the other names in the folder are as before, or
//       as the options or the report say. No backup is renamed before the new file is in place, so
//       a failure or crash loses none.
class HDB_INSPECT_API AtomicFile final : public ByteSink {
 public:
  /// Locks the target `path`, removes temporary files that crashes left, and creates a new one.
  /// Errors: save_busy; not_regular if the target is a folder, FIFO or device; permission_denied if
  /// the folder or the target is write-protected; file_not_found if the folder does not exist;
  /// bad_path, read_only, disk_full, io_failed.
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> create(
      const std::string& path, const AtomicFileOptions& options = {});
  ~AtomicFile() override;

  /// Appends `bytes`. After an error the temporary file is removed and the lock released; every
  /// later call returns the same error.
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override;
  /// Reserves disk space, so that a full disk is noticed early: the greater of 1/8 of `size_bytes`
  /// and half the size of the old file, but at most `size_bytes`. Errors: as write.
  [[nodiscard]] Status reserve(std::uint64_t size_bytes) override;

  /// Replaces the target and releases the lock. After an error the old file is unchanged, and no
  /// file exists if there was none.
  /// Errors: verify_failed if the file does not read back as written or `validate` refuses it; that
  /// of `before_replace`; not_regular; I/O.
  [[nodiscard]] Result<CommitReport> commit();
  /// Removes the temporary file and releases the lock. No effect after commit or an error.
  void abandon() noexcept;

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The paths of the backups of `path`, newest first, whether or not they exist: `keep` paths. If
/// `path` is a symbolic link, the backups are beside the file that it leads to.
[[nodiscard]] HDB_INSPECT_API std::vector<std::string> backup_paths(const std::string& path,
                                                                    unsigned keep,
                                                                    FileSystem* files = nullptr);

}  // namespace hdb
