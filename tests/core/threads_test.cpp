// Captures read and dropped on other threads while their table is written to: Threads.* runs under
// TSan (G14).
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::make_record;

// What a reader thread gets: a capture, and the sum of values that it must find in it.
struct Job {
  FrozenTable table;
  std::uint64_t expected_sum = 0;
};

// Hands captures to reader threads, which read all of them and drop them.
template <class Read>
class Readers {
 public:
  Readers(unsigned count, Read read) : read_(std::move(read)) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }
  ~Readers() { join(); }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  void give(Job job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }
  void join() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  [[nodiscard]] std::size_t wrong() const { return wrong_.load(); }
  [[nodiscard]] std::size_t read() const { return count_.load(); }

 private:
  void work() {
    for (;;) {
      Job job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return done_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      if (read_(job.table) != job.expected_sum) ++wrong_;
      ++count_;
      job = {};  // dropped here, on this thread
    }
  }
  Read read_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool done_ = false;
  std::atomic<std::size_t> wrong_{0};
  std::atomic<std::size_t> count_{0};
  std::vector<std::thread> threads_;
};

template <class Record>
std::uint64_t number_of(const Record& record);
template <>
std::uint64_t number_of(const test::Unit& record) {
  return record.value;
}
template <>
std::uint64_t number_of(const test::Rich& record) {
  return record.name.size() + record.values.size();
}

template <class Record>
std::uint64_t sum_of(const FrozenTable& frozen) {
  std::uint64_t sum = 0;
  PagePin records(frozen.records);
  for (std::uint64_t slot = 0; slot < frozen.counters().slot_count; ++slot) {
    if (slot_tag::kind(frozen.slots.tag(slot)) != SlotState::live) continue;
    sum += number_of(records.as<Record>(frozen.place_of(slot)));
  }
  return sum;
}

template <class Record>
void churn_while_reading(Storage storage) {
  std::mt19937_64 random(11);
  const auto read = [](const FrozenTable& frozen) { return sum_of<Record>(frozen); };
  Readers<decltype(read)> readers(2, read);
  std::optional<Table<Record>> table(std::in_place, TableOptions{.storage = storage});
  std::vector<typename Table<Record>::HandleType> handles;
  for (std::uint64_t i = 0; i < 500; ++i) handles.push_back(table->insert(make_record<Record>(i)));
  for (int frame = 0; frame < 200; ++frame) {
    std::uint64_t sum = 0;
    for (const Record& record : *table) sum += number_of(record);
    readers.give({detail::core_of(*table).freeze(), sum});
    for (int i = 0; i < 40; ++i) {
      auto& handle = handles[random() % handles.size()];
      if (random() % 3 == 0) {
        table->erase(handle);
        handle = table->insert(make_record<Record>(random() % 1000));
      } else if (Record* const record = table->edit(handle)) {
        *record = make_record<Record>(random() % 1000);
      }
    }
  }
  EXPECT_STREQ(table->check_invariants(), nullptr);
  table.reset();  // the last captures outlive their table
  readers.join();
  EXPECT_EQ(readers.read(), 200u);
  EXPECT_EQ(readers.wrong(), 0u) << "each capture holds the state of its moment";
}

TEST(Threads, CapturesOfPlainRecordsAreReadAndDroppedWhileTheTableChanges) {
  churn_while_reading<test::Unit>(Storage::dense);
  churn_while_reading<test::Unit>(Storage::stable);
}

TEST(Threads, CapturesOfRecordsWithContainersAreReadAndDroppedWhileTheTableChanges) {
  churn_while_reading<test::Rich>(Storage::dense);
  churn_while_reading<test::Rich>(Storage::stable);
}

// A record that notes where it was destroyed.
struct Traced {
  inline static std::atomic<std::size_t> destroyed_elsewhere{0};
  inline static std::thread::id owner;
  Traced() = default;
  Traced(const Traced&) = default;
  Traced& operator=(const Traced&) = default;
  ~Traced() {
    if (std::this_thread::get_id() != owner) ++destroyed_elsewhere;
  }
  std::uint64_t value = 0;
};

// The owner of the table has no work left over from captures.
TEST(Threads, CopiesAreDestroyedByTheThreadThatDropsTheCapture) {
  Traced::owner = std::this_thread::get_id();
  Traced::destroyed_elsewhere = 0;
  Table<Traced> table;
  std::vector<Handle<Traced>> handles;
  for (int i = 0; i < 100; ++i) handles.push_back(table.emplace());
  std::optional<FrozenTable> frozen = detail::core_of(table).freeze();
  for (const auto handle : handles) table.edit(handle)->value = 1;
  EXPECT_EQ(Traced::destroyed_elsewhere.load(), 0u);
  std::thread([&] { frozen.reset(); }).join();
  EXPECT_EQ(Traced::destroyed_elsewhere.load(), 100u) << "the copies, and no record";
  table.clear();
  EXPECT_EQ(Traced::destroyed_elsewhere.load(), 100u);
}

TEST(Threads, SeveralThreadsReadATableThatNobodyWritesTo) {
  Table<test::Unit> table({.storage = Storage::stable});
  std::vector<Handle<test::Unit>> handles;
  for (std::uint64_t i = 0; i < 2000; ++i) handles.push_back(table.insert({i}));
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        if (table.at(handles[i]).value != i) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
}

}  // namespace
}  // namespace hdb
