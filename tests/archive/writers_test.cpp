// Several writers, a collection of garbage beside them, and writers that are killed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <thread>

#include "archive/game_world.hpp"
#include "hdb/autosaver.hpp"
#include "support/killed_saver.hpp"

namespace hdb::test::writers_test {
namespace {

// Faults of the archive, and of its saves against what was acknowledged.
void expect_whole(const std::string& path, const std::map<std::uint64_t, Hash128>& acknowledged) {
  const auto archive = Archive::open(path);
  ASSERT_TRUE(succeeded(archive));
  const auto saves = (*archive)->list("world");
  ASSERT_TRUE(succeeded(saves));
  std::map<std::uint64_t, Hash128> found;
  for (const ArchivedSave& save : *saves) found[save.version.sequence] = save.state_hash;
  for (const auto& [number, hash] : acknowledged) {
    ASSERT_TRUE(found.contains(number)) << number;
    EXPECT_EQ(found[number], hash) << number;
  }
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
}

TEST(ArchiveWriters, NoAcknowledgedSaveOfAKilledWriterIsLost) {  // AR1
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  ASSERT_NE(new_archive(path), nullptr);
  std::map<std::uint64_t, Hash128> acknowledged;
  SaverKiller killer(11, 10);
  std::size_t kills = 0;
  for (std::size_t inside = 0, wanted = archive_kills(30); inside < wanted; ++kills) {
    const KilledSaver killed = killer.run([&](const SaverProcess::Report& report) {
      GameWorld world(3000, 3);
      for (std::size_t skip = 0; skip < kills; ++skip) world.step();
      const auto archive = Archive::open(path, kPatient);
      if (!archive) ::_exit(4);
      for (int k = 0;; ++k) {
        world.step();
        report({});
        const auto put = (*archive)->put(world.db.capture());
        if (!put) ::_exit(5);
        report({.number = put->version.sequence, .hash = put->state_hash, .is_done = true});
        // Old saves go, and their chunks with them.
        if (k % 5 == 4 && put->version.sequence > 20) {
          static_cast<void>((*archive)->remove({"world", put->version.sequence - 20}));
          static_cast<void>((*archive)->collect_garbage());
        }
      }
    });
    EXPECT_TRUE(killed.was_killed);
    if (killed.is_inside_of_a_save) ++inside;
    for (const SaveNote& note : killed.done) acknowledged[note.number] = note.hash;
    // What may have been removed is not expected.
    const std::uint64_t last = acknowledged.empty() ? 0 : acknowledged.rbegin()->first;
    std::erase_if(acknowledged, [&](const auto& each) { return each.first + 20 <= last; });
    expect_whole(path, acknowledged);
    if (HasFailure()) break;
  }
  std::printf("archive kills: cases=%zu failures=%d\n", kills, HasFailure() ? 1 : 0);
}

TEST(ArchiveWriters, OfTwoProcessesOneWinsEachNumber) {  // AR2
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  ASSERT_NE(new_archive(path), nullptr);
  constexpr std::uint64_t kSaves = 25;
  const auto race = [&](int own) {
    return [&path, own](const SaverProcess::Report& report) {
      GameWorld world(500, 3);
      world.clock.edit().random = static_cast<std::uint64_t>(own);
      const auto archive = Archive::open(path, kPatient);
      for (std::uint64_t number = 1; number <= kSaves; ++number) {
        world.step();
        const auto put = (*archive)->put(world.db.capture(), {.sequence = number});
        if (put) report({.number = number, .hash = put->state_hash});
        if (!put && put.error().code != ErrorCode::version_exists) ::_exit(6);
      }
    };
  };
  SaverProcess one(race(1));
  SaverProcess two(race(2));
  std::map<std::uint64_t, Hash128> winners;
  for (SaverProcess* const child : {&one, &two}) {
    while (const auto note = child->next())
      EXPECT_TRUE(winners.emplace(note->number, note->hash).second);
    EXPECT_EQ(child->join(), 0);
  }
  EXPECT_EQ(winners.size(), kSaves);
  expect_whole(path, winners);
}

TEST(ArchiveWriters, ACollectionBesideWriterThreadsTakesNothingNeeded) {  // AR5
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const auto collector = new_archive(path);
  std::atomic<int> writing{3};
  std::atomic<std::size_t> collections{0};
  std::atomic<std::uint64_t> collected{0};
  std::array<Hash128, 3> last;
  const auto write_saves = [&](std::size_t writer) {
    const auto archive = new_archive(path);
    GameWorld world(2000, 3);
    const std::string name = "world" + std::to_string(writer);
    for (int k = 0; k < 40; ++k) {
      // Collections run between the puts, however slow they are.
      while (k == 30 && (collections < 3 || collected == 0)) std::this_thread::yield();
      world.step();
      // The chunks of this state are garbage when the copy is put, unless they are gone already.
      const Snapshot snapshot = world.db.capture();
      const auto put = archive->put(snapshot, {.world = name});
      ASSERT_TRUE(succeeded(put));
      if (k % 2 == 1) {
        ASSERT_TRUE(succeeded(archive->remove(put->version)));
      }
      if (k % 4 == 3) continue;
      ASSERT_TRUE(succeeded(archive->put(snapshot, {.world = name + "copy"})));
      last[writer] = put->state_hash;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t writer = 0; writer < last.size(); ++writer) {
    threads.emplace_back([&, writer] {
      write_saves(writer);
      --writing;
    });
  }
  while (writing != 0) {
    const auto garbage = collector->collect_garbage();
    EXPECT_TRUE(succeeded(garbage));
    collected += garbage ? garbage->objects : 1;
    ++collections;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& thread : threads) thread.join();
  const auto check = collector->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
  EXPECT_EQ(check->saves, 3u * (20 + 30));
  for (std::size_t i = 0; i < last.size(); ++i) {
    const auto name = collector->latest("world" + std::to_string(i) + "copy");
    ASSERT_TRUE(succeeded(name));
    EXPECT_EQ(collector->read(*name).value()->info().state_hash, last[i]);
  }
  std::printf("archive collections beside writers: cases=%zu objects=%llu failures=%d\n",
              collections.load(), static_cast<unsigned long long>(collected), HasFailure() ? 1 : 0);
}

TEST(ArchiveWriters, OneObjectServesManyThreads) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      GameWorld world(2000, 3);
      const std::string name = "world" + std::to_string(i % 2);
      for (int k = 0; k < 10; ++k) {
        world.step();
        const auto put = archive->put(world.db.capture(), {.world = name});
        if (!put) {  // another thread took the number
          EXPECT_EQ(put.error().code, ErrorCode::version_exists);
          continue;
        }
        EXPECT_EQ(archive->read(put->version).value()->info().state_hash, put->state_hash);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(archive->versions()->size(), 40u);
  EXPECT_TRUE(archive->verify()->faults.empty());
}

TEST(ArchiveThreads, AutosaversWriteIntoOneArchiveWhileTheirGamesGoOn) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  // Two games with an autosaver each, and one that reads what they saved.
  std::array<Hash128, 2> last;
  std::atomic<int> playing{2};
  const auto play = [&](std::size_t game) {
    GameWorld world(2000, 3);
    Autosaver autosaver;
    const SaveTarget target = archive_target(*archive, "game" + std::to_string(game));
    std::vector<Saving> tickets;
    for (int frame = 0; frame < 60; ++frame) {
      world.step();
      tickets.push_back(autosaver.save(world.db.capture(), target));
      if (frame % 7 == 6) {
        EXPECT_TRUE(succeeded(tickets.back().result()));
      }
    }
    // The last capture is never passed over.
    ASSERT_TRUE(succeeded(tickets.back().result()));
    last[game] = world.db.capture().state_hash();
    EXPECT_EQ(tickets.back().result()->state_hash, last[game]);
    --playing;
  };
  std::thread one(play, 0);
  std::thread two(play, 1);
  std::size_t reads = 0;
  while (playing != 0) {
    for (const char* const world : {"game0", "game1"}) {
      const auto newest = archive->latest(world);
      if (!newest) continue;  // none yet
      GameWorld copy(0, 0);
      auto source = archive->source(*newest);
      EXPECT_TRUE(source && copy.db.load(std::move(*source)));
      ++reads;
    }
  }
  one.join();
  two.join();
  EXPECT_GT(reads, 0u);
  for (std::size_t game = 0; game < last.size(); ++game) {
    const auto newest = archive->latest("game" + std::to_string(game));
    ASSERT_TRUE(succeeded(newest));
    EXPECT_EQ(archive->read(*newest).value()->info().state_hash, last[game]);
  }
  EXPECT_TRUE(archive->verify()->faults.empty());
}

}  // namespace
}  // namespace hdb::test::writers_test
