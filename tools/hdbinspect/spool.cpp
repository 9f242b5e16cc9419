// O_TMPFILE where there is such a thing, else a file unlinked at once.
#include "spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hdb::inspect {
namespace {

int open_unlinked() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
#ifdef O_TMPFILE
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0) return fd;
#endif
  std::string name = folder + "/hdbinspect-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::create(std::string_view place) {
  const int fd = open_unlinked();
  if (fd < 0) {
    return fail(ErrorCode::io_failed,
                fmt::format("cannot create a temporary file: {}; set TMPDIR to another folder",
                            std::strerror(errno)),
                std::string(place));
  }
  return std::unique_ptr<Spool>(new Spool(fd, place));
}

Spool::~Spool() { ::close(fd_); }

Status Spool::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      return fail(errno == ENOSPC ? ErrorCode::disk_full : ErrorCode::io_failed,
                  fmt::format("cannot write the temporary file: {}; set TMPDIR to another folder",
                              std::strerror(errno)),
                  place_);
    }
    size_ += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Status Spool::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > size_ || out.size() > size_ - offset) {
    return fail(ErrorCode::truncated, "the file ends here", {}, size_);
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(ErrorCode::io_failed, "cannot read the temporary file", {}, offset);
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace hdb::inspect
