// A PostgreSQL server of a test's own: in a temporary folder, on a socket in it.
#pragma once

#include <string>

namespace hdb::test {

/// Starts at the first call of `start`, ends with the object. Each call returns whether it worked.
class PostgresServer {
 public:
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Makes the data folder.
  [[nodiscard]] bool init();
  /// Makes it as a standby of another server, whose data it copies.
  [[nodiscard]] bool init_standby(const PostgresServer& primary);
  [[nodiscard]] bool start(const std::string& options = {});
  /// As kill -9 of all its processes: nothing is written any more.
  bool kill();
  [[nodiscard]] bool promote();
  /// From now on users need their passwords, as this one, but not the administrator.
  [[nodiscard]] bool require_password_of(const std::string& user) const;
  /// Runs SQL as the administrator.
  bool sql(const std::string& text, const std::string& database = "postgres") const;

  /// The folder of its socket.
  [[nodiscard]] const std::string& socket() const noexcept { return folder_; }
  /// An URL of a database. `user` may have a password: "joe:secret".
  [[nodiscard]] std::string url(const std::string& database = "postgres",
                                const std::string& user = "hdb") const;

 private:
  [[nodiscard]] bool run(const std::string& command) const;

  std::string folder_;
};

}  // namespace hdb::test
