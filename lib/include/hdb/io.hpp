// Where bytes go to and come from: sinks and sources that users may write (consoles have their own
// save calls).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// Takes a file from its first byte to its last.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Appends all of `bytes`.
  [[nodiscard]] virtual Status write(std::span<const std::byte> bytes) = 0;
  /// A hint, given early, of how large the file will be at most; for reserving space. May be
  /// ignored.
  [[nodiscard]] virtual Status reserve(std::uint64_t size_bytes) {
    static_cast<void>(size_bytes);
    return {};
  }
};

/// Gives bytes of a file at any offset. `read_at` may be called from several threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Size of the whole file in bytes.
  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;
  /// Fills all of `out` from `offset`, or fails (`truncated` when the file ends before).
  [[nodiscard]] virtual Status read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// A sink that appends to a byte vector.
class MemorySink final : public ByteSink {
 public:
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override;
  [[nodiscard]] Status reserve(std::uint64_t size_bytes) override;
  [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }
  [[nodiscard]] Bytes take() noexcept { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// A source over bytes in memory, which it owns. Copies of it share them.
class MemorySource final : public ByteSource {
 public:
  /// Takes the bytes: moved where they are given up, else copied.
  explicit MemorySource(Bytes bytes)
      : owned_(std::make_shared<const Bytes>(std::move(bytes))), bytes_(*owned_) {}
  /// Shares the bytes, so that several sources need one copy. Requires: not null.
  explicit MemorySource(std::shared_ptr<const Bytes> bytes)
      : owned_(std::move(bytes)), bytes_(*owned_) {}
  /// Owns nothing: `bytes` must outlive the source, its copies, and the reader or load that it is
  /// given to.
  [[nodiscard]] static MemorySource borrowing(std::span<const std::byte> bytes) noexcept {
    return MemorySource(bytes);
  }

  [[nodiscard]] Result<std::uint64_t> size() override;
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  explicit MemorySource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::shared_ptr<const Bytes> owned_;  // null: borrowed
  std::span<const std::byte> bytes_;
};

}  // namespace hdb
