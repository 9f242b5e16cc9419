// Opens databases without a journal: a run that fails deletes the whole file.
#include "sql/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "memory_limit.hpp"
#include "signals.hpp"

namespace hdb::inspect::sql {
namespace {

constexpr std::uint64_t kMostCacheBytes = std::uint64_t{64} << 20;
constexpr int kStepsBetweenLooks = 10'000;

ErrorCode code_of(int result, int system_error) {
  switch (result) {
    case SQLITE_NOMEM: return ErrorCode::memory_budget;
    case SQLITE_INTERRUPT: return ErrorCode::cancelled;
    case SQLITE_TOOBIG: return ErrorCode::limit_exceeded;
    case SQLITE_FULL: return ErrorCode::disk_full;
    default:
      return system_error == ENOSPC || system_error == EFBIG ? ErrorCode::disk_full
                                                             : ErrorCode::io_failed;
  }
}

}  // namespace

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path) {
  // The rest is for the file that is read.
  if (memory_limit() != 0)
    sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(memory_limit() / 4 * 3));
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (database == nullptr) throw std::bad_alloc();
  std::unique_ptr<Connection> connection(new Connection(database));
  if (opened != SQLITE_OK) return fail(connection->failure());
  sqlite3_progress_handler(
      database, kStepsBetweenLooks, [](void*) { return interrupted() != 0 ? 1 : 0; }, nullptr);
  // A mistyped name in double quotes is an error, not a text.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  const std::uint64_t cache =
      memory_limit() == 0 ? kMostCacheBytes : std::min(kMostCacheBytes, memory_limit() / 8);
  if (Status set = connection->run(
          fmt::format("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = "
                      "EXCLUSIVE; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -{}",
                      cache / 1024));
      !set)
    return fail(std::move(set.error()));
  return connection;
}

Status Connection::run(const std::string& sql) {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(failure());
}

Result<Statement> Connection::prepare(const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &made, nullptr) !=
      SQLITE_OK)
    return fail(failure());
  return Statement(made);
}

Error Connection::failure() const {
  const ErrorCode code = code_of(sqlite3_errcode(database_), sqlite3_system_errno(database_));
  std::string what = code == ErrorCode::memory_budget
                         ? "SQLite needs more memory than --max-memory=" + memory_limit_text()
                         : fmt::format("SQLite: {}", sqlite3_errmsg(database_));
  return Error{code, std::move(what), kNoOffset, {}, {}};
}

}  // namespace hdb::inspect::sql
