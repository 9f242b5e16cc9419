// Runs initdb, pg_ctl and their like, as the user postgres where the test is root.
#include "archive/postgres_server.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace hdb::test {
namespace {

namespace fs = std::filesystem;

std::string as_user() { return ::geteuid() == 0 ? "runuser -u postgres -- " : ""; }

}  // namespace

PostgresServer::PostgresServer() {
  char name[] = "/tmp/hdb_pg_XXXXXX";
  if (::mkdtemp(name) != nullptr) folder_ = name;
  fs::permissions(folder_, fs::perms::all);
}

PostgresServer::~PostgresServer() {
  if (fs::exists(folder_ + "/data/postmaster.pid")) kill();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool PostgresServer::run(const std::string& command) const {
  const std::string path = "PATH=" HDB_POSTGRES_PROGRAMS ":$PATH; ";
  const std::string whole = "cd " + folder_ + " && " + as_user() + "sh -c '" + path + command +
                            "' >>" + folder_ + "/commands.log 2>&1";
  return std::system(whole.c_str()) == 0;
}

bool PostgresServer::init() {
  return run("initdb -D data -A trust -U hdb -E UTF8 --locale=C --no-sync");
}

bool PostgresServer::init_standby(const PostgresServer& primary) {
  return run("pg_basebackup -D data -R -X stream -U hdb -c fast -h " + primary.socket());
}

bool PostgresServer::start(const std::string& options) {
  return run("pg_ctl -D data -l server.log -w -t 3600 -o \"-k " + folder_ +
             " -c listen_addresses= -c max_connections=60 " + options + "\" start");
}

bool PostgresServer::kill() {
  // The children are in sessions of their own. A server that is stopped starts no more of them.
  return run(
      "pid=$(head -1 data/postmaster.pid); kill -STOP $pid; "
      "all=$(echo $pid $(ps -o pid= --ppid $pid)); kill -9 $all; "
      "while ps -o stat= -p \"$all\" | grep -q \"^[^Z]\"; do sleep 0.02; done; "
      "rm -f data/postmaster.pid .s.PGSQL.*; true");
}

bool PostgresServer::promote() { return run("pg_ctl -D data -w -t 3600 promote"); }

bool PostgresServer::require_password_of(const std::string& user) const {
  return run(
      "echo local all hdb trust > data/pg_hba.conf; "
      "echo local all all scram-sha-256 >> data/pg_hba.conf; pg_ctl -D data reload; "
      "while psql -l -w -U " +
      user + " -h " + folder_ + "; do sleep 0.02; done");
}

bool PostgresServer::sql(const std::string& text, const std::string& database) const {
  std::ofstream(folder_ + "/statements.sql") << text << ";\n";
  return run("psql -q -v ON_ERROR_STOP=1 -U hdb -h " + folder_ + " -d " + database +
             " -f statements.sql");
}

std::string PostgresServer::url(const std::string& database, const std::string& user) const {
  return "postgresql://" + user + "@/" + database + "?host=" + folder_;
}

}  // namespace hdb::test
