// FileSystem on Windows. Names in a folder are opened relative to its handle (NtCreateFile), so
// they may be long, and the folder stays the same one; a folder in use cannot be renamed.
//
// A save replaces its target by one rename with replacement: it is atomic on NTFS, and the target's
// name always exists. (ReplaceFile makes several steps, and a failure between them leaves the
// target without its name.) The rename writes through, FlushFileBuffers makes the content durable
// before it, and flushing the folder makes the name durable after it. Where the file system cannot
// flush a folder, the save is reported as replaced_not_durable.
#include "files/windows/calls.hpp"

#include <bcrypt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>

namespace hdb {
namespace {

constexpr std::uint32_t kWriteBits = 0222;
constexpr std::int64_t kTicksTo1970 = 116444736000000000;  // of 100 ns, since 1601
constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// Nobody renames or removes a folder meanwhile: later calls mean the same place.
constexpr DWORD kShareFolder = FILE_SHARE_READ | FILE_SHARE_WRITE;
constexpr DWORD kReadFolder = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES;
constexpr DWORD kWriteFolder = FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY;  // to flush it

tl::unexpected<OsError> error(int number) { return tl::unexpected<OsError>(OsError{number}); }

OsStatus checked(BOOL done) {
  if (done == 0) return last_error();
  return {};
}

std::uint64_t joined(DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; }

// The descriptors of this process. Windows has handles, which are pointers.
class OpenFiles {
 public:
  struct File {
    HANDLE handle = INVALID_HANDLE_VALUE;
    std::uint64_t position = 0;  // of the next write
  };

  Descriptor add(WindowsHandle handle) {
    const std::lock_guard guard(mutex_);
    auto free = std::find_if(files_.begin(), files_.end(),
                             [](const File& file) { return file.handle == INVALID_HANDLE_VALUE; });
    if (free == files_.end()) free = files_.insert(files_.end(), File{});
    *free = {handle.release(), 0};
    return static_cast<Descriptor>(free - files_.begin());
  }
  [[nodiscard]] File get(Descriptor descriptor) {
    const std::lock_guard guard(mutex_);
    return is_open(descriptor) ? files_[static_cast<std::size_t>(descriptor)] : File{};
  }
  void set_position(Descriptor descriptor, std::uint64_t position) {
    const std::lock_guard guard(mutex_);
    if (is_open(descriptor)) files_[static_cast<std::size_t>(descriptor)].position = position;
  }
  HANDLE remove(Descriptor descriptor) {
    const std::lock_guard guard(mutex_);
    if (!is_open(descriptor)) return INVALID_HANDLE_VALUE;
    return std::exchange(files_[static_cast<std::size_t>(descriptor)], File{}).handle;
  }

 private:
  [[nodiscard]] bool is_open(Descriptor descriptor) const {
    return descriptor >= 0 && static_cast<std::size_t>(descriptor) < files_.size() &&
           files_[static_cast<std::size_t>(descriptor)].handle != INVALID_HANDLE_VALUE;
  }

  std::mutex mutex_;
  std::vector<File> files_;
};

// Junctions and symbolic links; not the marks of cloud storage and compression.
bool is_link(HANDLE file, DWORD attributes) {
  FILE_ATTRIBUTE_TAG_INFO tag{};
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         ::GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) != 0 &&
         IsReparseTagNameSurrogate(tag.ReparseTag);
}

OsResult<FileStatus> status_of(HANDLE file) {
  FileStatus status;
  if (::GetFileType(file) != FILE_TYPE_DISK) return status;
  BY_HANDLE_FILE_INFORMATION found{};
  if (::GetFileInformationByHandle(file, &found) == 0) return last_error();
  const bool is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.kind = is_link(file, found.dwFileAttributes) ? FileKind::symlink
                : is_folder                           ? FileKind::directory
                                                      : FileKind::regular;
  // Of the owner, and no others: who else may do what is not in these bits.
  const bool is_read_only = !is_folder && (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
  status.mode = is_folder ? 0700 : is_read_only ? 0400 : 0600;
  status.device = found.dwVolumeSerialNumber;
  status.inode = joined(found.nFileIndexHigh, found.nFileIndexLow);
  status.size_bytes = joined(found.nFileSizeHigh, found.nFileSizeLow);
  const FILETIME& time = found.ftLastWriteTime;
  const auto ticks = static_cast<std::int64_t>(joined(time.dwHighDateTime, time.dwLowDateTime));
  status.modified_ns = (ticks - kTicksTo1970) * 100;
  return status;
}

OVERLAPPED at_offset(std::uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

DWORD limited(std::size_t size) {
  return static_cast<DWORD>(std::min<std::size_t>(size, std::size_t{1} << 30));
}

class WindowsFileSystem final : public FileSystem {
 public:
  OsResult<std::string> absolute_path(const std::string& path) override {
    if (path.starts_with("\\\\?\\")) return path;
    const auto wide = windows_path(path);
    if (!wide) return error(wide.error().number);
    // Without the prefix, so that "/" and a name can follow.
    const std::string full = utf8_of(*wide);
    if (full.starts_with("\\\\?\\UNC\\")) return "\\\\" + full.substr(8);
    return full.starts_with("\\\\?\\") ? full.substr(4) : full;
  }

  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override {
    OpenMode mode{.access = kReadFolder | kWriteFolder, .share = kShareFolder, .is_folder = true};
    auto opened = open(base, path, mode);
    if (!opened && (opened.error().number == EACCES || opened.error().number == EROFS)) {
      mode.access = kReadFolder;
      opened = open(base, path, mode);
    }
    return kept(std::move(opened));
  }

  OsStatus make_directory(const std::string& path) override {
    const auto wide = windows_path(path);
    if (!wide) return error(wide.error().number);
    return checked(::CreateDirectoryW(wide->c_str(), nullptr));
  }

  OsResult<std::vector<std::string>> list(Descriptor directory) override {
    // A handle of its own: reading moves the position.
    const auto own = open_at(files_.get(directory).handle, WindowsName(),
                             {.access = FILE_LIST_DIRECTORY, .is_folder = true});
    if (!own) return error(own.error().number);
    std::vector<std::string> names;
    alignas(FILE_ID_BOTH_DIR_INFO) std::array<std::byte, 16384> buffer;
    while (::GetFileInformationByHandleEx(own->get(), FileIdBothDirectoryInfo, buffer.data(),
                                          buffer.size()) != 0) {
      for (const std::byte* at = buffer.data();;) {
        const auto* const entry = reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(at);
        names.push_back(utf8_of({entry->FileName, entry->FileNameLength / sizeof(WCHAR)}));
        if (entry->NextEntryOffset == 0) break;
        at += entry->NextEntryOffset;
      }
    }
    if (::GetLastError() != ERROR_NO_MORE_FILES) return last_error();
    return names;
  }

  OsStatus sync_directory(Descriptor directory) override {
    return checked(::FlushFileBuffers(files_.get(directory).handle));
  }

  OsResult<FileStatus> status_at(Descriptor directory, const std::string& name) override {
    const auto file = opened_at(directory, name, {.access = FILE_READ_ATTRIBUTES, .follow = false});
    // EEXIST: the name is removed, and goes when the last program closes the file.
    if (!file) return error(file.error().number == EEXIST ? ENOENT : file.error().number);
    return status_of(file->get());
  }

  OsResult<std::string> read_link(Descriptor directory, const std::string& name) override {
    const auto status = status_at(directory, name);
    if (!status) return error(status.error().number);
    if (status->kind != FileKind::symlink) return error(EINVAL);
    const auto target = opened_at(directory, name, {.access = FILE_READ_ATTRIBUTES});
    if (!target) return error(target.error().number);
    const auto path = path_of(target->get());
    if (!path) return error(path.error().number);
    return utf8_of(*path);
  }

  OsStatus link(Descriptor directory, const std::string& from, const std::string& to) override {
    const auto name = WindowsName::of(to);
    if (!name) return error(name.error().number);
    const auto file =
        opened_at(directory, from, {.access = FILE_WRITE_ATTRIBUTES, .follow = false});
    if (!file) return error(file.error().number);
    return link_open_file(file->get(), files_.get(directory).handle, *name);
  }

  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override {
    const auto name = WindowsName::of(to);
    if (!name) return error(name.error().number);
    const HANDLE folder = files_.get(directory).handle;
    return retry_busy([&]() -> OsStatus {
      const auto file =
          open(directory, from, {.access = DELETE, .follow = false, .write_through = true});
      if (!file) return error(file.error().number);
      const auto renamed = rename_open_file(file->get(), folder, *name);
      if (renamed || renamed.error().number != EACCES) return renamed;
      // What another program has open is refused like what belongs to another user. If nobody has
      // it open now, it may have been closed since.
      if (is_in_use(folder, *name)) return error(EBUSY);
      return rename_open_file(file->get(), folder, *name);
    });
  }

  OsStatus unlink(Descriptor directory, const std::string& name) override {
    const auto file = opened_at(directory, name, {.access = DELETE, .follow = false});
    if (!file) return error(file.error().number == EEXIST ? ENOENT : file.error().number);
    return unlink_open_file(file->get());
  }

  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override {
    return kept(open(directory, name,
                     {.access = GENERIC_READ | GENERIC_WRITE,
                      .share = FILE_SHARE_READ | FILE_SHARE_DELETE,
                      .create = true,
                      .follow = false}));
  }

  OsResult<Descriptor> open_lock_file(Descriptor directory, const std::string& name,
                                      bool create) override {
    return kept(opened_at(directory, name,
                          {.access = FILE_WRITE_DATA | FILE_READ_ATTRIBUTES,
                           .share = kShareAll,
                           .create = create,
                           .follow = false}));
  }

  OsStatus try_lock(Descriptor file) override { return lock(file, LOCKFILE_EXCLUSIVE_LOCK); }
  OsStatus try_lock_shared(Descriptor file) override { return lock(file, 0); }

  OsResult<Descriptor> open_for_reading(Descriptor base, const std::string& path) override {
    return kept(retry_busy([&] { return open(base, path, {.access = GENERIC_READ}); }));
  }

  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override {
    const OpenFiles::File opened = files_.get(file);
    OVERLAPPED place = at_offset(opened.position);
    DWORD written = 0;
    if (::WriteFile(opened.handle, bytes.data(), limited(bytes.size()), &written, &place) == 0) {
      return last_error();
    }
    files_.set_position(file, opened.position + written);
    return written;
  }

  OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                std::span<std::byte> out) override {
    OVERLAPPED place = at_offset(offset);
    DWORD got = 0;
    if (::ReadFile(files_.get(file).handle, out.data(), limited(out.size()), &got, &place) != 0) {
      return got;
    }
    if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
    return last_error();
  }

  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override {
    const HANDLE handle = files_.get(file).handle;
    FILE_STANDARD_INFO now{};
    if (::GetFileInformationByHandleEx(handle, FileStandardInfo, &now, sizeof now) == 0) {
      return last_error();
    }
    // Less would cut the file.
    if (static_cast<std::uint64_t>(now.AllocationSize.QuadPart) >= size_bytes) return {};
    FILE_ALLOCATION_INFO wanted{};
    wanted.AllocationSize.QuadPart = static_cast<LONGLONG>(size_bytes);
    return checked(
        ::SetFileInformationByHandle(handle, FileAllocationInfo, &wanted, sizeof wanted));
  }

  OsStatus truncate(Descriptor file, std::uint64_t size_bytes) override {
    FILE_END_OF_FILE_INFO end{};
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(size_bytes);
    return checked(
        ::SetFileInformationByHandle(files_.get(file).handle, FileEndOfFileInfo, &end, sizeof end));
  }

  OsResult<FileStatus> status(Descriptor file) override {
    return status_of(files_.get(file).handle);
  }

  // Windows has one such bit; everything else the file inherits from its folder.
  OsStatus set_mode(Descriptor file, std::uint32_t mode) override {
    const HANDLE handle = files_.get(file).handle;
    FILE_BASIC_INFO info{};
    if (::GetFileInformationByHandleEx(handle, FileBasicInfo, &info, sizeof info) == 0) {
      return last_error();
    }
    const bool is_read_only = (mode & kWriteBits) == 0;
    if (is_read_only == ((info.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0)) return {};
    FILE_BASIC_INFO changed{};  // times of zero stay as they are
    changed.FileAttributes = info.FileAttributes ^ FILE_ATTRIBUTE_READONLY;
    if (changed.FileAttributes == 0) changed.FileAttributes = FILE_ATTRIBUTE_NORMAL;
    return checked(::SetFileInformationByHandle(handle, FileBasicInfo, &changed, sizeof changed));
  }

  OsStatus sync_file(Descriptor file) override {
    return checked(::FlushFileBuffers(files_.get(file).handle));
  }

  void drop_cache(Descriptor) override {}

  OsStatus close(Descriptor descriptor) override {
    const HANDLE handle = files_.remove(descriptor);
    if (handle == INVALID_HANDLE_VALUE) return error(EBADF);  // to Windows, the process itself
    return checked(::CloseHandle(handle));
  }

  OsStatus random_bytes(std::span<std::byte> out) override {
    const NtStatus status =
        ::BCryptGenRandom(nullptr, reinterpret_cast<PUCHAR>(out.data()),
                          static_cast<ULONG>(out.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    if (status < 0) return error(EIO);
    return {};
  }

  OsResult<std::uint32_t> new_file_mode(Descriptor) override { return 0600; }

 private:
  OsResult<Descriptor> kept(OsResult<WindowsHandle> opened) {
    if (!opened) return error(opened.error().number);
    return files_.add(std::move(*opened));
  }

  OsResult<WindowsHandle> open(Descriptor base, const std::string& path, const OpenMode& mode) {
    if (base == kCurrentDirectory || path.find_first_of("/\\") != std::string::npos) {
      const auto wide = windows_path(path);
      if (!wide) return error(wide.error().number);
      return open_path(*wide, mode);
    }
    const HANDLE folder = files_.get(base).handle;
    if (path == "..") return open_parent(folder, mode);
    const auto name = path == "." ? WindowsName() : WindowsName::of(path);
    if (!name) return error(name.error().number);
    return open_at(folder, *name, mode);
  }

  OsStatus lock(Descriptor file, DWORD kind) {
    OVERLAPPED place = at_offset(0);
    return checked(
        ::LockFileEx(files_.get(file).handle, kind | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place));
  }

  OsResult<WindowsHandle> opened_at(Descriptor directory, const std::string& name,
                                    const OpenMode& mode) {
    return retry_busy([&] { return open(directory, name, mode); });
  }

  static OsResult<std::wstring> path_of(HANDLE file) {
    std::wstring path(32768, L'\0');
    const DWORD size = ::GetFinalPathNameByHandleW(
        file, path.data(), static_cast<DWORD>(path.size()), FILE_NAME_NORMALIZED);
    if (size == 0) return last_error();
    if (size >= path.size()) return error(ENAMETOOLONG);
    path.resize(size);
    return path;
  }

  static OsResult<WindowsHandle> open_parent(HANDLE folder, const OpenMode& mode) {
    auto path = path_of(folder);
    if (!path) return error(path.error().number);
    const std::size_t slash = path->find_last_of(L'\\');
    // The root is its own parent: "\\\\?\\C:\\".
    if (slash + 1 < path->size()) path->resize(path->at(slash - 1) == L':' ? slash + 1 : slash);
    return open_path(*path, mode);
  }

  static bool is_in_use(HANDLE folder, const WindowsName& name) {
    const auto file = open_at(folder, name, {.access = DELETE, .share = 0, .follow = false});
    return !file && file.error().number == EBUSY;
  }

  OpenFiles files_;
};

}  // namespace

FileSystem& system_files() noexcept {
  // Never destroyed: a save may still run on a thread while the program ends.
  static WindowsFileSystem& files = *new WindowsFileSystem;
  return files;
}

}  // namespace hdb
