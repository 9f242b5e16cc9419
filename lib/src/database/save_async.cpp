// A save in the background: its own thread or the engine's, progress, cancellation, a result that is never lost.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "hdb/database/save.hpp"

namespace hdb {

struct Saving::State {
  std::mutex mutex;
  std::condition_variable finished;
  std::optional<Result<SaveReport>> result;  // guarded by mutex
  Progress progress;                         // guarded by mutex
  std::atomic<bool> cancelled{false};
  const std::atomic<bool>* outer_cancel = nullptr;
  std::thread worker;  // touched by the owner of the Saving alone

  void finish(Result<SaveReport> value) {
    const std::lock_guard lock(mutex);
    result = std::move(value);
    finished.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return result.has_value(); });
  }
  void join() {
    wait();
    if (worker.joinable()) worker.join();
  }
};

namespace {

// Whatever the save ends with, an exception included, becomes its result.
Result<SaveReport> save_guarded(const Snapshot& snapshot, const std::string& path,
                                const SaveOptions& options) {
  try {
    return save(snapshot, path, options);
  } catch (const std::bad_alloc&) {
    return fail(Error{ErrorCode::memory_budget, "out of memory", kNoOffset,
                      "saving in the background", path});
  } catch (const std::exception& error) {
    return fail(Error{ErrorCode::user_code_threw, error.what(), kNoOffset,
                      "saving in the background", path});
  }
}

// Where no thread is to be had the save runs here: late, but never lost.
template <class State, class Run>
void start_worker(State& state, std::shared_ptr<Run> run) {
  try {
    state.worker = std::thread([run] { (*run)(); });
  } catch (const std::system_error&) {
    (*run)();
  }
}

}  // namespace

Saving save_async(Snapshot snapshot, std::string path, SaveOptions options) {
  auto state = std::make_shared<Saving::State>();
  state->outer_cancel = options.cancel;
  options.cancel = &state->cancelled;
  auto background = std::move(options.background);
  auto run = [state, snapshot = std::move(snapshot), path = std::move(path),
              options = std::move(options)]() mutable {
    const auto tell = options.on_progress;
    options.on_progress = [&](const Progress& progress) {
      {
        const std::lock_guard lock(state->mutex);
        state->progress = progress;
      }
      if (state->outer_cancel != nullptr && *state->outer_cancel) state->cancelled = true;
      if (tell) tell(progress);
    };
    auto result = save_guarded(snapshot, path, options);
    snapshot = Snapshot();  // pages go back before the result is seen
    state->finish(std::move(result));
  };
  if (background) {
    background(std::move(run));
  } else {
    start_worker(*state, std::make_shared<decltype(run)>(std::move(run)));
  }
  return Saving(std::move(state));
}

Saving& Saving::operator=(Saving&& other) noexcept {
  if (this != &other) {
    if (state_) state_->join();
    state_ = std::move(other.state_);
  }
  return *this;
}

Saving::~Saving() {
  if (state_) state_->join();
}

bool Saving::done() const noexcept {
  const std::lock_guard lock(state_->mutex);
  return state_->result.has_value();
}

Progress Saving::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->progress;
}

void Saving::cancel() noexcept { state_->cancelled = true; }

const Result<SaveReport>& Saving::result() {
  state_->wait();
  return *state_->result;
}

}  // namespace hdb
