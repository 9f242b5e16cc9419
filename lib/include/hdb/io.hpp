// ByteSink and ByteSource: where hdb writes and reads files. Games implement them for save APIs of
// consoles; MemorySink and MemorySource keep a save in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// Receives the bytes of a file in order. hdb never makes two calls at once, but calls may come
/// from different threads if a save uses several.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::MemorySink sink;
/// if (!hdb::save(db.capture(), sink)) return;
/// monsters.clear();
/// auto source = std::make_unique<hdb::MemorySource>(sink.take());
/// assert(db.load(std::move(source)) && monsters.contains(imp));
/// @endcode
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Appends all of `bytes`. An error ends the save.
  [[nodiscard]] virtual Status write(std::span<const std::byte> bytes) = 0;
  /// A hint, called at most once before the first write: the file will have at most `size_bytes`
  /// bytes. A sink may reserve space or ignore the hint. An error ends the save.
  [[nodiscard]] virtual Status reserve(std::uint64_t size_bytes) {
    static_cast<void>(size_bytes);
    return {};
  }
};

/// Reads the bytes of a file at any offset. Several threads may call read_at at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The size of the whole file in bytes.
  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;
  /// Fills all of `out` with the bytes from `offset` on.
  /// Errors: truncated if the file ends before offset + out.size(); I/O.
  [[nodiscard]] virtual Status read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// A sink that collects the file in memory. Ignores reserve.
class HDB_INSPECT_API MemorySink final : public ByteSink {
 public:
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override;
  [[nodiscard]] Status reserve(std::uint64_t size_bytes) override;
  /// The bytes written so far.
  [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }
  /// Moves the bytes out of the sink.
  [[nodiscard]] Bytes take() noexcept { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// A source over bytes in memory. Owns the bytes, unless it is made by borrowing(). Copies of a
/// source share the bytes.
class HDB_INSPECT_API MemorySource final : public ByteSource {
 public:
  /// Owns `bytes`.
  explicit MemorySource(Bytes bytes);
  /// Shares `bytes` with other owners. Requires: `bytes` is not null.
  explicit MemorySource(std::shared_ptr<const Bytes> bytes);
  /// A source that does not own `bytes`.
  /// Requires: `bytes` outlive the source, its copies, and each reader or load that uses them.
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
