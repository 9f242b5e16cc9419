// Starting a task in the background, such that its owner hears of it whatever the executor does.
#pragma once

#include <functional>
#include <memory>

#include "hdb/error.hpp"

namespace hdb {

/// Takes a task and runs it, now or later, on any thread.
using Background = std::function<void(std::function<void()> task)>;

/// Work for the background. Exactly one of both is called, once.
class BackgroundTask {
 public:
  virtual ~BackgroundTask() = default;
  virtual void run() noexcept = 0;
  /// The executor threw, or dropped the task.
  virtual void refused(Error reason) noexcept = 0;
};

/// Gives the task to `background`, which is not empty.
void run_in_background(const Background& background, std::shared_ptr<BackgroundTask> task);

/// An error without an exception: the text is left out where there is no memory for it.
[[nodiscard]] Error error_without_throwing(ErrorCode code, const char* what,
                                           const std::string& file = {}) noexcept;

}  // namespace hdb
