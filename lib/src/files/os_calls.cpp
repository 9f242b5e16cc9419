// errno values as Errors.
#include "files/os_calls.hpp"

#include <system_error>

namespace hdb {
namespace {

ErrorCode code_of(int number) {
  switch (number) {
    case ENOENT: return ErrorCode::file_not_found;
    case ENOSPC:
#if defined(EDQUOT)
    case EDQUOT:
#endif
    case EFBIG: return ErrorCode::disk_full;
    case EACCES:
    case EPERM: return ErrorCode::permission_denied;
    case EROFS: return ErrorCode::read_only;
    case EISDIR: return ErrorCode::not_regular;
    case ENXIO: return ErrorCode::not_regular;
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL: return ErrorCode::bad_path;
    case EBUSY: return ErrorCode::file_in_use;
    case EMFILE:
    case ENFILE: return ErrorCode::too_many_files;
    default: return ErrorCode::io_failed;
  }
}

}  // namespace

Error os_failure(OsError error, std::string_view call, const std::string& path) {
  std::string what(call);
  what += " failed: ";
  what += error.number == EBUSY ? "another program has the file open"
                                : std::generic_category().message(error.number);
  return Error{code_of(error.number), std::move(what), kNoOffset, {}, path};
}

Status check_path(const std::string& path) {
  if (path.empty()) return fail_at_path(ErrorCode::bad_path, "the path is empty", path);
  if (path.find('\0') != std::string::npos)
    return fail_at_path(ErrorCode::bad_path, "the path contains a zero byte", path);
  return {};
}

bool is_older_than(const FileStatus& status, std::chrono::nanoseconds age) noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::nanoseconds(status.modified_ns) > age;
}

std::string bound_path(FileSystem& files, const std::string& path) {
  return files.absolute_path(path).value_or(path);
}

}  // namespace hdb
