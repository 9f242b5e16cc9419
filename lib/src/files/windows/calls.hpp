// Calls of Windows that windows_file_system.cpp uses: paths as UTF-16, errors as errno values, and
// files opened relative to a folder. Private to files.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hdb/file_system.hpp"

namespace hdb {

/// The status of a call of ntdll; below zero: it failed.
using NtStatus = std::int32_t;

/// The errno value for an error number of Windows.
[[nodiscard]] OsError os_error_of(DWORD windows_error) noexcept;
[[nodiscard]] OsError os_error_of_status(NtStatus status) noexcept;
/// That of the last failed call.
[[nodiscard]] tl::unexpected<OsError> last_error() noexcept;

/// An open file or folder; closed when it goes out of scope.
class WindowsHandle {
 public:
  WindowsHandle() = default;
  explicit WindowsHandle(HANDLE handle) : handle_(handle) {}
  WindowsHandle(WindowsHandle&& other) noexcept : handle_(other.release()) {}
  WindowsHandle& operator=(WindowsHandle&& other) noexcept {
    if (this != &other) {
      close();
      handle_ = other.release();
    }
    return *this;
  }
  ~WindowsHandle() { close(); }

  [[nodiscard]] HANDLE get() const noexcept { return handle_; }
  [[nodiscard]] HANDLE release() noexcept {
    const HANDLE handle = handle_;
    handle_ = INVALID_HANDLE_VALUE;
    return handle;
  }

 private:
  void close() noexcept {
    if (handle_ != INVALID_HANDLE_VALUE) ::CloseHandle(handle_);
  }
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

/// The name of one file in a folder as UTF-16, without allocating: a name has at most 255 units.
class WindowsName {
 public:
  /// EINVAL for what Windows does not take as a name or takes for another one: not UTF-8, device
  /// names, a blank or dot at the end, separators, and the characters of streams and wildcards.
  [[nodiscard]] static OsResult<WindowsName> of(std::string_view name) noexcept;
  [[nodiscard]] const wchar_t* data() const noexcept { return units_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  wchar_t units_[256] = {};
  std::size_t size_ = 0;
};

/// A whole path, of any length, as the form that has no limit of 260 units: "\\?\C:\saves".
[[nodiscard]] OsResult<std::wstring> windows_path(const std::string& path);
/// UTF-16 from Windows as UTF-8. Halves of a pair of units become U+FFFD.
[[nodiscard]] std::string utf8_of(std::wstring_view text);

/// How a file is opened. The values are those of the Windows headers.
struct OpenMode {
  DWORD access = 0;
  DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  bool create = false;         ///< Creates the file; EEXIST if anything has the name.
  bool follow = true;          ///< Follows a symbolic link at the end.
  bool is_folder = false;      ///< ENOTDIR for anything but a folder.
  bool write_through = false;  ///< A change of names waits for the disk.
};

/// Opens a path. Errors: as NtCreateFile.
[[nodiscard]] OsResult<WindowsHandle> open_path(const std::wstring& path, const OpenMode& mode);
/// Opens a name in the open folder; with an empty name, the folder itself once more.
[[nodiscard]] OsResult<WindowsHandle> open_at(HANDLE folder, const WindowsName& name,
                                              const OpenMode& mode) noexcept;

/// Renames the open file to a name in the folder, or gives it a second name. Replaces nothing, or
/// at once a file that has the name.
[[nodiscard]] OsStatus rename_open_file(HANDLE file, HANDLE folder, const WindowsName& to) noexcept;
[[nodiscard]] OsStatus link_open_file(HANDLE file, HANDLE folder, const WindowsName& to) noexcept;
/// Removes the name of a file that was opened with DELETE.
[[nodiscard]] OsStatus unlink_open_file(HANDLE file) noexcept;

/// Repeats a call that failed with EBUSY for up to a second: virus scanners and indexers open files
/// for a moment after they changed.
template <class Call>
[[nodiscard]] auto retry_busy(const Call& call) {
  auto result = call();
  for (DWORD pause_ms = 1; pause_ms <= 512 && !result && result.error().number == EBUSY;
       pause_ms *= 2) {
    ::Sleep(pause_ms);
    result = call();
  }
  return result;
}

}  // namespace hdb
