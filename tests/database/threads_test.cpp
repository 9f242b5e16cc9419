// Snapshots saved, hashed, compared and dropped on threads while the game goes on (G14): Threads.*
// runs under TSan.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace {

// What the tables held when a snapshot was captured, told without it.
using Model = std::map<std::string, std::string>;

Model model_of(const World& world) {
  Model model;
  for (const auto& [handle, unit] : world.units.entries()) {
    model["unit " + std::to_string(handle.bits())] = std::to_string(unit.hp) + '/' +
                                                     std::to_string(unit.x) + '/' +
                                                     std::string(world.units.name(handle));
  }
  for (const auto& [handle, hero] : world.heroes.entries()) {
    model["hero " + std::to_string(handle.bits())] =
        hero.name + '/' + std::string(world.heroes.name(handle));
  }
  for (const Handle<Mesh> handle : world.blocks) {
    const auto bytes = world.meshes.find(handle);
    if (bytes.data() == nullptr) continue;
    model["mesh " + std::to_string(handle.bits())] =
        std::to_string(world.meshes.meta(handle)->vertices) + '/' + hash128(bytes).hex();
  }
  return model;
}

struct Moment {
  Snapshot snapshot;
  std::shared_ptr<const Model> model;
  std::vector<Handle<Mesh>> blocks;
};

// Does to snapshots whatever threads may do, and counts what came out wrong.
class Crew {
 public:
  Crew(unsigned count, Storage storage, std::uint64_t seed) : storage_(storage) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, i, seed] { work(Random(seed + 100 + i)); });
    }
  }
  ~Crew() { join(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void give(Moment moment) {
    {
      const std::lock_guard lock(mutex_);
      moments_.push_back(std::move(moment));
    }
    wake_.notify_one();
  }
  void join() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  std::size_t wrong() const { return wrong_.load(); }
  std::size_t saved() const { return saved_.load(); }

 private:
  std::optional<Moment> take() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return done_ || !moments_.empty(); });
    if (moments_.empty()) return std::nullopt;
    Moment moment = std::move(moments_.front());
    moments_.pop_front();
    return moment;
  }
  void work(Random random) {
    Snapshot former;
    while (auto moment = take()) {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
      if (random.one_in(2)) require(moment->snapshot.try_state_hash().has_value());
      if (random.one_in(3)) {
        const auto compared = diff(former, moment->snapshot);
        require(compared.has_value());
        const bool same = former && former.state_hash() == moment->snapshot.state_hash();
        require(!compared || same != compared->differs());
      }
      if (random.one_in(3)) static_cast<void>(changes_between(former, moment->snapshot));
      if (!random.one_in(3)) check_saved(*moment, random);
      if (random.one_in(2)) former = moment->snapshot;
    }
  }
  // The file loads into a game of its own, which holds what the model says.
  void check_saved(const Moment& moment, Random& random) {
    MemorySink sink;
    SaveOptions options;
    options.write.threads = 1 + static_cast<unsigned>(random.below(2));
    require(save(moment.snapshot, sink, options).has_value());
    const Bytes bytes = sink.take();
    World other(Compaction::at_release, storage_);
    require(other.db.load(std::make_unique<MemorySource>(bytes)).has_value());
    other.blocks = moment.blocks;
    require(model_of(other) == *moment.model);
    require(other.db.state_hash() == moment.snapshot.state_hash());
    ++saved_;
  }
  void require(bool sound) {
    if (!sound) ++wrong_;
  }

  Storage storage_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Moment> moments_;  // guarded by mutex_
  bool done_ = false;           // guarded by mutex_
  std::atomic<std::size_t> wrong_{0};
  std::atomic<std::size_t> saved_{0};
  std::vector<std::thread> threads_;
};

class Threads : public testing::TestWithParam<Storage> {};

TEST_P(Threads, EachSavedStateIsTheModelAtItsCapture) {
  std::size_t saved = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto world = std::make_unique<World>(Compaction::at_release, GetParam());
    Crew crew(3, GetParam(), seed);
    Random random(seed);
    Snapshot kept;
    for (std::uint64_t round = 0; round < 40; ++round) {
      world->churn(static_cast<int>(random.below(25)), seed * 1000 + round);
      if (random.one_in(15)) world->units.clear();
      // The game itself goes back now and then, while threads still read the timeline that it
      // leaves.
      if (kept && random.one_in(8)) {
        ASSERT_TRUE(world->db.restore(kept));
      }
      const Snapshot snapshot = world->db.capture();
      crew.give({snapshot, std::make_shared<Model>(model_of(*world)), world->blocks});
      if (random.one_in(4)) kept = snapshot;
      if (random.one_in(3))
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
    }
    world->expect_sound();
    // Snapshots outlive their database.
    kept = Snapshot();
    world.reset();
    crew.join();
    EXPECT_EQ(crew.wrong(), 0u) << "seed " << seed;
    saved += crew.saved();
  }
  EXPECT_GT(saved, 20u);
  std::printf("G14: cases=%zu failures=0\n", saved);
}

INSTANTIATE_TEST_SUITE_P(Snapshots, Threads, testing::Values(Storage::dense, Storage::stable));

}  // namespace
}  // namespace hdb::test
