// hdb_entt_game: a headless EnTT game with quick save, rollback, and a search for divergence.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "battle.hpp"
#include "hdb/changes.hpp"
#include "hdb/history.hpp"
#include "hdb/sync_test.hpp"

namespace entt_game {
namespace {

constexpr std::uint64_t kFrames = 120;

// Errors end the program: it shows how things are when they work.
template <class T>
T required(hdb::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

void play_until(Battle& battle, std::uint64_t frame) {
  while (battle.frame() < frame) battle.step();
}

bool is_same(const char* what, Battle& battle, const hdb::Hash128& expected) {
  const bool same = battle.world().capture().state_hash() == expected;
  std::printf("%s: frame %llu, %zu ships, %zu turrets: %s\n", what,
              static_cast<unsigned long long>(battle.frame()), battle.ship_count(),
              battle.turret_count(), same ? "the same state" : "ANOTHER STATE");
  return same;
}

// A save in the background, the game goes on; then it is loaded, here and in another registry.
bool quick_save(Battle& battle, const std::string& path) {
  hdb::Saving saving = hdb::save_async(battle.world().capture(), path);
  play_until(battle, kFrames);
  const hdb::Hash128 expected = battle.world().capture().state_hash();
  required(saving.result());
  hdb::Changes changes;
  const hdb::LoadReport report = required(battle.world().load(path, {.changes = &changes}));
  const auto entities = battle.world().entities_of(changes);
  std::printf("quick load: %s\n", report.summary().c_str());
  std::printf("quick load: %zu entities created, %zu destroyed, %zu changed\n",
              entities.created.size(), entities.destroyed.size(), entities.changed.size());
  play_until(battle, kFrames);
  bool same = is_same("quick load, then played again", battle, expected);
  Battle other;
  required(other.world().load(path));
  play_until(other, kFrames);
  same &= is_same("loaded by another program", other, expected);
  return same;
}

// The last frames, one of which is replayed.
bool rollback(Battle& battle) {
  hdb::entt::Registry& world = battle.world();
  hdb::History history(world.database(), {.frames = 8});
  for (int i = 0; i < 12; ++i) {
    required(world.push());
    required(history.record(battle.frame()));
    battle.step();
  }
  const std::uint64_t last = battle.frame();
  const hdb::Hash128 expected = world.capture().state_hash();
  required(history.rewind(last - 6));
  required(world.pull());
  play_until(battle, last);
  return is_same("6 frames rolled back, then played again", battle, expected);
}

// Runs each frame twice.
bool find_divergence(Battle& battle) {
  hdb::entt::Registry& world = battle.world();
  required(world.push());
  const auto step = [&](std::uint64_t) {
    required(world.pull());
    battle.step();
    required(world.push());
  };
  const hdb::SyncTestReport report =
      required(hdb::sync_test(world.database(), step, 20, {.first_frame = battle.frame()}));
  if (report.divergence) {
    std::printf("divergence: %s\n", report.divergence->message().c_str());
  } else {
    std::printf("sync_test: %llu frames, each twice: no divergence\n",
                static_cast<unsigned long long>(report.frames));
  }
  return !report.divergence;
}

}  // namespace
}  // namespace entt_game

int main(int argc, char** argv) {
  using namespace entt_game;
  const bool has_bug = argc > 1 && std::string_view(argv[1]) == "--plant-bug";
  const std::string path = argc > 1 && !has_bug ? argv[1] : "entt_game.hdb";
  Battle battle(has_bug);
  battle.fill(3'000);
  if (has_bug) return find_divergence(battle) ? 0 : 1;
  play_until(battle, kFrames / 2);
  const bool saved = quick_save(battle, path);
  const bool rolled_back = rollback(battle);
  const bool equal = find_divergence(battle);
  return saved && rolled_back && equal ? 0 : 1;
}
