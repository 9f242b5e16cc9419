// Offsets of its own, so that reading and writing can alternate.
#include "spool.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "system/system.hpp"

namespace hdb::inspect {

Result<std::unique_ptr<Spool>> Spool::create(std::string_view place) {
  const int fd = open_temporary();
  if (fd < 0) {
    return fail(ErrorCode::io_failed,
                fmt::format("cannot create a temporary file: {}; set TMPDIR to another folder",
                            std::strerror(errno)),
                std::string(place));
  }
  return std::unique_ptr<Spool>(new Spool(fd, place));
}

Spool::~Spool() { close_temporary(fd_); }

Status Spool::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t put = write_temporary(fd_, size_, bytes);
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
    const std::ptrdiff_t got = read_temporary(fd_, offset, out);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(ErrorCode::io_failed, "cannot read the temporary file", {}, offset);
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace hdb::inspect
