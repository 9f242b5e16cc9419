// One connection to a PostgreSQL server: opening, statements, pipelines, and what its errors mean.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"

namespace hdb::archive {

/// Why a call failed.
struct PgFailure {
  Error error;
  std::string state = {};     ///< The SQLSTATE; empty: the server did not answer.
  bool is_transient = false;  ///< The same call may succeed later, on a new connection.
};
template <class T>
using PgResultOf = tl::expected<T, PgFailure>;

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

/// The statements that a connection prepares.
enum class PgStatement { get, has, put, remove, list, epoch };

/// The parameters of a statement.
using PgValues = std::vector<std::span<const std::byte>>;

/// The bytes in a field of a row.
[[nodiscard]] std::span<const std::byte> bytes_in(const PGresult* rows, int row, int column);

/// Not for several threads at once. After a failure that is transient, it is of no more use.
class PgConnection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects, and makes the session durable and ready.
  [[nodiscard]] static PgResultOf<std::unique_ptr<PgConnection>> open(const PgServer& server,
                                                                      Clock::time_point deadline);

  /// Runs one statement without parameters.
  [[nodiscard]] PgResultOf<PgRows> run(const std::string& sql);
  /// Prepares the statements, whose tables must exist.
  [[nodiscard]] PgResultOf<void> prepare();
  /// Runs a prepared statement once for each of `values`, in one round trip.
  [[nodiscard]] PgResultOf<std::vector<PgRows>> run_each(PgStatement statement,
                                                         std::span<const PgValues> values);
  /// Ends a transaction. Fails if the server did not confirm that it is durable everywhere.
  [[nodiscard]] PgResultOf<void> commit();

  [[nodiscard]] bool is_broken() const noexcept {
    return PQstatus(connection_.get()) != CONNECTION_OK;
  }
  [[nodiscard]] bool is_prepared() const noexcept { return prepared_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };

  PgConnection(const PgServer& server, PGconn* connection);
  [[nodiscard]] PgFailure failure(const PGresult* rows) const;
  [[nodiscard]] PgResultOf<PgRows> checked(PgRows rows) const;

  const PgServer& server_;
  std::unique_ptr<PGconn, Finish> connection_;
  bool prepared_ = false;
  bool warned_ = false;  // by the server, since a commit began
};

}  // namespace hdb::archive
