// The driver of SQLite: one connection to an archive file, its statements, and its errors.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "archive/sql/sql_connection.hpp"
#include "files/os_calls.hpp"

namespace hdb::archive {

/// An archive file, and the files beside it.
struct SqlitePlace {
  std::string path;  ///< As the caller gave it, for messages.
  std::string folder;
  std::string name;
};

/// Makes the reserve, a file beside the archive that is removed when the disk is full, so that
/// saves can be removed. Without room, there is none.
void make_reserve(const SqlitePlace& place);
/// Returns whether there was a reserve.
[[nodiscard]] bool remove_reserve(const SqlitePlace& place);

/// Transactions are durable when they return: the journal is a write-ahead log that is synced at
/// each commit.
class SqliteConnection final : public SqlConnection {
 public:
  /// Opens the file; with `create`, makes it if nothing has its name. Keeps a reference to `place`.
  [[nodiscard]] static SqlResultOf<std::unique_ptr<SqlConnection>> open(const SqlitePlace& place,
                                                                        bool create,
                                                                        Clock::time_point deadline);
  ~SqliteConnection() override;

  /// Damage of an archive file that SQLite does not notice, and that would make it write over rows
  /// or read none of them. `id` is the id in hdb_archive. Looks up each save.
  [[nodiscard]] static std::optional<Error> fault_of(const SqlitePlace& place, const Hash128& id);
  /// Whether a newer version of hdb made the tables: its version is in the header, too.
  [[nodiscard]] static bool is_newer(const SqlitePlace& place);

  SqlResultOf<std::vector<SqlRows>> run_each(const std::string& sql,
                                             std::span<const SqlValues> values) override;
  SqlResultOf<void> begin() override { return done(run("BEGIN IMMEDIATE")); }
  SqlResultOf<void> begin_create() override;
  SqlResultOf<void> commit() override { return done(run("COMMIT")); }
  const SqlDialect& dialect() const noexcept override;
  /// The locks of an archive file do not end with a connection, so it needs no epochs.
  SqlResultOf<std::int64_t> epoch() override { return 0; }
  SqlResultOf<void> raise_epoch() override { return {}; }
  SqlResultOf<bool> has_table(const std::string& name) override;
  SqlResultOf<std::vector<std::string>> check() override;
  /// The file archive has the locks. After a collection, the file becomes smaller.
  SqlResultOf<void> lock(HoldKind kind, Clock::time_point) override {
    lock_kind_ = kind;
    return {};
  }
  bool unlock() override;
  bool is_broken() const noexcept override { return is_broken_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  SqliteConnection(const SqlitePlace& place, sqlite3* database)
      : place_(place), database_(database) {}
  [[nodiscard]] SqlFailure failure();
  [[nodiscard]] SqlResultOf<void> make_ready(bool create);
  [[nodiscard]] std::string header_fault();
  [[nodiscard]] SqlResultOf<sqlite3_stmt*> statement(const std::string& sql);
  template <class T>
  static SqlResultOf<void> done(const SqlResultOf<T>& result) {
    if (!result) return tl::unexpected(result.error());
    return {};
  }

  const SqlitePlace& place_;
  sqlite3* const database_;
  std::map<std::string, Statement> statements_;
  HoldKind lock_kind_ = HoldKind::write;
  bool is_broken_ = false;
};

}  // namespace hdb::archive
