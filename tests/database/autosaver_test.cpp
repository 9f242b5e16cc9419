// Autosaver: one save at a time, the newest capture of each target, cancelling at every stage,
// rings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "autosaver_world.hpp"
#include "database/save/save_names.hpp"
#include "database/tables/snapshot_data.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Autosaver, SavesEachCaptureAsItWasWhileTheGameGoesOn) {
  const Folder folder(fast_parent());
  AutosaverWorld world(100);
  Autosaver autosaver;
  for (std::uint64_t tick = 1; tick <= 8; ++tick) {
    const Snapshot snapshot = world.at(tick);
    const Saving ticket = autosaver.save(snapshot, folder / "auto.hdb");
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
  AutosaverWorld world(200);
  Random random(1);
  world.tiles.edit_each([&](auto, Tile& tile) {
    for (auto& cell : tile.cells) cell = static_cast<std::uint32_t>(random.next());
  });
  Autosaver autosaver({.cache_bytes = 8 << 20});
  SaveOptions options;
  options.write.codec = Codec::none;
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
  AutosaverWorld world;
  Tasks tasks;
  std::vector<std::string> told;
  AutosaverOptions options = tasks.options();
  options.on_finished = [&](const std::string& target, const Result<SaveReport>& result) {
    told.push_back(target.substr(target.size() - 1) + " " +
                   std::to_string(static_cast<int>(code(result))));
  };
  Autosaver autosaver(options);
  const Snapshot first = world.at(1);
  const long held = data_of(first).use_count();
  std::vector<Saving> tickets = {autosaver.save(first, folder / "a")};
  EXPECT_GT(data_of(first).use_count(), held);
  tickets.push_back(autosaver.save(world.at(2), folder / "b"));
  tickets.push_back(autosaver.save(world.at(3), folder / "a"));
  EXPECT_EQ(data_of(first).use_count(), held);  // AS2
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
  AutosaverWorld world;
  Gate gate;
  Autosaver autosaver;
  const Saving running = autosaver.save(world.at(1), folder / "a", gate.options());
  gate.wait_until_reached();
  const Saving second = autosaver.save(world.at(2), folder / "a");
  const Saving third = autosaver.save(world.at(3), folder / "a");
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
  AutosaverWorld world;
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Snapshot snapshot = world.at(1);
  const long held = data_of(snapshot).use_count();
  Saving ticket = autosaver.save(snapshot, folder / "a");
  ticket.cancel();
  EXPECT_TRUE(ticket.done());
  EXPECT_EQ(data_of(snapshot).use_count(), held);
  tasks.run();
  EXPECT_EQ(code(ticket), ErrorCode::cancelled);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Autosaver, CancelledWhileEncodingOrBeforeTheCommitLeavesTheOldFileAndNoOther) {
  const Folder folder(fast_parent());
  AutosaverWorld world(200);
  Autosaver autosaver;
  ASSERT_EQ(code(autosaver.save(world.at(1), folder / "a")), kSaved);
  const Saving whole = autosaver.save(world.at(1), folder / "a");
  ASSERT_EQ(code(whole), kSaved);
  const std::string old = get(folder / "a");
  ASSERT_GT(whole.progress().groups_total, 3u);
  for (std::uint64_t at = 1; at <= whole.progress().groups_total; ++at) {
    std::atomic<bool> outer{false};
    SaveOptions options;
    options.write.cancel = &outer;
    options.write.on_progress = [&](const Progress& progress) {
      outer = progress.groups_done >= at;
    };
    const Saving ticket = autosaver.save(world.at(2), folder / "a", options);
    EXPECT_EQ(code(ticket), ErrorCode::cancelled) << "after group " << at;
    EXPECT_TRUE(get(folder / "a") == old);
    EXPECT_THAT(folder.names(), ElementsAre("a"));
  }
  EXPECT_EQ(code(autosaver.save(world.at(3), folder / "a")), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 3u);
}

TEST(Autosaver, CancelledWhileCommittingSucceeds) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  WrappedFileSystem files;
  Saving ticket;
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
  options.file.file_system = &files;
  Autosaver autosaver;
  ticket = autosaver.save(world.at(5), folder / "a", options);
  given.set_value();
  EXPECT_EQ(code(ticket), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 5u);
}

// Counts the threads that touch it.
struct ThreadCount {
  ThreadCount() { ++count; }
  static std::atomic<int> count;
};
std::atomic<int> ThreadCount::count{0};
thread_local const ThreadCount counted_thread;

TEST(Autosaver, HasOneThreadThatSleepsBetweenItsSaves) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  const auto touch = [] { return &counted_thread; };
  static_cast<void>(touch());
  const int others = ThreadCount::count;
  {
    Autosaver autosaver({.on_finished = [&](const std::string&, const Result<SaveReport>&) {
      static_cast<void>(touch());
    }});
    for (std::uint64_t tick = 1; tick <= 20; ++tick) {
      ASSERT_EQ(code(autosaver.save(world.at(tick), folder / "a")), kSaved);
      autosaver.flush();  // so that the thread has nothing to do before the next save
    }
  }
  EXPECT_EQ(ThreadCount::count, others + 1);
  EXPECT_EQ(tick_in(folder / "a"), 20u);
}

// --- rings of a SaveDirectory

TEST(Autosaver, CapturesThatWaitForARingTakeOneFileOfIt) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  auto saves = SaveDirectory::open(folder.path(), {.quicksaves = 3, .autosaves = 3});
  ASSERT_TRUE(saves);
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  for (std::uint64_t round = 1; round <= 4; ++round) {
    for (std::uint64_t i = 0; i < 3; ++i)
      autosaver.save(world.at(10 * round + i), saves->target(SaveName::autosave()));
    const Saving quick = autosaver.save(world.at(7), saves->target(SaveName::quick()));
    const Saving named = autosaver.save(world.at(8), saves->target("The Gate"));
    const Saving bad = autosaver.save(world.at(9), saves->target(""));
    tasks.run();
    EXPECT_EQ(code(quick), kSaved);
    EXPECT_EQ(code(named), kSaved);
    EXPECT_EQ(code(bad), ErrorCode::bad_name);
  }
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 42u);
  EXPECT_EQ(tick_in(folder / "auto-2.hdb"), 22u);
  EXPECT_EQ(tick_in(folder / "auto-3.hdb"), 32u);
  EXPECT_EQ(tick_in(folder / named_file("The Gate")), 8u);
}

TEST(Autosaver, ASaveOfARingThatFailsGivesItsFileBack) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
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
    return code(save_async(world.at(tick), saves->target(SaveName::autosave()), options));
  };
  EXPECT_EQ(save_now(1, now), kSaved);
  const Snapshot before = world.at(2);
  is_full = true;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(save_now(99, now), ErrorCode::disk_full);
    EXPECT_EQ(save_now(99, never), ErrorCode::not_run);
    Autosaver autosaver;
    EXPECT_EQ(code(autosaver.save(world.at(99), saves->target(SaveName::autosave()))),
              ErrorCode::disk_full);
  }
  is_full = false;
  // The file that none of them took; none counts as a newer save.
  EXPECT_EQ(code(save_async(before, saves->target(SaveName::autosave()), now)), kSaved);
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 1u);
  EXPECT_EQ(tick_in(folder / "auto-2.hdb"), 2u);
  EXPECT_EQ(save_now(3, now), kSaved);
  EXPECT_EQ(tick_in(folder / "auto-1.hdb"), 3u);
}

}  // namespace
}  // namespace hdb::test
