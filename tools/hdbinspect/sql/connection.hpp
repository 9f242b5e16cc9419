// A database of SQLite that nobody else uses: a new file, or memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "hdb/error.hpp"

namespace hdb::inspect::sql {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// A name in double quotes, as SQL takes any name.
[[nodiscard]] std::string sql_name(std::string_view name);

class Connection {
 public:
  /// Opens an empty file, or ":memory:". What SQLite takes is within --max-memory, and calls end
  /// with `cancelled` once interrupted().
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& path);
  ~Connection() { sqlite3_close(database_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sqlite3* get() const noexcept { return database_; }
  /// Runs statements that have no result.
  [[nodiscard]] Status run(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(const std::string& sql);
  /// Why the last call failed.
  [[nodiscard]] Error failure() const;

 private:
  explicit Connection(sqlite3* database) : database_(database) {}
  sqlite3* const database_;
};

}  // namespace hdb::inspect::sql
