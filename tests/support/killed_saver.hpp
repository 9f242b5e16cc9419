// Processes that save again and again and are killed inside of their saves, however long a save
// takes: the killer waits for events that the process reports, and then for a part of the time
// that its saves have taken.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "hdb/hash.hpp"
#include "support/records.hpp"

namespace hdb::test {

/// What a saver reports: that a save begins, or that it has been acknowledged.
struct SaveNote {
  std::uint64_t number = 0;
  Hash128 hash = {};
  bool is_done = false;
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};

/// A child process that runs `work(report)`. It ends with the object at the latest.
class SaverProcess {
 public:
  using Report = std::function<void(const SaveNote&)>;

  explicit SaverProcess(const std::function<void(const Report&)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      work([&](const SaveNote& note) {
        if (::write(ends[1], &note, sizeof note) != ssize_t{sizeof note}) ::_exit(3);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    notes_ = ends[0];
  }
  ~SaverProcess() {
    if (process_ > 0) static_cast<void>(kill());
    ::close(notes_);
  }
  SaverProcess(const SaverProcess&) = delete;
  SaverProcess& operator=(const SaverProcess&) = delete;

  /// Waits for the next note; empty: the process has ended.
  std::optional<SaveNote> next() {
    SaveNote note;
    if (::read(notes_, &note, sizeof note) != ssize_t{sizeof note}) return std::nullopt;
    return note;
  }
  /// Kills it; whether it had not ended by itself.
  bool kill() {
    ::kill(process_, SIGKILL);
    const int status = join();
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  /// Waits for its end; the status as of waitpid.
  int join() {
    int status = 0;
    EXPECT_EQ(::waitpid(std::exchange(process_, 0), &status, 0) > 0, true);
    return status;
  }

 private:
  pid_t process_ = 0;
  int notes_ = -1;
};

/// What is known of a saver that was killed.
struct KilledSaver {
  std::vector<SaveNote> done;  ///< The saves that were acknowledged.
  std::uint64_t begun = 0;     ///< The number of the last save that began.
  bool is_inside_of_a_save = false;
  bool was_killed = false;  ///< Not ended by itself, as after an error.
};

/// Kills savers, each a random time after one of its first notes.
class SaverKiller {
 public:
  /// A saver makes at most `most_saves` saves before the one in which it is killed, unless it is
  /// faster than the killer.
  SaverKiller(std::uint64_t seed, std::uint64_t most_saves)
      : random_(seed), most_notes_(2 * most_saves + 1) {}

  KilledSaver run(const std::function<void(const SaverProcess::Report&)>& work) {
    KilledSaver killed;
    SaverProcess process(work);
    // The first saver makes a whole save, so that the time of one is known.
    std::uint64_t wanted = 1 + random_.below(most_notes_);
    if (save_time_.count() == 0 && wanted < 2) wanted = 2;
    while (wanted > 0) {
      const auto note = process.next();
      if (!note) break;
      take(*note, killed);
      --wanted;
    }
    std::this_thread::sleep_for(save_time_ * random_.below(1000) / 800);
    killed.was_killed = process.kill();
    while (const auto note = process.next()) take(*note, killed);
    return killed;
  }

 private:
  void take(const SaveNote& note, KilledSaver& killed) {
    killed.is_inside_of_a_save = !note.is_done;
    if (note.is_done) {
      killed.done.push_back(note);
      save_time_ = note.at - begun_at_;
    } else {
      killed.begun = note.number;
      begun_at_ = note.at;
    }
  }

  Random random_;
  std::uint64_t most_notes_;
  std::chrono::steady_clock::time_point begun_at_;
  std::chrono::steady_clock::duration save_time_{0};
};

}  // namespace hdb::test
