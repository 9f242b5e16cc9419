// Tasks on threads and executors.
#include "database/save/background.hpp"

#include <atomic>
#include <exception>
#include <utility>

namespace hdb {
namespace {

// Shared by all copies of the function that an executor holds: the last one to go reports that none
// was called.
class Once {
 public:
  explicit Once(std::shared_ptr<BackgroundTask> task) : task_(std::move(task)) {}
  ~Once() { refuse(ErrorCode::not_run, "the executor dropped the task without running it"); }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  void run() noexcept {
    if (!used_.exchange(true)) task_->run();
  }
  void refuse(ErrorCode code, const char* what) noexcept {
    if (!used_.exchange(true)) task_->refused(error_without_throwing(code, what));
  }

 private:
  std::shared_ptr<BackgroundTask> task_;
  std::atomic<bool> used_{false};
};

}  // namespace

Error error_without_throwing(ErrorCode code, const char* what, const std::string& file) noexcept {
  Error error;
  error.code = code;
  try {
    error.what = what;
    error.where = "saving in the background";
    error.file = file;
  } catch (...) {  // the code alone must do
  }
  return error;
}

void run_in_background(const Background& background, std::shared_ptr<BackgroundTask> task) {
  const auto once = std::make_shared<Once>(std::move(task));
  try {
    background([once] { once->run(); });
  } catch (const std::exception& error) {
    once->refuse(ErrorCode::not_run, error.what());
  } catch (...) {
    once->refuse(ErrorCode::not_run, "the executor threw an exception");
  }
}

}  // namespace hdb
