// sync_test: passes games whose whole state is captured, and names the field where others drift
// apart.
#include "hdb/sync_test.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "hdb/inspect/snapshot_diff.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace {

struct Arena {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units", {.free_list = FreeList::fifo});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  std::uint64_t outside = 0;  // what a programmer forgot to put into the state

  Arena() {
    for (int i = 0; i < 200; ++i) units.insert({.hp = 1000});
  }
  std::uint64_t random() {
    Clock& now = clock.edit();
    now.random = now.random * 6364136223846793005u + 1442695040888963407u;
    return now.random >> 33;
  }
  // The handle of the n-th record in the dense order.
  Handle<Unit> nth(std::uint64_t n) const {
    auto at = units.entries().begin();
    while (n-- != 0) ++at;
    return (*at).first;
  }
  Handle<Unit> chosen() { return nth(random() % units.size()); }
  void step(std::uint64_t frame) {
    ++clock.edit().tick;
    units.edit(chosen())->hp -= static_cast<std::int32_t>(frame % 7);
    if (random() % 3 == 0) units.erase(chosen());
    if (random() % 2 == 0) units.insert({.hp = static_cast<std::int32_t>(frame)});
  }
};

TEST(SyncTest, PassesAGameWhoseWholeStateIsCaptured) {
  for (const std::uint64_t again : {1u, 5u, 8u, 1000u}) {
    Arena arena;
    Arena control;
    const auto report = sync_test(arena.db, [&](std::uint64_t frame) { arena.step(frame); }, 100,
                                  {.frames_again = again});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->frames, 100u);
    EXPECT_FALSE(report->divergence) << report->divergence->message();
    for (std::uint64_t frame = 0; frame < 100; ++frame) control.step(frame);
    EXPECT_EQ(arena.db.state_hash(), control.db.state_hash()) << "as if each frame had run once";
  }
}

TEST(SyncTest, NamesFrameTableHandleAndFieldWithBothValues) {
  Arena arena;
  const auto step = [&](std::uint64_t frame) {
    arena.step(frame);
    if (frame == 17)
      arena.units.edit(arena.nth(3))->hp = static_cast<std::int32_t>(++arena.outside);
  };
  const auto report = sync_test(arena.db, step, 100);
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->divergence);
  EXPECT_EQ(report->frames, 17u);
  EXPECT_EQ(report->divergence->frame, 17u);
  EXPECT_NE(report->divergence->first_hash, report->divergence->second_hash);
  const Handle<Unit> handle = arena.nth(3);
  EXPECT_EQ(report->divergence->message(), "frame 17: units:" + std::to_string(handle.index()) +
                                               "@" + std::to_string(handle.generation()) +
                                               ".hp: 1 -> 2");
  EXPECT_EQ(arena.units.find(handle)->hp, 1) << "the state is that of the first run";
}

TEST(SyncTest, FindsWithMoreFramesAgainWhatOneFrameHides) {
  // Each frame's outcome depends on the frame before it, kept outside: frame 1 sees `false` only
  // when it runs again after 2.
  const auto run = [](std::uint64_t again) {
    Arena arena;
    std::uint64_t last = 0;
    const auto step = [&](std::uint64_t frame) {
      if (last > frame) arena.units.edit(arena.nth(0))->kind = 9;
      last = frame;
    };
    return sync_test(arena.db, step, 12, {.frames_again = again, .first_frame = 100});
  };
  EXPECT_FALSE(run(1)->divergence);
  const auto report = run(4);
  ASSERT_TRUE(report->divergence);
  EXPECT_EQ(report->divergence->message(), "frame 100: units:0@1.kind: 0 -> 9");
}

TEST(SyncTest, LetsTheCallerPutBackWhatIsKeptElsewhere) {
  for (const bool put_back : {true, false}) {
    Arena arena;
    std::vector<std::uint64_t> kept;  // before each frame
    const auto step = [&](std::uint64_t frame) {
      if (kept.size() == frame) kept.push_back(arena.outside);
      arena.outside += frame;
      arena.units.edit(arena.nth(0))->hp = static_cast<std::int32_t>(arena.outside);
    };
    SyncTestOptions options;
    options.frames_again = 3;
    if (put_back) options.on_restore = [&](std::uint64_t frame) { arena.outside = kept[frame]; };
    const auto report = sync_test(arena.db, step, 20, options);
    EXPECT_EQ(report->divergence.has_value(), !put_back);
  }
}

TEST(SyncTest, TellsADifferenceOutsideOfRecords) {
  Arena arena;
  const auto step = [&](std::uint64_t) {
    const Handle<Unit> a = arena.nth(10);
    const Handle<Unit> b = arena.nth(11);
    const bool swapped = arena.outside++ % 2 != 0;
    arena.units.erase(swapped ? b : a);
    arena.units.erase(swapped ? a : b);
  };
  const auto report = sync_test(arena.db, step, 5);
  ASSERT_TRUE(report->divergence);
  const auto compared = diff(report->divergence->first, report->divergence->second);
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->records(), 0u);
  EXPECT_EQ(
      report->divergence->message(),
      "frame 0: table 'units': free list 2 -> 2; first difference at entry 0: slot 10 -> slot 11");
}

TEST(SyncTest, LeavesTheStateBeforeAFrameThatThrew) {
  for (const bool in_second_run : {false, true}) {
    Arena arena;
    Arena control;
    for (std::uint64_t frame = 0; frame < 7; ++frame) control.step(frame);
    int calls = 0;
    const auto step = [&](std::uint64_t frame) {
      arena.step(frame);
      if (frame == 7 && ++calls == (in_second_run ? 2 : 1)) throw std::runtime_error("no more");
    };
    EXPECT_THROW(static_cast<void>(sync_test(arena.db, step, 20, {.frames_again = 3})),
                 std::runtime_error);
    EXPECT_EQ(arena.db.state_hash(), control.db.state_hash());
    EXPECT_EQ(arena.db.check_invariants(), nullptr);
  }
}

TEST(SyncTest, RefusesToRunNothingAgain) {
  Arena arena;
  const auto report = sync_test(arena.db, [](std::uint64_t) { FAIL(); }, 3, {.frames_again = 0});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::bad_options);
}

TEST(SyncTest, RunsNoFrameWhenNoneIsAskedFor) {
  Arena arena;
  const auto report = sync_test(
      arena.db, [](std::uint64_t) { FAIL(); }, 0);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->frames, 0u);
}

}  // namespace
}  // namespace hdb::test
