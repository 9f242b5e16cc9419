// A temporary file without a name: nobody else can change it, and closing it deletes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hdb/io.hpp"

namespace hdb::inspect {

/// Bytes that are too many for memory: written one after another, read back at any offset.
/// `read_at` may be called from several threads at once, when nothing is written meanwhile.
class Spool final : public ByteSink, public ByteSource {
 public:
  /// Makes an empty one in $TMPDIR, else in /tmp. `place` says in errors what is being done.
  /// Errors: io_failed.
  [[nodiscard]] static Result<std::unique_ptr<Spool>> create(std::string_view place);
  ~Spool() override;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Appends. Errors: disk_full, io_failed.
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override;
  /// Bytes written so far.
  [[nodiscard]] Result<std::uint64_t> size() override { return size_; }
  /// Errors: truncated beyond the end; io_failed.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  Spool(int fd, std::string_view place) : fd_(fd), place_(place) {}

  int fd_;
  std::string place_;
  std::uint64_t size_ = 0;
};

}  // namespace hdb::inspect
