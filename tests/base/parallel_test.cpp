// run_parallel: each task once, whatever threads and executors do.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/allocation_watch.hpp"

namespace hdb::test::parallel_test {
namespace {

constexpr unsigned kCount = 4;

// How often each task ran.
struct Counts {
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(kCount);
  std::function<void(unsigned)> task = [this](unsigned index) { ++calls[index]; };

  void expect_each_once() const {
    for (unsigned i = 0; i < kCount; ++i) EXPECT_EQ(calls[i], 1) << "task " << i;
  }
};

TEST(Parallel, EachTaskRunsOnceOnThreadsOfOurOwn) {
  Counts counts;
  run_parallel(kCount, {}, counts.task);
  counts.expect_each_once();
}

TEST(Parallel, WithoutMemoryForThreadsTheTasksRunHere) {
  bool done = false;
  unsigned failed = 0;
  for (std::size_t n = 1; !done; ++n) {
    ASSERT_LT(n, 100u);
    Counts counts;
    const Executor none;
    fail_allocation(n);
    try {
      run_parallel(kCount, none, counts.task);
      done = allocation_is_to_fail();
      fail_allocation(0);
      counts.expect_each_once();
      ++failed;
    } catch (const std::bad_alloc&) {  // nothing was started
      fail_allocation(0);
      for (const auto& calls : counts.calls) EXPECT_EQ(calls, 0);
    }
  }
  EXPECT_GT(failed, 3u);
}

TEST(Parallel, TheFirstExceptionOfATaskComesThroughAfterAllOfThem) {
  for (const bool on_executor : {false, true}) {
    Executor executor;
    if (on_executor) {
      executor = [](unsigned count, const std::function<void(unsigned)>& task) {
        for (unsigned i = 0; i < count; ++i) task(i);
      };
    }
    Counts counts;
    const auto task = [&](unsigned index) {
      counts.task(index);
      if (index == 1) throw std::runtime_error("task");
    };
    EXPECT_THROW(run_parallel(kCount, executor, task), std::runtime_error);
    counts.expect_each_once();
  }
}

TEST(Parallel, WhatAnExecutorLeavesOutRunsHere) {
  const Executor nothing = [](unsigned, const std::function<void(unsigned)>&) {};
  const Executor half = [](unsigned count, const std::function<void(unsigned)>& task) {
    for (unsigned i = 0; i < count; i += 2) task(i);
  };
  for (const Executor& executor : {nothing, half}) {
    Counts counts;
    run_parallel(kCount, executor, counts.task);
    counts.expect_each_once();
  }
}

TEST(Parallel, ATaskThatAnExecutorRunsAgainOrThatThereIsNotDoesNothing) {
  Counts counts;
  run_parallel(
      kCount,
      [](unsigned count, const std::function<void(unsigned)>& task) {
        for (unsigned i = 0; i < 2 * count; ++i) task(i % (count + 1));
      },
      counts.task);
  counts.expect_each_once();
}

TEST(Parallel, ATaskThatAnExecutorRunsLateDoesNothing) {
  std::function<void(unsigned)> copied;
  const std::function<void(unsigned)>* referred = nullptr;
  {
    Counts counts;
    run_parallel(
        kCount,
        [&](unsigned, const std::function<void(unsigned)>& task) {
          copied = task;
          referred = &task;
        },
        counts.task);
    counts.expect_each_once();
  }
  for (unsigned i = 0; i < kCount; ++i) {
    copied(i);
    (*referred)(i);
  }
}

TEST(Parallel, ThreadsOfAnExecutorThatThrowsAreWaitedFor) {
  std::vector<std::thread> threads;  // of the executor; they go on after it has thrown
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_ended{false};
  {
    const auto alive = std::make_unique<int>(7);
    const auto task = [&](unsigned index) {
      if (index != 0) return;
      has_begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(*alive, 7);
      has_ended = true;
    };
    const Executor executor = [&](unsigned, const std::function<void(unsigned)>& given) {
      threads.emplace_back([&given] { given(0); });
      threads.emplace_back([&given, &has_ended] {
        while (!has_ended) std::this_thread::yield();
        given(1);
      });
      while (!has_begun) std::this_thread::yield();
      throw std::runtime_error("no more threads");
    };
    EXPECT_THROW(run_parallel(kCount, executor, task), std::runtime_error);
    EXPECT_TRUE(has_ended);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace hdb::test::parallel_test
