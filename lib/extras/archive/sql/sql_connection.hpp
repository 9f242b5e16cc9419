// A connection to an SQL database, which each driver implements: the statements of an archive are
// the same for all.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/archive_backend.hpp"
#include "hdb/bytes.hpp"
#include "hdb/error.hpp"

namespace hdb::archive {

/// Why a call failed.
struct SqlFailure {
  Error error;
  bool is_transient = false;  ///< The same call may succeed later, on a new connection.
};
template <class T>
using SqlResultOf = tl::expected<T, SqlFailure>;

/// A parameter of a statement; texts and bytes are not copied.
using SqlValue = std::variant<std::int64_t, std::string_view, std::span<const std::byte>>;
using SqlValues = std::vector<SqlValue>;

/// What the drivers write differently.
struct SqlDialect {
  const char* bytes_type;
  const char* text_type;  ///< Compared byte by byte.
  /// Statement that reads id and bytes of the chunk $1. The id is read from the row of the bytes.
  const char* get_chunk;
};

/// A field of a row: a number (also of a condition: 0 or 1), or bytes, also of a text.
using SqlField = std::variant<std::int64_t, Bytes>;

/// The result of a statement.
struct SqlRows {
  std::vector<std::vector<SqlField>> rows;
  std::uint64_t changed = 0;  ///< Number of the rows that the statement inserted or deleted.

  [[nodiscard]] std::int64_t number(std::size_t column, std::size_t row = 0) const {
    const auto* const value = std::get_if<std::int64_t>(&rows[row][column]);
    return value != nullptr ? *value : 0;
  }
  [[nodiscard]] Bytes take_bytes(std::size_t column, std::size_t row = 0) {
    auto* const value = std::get_if<Bytes>(&rows[row][column]);
    return value != nullptr ? std::move(*value) : Bytes();
  }
  [[nodiscard]] std::string text(std::size_t column, std::size_t row = 0) const {
    const auto* const value = std::get_if<Bytes>(&rows[row][column]);
    if (value == nullptr) return {};
    return std::string(reinterpret_cast<const char*>(value->data()), value->size());
  }
};

/// A session. Not for several threads at once; of no more use after a failure.
class SqlConnection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~SqlConnection() = default;

  [[nodiscard]] virtual const SqlDialect& dialect() const noexcept = 0;

  /// Runs a statement once for each of `values`, if possible in one round trip. Its parameters are
  /// $1, $2 in the order in which the text first names them.
  [[nodiscard]] virtual SqlResultOf<std::vector<SqlRows>> run_each(
      const std::string& sql, std::span<const SqlValues> values) = 0;
  /// Runs a statement once.
  [[nodiscard]] SqlResultOf<SqlRows> run(const std::string& sql, const SqlValues& values = {}) {
    auto rows = run_each(sql, {&values, 1});
    if (!rows) return tl::unexpected(std::move(rows.error()));
    return std::move(rows->front());
  }

  /// Begins a transaction that writes.
  [[nodiscard]] virtual SqlResultOf<void> begin() = 0;
  /// Begins the transaction that makes the tables; two never run at once.
  [[nodiscard]] virtual SqlResultOf<void> begin_create() = 0;
  /// Ends a transaction. Fails if it is not durable everywhere.
  [[nodiscard]] virtual SqlResultOf<void> commit() = 0;
  /// The epoch of the archive; inside of a transaction, it stays so until the end.
  [[nodiscard]] virtual SqlResultOf<std::int64_t> epoch() = 0;
  [[nodiscard]] virtual SqlResultOf<void> raise_epoch() = 0;
  [[nodiscard]] virtual SqlResultOf<bool> has_table(const std::string& name) = 0;
  /// Compares the checksums and structures of the database itself. Returns the texts of its faults.
  [[nodiscard]] virtual SqlResultOf<std::vector<std::string>> check() {
    return std::vector<std::string>();
  }
  /// Sets what the database may do without, after the tables were made.
  virtual void tune_tables() {}

  /// Waits for the lock of the archive until `deadline`. Errors: save_busy.
  [[nodiscard]] virtual SqlResultOf<void> lock(HoldKind kind, Clock::time_point deadline) = 0;
  /// Releases the lock; if that fails, the connection must be closed.
  [[nodiscard]] virtual bool unlock() = 0;

  [[nodiscard]] virtual bool is_broken() const noexcept = 0;
};

/// A database, to which each driver makes its connections. Any thread may call any member.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;
  [[nodiscard]] virtual SqlResultOf<std::unique_ptr<SqlConnection>> open(
      SqlConnection::Clock::time_point deadline) = 0;
  /// The name of the database in messages, without its password.
  [[nodiscard]] virtual const std::string& place() const noexcept = 0;
  /// Frees room on a full disk for removals. Returns whether it had any to free.
  [[nodiscard]] virtual bool make_room() { return false; }
};

}  // namespace hdb::archive
