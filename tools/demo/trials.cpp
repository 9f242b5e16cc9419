// Autosaves in play, frames run twice, rollback in every frame.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "checks.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/history.hpp"
#include "hdb/save_directory.hpp"
#include "hdb/sync_test.hpp"

namespace demo {
namespace {

// Trials begin after these ticks: until then free lists are short and few missiles fly.
constexpr std::uint32_t kWarmUpTicks = 100;
constexpr std::uint32_t kRollbackFrames = 100;

std::string summary_of(std::vector<double> frames_ms) {
  std::sort(frames_ms.begin(), frames_ms.end());
  return fmt::format("median {:.2f} ms, 99 % {:.2f}, longest {:.2f}",
                     frames_ms[frames_ms.size() / 2],
                     frames_ms[frames_ms.size() - 1 - frames_ms.size() / 100], frames_ms.back());
}

// The sounds before each tick: a game must rewind by itself what it keeps outside of the database.
using SoundTrack = std::map<std::uint64_t, SoundSystem>;

}  // namespace

Check try_autosaves(const Wad& wad, const std::string& map, std::uint64_t seed,
                    const std::string& folder) {
  Game plain(wad, map, seed);
  Game game(wad, map, seed);
  std::error_code not_there;
  for (const auto& earlier : std::filesystem::directory_iterator(folder, not_there))
    std::filesystem::remove(earlier);  // it may be newer than the saves of this run
  auto directory = must(hdb::SaveDirectory::open(folder));
  hdb::Autosaver saver;
  std::vector<hdb::Saving> tickets;
  std::map<std::uint32_t, hdb::Hash128> captured;  // state hashes by tick
  std::vector<double> added_ms;
  plain.world.database.reserve_copies();
  game.world.database.reserve_copies();
  while (game.world.clock->tick < kEndTick) {
    const Stopwatch plain_watch;
    plain.tick();
    const double plain_ms = plain_watch.ms();
    const Stopwatch watch;
    game.tick();
    if (game.world.clock->tick % kAutosaveTicks == 0) {
      tickets.push_back(saver.save(game.world.database.capture(),
                                   directory.target(hdb::SaveName::autosave()),
                                   game.save_options()));
    }
    added_ms.push_back(watch.ms() - plain_ms);
    if (game.world.clock->tick % kAutosaveTicks == 0) {
      captured[game.world.clock->tick] = plain.world.database.state_hash();
    }
  }
  saver.flush();
  std::size_t saved = 0;
  for (const hdb::Saving& ticket : tickets) {
    const auto& report = ticket.result();
    // A newer capture may replace one that still waits.
    if (!report && report.error().code == hdb::ErrorCode::superseded) continue;
    must(report);
    ++saved;
  }
  Game other(wad);
  must(directory.load_newest(other.world.database));
  const bool is_game_equal = plain.world.database.state_hash() == game.world.database.state_hash();
  const auto at = captured.find(other.world.clock->tick);
  const bool is_save_exact =
      at != captured.end() && at->second == other.world.database.state_hash();
  return {is_game_equal && is_save_exact && saved > 0,
          fmt::format("{} autosaves, {} on disk, add per tick: {}", tickets.size(), saved,
                      summary_of(std::move(added_ms)))};
}

Check try_sync(const Wad& wad, const std::string& map, std::uint64_t seed, bool with_bug) {
  Game game(wad, map, seed);
  game.play_to(kWarmUpTicks);
  if (with_bug) game.plant_bug();
  SoundTrack sounds;
  hdb::SyncTestOptions options;
  options.frames_again = kRollbackTicks;
  options.first_frame = kWarmUpTicks + 1;
  options.on_restore = [&](std::uint64_t tick) { game.sounds = sounds.at(tick); };
  const auto tested = must(hdb::sync_test(
      game.world.database,
      [&](std::uint64_t tick) {
        sounds[tick] = game.sounds;
        game.tick();
      },
      kSyncTestTicks, options));
  return {tested.divergence.has_value() == with_bug,
          fmt::format("sync_test: {} ticks run twice with equal results{}", tested.frames,
                      tested.divergence ? ", then " + tested.divergence->message() : "")};
}

Check try_rollback(const Wad& wad, const std::string& map, std::uint64_t seed) {
  Game plain(wad, map, seed);
  Game game(wad, map, seed);
  plain.play_to(kWarmUpTicks + kRollbackFrames);
  game.play_to(kWarmUpTicks);
  SoundTrack sounds;
  hdb::History history(game.world.database, {.frames = kRollbackTicks + 1});
  std::vector<double> own_ms;  // hdb's part of each frame
  const auto timed = [&](const auto& call) {
    const Stopwatch watch;
    must(call());
    own_ms.back() += watch.ms();
  };
  const auto advance = [&] {
    const std::uint64_t tick = game.world.clock->tick + std::uint64_t{1};
    sounds[tick] = game.sounds;
    game.tick();
    timed([&] { return history.record(tick); });
  };
  must(history.record(game.world.clock->tick));
  while (game.world.clock->tick < kWarmUpTicks + kRollbackFrames) {
    own_ms.push_back(0);
    advance();
    const std::uint64_t tick = game.world.clock->tick;
    const std::uint64_t from = std::max<std::uint64_t>(tick - kRollbackTicks, *history.oldest());
    timed([&] { return history.rewind(from); });
    game.sounds = sounds.at(from + 1);
    while (game.world.clock->tick < tick) advance();
  }
  return {plain.world.database.state_hash() == game.world.database.state_hash(),
          fmt::format("{} frames, each goes {} ticks back and plays them again: the state is equal "
                      "to a game without rollback\n    time of hdb per frame: {}; the history uses "
                      "{} KiB",
                      own_ms.size(), kRollbackTicks, summary_of(own_ms),
                      history.memory_bytes() / 1024)};
}

}  // namespace demo
