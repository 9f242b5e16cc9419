// One save in the background, from waiting to its result.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "hdb/save.hpp"

namespace hdb {

/// Any thread.
//
//   SJ1  waiting -> running -> ended, or waiting -> ended; the result is there exactly from `ended`
//        on, and never changes.
//   SJ2  Once ended, it holds neither the snapshot nor anything of the program's but the result.
class SaveJob final : public std::enable_shared_from_this<SaveJob> {
 public:
  /// `target` names where the save goes, for errors.
  SaveJob(Snapshot snapshot, std::string target, SaveTarget::Write write, SaveOptions options);

  /// Saves, unless it has ended. Whatever the save ends with, an exception included, becomes the
  /// result.
  void run() noexcept;
  /// Ends it unless it runs or has ended.
  void end(Error error) noexcept;

  [[nodiscard]] const std::string& target() const noexcept { return target_; }
  /// Of the capture.
  [[nodiscard]] std::uint64_t moment() const noexcept { return moment_; }
  [[nodiscard]] bool is_waiting() const noexcept;
  [[nodiscard]] bool done() const noexcept;
  [[nodiscard]] Progress progress() const;
  void cancel() noexcept;
  [[nodiscard]] const Result<SaveReport>& result();

 private:
  enum class Stage : std::uint8_t { waiting, running, ended };
  [[nodiscard]] Result<SaveReport> save_guarded() noexcept;
  void note(const Progress& progress);
  void note_outer_cancel() noexcept;
  void finish(Result<SaveReport> result) noexcept;

  const std::string target_;
  const std::uint64_t moment_;
  Snapshot snapshot_;  // these three are the runner's, once it runs
  SaveTarget::Write write_;
  SaveOptions options_;
  const std::atomic<bool>* outer_cancel_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  Stage stage_ = Stage::waiting;              // guarded by mutex_
  std::optional<Result<SaveReport>> result_;  // guarded by mutex_
  Progress progress_;                         // guarded by mutex_
};

}  // namespace hdb
