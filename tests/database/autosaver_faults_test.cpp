// Autosaver: whatever fails or ends while a save waits or runs, every ticket gets its result and
// the next save works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "autosaver_world.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/page_source.hpp"
#include "support/allocation_watch.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Autosaver, AFailureIsTheResultOfItsSaveAndOfNoOther) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  WrappedFileSystem full;
  full.before = [](Call call) -> std::optional<int> {
    return call == Call::write ? std::optional<int>(ENOSPC) : std::nullopt;
  };
  Autosaver autosaver;
  ASSERT_EQ(code(autosaver.save(world.at(1), folder / "a")), kSaved);
  const auto fails = [&](const std::function<void(SaveOptions&)>& change, ErrorCode expected) {
    SaveOptions options;
    change(options);
    const Saving ticket = autosaver.save(world.at(9), folder / "a", options);
    const Saving next = autosaver.save(world.at(2), folder / "b");
    EXPECT_EQ(code(ticket), expected);
    EXPECT_EQ(ticket.result().error().file, folder / "a");
    EXPECT_EQ(code(next), kSaved);
    EXPECT_EQ(tick_in(folder / "a"), 1u);
    EXPECT_THAT(folder.names(), ElementsAre("a", "b"));
  };
  fails([&](SaveOptions& options) { options.file.file_system = &full; }, ErrorCode::disk_full);
  fails([](SaveOptions& options) { options.write.level = 99; }, ErrorCode::bad_options);
  fails(
      [](SaveOptions& options) {
        options.write.on_progress = [](const Progress&) { throw std::runtime_error("thrown"); };
      },
      ErrorCode::user_code_threw);
  fails([](SaveOptions& options) { options.write.on_progress = [](const Progress&) { throw 7; }; },
        ErrorCode::user_code_threw);
  fails(
      [](SaveOptions& options) {
        options.write.on_progress = [](const Progress&) { throw std::bad_alloc(); };
      },
      ErrorCode::memory_budget);
  const auto empty = autosaver.save(Snapshot(), folder / "a");
  EXPECT_EQ(code(empty), ErrorCode::bad_options);
}

TEST(Autosaver, AnExecutorThatThrowsOrDropsItsTaskEndsTheSaveAndTheNextOneWorks) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  enum { throws, throws_oddly, drops, runs } how = throws;
  AutosaverOptions options;
  std::vector<ErrorCode> told;
  options.on_finished = [&](const std::string&, const Result<SaveReport>& result) {
    told.push_back(code(result));
  };
  options.background = [&](const std::function<void()>& task) {
    if (how == throws) throw std::runtime_error("queue full");
    if (how == throws_oddly) throw 5;
    if (how == runs) task();
  };
  Autosaver autosaver(options);
  for (const auto each : {throws, throws_oddly, drops, runs}) {
    how = each;
    const Saving ticket = autosaver.save(world.at(each + 1), folder / "a");
    EXPECT_EQ(code(ticket), each == runs ? kSaved : ErrorCode::not_run);
  }
  autosaver.flush();
  EXPECT_THAT(told,
              ElementsAre(ErrorCode::not_run, ErrorCode::not_run, ErrorCode::not_run, kSaved));
  EXPECT_EQ(tick_in(folder / "a"), 4u);
}

TEST(Autosaver, ATaskDroppedLaterEndsWhatWaitsForIt) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Saving a = autosaver.save(world.at(1), folder / "a");
  const Saving b = autosaver.save(world.at(2), folder / "b");
  tasks.waiting.clear();
  EXPECT_EQ(code(a), ErrorCode::not_run);
  EXPECT_EQ(code(b), ErrorCode::not_run);
  const Saving c = autosaver.save(world.at(3), folder / "b");
  tasks.run();
  EXPECT_EQ(code(c), kSaved);
  EXPECT_THAT(folder.names(), ElementsAre("b"));
}

TEST(Autosaver, ClosingFinishesWhatWaitsOrCancelsIt) {
  for (const Closing how : {Closing::finish, Closing::cancel}) {
    for (const bool by_destructor : {false, true}) {
      const Folder folder(fast_parent());
      AutosaverWorld world;
      Gate gate;
      std::atomic<int> told{0};
      auto autosaver = std::make_unique<Autosaver>(AutosaverOptions{
          .on_finished = [&](const std::string&, const Result<SaveReport>&) { ++told; },
          .on_destruction = how});
      const Saving a = autosaver->save(world.at(1), folder / "a", gate.options());
      const Saving b = autosaver->save(world.at(2), folder / "b");
      gate.wait_until_reached();
      std::thread opener([&] {
        if (how == Closing::cancel) static_cast<void>(b.result());  // ended before `a` goes on
        gate.open();
      });
      if (!by_destructor) {
        autosaver->close(how);
        EXPECT_EQ(code(autosaver->save(world.at(3), folder / "c")), ErrorCode::cancelled);
        autosaver->close(Closing::finish);
      }
      autosaver.reset();
      opener.join();
      const bool finished = how == Closing::finish;
      EXPECT_TRUE(a.done() && b.done());
      EXPECT_EQ(code(b), finished ? kSaved : ErrorCode::cancelled);
      EXPECT_TRUE(!finished || code(a) == kSaved);
      EXPECT_EQ(told, by_destructor ? 2 : 3);
      EXPECT_FALSE(folder.has_temporary());
      EXPECT_EQ(tick_in(folder / "b"), finished ? std::optional<std::uint64_t>(2) : std::nullopt);
    }
  }
}

TEST(Autosaver, ClosingWithCancelDoesNotWaitForATaskThatHasNotBegun) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  Tasks tasks;
  int told = 0;
  Saving ticket;
  {
    AutosaverOptions options = tasks.options();
    options.on_destruction = Closing::cancel;
    options.on_finished = [&](const std::string&, const Result<SaveReport>&) { ++told; };
    Autosaver autosaver(options);
    ticket = autosaver.save(world.at(1), folder / "a");
  }
  EXPECT_EQ(code(ticket), ErrorCode::cancelled);
  EXPECT_EQ(told, 1);
  tasks.run();  // late, of an autosaver that is gone
  EXPECT_EQ(told, 1);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Autosaver, TheDatabaseMayBeDestroyedWhileItsSaveRuns) {
  const Folder folder(fast_parent());
  auto world = std::make_unique<AutosaverWorld>(300);
  Gate gate;
  Autosaver autosaver;
  const Snapshot snapshot = world->at(7);
  const Saving ticket = autosaver.save(snapshot, folder / "a", gate.options());
  gate.wait_until_reached();
  world.reset();
  gate.open();
  ASSERT_EQ(code(ticket), kSaved);
  EXPECT_EQ(ticket.result()->state_hash, snapshot.state_hash());
  EXPECT_EQ(tick_in(folder / "a"), 7u);
}

TEST(Autosaver, RestoringLoadingAndClearingDoNotTouchASaveThatRuns) {
  const Folder folder(fast_parent());
  AutosaverWorld world(300);
  const Snapshot before = world.at(1);
  ASSERT_TRUE(save(before, folder / "old"));
  const std::vector<std::function<void()>> upheavals = {
      [&] { ASSERT_TRUE(world.db.restore(before)); },
      [&] { ASSERT_TRUE(world.db.load(folder / "old")); },
      [&] { world.tiles.clear(); },
  };
  Autosaver autosaver;
  for (const auto& upheaval : upheavals) {
    ASSERT_TRUE(world.db.restore(before));
    world.tiles.emplace();
    const Snapshot snapshot = world.at(8);
    Gate gate;
    const Saving ticket = autosaver.save(snapshot, folder / "a", gate.options());
    gate.wait_until_reached();
    upheaval();
    gate.open();
    ASSERT_EQ(code(ticket), kSaved);
    EXPECT_EQ(ticket.result()->state_hash, snapshot.state_hash());
    EXPECT_EQ(tick_in(folder / "a"), 8u);
  }
}

// Gives pages until it is told to give no more.
class LimitedPages final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    if (exhausted) return nullptr;
    return std::aligned_alloc(kPageAlignment,
                              (size_bytes + kPageAlignment - 1) / kPageAlignment * kPageAlignment);
  }
  void deallocate(void* memory, std::size_t) noexcept override { std::free(memory); }
  std::atomic<bool> exhausted{false};
};

TEST(Autosaver, CapturesThatTheMemoryCannotHoldLeaveGameAndSavesWell) {
  const Folder folder(fast_parent());
  const auto pages = std::make_shared<LimitedPages>();
  Database db({.page_source = pages});
  auto& units = db.create_table<Unit>("units", {});
  const auto handle = units.insert({.hp = 1});
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Snapshot first = db.capture();
  const Hash128 hash = first.state_hash();
  const Saving ticket = autosaver.save(first, folder / "a");
  pages->exhausted = true;
  EXPECT_THROW(units.edit(handle)->hp = 2, std::bad_alloc);  // the save holds the page
  EXPECT_EQ(units.find(handle)->hp, 1);
  EXPECT_EQ(db.check_invariants(), nullptr);
  EXPECT_EQ(autosaver.save(db.capture(), folder / "a").done(), false);
  EXPECT_EQ(code(ticket), ErrorCode::superseded);
  tasks.run();
  EXPECT_EQ((*autosaver.last_result())->state_hash, hash);
}

// G4: each allocation of a save fails once, on the thread of the game or on that which saves.
TEST(Autosaver, ASaveForWhichMemoryEndsIsReportedAndTheNextOneWorks) {
  constexpr int kEnough = 40;  // Some allocations a save can do without.
  const Folder folder(fast_parent());
  const std::string path = folder / "a name that is longer than a string holds within itself.hdb";
  Database game;
  auto& clock = game.singleton<Clock>("clock");
  game.create_table<Unit>("units").insert({.hp = 1});
  const auto at = [&](std::uint64_t tick) {
    clock.edit().tick = tick;
    return game.capture();
  };
  Database reader;
  const auto& seen = reader.singleton<Clock>("clock");
  const auto tick_in_file = [&] { return reader.load(path) ? seen->tick : 0; };
  std::size_t cases = 0;
  std::size_t refused = 0;
  std::size_t unqueued = 0;
  for (int successes = 0; successes < kEnough;) {
    ASSERT_LT(++cases, 5000u);
    const bool has_saved_before = cases % 2 == 0;
    std::atomic<int> told{0};
    Autosaver autosaver(
        {.on_finished = [&](const std::string&, const Result<SaveReport>&) { ++told; }});
    const std::uint64_t tick = 10 * cases;
    if (has_saved_before) {
      ASSERT_EQ(code(autosaver.save(at(tick), path)), kSaved);
    }
    const std::uint64_t before = tick_in_file();
    const Snapshot snapshot = at(tick + 1);
    const std::size_t descriptors = open_descriptors();
    std::optional<Saving> ticket;
    fail_allocation((cases + 1) / 2);
    try {
      ticket = autosaver.save(snapshot, path);
    } catch (const std::bad_alloc&) {
      ++unqueued;
    }
    autosaver.flush();
    fail_allocation(0);
    const bool is_saved = ticket && code(*ticket) == kSaved;
    successes = is_saved ? successes + 1 : 0;
    refused += is_saved ? 0 : 1;
    if (ticket && !is_saved) {
      ASSERT_EQ(code(*ticket), ErrorCode::memory_budget) << "allocation " << cases / 2;
    }
    ASSERT_EQ(tick_in_file(), is_saved ? tick + 1 : before) << "allocation " << cases / 2;
    ASSERT_EQ(told, (has_saved_before ? 1 : 0) + (ticket ? 1 : 0)) << "allocation " << cases / 2;
    ASSERT_EQ(open_descriptors(), descriptors) << "allocation " << cases / 2;
    ASSERT_FALSE(folder.has_temporary()) << "allocation " << cases / 2;
    ASSERT_EQ(code(autosaver.save(at(tick + 2), path)), kSaved);
    ASSERT_EQ(tick_in_file(), tick + 2);
  }
  EXPECT_GT(refused, 50u);
  EXPECT_GT(unqueued, 1u);
  std::printf("G4 autosave: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(Autosaver, CallbacksThatThrowOrSaveAgainDoNoHarm) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  const Snapshot other = world.at(2);
  std::atomic<int> told{0};
  Autosaver* self = nullptr;
  Autosaver autosaver({.on_finished = [&](const std::string&, const Result<SaveReport>&) {
    if (++told == 1) self->save(other, folder / "b");
    throw std::runtime_error("ignored");
  }});
  self = &autosaver;
  autosaver.save(world.at(1), folder / "a");
  autosaver.flush();
  EXPECT_EQ(told, 2);
  EXPECT_EQ(tick_in(folder / "b"), 2u);
}

TEST(AutosaverThreads, EveryTicketOfEveryThreadGetsOneResultAndTheLastOneWins) {  // AS1
  const Folder folder(fast_parent());
  constexpr int kThreads = 3;
  constexpr int kSaves = 25;
  std::atomic<int> told{0};
  std::atomic<int> saved{0};
  std::vector<Saving> last(kThreads);
  {
    Autosaver autosaver({.on_finished = [&](const std::string&, const Result<SaveReport>& result) {
      ++told;
      if (result) ++saved;
    }});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        AutosaverWorld world(20);
        SaveOptions options;
        options.file.read_back = ReadBack::never;
        options.write.threads = 1 + static_cast<unsigned>(t) % 2;
        for (int i = 1; i <= kSaves; ++i) {
          Saving ticket = autosaver.save(world.at(static_cast<std::uint64_t>(i)),
                                         folder / std::to_string(t), options);
          if (i % 7 == 3) ticket.cancel();
          static_cast<void>(ticket.progress());
          world.tiles.edit_each([](auto, Tile& tile) { ++tile.cells[3]; });
          last[static_cast<std::size_t>(t)] = ticket;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(told, kThreads * kSaves);
  EXPECT_GE(saved, kThreads);
  for (int t = 0; t < kThreads; ++t) {
    EXPECT_EQ(code(last[static_cast<std::size_t>(t)]), kSaved);
    EXPECT_EQ(tick_in(folder / std::to_string(t)), static_cast<std::uint64_t>(kSaves));
  }
}

}  // namespace
}  // namespace hdb::test
