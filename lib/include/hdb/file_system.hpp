// FileSystem: the calls of the operating system that hdb uses, so that a game can replace them, for
// example on a console or in a test. FileSource: a file as a ByteSource, for tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// Why a call of the operating system failed: `number` is an errno value, as EEXIST.
struct OsError {
  int number = 0;
  friend bool operator==(const OsError&, const OsError&) = default;
};

/// A value or an OsError.
template <class T>
using OsResult = tl::expected<T, OsError>;
/// Success, or an OsError.
using OsStatus = OsResult<void>;

/// Names an open file or directory of one FileSystem.
using Descriptor = int;
/// Names no file.
inline constexpr Descriptor kNoDescriptor = -1;
/// As `base` of open_directory and open_for_reading: relative paths start at the current directory
/// of the process.
inline constexpr Descriptor kCurrentDirectory = -2;

/// The kinds of files that hdb distinguishes.
enum class FileKind : std::uint8_t { regular, directory, symlink, other };

/// What the file system says about a file.
struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint32_t mode = 0;   ///< Permission bits only.
  std::uint32_t owner = 0;  ///< The number of the user; 0 where files have no owner.
  std::uint32_t group = 0;  ///< The number of the group; 0 where files have none.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< When the content last changed, in nanoseconds.

  /// Whether both describe the same file: equal device and inode.
  [[nodiscard]] bool same_file(const FileStatus& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

/// An extended attribute of a file, such as an access control list.
struct FileAttribute {
  std::string name;
  std::string value;  ///< Any bytes.
  friend bool operator==(const FileAttribute&, const FileAttribute&) = default;
};

/// A file system. Each function is one system call, which may fail, be interrupted (EINTR) or do
/// less than asked: hdb retries, orders the calls and cleans up. Names that come with a directory
/// are single components, without slashes.
///
/// Threads: calls may come from several threads at once.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Directories.

  /// The path as it stays the same place when the current directory of the process changes. A path
  /// that is kept for later goes through this. The default returns `path`: for systems without a
  /// current directory.
  [[nodiscard]] virtual OsResult<std::string> absolute_path(const std::string& path) {
    return path;
  }
  /// Opens the directory `path`, relative to `base`. Follows symbolic links. A directory that may
  /// be written but not read opens too; only list and sync_directory fail then.
  [[nodiscard]] virtual OsResult<Descriptor> open_directory(Descriptor base,
                                                            const std::string& path) = 0;
  /// Creates a directory. EEXIST if anything has that name.
  [[nodiscard]] virtual OsStatus make_directory(const std::string& path) = 0;
  /// The names in a directory, in any order; "." and ".." may be among them.
  [[nodiscard]] virtual OsResult<std::vector<std::string>> list(Descriptor directory) = 0;
  /// Makes creations, links, renames and removals in a directory durable.
  [[nodiscard]] virtual OsStatus sync_directory(Descriptor directory) = 0;

  // Names in a directory. These calls never follow a symbolic link.

  /// The status of a file or link. ENOENT if there is none.
  [[nodiscard]] virtual OsResult<FileStatus> status_at(Descriptor directory,
                                                       const std::string& name) = 0;
  /// The target of a symbolic link.
  [[nodiscard]] virtual OsResult<std::string> read_link(Descriptor directory,
                                                        const std::string& name) = 0;
  /// Gives the file `from` the second name `to` (a hard link). EEXIST if anything has that name.
  [[nodiscard]] virtual OsStatus link(Descriptor directory, const std::string& from,
                                      const std::string& to) = 0;
  /// Renames a file; replaces the file `to` at once, if there is one.
  [[nodiscard]] virtual OsStatus rename(Descriptor directory, const std::string& from,
                                        const std::string& to) = 0;
  /// Removes a name.
  [[nodiscard]] virtual OsStatus unlink(Descriptor directory, const std::string& name) = 0;

  // Opening.

  /// Creates a file with mode 0600 for reading and writing. EEXIST if anything has that name.
  [[nodiscard]] virtual OsResult<Descriptor> create_exclusive(Descriptor directory,
                                                              const std::string& name) = 0;
  /// Opens a file for try_lock. With `create`, creates it with mode 0600; EEXIST if anything has
  /// that name. Does not follow a symbolic link and never waits. Opens for writing, so a user who
  /// may only read the file cannot lock it.
  [[nodiscard]] virtual OsResult<Descriptor> open_lock_file(Descriptor directory,
                                                            const std::string& name,
                                                            bool create) = 0;
  /// Opens a file for reading. Follows symbolic links. Never waits: a FIFO opens at once.
  [[nodiscard]] virtual OsResult<Descriptor> open_for_reading(Descriptor base,
                                                              const std::string& path) = 0;

  // Open files.

  /// Takes the advisory lock of a file, which excludes all other descriptors in all processes.
  /// EWOULDBLOCK if another descriptor has it. Closing the descriptor or the end of the process
  /// releases the lock.
  [[nodiscard]] virtual OsStatus try_lock(Descriptor file) = 0;
  /// Takes the advisory lock of a file for sharing: it excludes only descriptors that try_lock
  /// locked. By default as try_lock, which is safe but makes users wait for each other.
  [[nodiscard]] virtual OsStatus try_lock_shared(Descriptor file) { return try_lock(file); }
  /// Writes at the position of the descriptor. Returns the number of bytes written.
  [[nodiscard]] virtual OsResult<std::size_t> write(Descriptor file,
                                                    std::span<const std::byte> bytes) = 0;
  /// Reads at an offset. Returns the number of bytes read; 0 at the end of the file.
  [[nodiscard]] virtual OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                                      std::span<std::byte> out) = 0;
  /// Reserves disk space for the first `size_bytes` bytes. The size of the file stays.
  [[nodiscard]] virtual OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) = 0;
  /// Sets the size of a file and releases space reserved beyond it.
  [[nodiscard]] virtual OsStatus truncate(Descriptor file, std::uint64_t size_bytes) = 0;
  /// The status of an open file.
  [[nodiscard]] virtual OsResult<FileStatus> status(Descriptor file) = 0;
  /// Sets the permission bits of a file.
  [[nodiscard]] virtual OsStatus set_mode(Descriptor file, std::uint32_t mode) = 0;
  /// Sets owner and group of a file. EPERM if the user may not give the file away. The default
  /// does nothing: for systems whose FileStatus has no owner.
  [[nodiscard]] virtual OsStatus set_owner(Descriptor file, std::uint32_t owner,
                                           std::uint32_t group) {
    static_cast<void>(file);
    static_cast<void>(owner);
    static_cast<void>(group);
    return {};
  }
  /// The attributes of a file that its copy should have too; none where the file system has none.
  /// The default has none.
  [[nodiscard]] virtual OsResult<std::vector<FileAttribute>> attributes(Descriptor file) {
    static_cast<void>(file);
    return std::vector<FileAttribute>{};
  }
  /// Sets an attribute of a file; removes it if `value` is null. Called only for names that
  /// attributes() returned.
  [[nodiscard]] virtual OsStatus set_attribute(Descriptor file, const std::string& name,
                                               const std::string* value) {
    static_cast<void>(file);
    static_cast<void>(name);
    static_cast<void>(value);
    return {};
  }
  /// Makes content and status of a file durable. hdb never calls this again after a failure,
  /// because the system may have lost what was written.
  [[nodiscard]] virtual OsStatus sync_file(Descriptor file) = 0;
  /// A hint that the system may write these bytes of a file to the disk now, so that sync_file has
  /// less to wait for. Does not wait, and makes nothing durable.
  virtual void start_writing(Descriptor file, std::uint64_t offset, std::uint64_t size_bytes) {
    static_cast<void>(file);
    static_cast<void>(offset);
    static_cast<void>(size_bytes);
  }
  /// A hint that later reads should come from the disk.
  virtual void drop_cache(Descriptor file) = 0;
  /// Closes a descriptor, which is invalid afterwards even if this fails.
  [[nodiscard]] virtual OsStatus close(Descriptor descriptor) = 0;

  // The process.

  /// Fills `out` with random bytes.
  [[nodiscard]] virtual OsStatus random_bytes(std::span<std::byte> out) = 0;
  /// The mode for a new file in `directory`: 0666 without the bits of the umask.
  [[nodiscard]] virtual OsResult<std::uint32_t> new_file_mode(Descriptor directory) = 0;
};

/// The file system of the operating system. Valid until the process ends.
[[nodiscard]] HDB_INSPECT_API FileSystem& system_files() noexcept;

/// A file as a source of bytes. Reads the file and never maps it, so a file that another program
/// shortens meanwhile is an error and not a crash. The destructor closes the file.
///
/// Example:
/// @code
/// auto file = hdb::FileSource::open("slot1.hdb");
/// if (!file) return;  // file.error().message() says why
/// const auto info = hdb::read_info("slot1.hdb");
/// assert((*file)->size() == info->file_bytes);
/// std::array<std::byte, 4> first{};
/// if (!(*file)->read_at(0, first)) return;
/// assert(first[1] == std::byte{'H'});
/// assert((*file)->check_unchanged());  // no other program wrote to it
/// @endcode
class HDB_INSPECT_API FileSource final : public ByteSource {
 public:
  /// Opens a regular file. Follows symbolic links. `files` null: the operating system's.
  /// Errors: bad_path, file_not_found, permission_denied, not_regular, too_many_files, io_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path,
                                                                FileSystem* files = nullptr);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// The size of the file when it was opened.
  [[nodiscard]] Result<std::uint64_t> size() override { return opened_.size_bytes; }
  /// Fills `out` with the bytes from `offset` on.
  /// Errors: file_changed if another program wrote to the file since it was opened; truncated if
  /// the file ends before offset + out.size(); io_failed.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

  /// Checks that the file is still the one that was opened.
  /// Errors: file_changed if another program wrote to the file, or the path now leads to another
  /// file or none; I/O.
  [[nodiscard]] Status check_unchanged() const;

 private:
  FileSource(FileSystem& files, Descriptor file, FileStatus opened, std::string path,
             std::string bound_path)
      : files_(files),
        file_(file),
        opened_(opened),
        path_(std::move(path)),
        bound_path_(std::move(bound_path)) {}
  [[nodiscard]] Status check_same_content(const FileStatus& now) const;

  FileSystem& files_;
  Descriptor file_;
  FileStatus opened_;
  std::string path_;        // for errors
  std::string bound_path_;  // the same place whatever the current directory is
};

}  // namespace hdb
