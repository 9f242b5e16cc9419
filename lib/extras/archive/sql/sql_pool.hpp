// The connections to one database: opened as needed, used again, and replaced when they break.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "archive/sql/sql_connection.hpp"

namespace hdb::archive {

/// The longest pause between two attempts.
inline constexpr std::chrono::milliseconds kLongestPause{1000};

/// Any thread may call any member.
class SqlPool {
 public:
  SqlPool(std::unique_ptr<SqlDatabase> database, std::chrono::milliseconds patience)
      : database_(std::move(database)), patience_(patience) {}

  [[nodiscard]] const std::string& place() const noexcept { return database_->place(); }

  [[nodiscard]] SqlDatabase& database() noexcept { return *database_; }

  /// A connection that nobody else uses. Give it back with `put_back`.
  [[nodiscard]] SqlResultOf<std::unique_ptr<SqlConnection>> take(
      SqlConnection::Clock::time_point deadline) {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<SqlConnection> connection = std::move(idle_.back());
        idle_.pop_back();
        if (!connection->is_broken()) return connection;
      }
    }
    return database_->open(deadline);
  }
  void put_back(std::unique_ptr<SqlConnection> connection) {
    if (connection->is_broken()) return;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
  }

  /// Calls work(connection, 1) once.
  template <class Work>
  auto once(const Work& work) -> decltype(work(std::declval<SqlConnection&>(), 0U)) {
    auto connection = take(SqlConnection::Clock::now() + std::chrono::seconds(10));
    if (!connection) return tl::unexpected(std::move(connection.error()));
    auto result = work(**connection, 1U);
    if (result) put_back(*std::move(connection));
    return result;
  }

  /// Calls work(connection, attempt) until it succeeds, fails for good, or the patience is over. It
  /// must be a whole transaction, which may be done twice.
  template <class Work>
  auto with(const Work& work) -> decltype(work(std::declval<SqlConnection&>(), 0U)) {
    const auto deadline = SqlConnection::Clock::now() + patience_;
    std::chrono::milliseconds pause{20};
    for (unsigned attempt = 1;; ++attempt) {
      SqlFailure failed;
      if (auto connection = take(deadline); !connection) {
        failed = std::move(connection.error());
      } else {
        auto result = work(**connection, attempt);
        if (result) {
          put_back(*std::move(connection));
          return result;
        }
        failed = std::move(result.error());  // the connection goes, with its transaction
      }
      if (!failed.is_transient || SqlConnection::Clock::now() + pause > deadline)
        return tl::unexpected(std::move(failed));
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
  }

 private:
  static constexpr std::size_t kMostIdle = 16;
  const std::unique_ptr<SqlDatabase> database_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SqlConnection>> idle_;  // guarded by mutex_
};

}  // namespace hdb::archive
