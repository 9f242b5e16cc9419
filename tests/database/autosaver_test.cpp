// Autosaver: one save at a time, the newest capture of each target, a result for every ticket, whatever fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "folder.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "wrapped_file_system.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ErrorCode kSaved{};

ErrorCode code(const Result<SaveReport>& result) { return result ? kSaved : result.error().code; }
ErrorCode code(const SaveTicket& ticket) { return code(ticket.result()); }

struct World {
  explicit World(int tiles = 3) {
    for (int i = 0; i < tiles; ++i) db.find_table<Tile>("tiles")->emplace();
  }
  Snapshot at(std::uint64_t tick) {
    clock.edit().tick = tick;
    return db.capture();
  }
  Database db;
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  Table<Tile>& tiles = db.create_table<Tile>("tiles");
};

// The tick of a saved world; none when there is no file, or none that loads.
std::optional<std::uint64_t> tick_in(const std::string& path) {
  World world(0);
  if (!world.db.load(path)) return std::nullopt;
  return world.clock->tick;
}

// An executor whose tasks run when the test says so.
struct Tasks {
  std::vector<std::function<void()>> waiting;
  AutosaverOptions options() {
    AutosaverOptions made;
    made.background = [this](std::function<void()> task) { waiting.push_back(std::move(task)); };
    return made;
  }
  void run() {
    while (!waiting.empty()) {
      const auto task = std::move(waiting.front());
      waiting.erase(waiting.begin());
      task();
    }
  }
};

// Stops the first save that comes by until it is opened.
class Gate {
 public:
  SaveOptions options() {
    SaveOptions made;
    made.on_progress = [this](const Progress&) {
      if (reached_.exchange(true)) return;
      arrived_.set_value();
      open_.get_future().wait();
    };
    return made;
  }
  void wait_until_reached() { arrived_.get_future().wait(); }
  void open() { open_.set_value(); }

 private:
  std::atomic<bool> reached_{false};
  std::promise<void> arrived_;
  std::promise<void> open_;
};

TEST(Autosaver, SavesEachCaptureAsItWasWhileTheGameGoesOn) {
  const Folder folder(fast_parent());
  World world(100);
  Autosaver autosaver;
  for (std::uint64_t tick = 1; tick <= 8; ++tick) {
    const Snapshot snapshot = world.at(tick);
    const SaveTicket ticket = autosaver.save(snapshot, folder / "auto.hdb");
    world.tiles.edit_each([&](auto, Tile& tile) { ++tile.cells[tick]; });
    world.clock.edit().tick = 1000;
    ASSERT_EQ(code(ticket), kSaved) << ticket.result().error().message();
    EXPECT_TRUE(ticket.done());
    EXPECT_EQ(ticket.progress().groups_done, ticket.progress().groups_total);
    EXPECT_EQ(ticket.result()->state_hash, snapshot.state_hash());
    EXPECT_EQ(tick_in(folder / "auto.hdb"), tick);
  }
}

TEST(Autosaver, TakesWhatDidNotChangeFromItsCache) {
  const Folder folder(fast_parent());
  World world(200);
  Random random(1);
  world.tiles.edit_each([&](auto, Tile& tile) {
    for (auto& cell : tile.cells) cell = static_cast<std::uint32_t>(random.next());
  });
  Autosaver autosaver({.cache_bytes = 8 << 20});
  SaveOptions options;
  options.codec = Codec::none;
  EXPECT_EQ(autosaver.save(world.at(1), folder / "auto.hdb", options).result()->reused_bytes, 0u);
  EXPECT_GT(autosaver.save(world.at(2), folder / "auto.hdb", options).result()->reused_bytes,
            std::uint64_t{2} << 20);
  EXPECT_EQ(tick_in(folder / "auto.hdb"), 2u);
  EXPECT_LE(autosaver.cache_bytes_used(), std::uint64_t{8} << 20);
  Autosaver without({.cache_bytes = 0});
  for (std::uint64_t tick = 3; tick < 5; ++tick)
    EXPECT_EQ(without.save(world.at(tick), folder / "auto.hdb", options).result()->reused_bytes,
              0u);
}

TEST(Autosaver, OfEachTargetTheNewestCaptureWaitsAndTargetsKeepTheirOrder) {
  const Folder folder(fast_parent());
  World world;
  Tasks tasks;
  std::vector<std::string> told;
  AutosaverOptions options = tasks.options();
  options.on_finished = [&](const std::string& target, const Result<SaveReport>& result) {
    told.push_back(target.substr(target.size() - 1) + " " +
                   std::to_string(static_cast<int>(code(result))));
  };
  Autosaver autosaver(options);
  const Snapshot first = world.at(1);
  const long held = first.data().use_count();
  std::vector<SaveTicket> tickets = {autosaver.save(first, folder / "a")};
  EXPECT_GT(first.data().use_count(), held);
  tickets.push_back(autosaver.save(world.at(2), folder / "b"));
  tickets.push_back(autosaver.save(world.at(3), folder / "a"));
  EXPECT_EQ(first.data().use_count(), held);  // AS2
  EXPECT_TRUE(tickets[0].done());
  EXPECT_FALSE(tickets[2].done());
  tickets.push_back(autosaver.save(world.at(4), folder / "a"));
  EXPECT_EQ(autosaver.last_result(), std::nullopt);
  tasks.run();
  EXPECT_EQ(code(tickets[0]), ErrorCode::superseded);
  EXPECT_EQ(code(tickets[1]), kSaved);
  EXPECT_EQ(code(tickets[2]), ErrorCode::superseded);
  EXPECT_EQ(code(tickets[3]), kSaved);
  EXPECT_THAT(told, ElementsAre("a 713", "a 713", "a 0", "b 0"));
  EXPECT_EQ(tick_in(folder / "a"), 4u);
  EXPECT_EQ(tick_in(folder / "b"), 2u);
  EXPECT_EQ((*autosaver.last_result())->path, folder / "b");
}

TEST(Autosaver, ACaptureThatComesWhileItsTargetIsSavedWaits) {
  const Folder folder(fast_parent());
  World world;
  Gate gate;
  Autosaver autosaver;
  const SaveTicket running = autosaver.save(world.at(1), folder / "a", gate.options());
  gate.wait_until_reached();
  const SaveTicket second = autosaver.save(world.at(2), folder / "a");
  const SaveTicket third = autosaver.save(world.at(3), folder / "a");
  EXPECT_EQ(code(second), ErrorCode::superseded);
  EXPECT_FALSE(third.done());
  gate.open();
  autosaver.flush();
  EXPECT_EQ(code(running), kSaved);
  EXPECT_EQ(code(third), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 3u);
}

TEST(Autosaver, CancelledWhileWaitingEndsAtOnceAndLetsItsSnapshotGo) {
  const Folder folder(fast_parent());
  World world;
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Snapshot snapshot = world.at(1);
  const long held = snapshot.data().use_count();
  SaveTicket ticket = autosaver.save(snapshot, folder / "a");
  ticket.cancel();
  EXPECT_TRUE(ticket.done());
  EXPECT_EQ(snapshot.data().use_count(), held);
  tasks.run();
  EXPECT_EQ(code(ticket), ErrorCode::cancelled);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Autosaver, CancelledWhileEncodingOrBeforeTheCommitLeavesTheOldFileAndNoOther) {
  const Folder folder(fast_parent());
  World world(200);
  Autosaver autosaver;
  ASSERT_EQ(code(autosaver.save(world.at(1), folder / "a")), kSaved);
  const std::string old = get(folder / "a");
  const std::uint64_t groups = autosaver.save(world.at(1), folder / "a").progress().groups_total;
  autosaver.flush();
  for (std::uint64_t at = 1; at <= std::max<std::uint64_t>(groups, 5); ++at) {
    std::atomic<bool> outer{false};
    SaveOptions options;
    options.cancel = &outer;
    options.on_progress = [&](const Progress& progress) { outer = progress.groups_done >= at; };
    const SaveTicket ticket = autosaver.save(world.at(2), folder / "a", options);
    EXPECT_EQ(code(ticket), ErrorCode::cancelled) << "after group " << at;
    EXPECT_EQ(get(folder / "a"), old);
    EXPECT_THAT(folder.names(), ElementsAre("a"));
  }
  EXPECT_EQ(code(autosaver.save(world.at(3), folder / "a")), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 3u);
}

TEST(Autosaver, CancelledWhileCommittingSucceeds) {
  const Folder folder(fast_parent());
  World world;
  WrappedFileSystem files;
  SaveTicket ticket;
  std::promise<void> given;
  std::shared_future<void> is_given = given.get_future();
  files.before = [&](Call call) -> std::optional<int> {
    if (call == Call::rename) {
      is_given.wait();
      ticket.cancel();
    }
    return std::nullopt;
  };
  SaveOptions options;
  options.file_system = &files;
  Autosaver autosaver;
  ticket = autosaver.save(world.at(5), folder / "a", options);
  given.set_value();
  EXPECT_EQ(code(ticket), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 5u);
}

TEST(Autosaver, AFailureIsTheResultOfItsSaveAndOfNoOther) {
  const Folder folder(fast_parent());
  World world;
  WrappedFileSystem full;
  full.before = [](Call call) -> std::optional<int> {
    return call == Call::write ? std::optional<int>(ENOSPC) : std::nullopt;
  };
  Autosaver autosaver;
  ASSERT_EQ(code(autosaver.save(world.at(1), folder / "a")), kSaved);
  const auto fails = [&](const std::function<void(SaveOptions&)>& change, ErrorCode expected) {
    SaveOptions options;
    change(options);
    const SaveTicket ticket = autosaver.save(world.at(9), folder / "a", options);
    const SaveTicket next = autosaver.save(world.at(2), folder / "b");
    EXPECT_EQ(code(ticket), expected);
    EXPECT_EQ(ticket.result().error().file, folder / "a");
    EXPECT_EQ(code(next), kSaved);
    EXPECT_EQ(tick_in(folder / "a"), 1u);
    EXPECT_THAT(folder.names(), ElementsAre("a", "b"));
  };
  fails([&](SaveOptions& options) { options.file_system = &full; }, ErrorCode::disk_full);
  fails([](SaveOptions& options) { options.level = 99; }, ErrorCode::bad_options);
  fails(
      [](SaveOptions& options) {
        options.on_progress = [](const Progress&) { throw std::runtime_error("thrown"); };
      },
      ErrorCode::user_code_threw);
  fails([](SaveOptions& options) { options.on_progress = [](const Progress&) { throw 7; }; },
        ErrorCode::user_code_threw);
  fails(
      [](SaveOptions& options) {
        options.on_progress = [](const Progress&) { throw std::bad_alloc(); };
      },
      ErrorCode::memory_budget);
  const auto empty = autosaver.save(Snapshot(), folder / "a");
  EXPECT_EQ(code(empty), ErrorCode::bad_options);
}

TEST(Autosaver, AnExecutorThatThrowsOrDropsItsTaskEndsTheSaveAndTheNextOneWorks) {
  const Folder folder(fast_parent());
  World world;
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
    const SaveTicket ticket = autosaver.save(world.at(each + 1), folder / "a");
    EXPECT_EQ(code(ticket), each == runs ? kSaved : ErrorCode::not_run);
  }
  autosaver.flush();
  EXPECT_THAT(told,
              ElementsAre(ErrorCode::not_run, ErrorCode::not_run, ErrorCode::not_run, kSaved));
  EXPECT_EQ(tick_in(folder / "a"), 4u);
}

TEST(Autosaver, ATaskDroppedLaterEndsWhatWaitsForIt) {
  const Folder folder(fast_parent());
  World world;
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const SaveTicket a = autosaver.save(world.at(1), folder / "a");
  const SaveTicket b = autosaver.save(world.at(2), folder / "b");
  tasks.waiting.clear();
  EXPECT_EQ(code(a), ErrorCode::not_run);
  EXPECT_EQ(code(b), ErrorCode::not_run);
  const SaveTicket c = autosaver.save(world.at(3), folder / "b");
  tasks.run();
  EXPECT_EQ(code(c), kSaved);
  EXPECT_THAT(folder.names(), ElementsAre("b"));
}

TEST(Autosaver, ClosingFinishesWhatWaitsOrCancelsIt) {
  for (const Closing how : {Closing::finish, Closing::cancel}) {
    for (const bool by_destructor : {false, true}) {
      const Folder folder(fast_parent());
      World world(200);
      Gate gate;
      std::atomic<int> told{0};
      auto autosaver = std::make_unique<Autosaver>(AutosaverOptions{
          .on_finished = [&](const std::string&, const Result<SaveReport>&) { ++told; },
          .on_destruction = how});
      const SaveTicket a = autosaver->save(world.at(1), folder / "a", gate.options());
      const SaveTicket b = autosaver->save(world.at(2), folder / "b");
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
      if (finished) EXPECT_EQ(code(a), kSaved);
      EXPECT_EQ(told, by_destructor ? 2 : 3);
      EXPECT_FALSE(folder.has_temporary());
      EXPECT_EQ(tick_in(folder / "b"), finished ? std::optional<std::uint64_t>(2) : std::nullopt);
    }
  }
}

TEST(Autosaver, ClosingWithCancelDoesNotWaitForATaskThatHasNotBegun) {
  const Folder folder(fast_parent());
  World world;
  Tasks tasks;
  int told = 0;
  SaveTicket ticket;
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
  auto world = std::make_unique<World>(300);
  Gate gate;
  Autosaver autosaver;
  const Snapshot snapshot = world->at(7);
  const SaveTicket ticket = autosaver.save(snapshot, folder / "a", gate.options());
  gate.wait_until_reached();
  world.reset();
  gate.open();
  ASSERT_EQ(code(ticket), kSaved);
  EXPECT_EQ(ticket.result()->state_hash, snapshot.state_hash());
  EXPECT_EQ(tick_in(folder / "a"), 7u);
}

TEST(Autosaver, RestoringLoadingAndClearingDoNotTouchASaveThatRuns) {
  const Folder folder(fast_parent());
  World world(300);
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
    const SaveTicket ticket = autosaver.save(snapshot, folder / "a", gate.options());
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
  auto& units = db.create_table<Unit>("units", {.page_bytes = 4096});
  const auto handle = units.insert({.hp = 1});
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Snapshot first = db.capture();
  const Hash128 hash = first.state_hash();
  const SaveTicket ticket = autosaver.save(first, folder / "a");
  pages->exhausted = true;
  EXPECT_THROW(units.edit(handle)->hp = 2, std::bad_alloc);  // the save holds the page
  EXPECT_EQ(units.find(handle)->hp, 1);
  EXPECT_EQ(db.check_invariants(), nullptr);
  EXPECT_EQ(autosaver.save(db.capture(), folder / "a").done(), false);
  EXPECT_EQ(code(ticket), ErrorCode::superseded);
  tasks.run();
  EXPECT_EQ((*autosaver.last_result())->state_hash, hash);
}

TEST(Autosaver, CallbacksThatThrowOrSaveAgainDoNoHarm) {
  const Folder folder(fast_parent());
  World world;
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
  std::vector<SaveTicket> last(kThreads);
  {
    Autosaver autosaver({.on_finished = [&](const std::string&, const Result<SaveReport>& result) {
      ++told;
      if (result) ++saved;
    }});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        World world(20);
        SaveOptions options;
        options.read_back = ReadBack::never;
        options.threads = 1 + static_cast<unsigned>(t) % 2;
        for (int i = 1; i <= kSaves; ++i) {
          SaveTicket ticket = autosaver.save(world.at(static_cast<std::uint64_t>(i)),
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

// --- rings of a SaveDirectory

TEST(Autosaver, CapturesThatWaitForARingTakeOneFileOfIt) {
  const Folder folder(fast_parent());
  World world;
  auto saves = SaveDirectory::open(folder.path(), {.quicksaves = 3, .autosaves = 3});
  ASSERT_TRUE(saves);
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  for (std::uint64_t round = 1; round <= 4; ++round) {
    for (std::uint64_t i = 0; i < 3; ++i)
      autosaver.save(world.at(10 * round + i), saves->target(SaveName::autosave()));
    const SaveTicket quick = autosaver.save(world.at(7), saves->target(SaveName::quick()));
    const SaveTicket named = autosaver.save(world.at(8), saves->target("The Gate"));
    const SaveTicket bad = autosaver.save(world.at(9), saves->target(""));
    tasks.run();
    EXPECT_EQ(code(quick), kSaved);
    EXPECT_EQ(code(named), kSaved);
    EXPECT_EQ(code(bad), ErrorCode::bad_name);
  }
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 42u);
  EXPECT_EQ(tick_in(folder / "auto-2.hdb"), 22u);
  EXPECT_EQ(tick_in(folder / "auto-3.hdb"), 32u);
  EXPECT_EQ(tick_in(folder / "slot-~54he~20~47ate.hdb"), 8u);
}

TEST(Autosaver, ASaveOfARingThatFailsGivesItsFileBack) {
  const Folder folder(fast_parent());
  World world;
  WrappedFileSystem files;
  bool is_full = false;
  files.before = [&](Call call) -> std::optional<int> {
    return is_full && call == Call::write ? std::optional<int>(ENOSPC) : std::nullopt;
  };
  auto saves = SaveDirectory::open(folder.path(), {.autosaves = 2, .file_system = &files});
  ASSERT_TRUE(saves);
  SaveOptions now;
  now.background = [](const std::function<void()>& task) { task(); };
  SaveOptions never;
  never.background = [](const std::function<void()>&) {};
  const auto save_now = [&](std::uint64_t tick, const SaveOptions& options) {
    return code(saves->save_async(world.at(tick), SaveName::autosave(), options)->result());
  };
  EXPECT_EQ(save_now(1, now), kSaved);
  is_full = true;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(save_now(99, now), ErrorCode::disk_full);
    EXPECT_EQ(save_now(99, never), ErrorCode::not_run);
    Autosaver autosaver;
    EXPECT_EQ(code(autosaver.save(world.at(99), saves->target(SaveName::autosave()))),
              ErrorCode::disk_full);
  }
  is_full = false;
  EXPECT_EQ(save_now(2, now), kSaved);  // the file that none of them took
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 1u);
  EXPECT_EQ(tick_in(folder / "auto-2.hdb"), 2u);
  EXPECT_EQ(save_now(3, now), kSaved);
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 3u);
}

}  // namespace
}  // namespace hdb::test
