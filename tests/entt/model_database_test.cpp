// What a mirrored registry has from its database: unchanged pages, changes, history, sync_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entt/model_subject.hpp"
#include "hdb/changes.hpp"
#include "hdb/history.hpp"
#include "hdb/sync_test.hpp"

namespace hdb::test::model_database_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Snapshot captured(Subject& subject) { return detail::value_or_end(subject.capture()); }

void fill(ModelSubject& subject, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t id = subject.create();
    for (std::size_t pool = 0; pool < 4; ++pool) subject.add(pool, id, i);
  }
}

TEST(MirroredDatabase, ACaptureSharesThePagesThatDidNotChange) {  // MI2
  ModelSubject subject;
  fill(subject, 1000);
  const Snapshot first = captured(subject);
  EXPECT_EQ(captured(subject).bytes_not_in(first), 0u);
  for (std::size_t pool = 0; pool < 4; ++pool) subject.set(pool, subject.live_at(500), 7);
  const Snapshot second = captured(subject);
  EXPECT_GT(second.bytes_not_in(first), 0u);
  EXPECT_LT(second.bytes_not_in(first), 4 * 4096u);  // one page of each pool
  subject.destroy(subject.live_at(999));  // the last one, in all pools: slots, orders, free list
  EXPECT_LT(captured(subject).bytes_not_in(second), 4 * 4 * 4096u);
}

TEST(MirroredDatabase, NothingChangesTwiceToTheSameValue) {
  ModelSubject subject;
  fill(subject, 100);
  const Snapshot first = captured(subject);
  for (std::size_t pool = 0; pool < 4; ++pool) subject.set(pool, subject.live_at(50), 50);
  EXPECT_EQ(captured(subject).bytes_not_in(first), 0u);
}

TEST(MirroredDatabase, TheHashDependsOnTheRegistryAlone) {
  ModelSubject one;
  ModelSubject other(3);  // registered in another order
  fill(one, 50);
  static_cast<void>(captured(one));
  for (int i = 0; i < 3; ++i) one.destroy(one.live_at(7));
  fill(other, 50);
  for (int i = 0; i < 3; ++i) other.destroy(other.live_at(7));
  EXPECT_EQ(captured(one).state_hash(), captured(other).state_hash());
}

// An entity that is made again has the index and the components of the one before, and another
// version: its pages hold the same bytes.
TEST(MirroredDatabase, TheHashIsThatOfEntitiesMadeAgain) {
  for (const bool has_components : {false, true}) {
    const auto make_again = [&](ModelSubject& subject, std::size_t at) {
      subject.destroy(subject.live_at(at));
      const std::uint64_t id = subject.create();
      for (std::size_t pool = 0; has_components && pool < 4; ++pool) subject.add(pool, id, 5);
    };
    const auto prepare = [&](ModelSubject& subject) {
      for (int i = 0; i < 2; ++i) subject.create();
      for (int i = 0; i < 9; ++i) make_again(subject, 1);  // this one has the highest version
      make_again(subject, 0);
    };
    ModelSubject hashed;  // each time
    prepare(hashed);
    std::vector<Hash128> hashes{captured(hashed).state_hash()};
    for (int rounds = 1; rounds < 5; ++rounds) {
      make_again(hashed, 1);
      ModelSubject other;
      prepare(other);
      for (int i = 0; i < rounds; ++i) make_again(other, 1);
      hashes.push_back(captured(hashed).state_hash());
      EXPECT_EQ(hashes.back(), captured(other).state_hash()) << rounds;
      EXPECT_NE(hashes.back(), hashes[hashes.size() - 2]) << rounds;
    }
  }
}

TEST(MirroredDatabase, APoolMayHaveMorePositionsThanThereAreEntities) {
  ModelSubject subject;
  const std::uint64_t id = subject.create();
  for (int i = 0; i < 9; ++i) {  // each time at the end, and a hole remains
    subject.add_back(2, {id}, 7);
    subject.remove(2, id);
  }
  subject.add_back(2, {id}, 8);
  MemorySink sink;
  ASSERT_TRUE(save(captured(subject), sink));
  ModelSubject other;
  const auto loaded = other.load(std::make_unique<MemorySource>(sink.take()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(other.state(), subject.state());
  EXPECT_EQ(captured(other).state_hash(), captured(subject).state_hash());
  for (Subject* const each : {static_cast<Subject*>(&subject), static_cast<Subject*>(&other)})
    each->compact(2);
  EXPECT_EQ(captured(other).state_hash(), captured(subject).state_hash());
}

TEST(MirroredDatabase, ARestoreReportsWhatItChanged) {
  ModelSubject subject;
  fill(subject, 10);
  const Snapshot now = captured(subject);
  const std::uint64_t destroyed = subject.live_at(3);
  const std::uint64_t changed = subject.live_at(5);
  subject.destroy(destroyed);
  subject.set(0, changed, 77);
  subject.set(0, subject.live_at(6), 6);  // as it was: no change
  Changes changes;
  ASSERT_TRUE(subject.mirror.restore(now, {.changes = &changes}));
  // The first version of an entity is generation 1 of its handle.
  const auto handle_of = [](std::uint64_t entity) { return entity + (1U << 28); };
  EXPECT_THAT(changes.of("entities").created, ElementsAre(handle_of(destroyed)));
  EXPECT_THAT(changes.of("Position").created, ElementsAre(handle_of(destroyed)));
  EXPECT_THAT(changes.of("Position").changed, ElementsAre(handle_of(changed)));
  EXPECT_THAT(changes.of("Name").created, ElementsAre(handle_of(destroyed)));
  EXPECT_THAT(changes.of("Name").changed, IsEmpty());
  ASSERT_TRUE(subject.mirror.restore(now, {.changes = &changes}));
  EXPECT_TRUE(changes.empty());
}

TEST(MirroredDatabase, AHistoryRewindsTheRegistry) {
  ModelSubject subject;
  fill(subject, 20);
  History history(subject.database(), {.frames = 8});
  std::vector<std::vector<std::uint64_t>> states;
  Random random(1);
  std::vector<std::uint64_t> trace;
  for (std::uint64_t frame = 0; frame < 8; ++frame) {
    ASSERT_TRUE(subject.push());
    ASSERT_TRUE(history.record(frame));
    states.push_back(subject.state());
    run_program(subject, random, 20, trace);
  }
  for (const std::uint64_t frame : {5U, 2U, 0U}) {
    ASSERT_TRUE(history.rewind(frame));
    ASSERT_TRUE(subject.mirror.pull());
    EXPECT_EQ(subject.state(), states[static_cast<std::size_t>(frame)]);
    run_program(subject, random, 20, trace);
  }
  // Without the pull, the registry has the last word.
  ASSERT_TRUE(subject.push());
  ASSERT_TRUE(history.rewind(0));
  const auto state = subject.state();
  const Snapshot now = captured(subject);
  EXPECT_EQ(subject.database().check_invariants(), nullptr);
  subject.clear_all();
  ASSERT_TRUE(subject.restore(now));
  EXPECT_EQ(subject.state(), state);
}

TEST(MirroredDatabase, SyncTestFindsWhatIsNotInTheRegistry) {
  ModelSubject subject;
  fill(subject, 5);
  ASSERT_TRUE(subject.push());
  std::uint32_t wind = 0;
  const auto frame_of = [&](bool with_wind) {
    return [&, with_wind](std::uint64_t frame) {
      ASSERT_TRUE(subject.mirror.pull());
      subject.set(0, subject.live_at(2), static_cast<std::uint32_t>(frame));
      if (with_wind && frame == 3) subject.set(0, subject.live_at(4), 100 + ++wind);
      ASSERT_TRUE(subject.push());
    };
  };
  const auto equal = sync_test(subject.database(), frame_of(false), 6);
  ASSERT_TRUE(equal);
  EXPECT_FALSE(equal->divergence);
  const auto differs = sync_test(subject.database(), frame_of(true), 6);
  ASSERT_TRUE(differs && differs->divergence);
  EXPECT_EQ(differs->divergence->message(), "frame 3: entities:4@1.Position.x: 101 -> 102");
}

TEST(MirroredDatabase, TablesOfTheProgramAreCapturedWithTheRegistry) {
  ModelSubject subject;
  auto& clock = subject.database().singleton<ModelBody>("clock");
  clock.edit().mass = 3;
  fill(subject, 3);
  const Snapshot now = captured(subject);
  clock.edit().mass = 4;
  ASSERT_TRUE(subject.restore(now));
  EXPECT_EQ(clock->mass, 3u);
}

}  // namespace
}  // namespace hdb::test::model_database_test
