// A table of bodies in SQLite, as a game would keep its save in one: a row for each body, a column
// for each number, the write-ahead log, and a commit that is durable when it returns.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "records.hpp"

namespace hdb::bench {

class SqliteTable {
 public:
  /// Makes a file with these bodies.
  SqliteTable(const std::string& path, std::span<const Body> bodies) {
    check(sqlite3_open(path.c_str(), &database_));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE bodies(slot INTEGER PRIMARY KEY, id, x, y, z, vx, vy, vz, health, state,"
        " target, age, speed)");
    Statement insert(database_, "INSERT INTO bodies VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    run("BEGIN");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Body& body = bodies[i];
      insert.bind(std::int64_t(i), std::int64_t(body.id), body.position.x, body.position.y,
                  body.position.z, body.velocity.x, body.velocity.y, body.velocity.z, body.health,
                  std::int64_t{body.state}, std::int64_t(body.target), body.age, body.speed);
      insert.run();
    }
    run("COMMIT");
    run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  /// Opens a file that another one made.
  explicit SqliteTable(const std::string& path) { check(sqlite3_open(path.c_str(), &database_)); }
  ~SqliteTable() { sqlite3_close(database_); }
  SqliteTable(const SqliteTable&) = delete;
  SqliteTable& operator=(const SqliteTable&) = delete;

  /// Writes the positions of these bodies, of which the first is `first`, and commits.
  void update(std::size_t first, std::span<const Body> bodies) {
    Statement update(database_, "UPDATE bodies SET x=?, y=?, z=? WHERE slot=?");
    run("BEGIN");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      update.bind(bodies[i].position.x, bodies[i].position.y, bodies[i].position.z,
                  std::int64_t(first + i));
      update.run();
    }
    run("COMMIT");
  }

  /// All bodies, in the order of their slots.
  [[nodiscard]] std::vector<Body> read() {
    std::vector<Body> bodies;
    Statement all(database_, "SELECT * FROM bodies ORDER BY slot");
    while (all.next()) {
      const auto real = [&](int at) { return static_cast<float>(all.real(at)); };
      bodies.push_back({std::uint64_t(all.integer(1)),
                        {real(2), real(3), real(4)},
                        {real(5), real(6), real(7)},
                        std::int32_t(all.integer(8)),
                        std::uint32_t(all.integer(9)),
                        std::uint64_t(all.integer(10)),
                        all.real(11),
                        all.real(12)});
    }
    return bodies;
  }

 private:
  static void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
      throw std::runtime_error("SQLite: " + std::string(sqlite3_errstr(code)));
    }
  }

  class Statement {
   public:
    Statement(sqlite3* database, const char* text) {
      check(sqlite3_prepare_v2(database, text, -1, &statement_, nullptr));
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    template <class... Values>
    void bind(Values... values) {
      int at = 0;
      (bind_one(++at, values), ...);
    }
    /// Whether the statement has another row.
    bool next() {
      const int code = sqlite3_step(statement_);
      check(code);
      return code == SQLITE_ROW;
    }
    [[nodiscard]] double real(int at) { return sqlite3_column_double(statement_, at); }
    [[nodiscard]] std::int64_t integer(int at) { return sqlite3_column_int64(statement_, at); }
    void run() {
      check(sqlite3_step(statement_));
      check(sqlite3_reset(statement_));
    }

   private:
    void bind_one(int at, double value) { check(sqlite3_bind_double(statement_, at, value)); }
    void bind_one(int at, float value) { bind_one(at, double{value}); }
    void bind_one(int at, std::int32_t value) { bind_one(at, std::int64_t{value}); }
    void bind_one(int at, std::int64_t value) { check(sqlite3_bind_int64(statement_, at, value)); }

    sqlite3_stmt* statement_ = nullptr;
  };

  void run(const char* text) { check(sqlite3_exec(database_, text, nullptr, nullptr, nullptr)); }

  sqlite3* database_ = nullptr;
};

}  // namespace hdb::bench
