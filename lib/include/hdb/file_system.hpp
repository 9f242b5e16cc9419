// The file system that hdb uses, replaceable, and a file of it as a source of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// Why a call of the operating system failed: an errno value.
struct OsError {
  int number = 0;
  friend bool operator==(const OsError&, const OsError&) = default;
};

template <class T>
using OsResult = tl::expected<T, OsError>;
using OsStatus = OsResult<void>;

/// Names an open file or directory of one FileSystem.
using Descriptor = int;
inline constexpr Descriptor kNoDescriptor = -1;
/// As `base` of open_directory and open_for_reading: relative paths start at the process's current
/// directory.
inline constexpr Descriptor kCurrentDirectory = -2;

enum class FileKind : std::uint8_t { regular, directory, symlink, other };

/// What is known of a file without reading it.
struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint32_t mode = 0;  ///< Permission bits only.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< When the content last changed.

  /// Whether both tell of one file (not of equal content).
  [[nodiscard]] bool same_file(const FileStatus& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

/// A file system at the granularity of system calls: every function is one call that may fail, be
/// interrupted (EINTR) or do less than asked. Retrying, ordering and cleaning up are the caller's
/// business. Names given with a directory are single components. Calls may come from several
/// threads at once.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Directories.
  [[nodiscard]] virtual OsResult<Descriptor> open_directory(Descriptor base,
                                                            const std::string& path) = 0;
  /// Makes a directory; EEXIST when anything has that name.
  [[nodiscard]] virtual OsStatus make_directory(const std::string& path) = 0;
  [[nodiscard]] virtual OsResult<std::vector<std::string>> list(Descriptor directory) = 0;
  /// Makes creations, links, renames and removals in the directory durable.
  [[nodiscard]] virtual OsStatus sync_directory(Descriptor directory) = 0;

  // Names in a directory; a symbolic link is never followed.
  [[nodiscard]] virtual OsResult<FileStatus> status_at(Descriptor directory,
                                                       const std::string& name) = 0;
  [[nodiscard]] virtual OsResult<std::string> read_link(Descriptor directory,
                                                        const std::string& name) = 0;
  [[nodiscard]] virtual OsStatus link(Descriptor directory, const std::string& from,
                                      const std::string& to) = 0;
  [[nodiscard]] virtual OsStatus rename(Descriptor directory, const std::string& from,
                                        const std::string& to) = 0;
  [[nodiscard]] virtual OsStatus unlink(Descriptor directory, const std::string& name) = 0;

  // Opening.
  /// Creates a file for reading and writing with mode 0600; EEXIST when anything has that name.
  [[nodiscard]] virtual OsResult<Descriptor> create_exclusive(Descriptor directory,
                                                              const std::string& name) = 0;
  /// Opens a file that only try_lock is for; `create` makes it, with mode 0600, and gives EEXIST
  /// when anything has that name. A symbolic link is not followed; never waits. Needs the right to
  /// write: who may only read cannot lock.
  [[nodiscard]] virtual OsResult<Descriptor> open_lock_file(Descriptor directory,
                                                            const std::string& name,
                                                            bool create) = 0;
  /// Follows symbolic links; never waits (a FIFO opens at once).
  [[nodiscard]] virtual OsResult<Descriptor> open_for_reading(Descriptor base,
                                                              const std::string& path) = 0;

  // Open files.
  /// Takes the advisory lock on a file, which all descriptors but this one and its copies see, in
  /// every process; EWOULDBLOCK when it is held. Closing, or the end of the process, gives it back.
  [[nodiscard]] virtual OsStatus try_lock(Descriptor file) = 0;
  /// Appends at the descriptor's position; returns how many bytes were taken.
  [[nodiscard]] virtual OsResult<std::size_t> write(Descriptor file,
                                                    std::span<const std::byte> bytes) = 0;
  /// Reads at an offset; returns how many bytes came, 0 at the end.
  [[nodiscard]] virtual OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                                      std::span<std::byte> out) = 0;
  /// Reserves disk space for the first `size_bytes`, without changing the file's size.
  [[nodiscard]] virtual OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) = 0;
  /// Sets the size, and gives back what was reserved beyond it.
  [[nodiscard]] virtual OsStatus truncate(Descriptor file, std::uint64_t size_bytes) = 0;
  [[nodiscard]] virtual OsResult<FileStatus> status(Descriptor file) = 0;
  [[nodiscard]] virtual OsStatus set_mode(Descriptor file, std::uint32_t mode) = 0;
  /// Makes content and status durable. After a failure the descriptor's content is lost: never call
  /// it again.
  [[nodiscard]] virtual OsStatus sync_file(Descriptor file) = 0;
  /// Asks that later reads come from the disk; a hint.
  virtual void drop_cache(Descriptor file) = 0;
  /// The descriptor is gone even if this fails.
  [[nodiscard]] virtual OsStatus close(Descriptor descriptor) = 0;

  // The process.
  [[nodiscard]] virtual OsStatus random_bytes(std::span<std::byte> out) = 0;
  /// The mode that a new file in `directory` should get: 0666 without the bits of the umask.
  [[nodiscard]] virtual OsResult<std::uint32_t> new_file_mode(Descriptor directory) = 0;
};

/// The file system of the machine; one for the whole process.
[[nodiscard]] FileSystem& system_files() noexcept;

/// A source over an open file. Reads with pread, never maps: a file cut short is an error, not a
/// SIGBUS.
class FileSource final : public ByteSource {
 public:
  /// Opens a regular file; symbolic links are followed.
  /// Errors: file_not_found, permission_denied, not_regular, too_many_files, io_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path,
                                                                FileSystem* files = nullptr);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// The size when it was opened.
  [[nodiscard]] Result<std::uint64_t> size() override { return opened_.size_bytes; }
  /// Errors: file_changed when the file was written to since it was opened; truncated when `out`
  /// reaches beyond the end; io_failed.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

  /// Fails with file_changed when the file was written to, or the path leads to another file by
  /// now.
  [[nodiscard]] Status check_unchanged() const;

 private:
  FileSource(FileSystem& files, Descriptor file, FileStatus opened, std::string path)
      : files_(files), file_(file), opened_(opened), path_(std::move(path)) {}
  [[nodiscard]] Status check_same_content(const FileStatus& now) const;

  FileSystem& files_;
  Descriptor file_;
  FileStatus opened_;
  std::string path_;
};

}  // namespace hdb
