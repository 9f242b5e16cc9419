// A reader of a capture and the writer of its table, in every order of their steps.
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/arrays/page_pool.hpp"
#include "core/arrays/undo_log.hpp"
#include "core/tables/frozen_table.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/page_source.hpp"
#include "support/using_detail.hpp"

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

namespace hdb {
namespace {

// Memory whose content is gone as soon as it is given back: a reader that is late notices.
class ForgetfulSource final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    return ::operator new (size_bytes, std::align_val_t{kPageAlignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t size_bytes) noexcept override {
    std::memset(memory, 0xdd, size_bytes);
    ::operator delete (memory, std::align_val_t{kPageAlignment});
  }
};

// Lets one of two threads go on at a time, from one step to the next, by a list of choices. Where
// the list ends, the reader goes first.
class Schedule {
 public:
  enum Who { reader, writer, nobody };

  explicit Schedule(std::vector<Who> choices) : choices_(std::move(choices)) {}

  // Called by the threads: waits until it is this thread's turn. A blocked one gets no turn before
  // the other has made a step.
  void step(Who who, bool is_blocked) {
    std::unique_lock lock(mutex_);
    waiting_[who] = true;
    blocked_[who] = is_blocked;
    choose();
    changed_.wait(lock, [&] { return turn_ == who; });
    turn_ = nobody;
    waiting_[who] = false;
  }
  void finish(Who who) {
    const std::lock_guard lock(mutex_);
    finished_[who] = true;
    choose();
  }
  // The choices made, and whether there was another one at each.
  struct Choice {
    Who who;
    bool has_other;
  };
  [[nodiscard]] const std::vector<Choice>& made() const { return made_; }

 private:
  [[nodiscard]] bool can_run(Who who) const {
    return waiting_[who] && !finished_[who] && !(blocked_[who] && !finished_[1 - who]);
  }
  // When both threads stand at a step, or one does and the other has ended.
  void choose() {
    if (turn_ != nobody) return;
    for (const Who who : {reader, writer}) {
      if (!waiting_[who] && !finished_[who]) return;
    }
    if (finished_[reader] && finished_[writer]) return;
    const bool both = can_run(reader) && can_run(writer);
    Who next = can_run(reader) ? reader : writer;
    if (both && made_.size() < choices_.size()) next = choices_[made_.size()];
    made_.push_back({next, both});
    turn_ = next;
    blocked_[1 - next] = false;  // it looks again
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Who> choices_;
  std::vector<Choice> made_;
  Who turn_ = nobody;
  bool waiting_[2] = {};
  bool blocked_[2] = {};
  bool finished_[2] = {};
};

Schedule* schedule = nullptr;
thread_local Schedule::Who self = Schedule::nobody;

void on_step(CaptureStep step) {
  if (self != Schedule::nobody) schedule->step(self, step == CaptureStep::waits);
}

// One block.
struct Words {
  std::uint64_t first;
  std::uint64_t second;
};

// The choices of the next run: the last one that has another is changed.
bool advance(const std::vector<Schedule::Choice>& made, std::vector<Schedule::Who>& choices) {
  choices.clear();
  for (const Schedule::Choice& choice : made) choices.push_back(choice.who);
  for (std::size_t i = made.size(); i-- > 0;) {
    if (made[i].has_other && made[i].who == Schedule::reader) {
      choices.resize(i);
      choices.push_back(Schedule::writer);
      return true;
    }
  }
  return false;
}

// Runs a reader of a capture and `change` in every order of their steps; gives their number.
template <class Change>
std::size_t run_all(const Change& change) {
  std::vector<Schedule::Who> choices;
  std::size_t runs = 0;
  do {
    const auto log =
        std::make_shared<UndoLog>(std::make_shared<PagePool>(std::make_shared<ForgetfulSource>()));
    FlatArray array(log, record_ops<Words>());
    array.grow_to(1);
    *reinterpret_cast<Words*>(array.edit(0)) = {1, 1};
    FrozenArray frozen = array.freeze(log->open());
    Schedule now(choices);
    schedule = &now;
    Words seen{};
    std::thread reader([&] {
      self = Schedule::reader;
      {
        PagePin pin(frozen);
        const Words& words = pin.as<Words>(0);
        now.step(self, false);
        seen.first = words.first;
        now.step(self, false);
        seen.second = words.second;
      }
      now.finish(self);
      self = Schedule::nobody;
    });
    std::thread writer([&] {
      self = Schedule::writer;
      change(array, *log, frozen, now);
      now.finish(self);
      self = Schedule::nobody;
    });
    reader.join();
    writer.join();
    ++runs;
    EXPECT_EQ(seen.first, 1u) << "run " << runs;
    EXPECT_EQ(seen.second, 1u) << "run " << runs << ": a torn read";
    EXPECT_EQ(frozen.as<Words>(0).first, 1u);
    EXPECT_TRUE(array.check());
    if (testing::Test::HasFailure() || !advance(now.made(), choices)) return runs;
  } while (runs < 200'000);
  ADD_FAILURE() << "more orders than expected";
  return runs;
}

void write(FlatArray& array, std::uint64_t value, Schedule& now) {
  auto* const words = reinterpret_cast<Words*>(array.edit(0));
  now.step(Schedule::writer, false);
  words->first = value;
  now.step(Schedule::writer, false);
  words->second = value;
}

class InterleavingTest : public testing::Test {
 protected:
  void SetUp() override { capture_step_hook.store(&on_step); }
  void TearDown() override { capture_step_hook.store(nullptr); }
};

TEST_F(InterleavingTest, NoReaderSeesAWrite) {  // U3
  const std::size_t runs = run_all(
      [](FlatArray& array, UndoLog&, FrozenArray&, Schedule& now) { write(array, 2, now); });
  EXPECT_GT(runs, 50u);
  std::printf("cases=%zu failures=0\n", runs);
}

TEST_F(InterleavingTest, NoReaderSeesAWriteAfterAnotherCapture) {  // U3
  const std::size_t runs = run_all([](FlatArray& array, UndoLog& log, FrozenArray&, Schedule& now) {
    write(array, 2, now);
    const FrozenArray second = array.freeze(log.open());
    write(array, 3, now);
  });
  EXPECT_GT(runs, 50u);
  std::printf("cases=%zu failures=0\n", runs);
}

TEST_F(InterleavingTest, NoReaderSeesARestoreOrTheWriteAfterIt) {  // U3
  const std::size_t runs =
      run_all([](FlatArray& array, UndoLog& log, FrozenArray& frozen, Schedule& now) {
        write(array, 2, now);
        log.prepare_restore(frozen.moment());
        log.commit_restore();
        write(array, 3, now);
      });
  EXPECT_GT(runs, 50u);
  std::printf("cases=%zu failures=0\n", runs);
}

TEST_F(InterleavingTest, NoReaderSeesTheArrayMove) {  // U3
  const std::size_t runs = run_all([](FlatArray& array, UndoLog&, FrozenArray&, Schedule& now) {
    now.step(Schedule::writer, false);
    array.grow_to(1000);
    now.step(Schedule::writer, false);
    write(array, 2, now);
  });
  EXPECT_GT(runs, 50u);
  std::printf("cases=%zu failures=0\n", runs);
}

}  // namespace
}  // namespace hdb

#endif
