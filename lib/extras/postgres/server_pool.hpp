// The connections to one server: opened as needed, used again, and replaced when they break.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "postgres/connection.hpp"

namespace hdb::archive {

/// The longest pause between two attempts.
inline constexpr std::chrono::milliseconds kLongestPause{1000};

/// Any thread may call any member.
class ServerPool {
 public:
  ServerPool(PgServer server, std::chrono::milliseconds patience)
      : server_(std::move(server)), patience_(patience) {}

  [[nodiscard]] const PgServer& server() const noexcept { return server_; }

  /// A connection that nobody else uses. Give it back with `put_back`.
  [[nodiscard]] PgResultOf<std::unique_ptr<PgConnection>> take(
      PgConnection::Clock::time_point deadline) {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<PgConnection> connection = std::move(idle_.back());
        idle_.pop_back();
        if (!connection->is_broken()) return connection;
      }
    }
    return PgConnection::open(server_, deadline);
  }
  void put_back(std::unique_ptr<PgConnection> connection) {
    if (connection->is_broken()) return;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
  }

  /// Calls work(connection, 1) once.
  template <class Work>
  auto once(const Work& work) -> decltype(work(std::declval<PgConnection&>(), 0U)) {
    auto connection = take(PgConnection::Clock::now() + std::chrono::seconds(10));
    if (!connection) return tl::unexpected(std::move(connection.error()));
    auto result = work(**connection, 1U);
    if (result) put_back(*std::move(connection));
    return result;
  }

  /// Calls work(connection, attempt) until it succeeds, fails for good, or the patience is over. It
  /// must be a whole transaction, which may be done twice.
  template <class Work>
  auto with(const Work& work) -> decltype(work(std::declval<PgConnection&>(), 0U)) {
    const auto deadline = PgConnection::Clock::now() + patience_;
    std::chrono::milliseconds pause{20};
    for (unsigned attempt = 1;; ++attempt) {
      PgFailure failed;
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
      // Without another server that may take over, one that only reads stays so.
      const bool waits = failed.is_transient && (failed.state != "25006" || server_.has_many_hosts);
      if (!waits || PgConnection::Clock::now() + pause > deadline)
        return tl::unexpected(std::move(failed));
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
  }

 private:
  static constexpr std::size_t kMostIdle = 16;
  const PgServer server_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PgConnection>> idle_;  // guarded by mutex_
};

}  // namespace hdb::archive
