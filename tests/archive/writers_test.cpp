// Several writers, a collection of garbage beside them, and writers that are killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>

#include "archive/game_world.hpp"

namespace hdb::test::writers_test {
namespace {

// A save that was acknowledged, as a child process reports it.
struct Ack {
  std::uint64_t number = 0;
  Hash128 hash;
};

// A child process that runs `work(report)`; the parent reads the reports.
class Child {
 public:
  template <class Work>
  explicit Child(const Work& work) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      work([&](const Ack& ack) {
        if (::write(ends[1], &ack, sizeof ack) != sizeof ack) ::_exit(3);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    read_ = ends[0];
  }
  /// Kills the process if it still runs. Returns the saves that it reported.
  std::vector<Ack> kill() {
    ::kill(process_, SIGKILL);
    return join();
  }
  std::vector<Ack> join() {
    std::vector<Ack> acks;
    Ack ack;
    while (::read(read_, &ack, sizeof ack) == sizeof ack) acks.push_back(ack);
    ::close(read_);
    int status = 0;
    ::waitpid(process_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return acks;
  }

 private:
  pid_t process_ = 0;
  int read_ = -1;
};

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
  const std::string path = folder / "a";
  ASSERT_NE(new_archive(path), nullptr);
  std::map<std::uint64_t, Hash128> acknowledged;
  Random random(11);
  const char* const wanted = std::getenv("HDB_ARCHIVE_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 30;
  std::uint64_t patience = 1;  // such that about every other writer gets to a save
  for (int i = 0; i < kills; ++i) {
    Child child([&](const auto& tell) {
      GameWorld world(3000, 3);
      for (int skip = 0; skip < i; ++skip) world.step();
      const auto archive = Archive::open(path);
      if (!archive) ::_exit(4);
      for (int k = 0; k < 1000; ++k) {
        world.step();
        const auto put = (*archive)->put(world.db.capture());
        if (!put) ::_exit(5);
        tell({put->version.sequence, put->state_hash});
        // Old saves go, and their chunks with them.
        if (k % 5 == 4 && put->version.sequence > 20) {
          static_cast<void>((*archive)->remove({"world", put->version.sequence - 20}));
          static_cast<void>((*archive)->collect_garbage());
        }
      }
    });
    std::this_thread::sleep_for(
        std::chrono::microseconds(patience * (5'000 + random.below(60'000))));
    const auto acks = child.kill();
    patience = acks.empty() ? std::min<std::uint64_t>(2 * patience, 64) : (patience + 1) / 2;
    for (const Ack& ack : acks) acknowledged[ack.number] = ack.hash;
    // What may have been removed is not expected.
    const std::uint64_t last = acknowledged.empty() ? 0 : acknowledged.rbegin()->first;
    std::erase_if(acknowledged, [&](const auto& each) { return each.first + 20 <= last; });
    expect_whole(path, acknowledged);
    if (HasFailure()) break;
  }
  std::printf("archive kills: cases=%d failures=%d\n", kills, HasFailure() ? 1 : 0);
  EXPECT_GT(acknowledged.size(), 3u);
}

TEST(ArchiveWriters, OfTwoProcessesOneWinsEachNumber) {  // AR2
  const Folder folder(fast_parent());
  const std::string path = folder / "a";
  ASSERT_NE(new_archive(path), nullptr);
  constexpr std::uint64_t kSaves = 25;
  const auto race = [&](int own) {
    return [&path, own](const auto& tell) {
      GameWorld world(500, 3);
      world.clock.edit().random = static_cast<std::uint64_t>(own);
      const auto archive = Archive::open(path);
      for (std::uint64_t number = 1; number <= kSaves; ++number) {
        world.step();
        const auto put = (*archive)->put(world.db.capture(), {.sequence = number});
        if (put) tell({number, put->state_hash});
        if (!put && put.error().code != ErrorCode::version_exists) ::_exit(6);
      }
    };
  };
  Child one(race(1));
  Child two(race(2));
  std::map<std::uint64_t, Hash128> winners;
  for (Child* const child : {&one, &two}) {
    for (const Ack& ack : child->join()) EXPECT_TRUE(winners.emplace(ack.number, ack.hash).second);
  }
  EXPECT_EQ(winners.size(), kSaves);
  expect_whole(path, winners);
}

TEST(ArchiveWriters, ACollectionBesideWriterThreadsTakesNothingNeeded) {  // AR5
  const Folder folder(fast_parent());
  const std::string path = folder / "a";
  const auto collector = new_archive(path);
  std::atomic<int> writing{3};
  std::vector<std::thread> threads;
  std::array<Hash128, 3> last;
  for (std::size_t i = 0; i < last.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto archive = new_archive(path);
      GameWorld world(2000, 3);
      const std::string name = "world" + std::to_string(i);
      for (int k = 0; k < 40; ++k) {
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
        last[i] = put->state_hash;
      }
      --writing;
    });
  }
  std::size_t collections = 0;
  std::uint64_t collected = 0;
  while (writing != 0) {
    const auto garbage = collector->collect_garbage();
    EXPECT_TRUE(succeeded(garbage));
    if (!garbage) break;
    collected += garbage->objects;
    ++collections;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(collections, 2u);
  EXPECT_GT(collected, 0u);
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
              collections, static_cast<unsigned long long>(collected), HasFailure() ? 1 : 0);
}

TEST(ArchiveWriters, OneObjectServesManyThreads) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a");
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

}  // namespace
}  // namespace hdb::test::writers_test
