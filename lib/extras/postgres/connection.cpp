// libpq with results that are checked.
#include "postgres/connection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>
#include <optional>

#include <poll.h>

namespace hdb::archive {
namespace {

// The number of the advisory locks, "hdb arc".
const std::string kLockKey = "7521962899108454";

// The first line of a message, without LOCATION and the like.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// "FATAL:  28P01: password authentication failed": the SQLSTATE in a verbose message.
std::string state_in(std::string_view text) {
  for (std::size_t at = 0; at + 7 <= text.size(); ++at) {
    if (text.substr(at, 2) != "  " && text.substr(at, 2) != ": ") continue;
    const std::string_view state = text.substr(at + 2, 5);
    bool fits = at + 7 < text.size() && text[at + 7] == ':';
    for (const char c : state) fits = fits && (std::isdigit(c) != 0 || (c >= 'A' && c <= 'Z'));
    if (fits && std::isdigit(state[0]) != 0) return std::string(state);
  }
  return {};
}

// A server that ends, starts, is full, or changes its role; transactions that met.
bool is_transient_state(std::string_view state) {
  return state.empty() || state.starts_with("08") || state.starts_with("57P") || state == "53300" ||
         state.starts_with("40") || state == "25006";
}

ErrorCode code_of_state(std::string_view state) {
  if (is_transient_state(state) && state != "25006") return ErrorCode::archive_unreachable;
  if (state == "25006") return ErrorCode::archive_read_only;
  if (state == "55P03") return ErrorCode::save_busy;
  if (state == "42P01" || state == "42703") return ErrorCode::not_an_archive;
  if (state == "53100") return ErrorCode::disk_full;
  // Errors of the system, of its other resources, and of the server itself.
  if (state.starts_with("53") || state.starts_with("58") || state.starts_with("XX"))
    return ErrorCode::io_failed;
  return ErrorCode::archive_refused;
}

// Without another server that may take over, one that only reads stays so.
SqlFailure failure_at(const PgServer& server, std::string what, std::string_view state,
                      bool is_transient) {
  return {{code_of_state(state), std::move(what), kNoOffset, {}, server.place},
          is_transient && (state != "25006" || server.has_many_hosts)};
}

// A field in the binary format.
SqlField field_in(const PGresult* rows, int row, int column) {
  constexpr Oid kBytea = 17;
  constexpr Oid kText = 25;
  const auto* const data = reinterpret_cast<const std::byte*>(PQgetvalue(rows, row, column));
  const auto size = static_cast<std::size_t>(PQgetlength(rows, row, column));
  if (PQftype(rows, column) == kBytea || PQftype(rows, column) == kText)
    return Bytes(data, data + size);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
    number = number << 8 | std::to_integer<std::uint64_t>(data[i]);
  return static_cast<std::int64_t>(number);
}

// A parameter in the binary format. A number is written to `number`.
std::string_view in_binary(const SqlValue& value, std::array<char, 8>& number) {
  if (const auto* const text = std::get_if<std::string_view>(&value)) return *text;
  if (const auto* const bytes = std::get_if<std::span<const std::byte>>(&value))
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  const auto bits = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
  for (std::size_t i = 0; i < number.size(); ++i)
    number[i] = static_cast<char>(bits >> (56 - 8 * i));
  return {number.data(), number.size()};
}

SqlRows rows_in(const PGresult* result) {
  SqlRows found;
  found.rows.resize(static_cast<std::size_t>(PQntuples(result)));
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    for (int column = 0; column < PQnfields(result); ++column)
      found.rows[row].push_back(field_in(result, static_cast<int>(row), column));
  }
  found.changed = std::strtoull(PQcmdTuples(const_cast<PGresult*>(result)), nullptr, 10);
  return found;
}

}  // namespace

Result<PgServer> parse_server(const std::string& url) {
  const auto options = std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)>(
      PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  if (!options) {
    // The text of libpq would repeat the URL, with its password.
    return fail(ErrorCode::bad_options,
                "the URL cannot be read; write postgresql://USER@HOST:PORT/DATABASE");
  }
  PgServer server;
  server.url = url;
  std::string host;
  std::string port;
  std::string user;
  std::string database;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "host" || (keyword == "hostaddr" && host.empty())) host = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "user") user = option->val;
    if (keyword == "dbname") database = option->val;
  }
  server.has_many_hosts = host.find(',') != std::string::npos;
  server.place = "postgresql://" + (user.empty() ? "" : user + "@") + host +
                 (port.empty() ? "" : ":" + port) + "/" + database;
  return server;
}

PgConnection::PgConnection(const PgServer& server, PGconn* connection)
    : server_(server), connection_(connection) {}

SqlResultOf<std::unique_ptr<SqlConnection>> PgConnection::open(const PgServer& server,
                                                               Clock::time_point deadline) {
  // A server that vanished is noticed within seconds, also while an answer is awaited.
  // What the URL says counts more: it comes last.
  const std::array<const char*, 9> names{"keepalives_idle",
                                         "keepalives_interval",
                                         "keepalives_count",
                                         "tcp_user_timeout",
                                         "application_name",
                                         "client_encoding",
                                         "target_session_attrs",
                                         "dbname",
                                         nullptr};
  const std::array<const char*, 9> values{"5",
                                          "2",
                                          "3",
                                          "15000",
                                          "hdb",
                                          "UTF8",
                                          server.has_many_hosts ? "read-write" : "any",
                                          server.url.c_str(),
                                          nullptr};
  std::unique_ptr<PgConnection> opened(
      new PgConnection(server, PQconnectStartParams(names.data(), values.data(), 1)));
  PGconn* const connection = opened->connection_.get();
  if (connection == nullptr) throw std::bad_alloc();
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);  // for the SQLSTATE
  PQsetNoticeReceiver(
      connection,
      [](void* self, const PGresult* notice) {
        const char* const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
        if (severity != nullptr && std::string_view(severity) == "WARNING")
          static_cast<PgConnection*>(self)->warned_ = true;
      },
      opened.get());
  for (PostgresPollingStatusType step = PGRES_POLLING_WRITING; step != PGRES_POLLING_OK;
       step = PQconnectPoll(connection)) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (step == PGRES_POLLING_FAILED || PQstatus(connection) == CONNECTION_BAD) {
      const std::string message = PQerrorMessage(connection);
      const std::string state = state_in(message);
      return tl::unexpected(
          failure_at(server, first_line(message), state, is_transient_state(state)));
    }
    pollfd socket{PQsocket(connection),
                  static_cast<short>(step == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    if (left <= 0 || ::poll(&socket, 1, static_cast<int>(std::min<long long>(left, 10000))) == 0) {
      return tl::unexpected(failure_at(server, "the server does not answer", {}, true));
    }
  }
  // What a commit reports must survive the server, and its standby if it has one.
  auto session = opened->run(
      "SELECT 1 FROM set_config('synchronous_commit', CASE WHEN "
      "current_setting('synchronous_commit') IN "
      "('off', 'local') THEN 'on' ELSE current_setting('synchronous_commit') END, false)");
  if (!session) return tl::unexpected(std::move(session.error()));
  return opened;
}

SqlFailure PgConnection::failure(const PGresult* rows) const {
  const char* const state = rows != nullptr ? PQresultErrorField(rows, PG_DIAG_SQLSTATE) : nullptr;
  const char* const text =
      rows != nullptr ? PQresultErrorField(rows, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  const bool broken = is_broken();
  std::string what = text != nullptr ? text : first_line(PQerrorMessage(connection_.get()));
  if (what.empty()) what = "the connection to the server broke";
  const std::string known = state != nullptr ? state : "";
  return failure_at(server_, std::move(what), known, broken || is_transient_state(known));
}

SqlResultOf<PgRows> PgConnection::checked(PgRows rows) const {
  const ExecStatusType status = rows ? PQresultStatus(rows.get()) : PGRES_FATAL_ERROR;
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return rows;
  return tl::unexpected(failure(rows.get()));
}

SqlResultOf<std::vector<SqlRows>> PgConnection::run_each(const std::string& sql,
                                                         std::span<const SqlValues> values) {
  if (values.size() == 1 && values[0].empty()) {
    auto rows = checked(PgRows(
        PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 1)));
    if (!rows) return tl::unexpected(std::move(rows.error()));
    return std::vector<SqlRows>{rows_in(rows->get())};
  }
  const auto known = std::find(prepared_.begin(), prepared_.end(), sql);
  const std::string name = "hdb_" + std::to_string(known - prepared_.begin());
  if (known == prepared_.end()) {
    auto made =
        checked(PgRows(PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr)));
    if (!made) return tl::unexpected(std::move(made.error()));
    prepared_.push_back(sql);
  }
  return run_prepared(name, values);
}

SqlResultOf<std::vector<SqlRows>> PgConnection::run_prepared(const std::string& name,
                                                             std::span<const SqlValues> values) {
  PGconn* const connection = connection_.get();
  std::vector<SqlRows> found;
  found.reserve(values.size());
  if (PQenterPipelineMode(connection) != 1) return tl::unexpected(failure(nullptr));
  std::vector<std::array<char, 8>> numbers;
  std::vector<const char*> pointers;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const SqlValues& each : values) {
    numbers.assign(each.size(), {});
    pointers.clear();
    lengths.clear();
    formats.clear();
    for (const SqlValue& value : each) {
      const std::string_view bytes = in_binary(value, numbers[pointers.size()]);
      pointers.push_back(bytes.empty() ? "" : bytes.data());
      lengths.push_back(static_cast<int>(bytes.size()));
      formats.push_back(1);  // binary
    }
    if (PQsendQueryPrepared(connection, name.c_str(), static_cast<int>(each.size()),
                            pointers.data(), lengths.data(), formats.data(), 1) != 1)
      return tl::unexpected(failure(nullptr));
  }
  if (PQpipelineSync(connection) != 1) return tl::unexpected(failure(nullptr));
  std::optional<SqlFailure> first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    PgRows rows(PQgetResult(connection));
    if (!rows && is_broken()) return tl::unexpected(failure(nullptr));
    const bool aborted = rows && PQresultStatus(rows.get()) == PGRES_PIPELINE_ABORTED;
    if (!aborted) {
      auto each = checked(std::move(rows));
      if (each) {
        found.push_back(rows_in(each->get()));
      } else if (!first) {
        first = std::move(each.error());
      }
    }
    PgRows end(PQgetResult(connection));  // null: the end of this statement
  }
  const PgRows sync(PQgetResult(connection));
  if (!first && (!sync || PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC))
    first = failure(sync.get());
  if (PQexitPipelineMode(connection) != 1 && !first) first = failure(nullptr);
  if (first) return tl::unexpected(*std::move(first));
  return found;
}

SqlResultOf<void> PgConnection::commit() {
  warned_ = false;
  auto ended = checked(PgRows(PQexec(connection_.get(), "COMMIT")));
  if (!ended) return tl::unexpected(std::move(ended.error()));
  // A transaction that failed commits as ROLLBACK. A warning says that the standby did not confirm.
  if (std::string_view(PQcmdStatus(ended->get())) == "COMMIT" && !warned_) return {};
  return tl::unexpected(failure_at(
      server_, warned_ ? "the standby did not confirm the commit" : "the server rolled back", {},
      true));
}

SqlResultOf<void> PgConnection::begin_create() {
  if (auto begun = begin(); !begun) return begun;
  return done(run("SELECT pg_advisory_xact_lock(" + kLockKey + " + 1)"));
}

const SqlDialect& PgConnection::dialect() const noexcept {
  static constexpr SqlDialect kDialect{"bytea", "text COLLATE \"C\"",
                                       "SELECT id, bytes FROM hdb_chunk WHERE id = $1"};
  return kDialect;
}

SqlResultOf<std::int64_t> PgConnection::epoch() {
  // Whoever only reads may lock no row, and has no transaction.
  const bool locks = PQtransactionStatus(connection_.get()) == PQTRANS_INTRANS;
  const auto rows = run(std::string("SELECT epoch FROM hdb_archive") + (locks ? " FOR SHARE" : ""));
  if (!rows) return tl::unexpected(rows.error());
  return rows->rows.empty() ? 0 : rows->number(0);
}

SqlResultOf<bool> PgConnection::has_table(const std::string& name) {
  const auto rows = run("SELECT to_regclass('" + name + "') IS NOT NULL");
  if (!rows) return tl::unexpected(rows.error());
  return rows->number(0) != 0;
}

void PgConnection::tune_tables() {
  // Objects are compressed already. Servers that do not know this do without.
  static_cast<void>(run("ALTER TABLE hdb_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL"));
}

SqlResultOf<void> PgConnection::lock(HoldKind kind, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  const std::string limit = std::to_string(std::max<long long>(1, left.count()));
  const std::string function =
      kind == HoldKind::write ? "pg_advisory_lock_shared(" : "pg_advisory_lock(";
  for (const std::string& sql :
       {"SET lock_timeout = " + limit, "SELECT " + function + kLockKey + ")",
        std::string("SET lock_timeout = 0")}) {
    if (auto ran = run(sql); !ran) return tl::unexpected(std::move(ran.error()));
  }
  return {};
}

}  // namespace hdb::archive
