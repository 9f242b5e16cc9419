// The driver of PostgreSQL: one connection to a server, its pipelines, and its errors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "archive/sql/sql_connection.hpp"
#include "hdb/error.hpp"

namespace hdb::archive {

struct PgClear {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using PgRows = std::unique_ptr<PGresult, PgClear>;

/// A server as an URL names it.
struct PgServer {
  std::string url;              ///< With the password: for libpq alone.
  std::string place;            ///< Without it: for messages.
  bool has_many_hosts = false;  ///< One of them is the primary, which may change.
};

/// The server of an URL. Errors: bad_options; the text never has the password.
[[nodiscard]] Result<PgServer> parse_server(const std::string& url);

class PgConnection final : public SqlConnection {
 public:
  /// Connects, and makes the session durable. Keeps a reference to `server`.
  [[nodiscard]] static SqlResultOf<std::unique_ptr<SqlConnection>> open(const PgServer& server,
                                                                        Clock::time_point deadline);

  /// Prepares the statement if it has parameters, and runs it in a pipeline.
  SqlResultOf<std::vector<SqlRows>> run_each(const std::string& sql,
                                             std::span<const SqlValues> values) override;
  SqlResultOf<void> begin() override { return done(run("BEGIN")); }
  SqlResultOf<void> begin_create() override;
  /// Fails if the server did not confirm that the transaction is durable everywhere.
  SqlResultOf<void> commit() override;
  const SqlDialect& dialect() const noexcept override;
  SqlResultOf<std::int64_t> epoch() override;
  SqlResultOf<void> raise_epoch() override {
    return done(run("UPDATE hdb_archive SET epoch = epoch + 1"));
  }
  SqlResultOf<bool> has_table(const std::string& name) override;
  void tune_tables() override;
  SqlResultOf<void> lock(HoldKind kind, Clock::time_point deadline) override;
  bool unlock() override { return run("SELECT pg_advisory_unlock_all()").has_value(); }
  bool is_broken() const noexcept override { return PQstatus(connection_.get()) != CONNECTION_OK; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };

  PgConnection(const PgServer& server, PGconn* connection);
  [[nodiscard]] SqlFailure failure(const PGresult* rows) const;
  [[nodiscard]] SqlResultOf<PgRows> checked(PgRows rows) const;
  [[nodiscard]] SqlResultOf<std::vector<SqlRows>> run_prepared(const std::string& name,
                                                               std::span<const SqlValues> values);
  template <class T>
  static SqlResultOf<void> done(const SqlResultOf<T>& result) {
    if (!result) return tl::unexpected(result.error());
    return {};
  }

  const PgServer& server_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<std::string> prepared_;  // statements; the place is the name
  bool warned_ = false;                // by the server, since a commit began
};

}  // namespace hdb::archive
