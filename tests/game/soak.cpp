// hdb_soak TICKS [SEED]: the sample game runs for many ticks with autosaves, is killed at random
// times, and goes on from the newest save. It must not lose a save that was reported as durable,
// nor differ from the same game without a break, nor take more and more memory or disk.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "files/folder.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "played_game.hpp"

namespace demo::test {
namespace {

constexpr std::uint32_t kSaveEvery = 40;  // ticks
constexpr std::uint32_t kHashEvery = 10;
constexpr std::uint32_t kNotYet = ~std::uint32_t{0};

// What the processes share. The reference writes the hashes; the player compares.
struct Shared {
  std::atomic<std::uint32_t> tick{0};        ///< The player's.
  std::atomic<std::uint32_t> continued{0};   ///< The tick of the save with which the player began.
  std::atomic<std::uint32_t> durable{0};     ///< Of the newest save that was reported as durable.
  std::atomic<std::uint32_t> other_tick{0};  ///< The first tick that differs; 0: none.
  std::atomic<std::uint32_t> saves{0};
  std::atomic<bool> is_at_end{false};
  std::uint64_t end_hash = 0;  ///< The low half of the reference's state hash.
  std::uint64_t hashes[1];     ///< Of every kHashEvery-th tick.
};

Shared* make_shared_memory(std::uint32_t ticks) {
  const std::size_t size = sizeof(Shared) + (ticks / kHashEvery + 1) * sizeof(std::uint64_t);
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) Shared;
}

void play_reference(Shared& shared, std::uint32_t ticks, std::uint64_t seed) {
  PlayedGame game(seed);
  while (game.world.clock->tick < ticks) {
    game.tick();
    const std::uint32_t tick = game.world.clock->tick;
    if (tick % kHashEvery == 0) shared.hashes[tick / kHashEvery] = game.hashes().moving;
  }
  shared.end_hash = game.world.database.state_hash().low;
}

hdb::SaveDirectory open_saves(const std::string& folder) {
  return hdb::SaveDirectory::open(folder, {.autosaves = 3}).value();
}

// Loads the newest save, or begins a new game.
std::unique_ptr<Game> begin(const std::string& folder, std::uint64_t seed, Shared& shared) {
  auto game = std::make_unique<Game>(generated_wad_1());
  const auto loaded = open_saves(folder).load_newest(game->world.database);
  if (!loaded && loaded.error().code == hdb::ErrorCode::not_found) {
    shared.continued = 0;
    return std::make_unique<PlayedGame>(seed);
  }
  if (!loaded) {
    std::printf("soak: %s\n", loaded.error().message().c_str());
    std::_Exit(1);
  }
  // A kill leaves no damaged file.
  if (!loaded->skipped.empty()) std::_Exit(1);
  game->after_load(loaded->entry.info->metadata);
  shared.continued = game->world.clock->tick;
  return game;
}

// Ends at the last tick, if it is not killed before.
void play(Shared& shared, const std::string& folder, std::uint32_t ticks, std::uint64_t seed) {
  auto game = begin(folder, seed, shared);
  auto saves = open_saves(folder);
  const hdb::SaveTarget target(
      "auto", [inner = saves.target(hdb::SaveName::autosave()), &shared](
                  const hdb::Snapshot& snapshot, const hdb::SaveOptions& save_options) {
        auto report = inner.write()(snapshot, save_options);
        if (report && report->outcome == hdb::SaveOutcome::durable) {
          shared.durable = static_cast<std::uint32_t>(save_options.metadata.sequence);
          ++shared.saves;
        }
        return report;
      });
  hdb::Autosaver autosaver;
  while (game->world.clock->tick < ticks) {
    game->tick();
    const std::uint32_t tick = game->world.clock->tick;
    shared.tick = tick;
    if (tick % kHashEvery == 0 && tick_hashes(*game).moving != shared.hashes[tick / kHashEvery]) {
      shared.other_tick = tick;
      std::_Exit(1);
    }
    if (tick % kSaveEvery == 0) {
      autosaver.save(game->world.database.capture(), target, game->save_options());
    }
  }
  autosaver.close();
  const bool is_same = game->world.database.state_hash().low == shared.end_hash;
  shared.is_at_end = is_same;
  if (!is_same) shared.other_tick = ticks;
}

template <class Body>
pid_t start(const Body& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child != 0) return child;
  body();
  std::fflush(nullptr);
  std::_Exit(0);
}

struct Ended {
  int status = 0;
  long most_memory_kib = 0;
};

Ended wait_for(pid_t child) {
  Ended ended;
  struct rusage usage {};
  if (::wait4(child, &ended.status, 0, &usage) != child) std::abort();
  ended.most_memory_kib = usage.ru_maxrss;
  return ended;
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

// The greatest of the first and of the last third.
struct Growth {
  std::vector<std::uint64_t> values;
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> ends() const {
    const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
    if (third < 4) return {0, 0};  // too few to compare
    return {*std::max_element(values.begin(), values.begin() + third),
            *std::max_element(values.end() - third, values.end())};
  }
  /// By more than half. Slots of shots retire for ever, so some growth is the game's own.
  [[nodiscard]] bool is_large() const { return 2 * ends().second > 3 * ends().first; }
};

int soak(std::uint32_t ticks, std::uint64_t seed) {
  const hdb::test::Folder folder(hdb::test::fast_parent());
  Shared& shared = *make_shared_memory(ticks);
  if (wait_for(start([&] { play_reference(shared, ticks, seed); })).status != 0) return 1;
  std::mt19937_64 random(seed);
  std::size_t kills = 0;
  std::size_t failures = 0;
  Growth memory;
  Growth disk;
  std::uint32_t must_have = 0;
  while (!shared.is_at_end && failures == 0) {
    shared.continued = kNotYet;
    const pid_t player = start([&] { play(shared, folder.path(), ticks, seed); });
    // About 60 lives, whatever the number of ticks; the first kills come early.
    const std::uint32_t most = std::max<std::uint32_t>(ticks / 30, 2 * kSaveEvery);
    const auto life = static_cast<std::uint32_t>(random() % most);
    const std::uint32_t from = shared.tick;
    const auto extra = std::chrono::microseconds(random() % 3000);
    int status = 0;
    bool has_ended = false;
    struct rusage usage {};
    while (!has_ended && (shared.tick < from || shared.tick - from < life)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      has_ended = ::wait4(player, &status, WNOHANG, &usage) == player;
    }
    if (!has_ended) {
      std::this_thread::sleep_for(extra);
      ::kill(player, SIGKILL);
      const Ended ended = wait_for(player);
      status = ended.status;
      usage.ru_maxrss = ended.most_memory_kib;
    }
    const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!was_killed && status != 0) ++failures;
    if (was_killed) ++kills;
    // It went on from a save that is not older than the newest one reported as durable before.
    if (shared.continued < must_have) {
      std::printf("soak: went on from tick %u; tick %u was durable\n", shared.continued.load(),
                  must_have);
      ++failures;
    }
    must_have = std::max(must_have, shared.durable.load());
    memory.values.push_back(static_cast<std::uint64_t>(usage.ru_maxrss));
    disk.values.push_back(bytes_in(folder.path()));
  }
  if (shared.other_tick != 0) {
    std::printf("soak: tick %u differs from the game without a break\n", shared.other_tick.load());
  }
  if (memory.is_large() || disk.is_large()) {
    std::printf("soak: memory or disk grew\n");
    ++failures;
  }
  std::size_t strangers = 0;
  for (const std::string& name : folder.names()) strangers += name.starts_with("auto-") ? 0U : 1U;
  // What kills left beside each file of the ring: a temporary and a lock.
  if (strangers > 6) ++failures;
  std::printf(
      "G19 soak of the sample game: cases=%u failures=%zu (%zu kills, %u saves; memory %llu -> "
      "%llu "
      "KiB, disk %llu -> %llu bytes)\n",
      ticks, failures, kills, shared.saves.load(),
      static_cast<unsigned long long>(memory.ends().first),
      static_cast<unsigned long long>(memory.ends().second),
      static_cast<unsigned long long>(disk.ends().first),
      static_cast<unsigned long long>(disk.ends().second));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace demo::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: hdb_soak TICKS [SEED]\n");
    return 2;
  }
  const auto ticks = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  return demo::test::soak(ticks, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
}
