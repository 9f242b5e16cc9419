// What all users of FileSystem share: retries, a descriptor that closes itself, errno as Error.
#pragma once

#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/file_system.hpp"

namespace hdb {

/// How often an interrupted or empty call is repeated before it counts as failed.
inline constexpr int kMaxRetries = 100;

/// Repeats a call that a signal interrupted. Not for sync and close, whose failure is final.
template <class Call>
[[nodiscard]] auto retry_interrupted(Call&& call) {
  auto result = call();
  for (int i = 0; i < kMaxRetries && !result && result.error().number == EINTR; ++i) {
    result = call();
  }
  return result;
}

/// The Error for a failed call: "rename of the new file failed: No space left on device".
[[nodiscard]] HDB_INSPECT_API Error os_failure(OsError error, std::string_view call,
                                               const std::string& path);

/// The path as absolute_path gives it; `path` itself if that fails, as in a removed directory.
[[nodiscard]] HDB_INSPECT_API std::string bound_path(FileSystem& files, const std::string& path);

/// Whether the content of the file last changed longer ago than that.
[[nodiscard]] bool is_older_than(const FileStatus& status, std::chrono::nanoseconds age) noexcept;

/// Builds the failing side of a Result for a path.
[[nodiscard]] inline tl::unexpected<Error> fail_at_path(ErrorCode code, std::string what,
                                                        const std::string& path) {
  return fail(Error{code, std::move(what), kNoOffset, {}, path});
}

/// Errors: bad_path: the path is empty, or contains a zero byte, at which the system would end it.
[[nodiscard]] HDB_INSPECT_API Status check_path(const std::string& path);

/// A descriptor that is closed when it goes out of scope.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  OwnedDescriptor(FileSystem& files, Descriptor descriptor)
      : files_(&files), descriptor_(descriptor) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept
      : files_(other.files_), descriptor_(other.release()) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      files_ = other.files_;
      descriptor_ = other.release();
    }
    return *this;
  }
  ~OwnedDescriptor() { static_cast<void>(close()); }

  [[nodiscard]] Descriptor get() const noexcept { return descriptor_; }
  [[nodiscard]] Descriptor release() noexcept { return std::exchange(descriptor_, kNoDescriptor); }
  [[nodiscard]] OsStatus close() {
    if (descriptor_ == kNoDescriptor) return {};
    return files_->close(release());
  }

 private:
  FileSystem* files_ = nullptr;
  Descriptor descriptor_ = kNoDescriptor;
};

}  // namespace hdb
