// The queue behind an Autosaver or save_async, and the thread or task that works it off.
#include "hdb/autosaver.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "database/save/background.hpp"
#include "database/save/capture_order.hpp"
#include "database/save/save_folder.hpp"
#include "database/save/save_job.hpp"
#include "files/save_target.hpp"
#include "hdb/chunk_cache.hpp"

namespace hdb {

// Jobs in the order in which their turn, or at least their report, comes. Tasks that an executor
// runs late hold it too.
//
//   AQ1  Whoever set active_ works the queue off: jobs run, and are reported, by one thread at a
//        time.
//   AQ2  While a job of the queue waits, somebody is active, a task is posted, or the thread wakes.
class SaveQueue : public std::enable_shared_from_this<SaveQueue> {
 public:
  explicit SaveQueue(AutosaverOptions options)
      : options_(std::move(options)), cache_(options_.cache_bytes) {}

  std::shared_ptr<SaveJob> add(Snapshot snapshot, const SaveTarget& target, SaveOptions options);
  void flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !active_ && jobs_.empty(); });
  }
  void close(Closing how);
  /// Works the queue off, unless somebody does.
  void drain() noexcept;
  /// Ends all that wait: nobody will run them.
  void give_up(const Error& reason) noexcept;

  [[nodiscard]] std::shared_ptr<SaveJob> last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  [[nodiscard]] const AutosaverOptions& options() const noexcept { return options_; }
  [[nodiscard]] const ChunkCache& cache() const noexcept { return cache_; }

 private:
  using Job = std::shared_ptr<SaveJob>;
  /// What this autosaver saved to a target.
  struct Saved {
    std::uint64_t moment = 0;         // of the newest capture
    std::optional<Hash128> expected;  // the file that the program expected, and ...
    Hash128 latest;                   // ... the file that is in its place now
  };
  [[nodiscard]] SaveTarget::Write in_turn(const SaveTarget& target);
  bool put(const Job& job, Job& superseded);
  void wake();
  void post();
  void work() noexcept;
  [[nodiscard]] Job next_waiting() const;
  void report(SaveJob& job) noexcept;

  const AutosaverOptions options_;
  ChunkCache cache_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<Job> jobs_;  // but for the running one
  Job running_;
  Job last_;  // that ended, superseded ones apart
  bool active_ = false;
  bool posted_ = false;                              // a task that has not begun
  bool closed_ = false;                              // takes no more jobs
  std::map<std::string, Saved, std::less<>> saved_;  // entries stay
  std::mutex start_mutex_;
  std::thread thread_;  // without an executor: sleeps until there is work; guarded by start_mutex_
};

// What an executor gets.
class Drain final : public BackgroundTask {
 public:
  explicit Drain(std::shared_ptr<SaveQueue> queue) : queue_(std::move(queue)) {}
  void run() noexcept override { queue_->drain(); }
  void refused(Error reason) noexcept override {
    queue_->give_up(reason);
    queue_->drain();  // reports them
  }

 private:
  std::shared_ptr<SaveQueue> queue_;
};

// --- adding

std::shared_ptr<SaveJob> SaveQueue::add(Snapshot snapshot, const SaveTarget& target,
                                        SaveOptions options) {
  if (options_.cache_bytes != 0) options.write.cache = &cache_;
  options.background = nullptr;
  const bool is_empty = !snapshot;
  const auto job = std::make_shared<SaveJob>(std::move(snapshot), target.name(), in_turn(target),
                                             std::move(options));
  Job old;
  if (is_empty) {  // it must not take the place of a capture
    job->end(
        error_without_throwing(ErrorCode::bad_options, "the snapshot is empty", target.name()));
    report(*job);
    return job;
  }
  if (!put(job, old)) {
    job->end(
        error_without_throwing(ErrorCode::cancelled, "the autosaver is closed", target.name()));
    report(*job);
    return job;
  }
  if (old) {
    old->end(error_without_throwing(ErrorCode::superseded,
                                    "a newer capture for the same target replaced this one",
                                    target.name()));
  }
  wake();
  return job;
}

// The function of a target, for a save that follows others of this autosaver: no older capture
// after a newer one, and the file that a save expected may be one that the autosaver wrote since.
SaveTarget::Write SaveQueue::in_turn(const SaveTarget& target) {
  return [this, write = target.write(), name = target.name()](
             const Snapshot& snapshot, const SaveOptions& given) -> Result<SaveReport> {
    Saved* saved = nullptr;
    SaveOptions own = given;
    {
      const std::lock_guard lock(mutex_);
      saved = &saved_[name];
    }
    // AQ1: only the save that runs uses it.
    if (saved->moment > moment_of(snapshot))
      return superseded("a newer capture was saved to this target", name);
    if (own.expected && own.expected == saved->expected) own.expected = saved->latest;
    auto report = write(snapshot, own);
    if (!report) return report;
    saved->moment = moment_of(snapshot);
    if (given.expected) saved->expected = given.expected;
    saved->latest = report->file_id;
    return report;
  };
}

// False when the queue is closed. Of a waiting job of the same target and the new one that of the
// older capture is superseded; the other takes its turn.
bool SaveQueue::put(const Job& job, Job& superseded) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  const auto same = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) {
    return each->is_waiting() && each->target() == job->target();
  });
  if (same == jobs_.end()) {
    jobs_.push_back(job);
  } else {
    Job old = *same;
    jobs_.insert(same + 1, job);
    superseded = job->moment() < old->moment() ? job : std::move(old);
  }
  return true;
}

// AQ2.
void SaveQueue::wake() {
  if (options_.background) return post();
  {
    const std::lock_guard lock(start_mutex_);
    try {
      if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    } catch (const std::exception&) {  // late, but never lost
    }
    if (thread_.joinable()) return changed_.notify_all();
  }
  drain();
}

void SaveQueue::post() {
  {
    const std::lock_guard lock(mutex_);
    if (active_ || posted_) return;
    posted_ = true;
  }
  try {
    run_in_background(options_.background, std::make_shared<Drain>(shared_from_this()));
  } catch (const std::bad_alloc&) {
    give_up(error_without_throwing(ErrorCode::memory_budget, "out of memory"));
    drain();
  }
}

// --- working

// What the thread does until the queue is closed.
void SaveQueue::work() noexcept {
  std::unique_lock lock(mutex_);
  while (!closed_ || !jobs_.empty()) {
    lock.unlock();
    drain();
    lock.lock();
    changed_.wait(lock, [&] { return !active_ && (closed_ || !jobs_.empty()); });
  }
}

void SaveQueue::drain() noexcept {
  std::unique_lock lock(mutex_);
  posted_ = false;
  if (active_) return;
  active_ = true;
  while (!jobs_.empty()) {
    running_ = std::move(jobs_.front());
    jobs_.pop_front();
    const Job job = running_;
    lock.unlock();
    job->run();  // nothing, if it has ended
    report(*job);
    lock.lock();
    running_ = nullptr;
  }
  active_ = false;
  changed_.notify_all();
}

void SaveQueue::report(SaveJob& job) noexcept {
  const Result<SaveReport>& result = job.result();
  if (result || result.error().code != ErrorCode::superseded) {
    const std::lock_guard lock(mutex_);
    last_ = job.shared_from_this();
  }
  if (!options_.on_finished) return;
  try {
    options_.on_finished(job.target(), result);
  } catch (...) {  // the result stands, whatever is made of it
  }
}

// --- ending

SaveQueue::Job SaveQueue::next_waiting() const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [](const Job& each) { return each->is_waiting(); });
  return found == jobs_.end() ? nullptr : *found;
}

void SaveQueue::give_up(const Error& reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    posted_ = false;
  }
  while (const Job job = next_waiting())
    job->end(error_without_throwing(reason.code, reason.what.c_str(), job->target()));
}

void SaveQueue::close(Closing how) {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  if (how == Closing::cancel) {
    while (const Job job = next_waiting()) job->cancel();
    // None is left to follow the one that runs now.
    Job running;
    {
      const std::lock_guard lock(mutex_);
      running = running_;
    }
    if (running) running->cancel();
    if (options_.background) drain();  // its task may come late; reports them
  }
  flush();
  const std::lock_guard lock(start_mutex_);
  if (thread_.joinable()) thread_.join();
}

// --- what holds a queue

Autosaver::Autosaver(AutosaverOptions options)
    : queue_(std::make_shared<SaveQueue>(std::move(options))) {}

Autosaver::~Autosaver() { queue_->close(queue_->options().on_destruction); }

Saving Autosaver::save(Snapshot snapshot, const SaveTarget& target, SaveOptions options) {
  return Saving(queue_->add(std::move(snapshot), target, std::move(options)));
}

Saving save_async(Snapshot snapshot, const SaveTarget& target, SaveOptions options) {
  AutosaverOptions own;
  own.cache_bytes = 0;
  own.background = std::move(options.background);
  const auto queue = std::make_shared<SaveQueue>(std::move(own));
  auto job = queue->add(std::move(snapshot), target, std::move(options));
  SaveJob* const observed = job.get();
  return Saving(
      {observed, [queue, kept = std::move(job)](SaveJob*) { queue->close(Closing::finish); }});
}

void Autosaver::flush() { queue_->flush(); }
void Autosaver::close(Closing how) { queue_->close(how); }

std::optional<Result<SaveReport>> Autosaver::last_result() const {
  const auto job = queue_->last();
  if (!job) return std::nullopt;
  return job->result();
}

std::uint64_t Autosaver::cache_bytes_used() const noexcept { return queue_->cache().bytes_used(); }

}  // namespace hdb
