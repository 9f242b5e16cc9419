// The trials, each on games of its own.
#include "experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "files.hpp"
#include "resume.hpp"
#include "session.hpp"

namespace demo {
namespace {

// Ticks that trials play before they begin: until then free lists are short and few missiles fly.
constexpr std::uint32_t kWarmUpTicks = 100;
constexpr std::uint32_t kRollbackFrames = 100;

using Captures = std::map<std::uint32_t, hdb::Snapshot>;

// Whether the newest file holds the state of the capture of its tick. Errors: as text.
std::string check_newest(hdb::SaveDirectory& directory, const Captures& captured,
                         AutosaveTrial& trial) {
  World other;
  const auto loaded = directory.load_newest(other.database);
  if (!loaded) return loaded.error().message();
  const auto at = captured.find(other.clock->tick);
  trial.is_save_exact =
      at != captured.end() && at->second.state_hash() == other.database.state_hash();
  return {};
}

// Plays to the end with autosaves into a ring. Errors: as text.
std::string play_with_autosaves(Session& session, const std::string& folder, AutosaveTrial& trial) {
  auto directory = hdb::SaveDirectory::open(folder);
  if (!directory) return directory.error().message();
  World& world = session.world;
  world.database.reserve_copies();
  hdb::Autosaver saver;
  std::vector<hdb::SaveTicket> tickets;
  Captures captured;
  while (world.clock->tick < kEndTick) {
    const Stopwatch watch;
    session.simulation.tick();
    if (world.clock->tick % kAutosaveTicks == 0) {
      hdb::Snapshot snapshot = world.database.capture();
      captured[world.clock->tick] = snapshot;
      tickets.push_back(saver.save(
          std::move(snapshot), directory->target(hdb::SaveName::autosave()), save_options(world)));
      trial.frames.push_back(trial.with.frames_ms.size());
    }
    trial.with.frames_ms.push_back(watch.ms());
  }
  saver.flush();
  for (const hdb::SaveTicket& ticket : tickets) {
    const auto& saved = ticket.result();
    if (saved) {
      ++trial.saved;
      trial.bytes = saved->bytes;
      trial.reused_bytes = saved->reused_bytes;
    } else if (saved.error().code == hdb::ErrorCode::superseded) {
      ++trial.superseded;
    } else {
      return saved.error().message();
    }
  }
  return check_newest(*directory, captured, trial);
}

// The sound of each tick, for the rules hear it: what a game keeps outside of the database it must
// rewind by itself.
class SoundTrack {
 public:
  explicit SoundTrack(Session& session) : session_(session) {}
  // To be called before a tick runs.
  void keep(std::uint64_t tick) { before_.insert_or_assign(tick, session_.sound); }
  void rewind(std::uint64_t tick) { session_.sound = before_.at(tick); }
  void forget_before(std::uint64_t tick) {
    before_.erase(before_.begin(), before_.lower_bound(tick));
  }

 private:
  Session& session_;
  std::map<std::uint64_t, SoundSystem> before_;
};

}  // namespace

AutosaveTrial try_autosaves(const MapData& map, const Art& art, std::uint64_t seed,
                            const std::string& folder) {
  AutosaveTrial trial;
  trial.without.name = "without saves";
  trial.with.name = fmt::format("an autosave every {} ticks", kAutosaveTicks);
  const auto plain = std::make_unique<Session>(map, art, seed);
  plain->world.database.reserve_copies();
  while (plain->world.clock->tick < kEndTick) {
    const Stopwatch watch;
    plain->simulation.tick();
    trial.without.frames_ms.push_back(watch.ms());
  }
  const auto saved = std::make_unique<Session>(map, art, seed);
  trial.error = play_with_autosaves(*saved, folder + "/autosaves", trial);
  if (!trial.error.empty()) return trial;
  trial.is_game_equal = plain->world.database.state_hash() == saved->world.database.state_hash();
  std::vector<double> added;
  for (std::size_t i = 0; i < trial.with.frames_ms.size(); ++i) {
    added.push_back(trial.with.frames_ms[i] - trial.without.frames_ms[i]);
  }
  trial.added = summary_of(std::move(added));
  return trial;
}

std::string autosave_plot(const std::string& map, const AutosaveTrial& trial) {
  return frame_plot(fmt::format("{}: milliseconds per tick", map), trial.without, trial.with,
                    trial.frames,
                    fmt::format("Dashed: a capture is handed to the autosaver. {} saves, {} KiB "
                                "each, {} KiB of the last one re-used from earlier saves.",
                                trial.saved, trial.bytes / 1024, trial.reused_bytes / 1024));
}

SyncTrial try_sync(const MapData& map, const Art& art, std::uint64_t seed, bool with_bug) {
  const auto session = std::make_unique<Session>(map, art, seed);
  session->play_to(kWarmUpTicks);
  if (with_bug) session->simulation.plant_bug();
  SoundTrack sound(*session);
  hdb::SyncTestOptions options;
  options.frames_again = kRollbackTicks;
  options.first_frame = kWarmUpTicks + 1;
  options.on_restore = [&](std::uint64_t tick) { sound.rewind(tick); };
  const auto tested = hdb::sync_test(
      session->world.database,
      [&](std::uint64_t tick) {
        sound.keep(tick);
        session->simulation.tick();
      },
      kSyncTestTicks, options);
  SyncTrial trial;
  if (!tested) {
    trial.error = tested.error().message();
    return trial;
  }
  trial.ticks = tested->frames;
  if (tested->divergence) trial.divergence = tested->divergence->message();
  return trial;
}

std::string rollback_plot(const std::string& map, const RollbackTrial& trial) {
  return frame_plot(fmt::format("{}: milliseconds per frame", map), trial.without, trial.with, {},
                    fmt::format("The part of hdb: median {:.2f} ms, longest {:.2f} ms; the rest is "
                                "for the ticks that run again.",
                                trial.back.median_ms, trial.back.longest_ms));
}

RollbackTrial try_rollback(const MapData& map, const Art& art, std::uint64_t seed) {
  RollbackTrial trial;
  trial.without.name = "without rollback";
  trial.with.name = fmt::format("{} ticks back and forward in every frame", kRollbackTicks);
  const auto plain = std::make_unique<Session>(map, art, seed);
  const auto session = std::make_unique<Session>(map, art, seed);
  plain->play_to(kWarmUpTicks);
  session->play_to(kWarmUpTicks);
  SoundTrack sound(*session);
  hdb::History history(session->world.database, {.frames = kRollbackTicks + 1});
  std::vector<double> back;
  double own_ms = 0;  // hdb's part of the present frame
  const auto timed = [&](const auto& call) {
    const Stopwatch watch;
    const hdb::Status status = call();
    own_ms += watch.ms();
    if (!status) trial.error = status.error().message();
  };
  const auto advance = [&] {
    const std::uint64_t tick = session->world.clock->tick + std::uint64_t{1};
    sound.keep(tick);
    session->simulation.tick();
    timed([&] { return history.record(tick); });
  };
  timed([&] { return history.record(session->world.clock->tick); });
  while (session->world.clock->tick < kWarmUpTicks + kRollbackFrames && trial.error.empty()) {
    const Stopwatch plain_watch;
    plain->simulation.tick();
    trial.without.frames_ms.push_back(plain_watch.ms());
    own_ms = 0;
    const Stopwatch watch;
    advance();
    const std::uint64_t tick = session->world.clock->tick;
    const std::uint64_t from = std::max<std::uint64_t>(tick - kRollbackTicks, *history.oldest());
    timed([&] { return history.rewind(from); });
    sound.rewind(from + 1);
    while (session->world.clock->tick < tick) advance();
    sound.forget_before(from + 1);
    trial.with.frames_ms.push_back(watch.ms());
    back.push_back(own_ms);
  }
  trial.back = summary_of(std::move(back));
  trial.history_bytes = history.memory_bytes();
  trial.is_equal = plain->world.database.state_hash() == session->world.database.state_hash();
  return trial;
}

}  // namespace demo
