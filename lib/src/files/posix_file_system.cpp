// FileSystem on Linux and for Emscripten: each function is one system call. What macOS calls
// otherwise is chosen here, too, but is not tested.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/xattr.h>
#endif

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "hdb/file_system.hpp"

namespace hdb {
namespace {

constexpr std::uint32_t kPermissionBits = 07777;
#if defined(O_PATH)
constexpr int kTraverse = O_PATH;
#elif defined(O_SEARCH)
constexpr int kTraverse = O_SEARCH;
#else
constexpr int kTraverse = O_RDONLY;
#endif

#if defined(__APPLE__)
const timespec& modified(const struct stat& raw) { return raw.st_mtimespec; }
// fsync does not empty the cache of the disk.
int sync_to_disk(int file) { return ::fcntl(file, F_FULLFSYNC); }
#else
const timespec& modified(const struct stat& raw) { return raw.st_mtim; }
int sync_to_disk(int file) { return ::fsync(file); }
#endif

#if defined(__linux__)
int reserve_on_disk(int file, off_t size_bytes) {
  return ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, size_bytes);
}
#else
int reserve_on_disk(int, off_t) {
  errno = ENOSYS;
  return -1;
}
#endif

tl::unexpected<OsError> failed() { return tl::unexpected<OsError>(OsError{errno}); }

OsStatus checked(int result) {
  if (result != 0) return failed();
  return {};
}

OsResult<Descriptor> opened(int result) {
  if (result < 0) return failed();
  return result;
}

int base_of(Descriptor base) { return base == kCurrentDirectory ? AT_FDCWD : base; }

FileStatus to_status(const struct stat& raw) {
  FileStatus status;
  if (S_ISREG(raw.st_mode)) status.kind = FileKind::regular;
  if (S_ISDIR(raw.st_mode)) status.kind = FileKind::directory;
  if (S_ISLNK(raw.st_mode)) status.kind = FileKind::symlink;
  status.mode = raw.st_mode & kPermissionBits;
  status.owner = raw.st_uid;
  status.group = raw.st_gid;
  status.device = raw.st_dev;
  status.inode = raw.st_ino;
  status.size_bytes = static_cast<std::uint64_t>(raw.st_size);
  status.modified_ns = std::int64_t{modified(raw).tv_sec} * 1'000'000'000 + modified(raw).tv_nsec;
  return status;
}

// The umask without changing it: umask(2) itself would race with other threads that create files.
OsResult<std::uint32_t> umask_from_proc() {
  std::FILE* file = std::fopen("/proc/thread-self/status", "re");
  if (file == nullptr) return failed();
  char line[256];
  OsResult<std::uint32_t> mask = tl::unexpected<OsError>(OsError{ENOENT});
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "Umask:", 6) != 0) continue;
    mask = static_cast<std::uint32_t>(std::strtoul(line + 6, nullptr, 8)) & 0777;
    break;
  }
  std::fclose(file);
  return mask;
}

#if defined(__linux__)
bool lacks_attributes(int number) { return number == EOPNOTSUPP || number == ENOSYS; }

// Not those that depend on the content (security.ima) or that a write takes away
// (security.capability).
bool is_kept_attribute(std::string_view name) {
  return name.starts_with("user.") || name == "system.posix_acl_access" ||
         name == "security.selinux";
}

// Asks for the size, then for the value, which may have grown meanwhile.
template <class Call>
OsResult<std::string> sized_answer(Call&& call) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const ssize_t size = call(nullptr, 0);
    if (size < 0) return failed();
    std::string value(static_cast<std::size_t>(size), '\0');
    if (size == 0) return value;
    const ssize_t filled = call(value.data(), value.size());
    if (filled >= 0) {
      value.resize(static_cast<std::size_t>(filled));
      return value;
    }
    if (errno != ERANGE) return failed();
  }
  return tl::unexpected<OsError>(OsError{ERANGE});
}
#endif

struct CloseDirectory {
  void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

class PosixFileSystem final : public FileSystem {
 public:
  OsResult<std::string> absolute_path(const std::string& path) override {
    if (path.empty() || path.front() == '/') return path;
    std::string absolute(PATH_MAX, '\0');
    if (::getcwd(absolute.data(), absolute.size()) == nullptr) return failed();
    absolute.resize(std::strlen(absolute.c_str()));
    absolute.append("/").append(path);
    // Only the relative path leads to a place as deep as that.
    return absolute.size() < PATH_MAX ? absolute : path;
  }

  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override {
    const auto open = [&](int access) {
      return opened(::openat(base_of(base), path.c_str(), access | O_DIRECTORY | O_CLOEXEC));
    };
    const auto readable = open(O_RDONLY);
    if (readable || readable.error().number != EACCES) return readable;
    return open(kTraverse);
  }

  OsStatus make_directory(const std::string& path) override {
    return checked(::mkdir(path.c_str(), 0777));
  }

  OsResult<std::vector<std::string>> list(Descriptor directory) override {
    // A descriptor of its own: reading moves the position, and closedir closes.
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return failed();
    const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(copy));
    if (stream == nullptr) {
      const auto error = failed();
      ::close(copy);
      return error;
    }
    std::vector<std::string> names;
    for (;;) {
      errno =
          0;  // null with errno as it was is the end; whatever else ran meanwhile may have set it
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr && errno != 0) return failed();
      if (entry == nullptr) return names;
      names.emplace_back(entry->d_name);
    }
  }

  OsStatus sync_directory(Descriptor directory) override {
    const OsStatus synced = checked(sync_to_disk(directory));
    // As said of a directory that may not be read.
    if (!synced && synced.error().number == EBADF) return tl::unexpected<OsError>(OsError{EACCES});
    return synced;
  }

  OsResult<FileStatus> status_at(Descriptor directory, const std::string& name) override {
    struct stat raw;
    if (::fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) != 0) return failed();
    return to_status(raw);
  }

  OsResult<std::string> read_link(Descriptor directory, const std::string& name) override {
    std::string target(4096, '\0');
    const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    if (size < 0) return failed();
    if (static_cast<std::size_t>(size) == target.size()) {
      return tl::unexpected<OsError>(OsError{ENAMETOOLONG});
    }
    target.resize(static_cast<std::size_t>(size));
    return target;
  }

  OsStatus link(Descriptor directory, const std::string& from, const std::string& to) override {
    return checked(::linkat(directory, from.c_str(), directory, to.c_str(), 0));
  }

  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override {
    return checked(::renameat(directory, from.c_str(), directory, to.c_str()));
  }

  OsStatus unlink(Descriptor directory, const std::string& name) override {
    return checked(::unlinkat(directory, name.c_str(), 0));
  }

  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override {
    return opened(::openat(directory, name.c_str(),
                           O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  }

  OsResult<Descriptor> open_lock_file(Descriptor directory, const std::string& name,
                                      bool create) override {
    const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    return opened(::openat(directory, name.c_str(), flags | (create ? O_CREAT | O_EXCL : 0), 0600));
  }

  OsStatus try_lock(Descriptor file) override { return checked(::flock(file, LOCK_EX | LOCK_NB)); }

  OsStatus try_lock_shared(Descriptor file) override {
    const OsStatus locked = checked(::flock(file, LOCK_SH | LOCK_NB));
    // NFS shares a lock only with those that may read the file: then nobody shares.
    return !locked && locked.error().number == EBADF ? try_lock(file) : locked;
  }

  OsResult<Descriptor> open_for_reading(Descriptor base, const std::string& path) override {
    return opened(
        ::openat(base_of(base), path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  }

  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override {
    const ssize_t size = ::write(file, bytes.data(), bytes.size());
    if (size < 0) return failed();
    return static_cast<std::size_t>(size);
  }

  OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                std::span<std::byte> out) override {
    const ssize_t size = ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
    if (size < 0) return failed();
    return static_cast<std::size_t>(size);
  }

  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override {
    return checked(reserve_on_disk(file, static_cast<off_t>(size_bytes)));
  }

  OsStatus truncate(Descriptor file, std::uint64_t size_bytes) override {
    return checked(::ftruncate(file, static_cast<off_t>(size_bytes)));
  }

  OsResult<FileStatus> status(Descriptor file) override {
    struct stat raw;
    if (::fstat(file, &raw) != 0) return failed();
    return to_status(raw);
  }

  OsStatus set_mode(Descriptor file, std::uint32_t mode) override {
    return checked(::fchmod(file, mode));
  }

  OsStatus set_owner(Descriptor file, std::uint32_t owner, std::uint32_t group) override {
    return checked(::fchown(file, owner, group));
  }

#if defined(__linux__)
  OsResult<std::vector<FileAttribute>> attributes(Descriptor file) override {
    std::vector<FileAttribute> found;
    const auto names =
        sized_answer([&](char* out, std::size_t size) { return ::flistxattr(file, out, size); });
    if (!names && lacks_attributes(names.error().number)) return found;
    if (!names) return tl::unexpected<OsError>(names.error());
    for (std::size_t at = 0; at < names->size();) {
      const char* const name = names->c_str() + at;
      at += std::strlen(name) + 1;
      if (!is_kept_attribute(name)) continue;
      auto value = sized_answer(
          [&](char* out, std::size_t size) { return ::fgetxattr(file, name, out, size); });
      if (!value) return tl::unexpected<OsError>(value.error());
      found.push_back({name, *std::move(value)});
    }
    return found;
  }

  OsStatus set_attribute(Descriptor file, const std::string& name,
                         const std::string* value) override {
    if (value == nullptr) return checked(::fremovexattr(file, name.c_str()));
    return checked(::fsetxattr(file, name.c_str(), value->data(), value->size(), 0));
  }
#endif

  OsStatus sync_file(Descriptor file) override { return checked(sync_to_disk(file)); }

  void start_writing(Descriptor file, std::uint64_t offset, std::uint64_t size_bytes) override {
#if defined(__linux__) && defined(SYNC_FILE_RANGE_WRITE)  // Emscripten only declares it
    static_cast<void>(::sync_file_range(file, static_cast<off64_t>(offset),
                                        static_cast<off64_t>(size_bytes), SYNC_FILE_RANGE_WRITE));
#else
    FileSystem::start_writing(file, offset, size_bytes);
#endif
  }

  void drop_cache(Descriptor file) override {
#if defined(POSIX_FADV_DONTNEED)
    static_cast<void>(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
#else
    static_cast<void>(file);
#endif
  }

  OsStatus close(Descriptor descriptor) override { return checked(::close(descriptor)); }

  OsStatus random_bytes(std::span<std::byte> out) override {
#if defined(__linux__)
    // getentropy repeats interrupted calls without a limit.
    const ssize_t size = ::getrandom(out.data(), out.size(), 0);  // up to 256 bytes come whole
    if (size < 0) return failed();
    if (static_cast<std::size_t>(size) != out.size())
      return tl::unexpected<OsError>(OsError{EINTR});
    return {};
#else
    return checked(::getentropy(out.data(), out.size()));  // at most 256 bytes
#endif
  }

  OsResult<std::uint32_t> new_file_mode(Descriptor directory) override {
    if (const auto mask = umask_from_proc()) return 0666 & ~*mask;
#if defined(O_TMPFILE)
    // No /proc: let the system apply the umask to a file without a name.
    const int file = ::openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) return 0600;
    struct stat raw;
    const bool known = ::fstat(file, &raw) == 0;
    ::close(file);
    return known ? raw.st_mode & 0666 : 0600;
#else
    static_cast<void>(directory);
    return 0600;
#endif
  }
};

}  // namespace

FileSystem& system_files() noexcept {
  static PosixFileSystem files;
  return files;
}

}  // namespace hdb
