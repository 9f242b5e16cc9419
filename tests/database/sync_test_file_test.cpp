// sync_test through a file: finds what a file does not keep, as soon as it changes a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>

#include "hdb/sync_test.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::sync_test_file_test {

/// Forgets `alarm`.
struct Guard {
  std::int32_t hp = 100;
  std::int32_t alarm = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
  }
};
/// The same, and not trivially copyable.
struct Captain {
  std::string name;
  std::int32_t hp = 100;
  std::int32_t alarm = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp));
  }
};
/// Loads another value than it saved.
struct Faulty {
  std::int32_t hp = 100;
  template <class A>
  void save(A& a) const {
    a(CEREAL_NVP(hp));
  }
  template <class A>
  void load(A& a) {
    a(CEREAL_NVP(hp));
    if (hp == 57) hp = 58;
  }
};
/// Cannot be saved with some values.
struct Fragile {
  std::int32_t hp = 100;
  std::string name;
  template <class A>
  void serialize(A& a) {
    if (hp == 13) throw std::runtime_error("bad luck");
    a(CEREAL_NVP(hp), CEREAL_NVP(name));
  }
};

}  // namespace hdb::test::sync_test_file_test

template <>
struct hdb::LeavesOut<hdb::test::sync_test_file_test::Guard> {
  static constexpr std::tuple members{&hdb::test::sync_test_file_test::Guard::alarm};
};
template <>
struct hdb::LeavesOut<hdb::test::sync_test_file_test::Captain> {
  static constexpr std::tuple members{&hdb::test::sync_test_file_test::Captain::alarm};
};

namespace hdb::test::sync_test_file_test {
namespace {

const SyncTestOptions kThroughFile = {.through_file = true};

// The first difference; empty if there is none.
std::string divergence(Database& db, const std::function<void(std::uint64_t)>& step,
                       std::uint64_t frames, const SyncTestOptions& options = kThroughFile) {
  const auto report = sync_test(db, step, frames, options);
  EXPECT_TRUE(report) << report.error().message();
  return report && report->divergence ? report->divergence->message() : "";
}

// Sets an alarm in frame 3 that takes effect in frame 8.
template <class Record>
std::function<void(std::uint64_t)> alarm_step(Table<Record>& table, Handle<Record> handle) {
  return [&table, handle](std::uint64_t frame) {
    Record& record = *table.edit(handle);
    if (frame == 3) record.alarm = 5;
    if (record.alarm != 0 && --record.alarm == 0) record.hp -= 40;
  };
}

struct Game {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units", {.free_list = FreeList::fifo});
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.storage = Storage::stable});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");

  Game() {
    for (int i = 0; i < 3000; ++i) units.insert({.hp = i, .x = 0.5 * i});
    for (int i = 0; i < 40; ++i) heroes.insert({.name = "hero " + std::to_string(i)});
  }
  void step(std::uint64_t frame) {
    ++clock.edit().tick;
    const auto handle = units.handle_at(frame * 7919 % units.size());
    units.edit(handle)->hp += static_cast<std::int32_t>(frame);
    if (frame % 3 == 0) units.erase(units.handle_at(frame * 31 % units.size()));
    if (frame % 4 == 0) units.insert({.hp = static_cast<std::int32_t>(frame)});
    const auto hero = heroes.insert({.name = "new", .items = {1, 2}, .mana = 0.5f});
    heroes.edit(hero)->skills["swim"] = static_cast<std::int32_t>(frame);
    units.sort_step([](const Unit& a, const Unit& b) { return a.hp < b.hp; }, 200);
  }
};

TEST(SyncTestThroughFile, PassesAGameWhoseFilesHoldAll) {
  for (const std::uint64_t again : {1u, 4u}) {
    Game game;
    Game control;
    EXPECT_EQ(divergence(game.db, [&](std::uint64_t frame) { game.step(frame); }, 30,
                         {.frames_again = again, .through_file = true}),
              "");
    for (std::uint64_t frame = 0; frame < 30; ++frame) control.step(frame);
    EXPECT_EQ(game.db.state_hash(), control.db.state_hash()) << "as if each frame had run once";
    EXPECT_EQ(game.db.check_invariants(), nullptr);
  }
}

TEST(SyncTestThroughFile, FindsAForgottenMemberWhenItChangesAResult) {
  Database db;
  auto& guards = db.create_table<Guard>("guards");
  for (int i = 0; i < 1000; ++i) guards.insert({});
  const auto guard = guards.insert({});
  const auto step = alarm_step(guards, guard);
  EXPECT_EQ(divergence(db, step, 20), "frame 7: guards:1000@1.hp: 60 -> 100");
  EXPECT_EQ(guards.at(guard).hp, 60) << "the state is that of the first run";
}

TEST(SyncTestThroughFile, FindsAForgottenMemberBesideAString) {
  Database db;
  auto& captains = db.create_table<Captain>("captains", {.storage = Storage::stable});
  const auto captain = captains.insert({.name = "a"});
  EXPECT_EQ(divergence(db, alarm_step(captains, captain), 20),
            "frame 7: captains:0@1.hp: 60 -> 100");
}

TEST(SyncTestThroughFile, FindsAForgottenMemberInLongRuns) {
  Database db;
  auto& guards = db.create_table<Guard>("guards");
  const auto step = alarm_step(guards, guards.insert({}));
  EXPECT_EQ(divergence(db, step, 20, {.frames_again = 5, .through_file = true}),
            "frame 7: guards:0@1.hp: 60 -> 100");
}

TEST(SyncTestThroughFile, FindsWhatWasForgottenBeforeTheTest) {
  Database db;
  auto& guards = db.create_table<Guard>("guards");
  const auto guard = guards.insert({.alarm = 12});
  const auto step = [&](std::uint64_t frame) {
    if (frame == 6) guards.edit(guard)->hp = guards.at(guard).alarm;
  };
  EXPECT_EQ(divergence(db, step, 20), "frame 6: guards:0@1.hp: 12 -> 0");
}

TEST(SyncTestThroughFile, IsWhatFindsForgottenMembers) {
  Database db;
  auto& guards = db.create_table<Guard>("guards");
  EXPECT_EQ(divergence(db, alarm_step(guards, guards.insert({})), 20, {}), "");
}

TEST(SyncTestThroughFile, FindsALoadThatChangesAValue) {
  Database db;
  auto& table = db.create_table<Faulty>("faulty");
  const auto handle = table.insert({});
  const auto step = [&](std::uint64_t) { --table.edit(handle)->hp; };
  EXPECT_EQ(divergence(db, step, 100), "frame 43: faulty:0@1.hp: 56 -> 57");
}

TEST(SyncTestThroughFile, LeavesTablesAloneThatAreNotSaved) {
  for (const Scope scope : {Scope::unhashed, Scope::unsaved, Scope::uncaptured}) {
    Database db;
    auto& guards = db.create_table<Guard>("guards", {.scope = scope});
    auto& clock = db.singleton<Clock>("clock");
    const auto guard = guards.insert({.alarm = 12});
    const auto step = [&](std::uint64_t) {
      clock.edit().tick += static_cast<std::uint64_t>(guards.at(guard).alarm);
    };
    EXPECT_EQ(divergence(db, step, 5),
              scope == Scope::unhashed ? "frame 0: clock:0@1.tick: 12 -> 0" : "");
    EXPECT_EQ(guards.at(guard).alarm, 12);
  }
}

TEST(SyncTestThroughFile, DoesNotTakePaddingForADifference) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  for (int i = 0; i < 500; ++i) {
    const auto handle = units.insert({.hp = 500 - i});
    auto* const bytes = reinterpret_cast<std::byte*>(units.edit(handle));
    std::memset(bytes + offsetof(Unit, kind) + 1, 0x5a, 3);
  }
  bool is_sorted = false;
  const auto by_hp = [](const Unit& a, const Unit& b) { return a.hp < b.hp; };
  const auto step = [&](std::uint64_t) { is_sorted = units.sort_step(by_hp, 300); };
  EXPECT_EQ(divergence(db, step, 200), "");
  EXPECT_TRUE(is_sorted);
}

TEST(SyncTestThroughFile, KeepsNames) {
  Database db;
  auto& textures =
      db.create_table<Hero>("textures", {.storage = Storage::stable, .names = RecordNames::exact});
  const auto step = [&](std::uint64_t frame) {
    textures.insert_named("texture " + std::to_string(frame), {.name = "x"});
    if (frame > 3) textures.erase(textures.find_named("texture " + std::to_string(frame - 3)));
  };
  EXPECT_EQ(divergence(db, step, 10), "");
  EXPECT_EQ(db.check_invariants(), nullptr);
}

TEST(SyncTestThroughFile, LeavesTheStateBeforeAFrameThatThrew) {
  for (const int failing : {15, 16}) {  // in the first or the second run of frame 7
    Database db;
    auto& guards = db.create_table<Guard>("guards");
    const auto guard = guards.insert({});
    int calls = 0;
    const auto step = [&](std::uint64_t frame) {
      guards.edit(guard)->alarm = 10 + static_cast<std::int32_t>(frame);
      if (++calls == failing) throw std::runtime_error("no more");
    };
    EXPECT_THROW(static_cast<void>(sync_test(db, step, 20, kThroughFile)), std::runtime_error);
    EXPECT_EQ(guards.at(guard).alarm, 16);
  }
}

TEST(SyncTestThroughFile, LeavesTheStateBeforeARecordThatCannotBeSaved) {
  Database db;
  auto& guards = db.create_table<Guard>("guards");
  auto& table = db.create_table<Fragile>("table", {.scope = Scope::unhashed});
  const auto guard = guards.insert({.alarm = 7});
  table.insert({.hp = 13, .name = ""});
  const auto report = sync_test(
      db, [](std::uint64_t) {}, 20, kThroughFile);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::user_code_threw);
  EXPECT_THAT(report.error().message(), testing::HasSubstr("table 'table'"));
  EXPECT_THAT(report.error().message(), testing::HasSubstr("bad luck"));
  EXPECT_EQ(guards.at(guard).alarm, 7);
}

}  // namespace
}  // namespace hdb::test::sync_test_file_test
