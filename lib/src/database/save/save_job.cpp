// A save in the background: progress, cancellation, a result that is never lost.
#include "database/save/save_job.hpp"

#include <exception>
#include <new>
#include <utility>

#include "database/save/background.hpp"
#include "database/save/capture_order.hpp"
#include "hdb/assert.hpp"

namespace hdb {

SaveJob::SaveJob(Snapshot snapshot, std::string target, SaveTarget::Write write,
                 SaveOptions options)
    : target_(std::move(target)),
      moment_(moment_of(snapshot)),
      snapshot_(std::move(snapshot)),
      write_(std::move(write)),
      options_(std::move(options)),
      outer_cancel_(options_.write.cancel) {
  options_.write.cancel = &cancelled_;
  options_.write.on_progress =
      [this, tell = std::move(options_.write.on_progress)](const Progress& progress) {
        note(progress);
        if (tell) tell(progress);
        note_outer_cancel();
      };
}

void SaveJob::note(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void SaveJob::note_outer_cancel() noexcept {
  if (outer_cancel_ != nullptr && *outer_cancel_) cancelled_ = true;
}

Result<SaveReport> SaveJob::save_guarded() noexcept {
  const auto failed = [&](ErrorCode code, const char* what) {
    return fail(error_without_throwing(code, what, target_));
  };
  note_outer_cancel();
  if (cancelled_) return failed(ErrorCode::cancelled, "cancelled before it began");
  try {
    return write_(snapshot_, options_);
  } catch (const std::bad_alloc&) {
    return failed(ErrorCode::memory_budget, "out of memory");
  } catch (const std::exception& error) {
    return failed(ErrorCode::user_code_threw, error.what());
  } catch (...) {
    return failed(ErrorCode::user_code_threw, "an exception of an unknown type");
  }
}

void SaveJob::run() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::waiting) return;
    stage_ = Stage::running;
  }
  finish(save_guarded());
}

void SaveJob::end(Error error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::waiting) return;
    stage_ = Stage::running;  // ours: nobody else runs or ends it
  }
  finish(fail(std::move(error)));
}

void SaveJob::finish(Result<SaveReport> result) noexcept {
  // SJ2; pages go back before the result is seen.
  snapshot_ = Snapshot();
  write_ = nullptr;
  options_ = SaveOptions();
  const std::lock_guard lock(mutex_);
  result_.emplace(std::move(result));
  stage_ = Stage::ended;
  ended_.notify_all();
}

bool SaveJob::is_waiting() const noexcept {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::waiting;
}

bool SaveJob::done() const noexcept {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::ended;
}

Progress SaveJob::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void SaveJob::cancel() noexcept {
  cancelled_ = true;
  end(error_without_throwing(ErrorCode::cancelled, "cancelled before it began", target_));
}

const Result<SaveReport>& SaveJob::result() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return stage_ == Stage::ended; });
  return *result_;
}

// --- what observes a job

SaveJob& Saving::job() const noexcept {
  HDB_REQUIRE(job_ != nullptr, "the Saving is empty: assign what save_async returned to it");
  return *job_;
}

bool Saving::done() const noexcept { return job().done(); }
Progress Saving::progress() const { return job().progress(); }
void Saving::cancel() noexcept { job().cancel(); }
const Result<SaveReport>& Saving::result() const { return job().result(); }

}  // namespace hdb
