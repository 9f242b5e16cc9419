// Paths, errors, and the calls of ntdll that take a folder and a name in it.
#include "files/windows/calls.hpp"

#include <winternl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

// In the headers of drivers alone; the functions are part of every Windows.
extern "C" NTSTATUS NTAPI NtSetInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG,
                                               FILE_INFORMATION_CLASS);

namespace hdb {
namespace {

constexpr NtStatus kInvalidInfoClass = static_cast<NtStatus>(0xC0000003u);
constexpr NtStatus kNotImplemented = static_cast<NtStatus>(0xC0000002u);
constexpr NtStatus kInvalidParameter = static_cast<NtStatus>(0xC000000Du);
constexpr NtStatus kNotSupported = static_cast<NtStatus>(0xC00000BBu);
constexpr NtStatus kDeletePending = static_cast<NtStatus>(0xC0000056u);

constexpr DWORD kDiskQuotaExceeded = 1295;  // not in the headers of MinGW

// Classes of NtSetInformationFile. Those with Ex exist since Windows 10 1709, and not on every file
// system: with them an open file can be replaced or removed, and its name is free at once.
constexpr int kRename = 10;
constexpr int kLink = 11;
constexpr int kDisposition = 13;
constexpr int kDispositionEx = 64;
constexpr int kRenameEx = 65;
constexpr ULONG kReplaceIfExists = 1;    // also the byte of the class without Ex
constexpr ULONG kPosixSemantics = 2;     // of both
constexpr ULONG kIgnoreReadOnly = 0x40;  // of a rename
constexpr ULONG kDelete = 1;
constexpr ULONG kDeleteReadOnly = 0x10;

// FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION, with room for one name.
struct NewName {
  ULONG flags;
  HANDLE folder;
  ULONG name_bytes;
  WCHAR name[256];
};

bool lacks_class(NtStatus status) {
  return status == kInvalidInfoClass || status == kNotImplemented || status == kInvalidParameter ||
         status == kNotSupported;
}

template <class Information>
NtStatus set_information(HANDLE file, Information& information, int number) noexcept {
  IO_STATUS_BLOCK outcome{};
  return ::NtSetInformationFile(file, &outcome, &information, sizeof information,
                                static_cast<FILE_INFORMATION_CLASS>(number));
}

OsStatus checked_status(NtStatus status) noexcept {
  if (status < 0) return tl::unexpected<OsError>(os_error_of_status(status));
  return {};
}

NewName new_name(HANDLE folder, const WindowsName& to, ULONG flags) noexcept {
  NewName made{flags, folder, static_cast<ULONG>(to.size() * sizeof(WCHAR)), {}};
  std::copy_n(to.data(), to.size(), made.name);
  return made;
}

// Whether Windows takes the name, with any extension, for a device.
bool is_device_name(std::string_view name) noexcept {
  std::string_view stem = name.substr(0, name.find('.'));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  const auto equals = [&](std::string_view device) {
    return stem.size() == device.size() &&
           std::equal(stem.begin(), stem.end(), device.begin(),
                      [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
  };
  for (const std::string_view device : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) {
    if (equals(device)) return true;
  }
  if (stem.size() != 4 || stem[3] < '0' || stem[3] > '9') return false;
  stem.remove_suffix(1);
  return equals("COM") || equals("LPT");
}

int units_of(std::string_view text, wchar_t* to, std::size_t room) noexcept {
  return ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(),
                               static_cast<int>(text.size()), to, static_cast<int>(room));
}

}  // namespace

OsError os_error_of(DWORD windows_error) noexcept {
  switch (windows_error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_DRIVE: return {ENOENT};
    case ERROR_ACCESS_DENIED:
    case ERROR_CANNOT_MAKE:
    case ERROR_PRIVILEGE_NOT_HELD: return {EACCES};
    case ERROR_SHARING_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case ERROR_BUSY: return {EBUSY};
    case ERROR_LOCK_VIOLATION: return {EWOULDBLOCK};
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
    case ERROR_DELETE_PENDING: return {EEXIST};
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
    case kDiskQuotaExceeded: return {ENOSPC};
    case ERROR_FILE_TOO_LARGE: return {EFBIG};
    case ERROR_WRITE_PROTECT: return {EROFS};
    case ERROR_FILENAME_EXCED_RANGE: return {ENAMETOOLONG};
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_NO_UNICODE_TRANSLATION:
    case ERROR_INVALID_PARAMETER: return {EINVAL};
    case ERROR_DIRECTORY: return {ENOTDIR};
    case ERROR_TOO_MANY_OPEN_FILES:
    case ERROR_NO_SYSTEM_RESOURCES: return {EMFILE};
    case ERROR_NOT_SAME_DEVICE: return {EXDEV};
    case ERROR_TOO_MANY_LINKS: return {EMLINK};
    case ERROR_CANT_RESOLVE_FILENAME: return {ELOOP};
    case ERROR_INVALID_FUNCTION:
    case ERROR_CALL_NOT_IMPLEMENTED:
    case ERROR_NOT_SUPPORTED: return {ENOSYS};
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return {ENOMEM};
    default: return {EIO};
  }
}

OsError os_error_of_status(NtStatus status) noexcept {
  // The Win32 number for it says "access denied".
  if (status == kDeletePending) return {EEXIST};
  return os_error_of(::RtlNtStatusToDosError(status));
}

tl::unexpected<OsError> last_error() noexcept {
  return tl::unexpected<OsError>(os_error_of(::GetLastError()));
}

OsResult<WindowsName> WindowsName::of(std::string_view name) noexcept {
  const tl::unexpected<OsError> refused(OsError{EINVAL});
  const bool has_refused = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 ||
           std::string_view("<>:\"/\\|?*").find(c) != std::string_view::npos;
  });
  if (has_refused || name.ends_with('.') || name.ends_with(' ') || is_device_name(name))
    return refused;
  WindowsName made;
  if (name.empty()) return made;
  if (name.size() > 3 * std::size(made.units_)) {
    return tl::unexpected<OsError>(OsError{ENAMETOOLONG});
  }
  const int size = units_of(name, made.units_, std::size(made.units_) - 1);
  if (size > 0) {
    made.size_ = static_cast<std::size_t>(size);
    return made;
  }
  if (::GetLastError() == ERROR_INSUFFICIENT_BUFFER)
    return tl::unexpected<OsError>(OsError{ENAMETOOLONG});
  return refused;
}

OsResult<std::wstring> windows_path(const std::string& path) {
  const int size = units_of(path, nullptr, 0);
  if (size <= 0) return tl::unexpected<OsError>(OsError{EINVAL});
  std::wstring given(static_cast<std::size_t>(size), L'\0');
  static_cast<void>(units_of(path, given.data(), given.size()));
  if (given.starts_with(L"\\\\?\\")) return given;
  // Makes it absolute, and separators backslashes; what has the prefix is not interpreted any more.
  std::wstring full;
  for (DWORD room = 300;;) {
    full.resize(room);
    room = ::GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    if (room == 0) return last_error();
    if (room < full.size()) break;
  }
  full.resize(std::wcslen(full.c_str()));
  if (full.starts_with(L"\\\\.\\")) return full;  // a device
  if (full.starts_with(L"\\\\")) return L"\\\\?\\UNC\\" + full.substr(2);
  return L"\\\\?\\" + full;
}

std::string utf8_of(std::wstring_view text) {
  if (text.empty()) return {};
  const auto convert = [&](char* to, int room) {
    return ::WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), to, room,
                                 nullptr, nullptr);
  };
  std::string made(static_cast<std::size_t>(std::max(0, convert(nullptr, 0))), '\0');
  static_cast<void>(convert(made.data(), static_cast<int>(made.size())));
  return made;
}

OsResult<WindowsHandle> open_path(const std::wstring& path, const OpenMode& mode) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS |  // without it, no folder can be opened
                      (mode.follow ? 0u : FILE_FLAG_OPEN_REPARSE_POINT) |
                      (mode.write_through ? FILE_FLAG_WRITE_THROUGH : 0u);
  WindowsHandle file(::CreateFileW(path.c_str(), mode.access, mode.share, nullptr,
                                   mode.create ? CREATE_NEW : OPEN_EXISTING, flags, nullptr));
  if (file.get() == INVALID_HANDLE_VALUE) return last_error();
  if (mode.is_folder) {
    BY_HANDLE_FILE_INFORMATION found{};
    if (::GetFileInformationByHandle(file.get(), &found) == 0) return last_error();
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0)
      return tl::unexpected<OsError>(OsError{ENOTDIR});
  }
  return file;
}

OsResult<WindowsHandle> open_at(HANDLE folder, const WindowsName& name,
                                const OpenMode& mode) noexcept {
  UNICODE_STRING units{};
  units.Length = static_cast<USHORT>(name.size() * sizeof(WCHAR));
  units.MaximumLength = units.Length;
  units.Buffer = const_cast<wchar_t*>(name.data());
  OBJECT_ATTRIBUTES attributes{};
  attributes.Length = sizeof attributes;
  attributes.RootDirectory = folder;
  attributes.ObjectName = &units;
  attributes.Attributes = OBJ_CASE_INSENSITIVE;
  const ULONG options =
      FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT |
      (mode.follow ? 0u : FILE_OPEN_REPARSE_POINT) | (mode.is_folder ? FILE_DIRECTORY_FILE : 0u) |
      (mode.create ? FILE_NON_DIRECTORY_FILE : 0u) | (mode.write_through ? FILE_WRITE_THROUGH : 0u);
  HANDLE file = INVALID_HANDLE_VALUE;
  IO_STATUS_BLOCK outcome{};
  const NtStatus status = ::NtCreateFile(
      &file, mode.access | SYNCHRONIZE, &attributes, &outcome, nullptr, FILE_ATTRIBUTE_NORMAL,
      mode.share, mode.create ? FILE_CREATE : FILE_OPEN, options, nullptr, 0);
  if (status < 0) return tl::unexpected<OsError>(os_error_of_status(status));
  return WindowsHandle(file);
}

OsStatus rename_open_file(HANDLE file, HANDLE folder, const WindowsName& to) noexcept {
  NewName name = new_name(folder, to, kReplaceIfExists | kPosixSemantics | kIgnoreReadOnly);
  NtStatus status = set_information(file, name, kRenameEx);
  if (lacks_class(status)) {
    name.flags = kReplaceIfExists;
    status = set_information(file, name, kRename);
  }
  return checked_status(status);
}

OsStatus link_open_file(HANDLE file, HANDLE folder, const WindowsName& to) noexcept {
  NewName name = new_name(folder, to, 0);
  return checked_status(set_information(file, name, kLink));
}

OsStatus unlink_open_file(HANDLE file) noexcept {
  ULONG flags = kDelete | kPosixSemantics | kDeleteReadOnly;
  NtStatus status = set_information(file, flags, kDispositionEx);
  if (lacks_class(status)) {
    BOOLEAN is_deleted = TRUE;
    status = set_information(file, is_deleted, kDisposition);
  }
  return checked_status(status);
}

}  // namespace hdb
