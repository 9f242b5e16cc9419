// The uninterrupted game.
#include "play.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "draw_order.hpp"
#include "handle_list.hpp"
#include "resume.hpp"
#include "simulation.hpp"
#include "sorted_image.hpp"

namespace demo {
namespace {

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::pair<double, double> median_and_longest(std::vector<double> frames) {
  if (frames.empty()) return {0, 0};
  std::sort(frames.begin(), frames.end());
  return {frames[frames.size() / 2], frames.back()};
}

class Game {
 public:
  Game(const MapData& map, const Art& art, std::uint64_t seed, const Files& files)
      : files_(files), textures_(world_, art), simulation_(world_, sound_, ledger_) {
    hud_.bar = textures_.obtain(kHudPicture, ledger_);
    build_world(world_, map, seed, textures_, ledger_);
    WorldFacts& facts = played_.world;
    facts.sectors = world_.sectors.size();
    facts.lines = world_.lines.size();
    facts.textures = world_.textures.table().size();
    facts.things = world_.things.size();
    facts.textures_shared = textures_.counts().shared;
    facts.textures_unknown = textures_.counts().unknown.size();
    facts.sounds = world_.sounds.size();
    facts.sound_bytes = world_.sounds.allocated_bytes();
  }

  Played play() {
    if (world_.graveyard->spots.empty()) return failed("the map has no place for a thing");
    play_to_the_save();
    list_handles_held();
    play_while_saving();
    if (played_.error.empty()) finish();
    if (played_.error.empty()) go_on();
    return played_;
  }

 private:
  Played failed(std::string error) {
    played_.error = std::move(error);
    return played_;
  }

  double timed_tick() {
    const Stopwatch watch;
    simulation_.tick();
    return watch.ms();
  }

  void play_to_the_save() {
    std::vector<double> frames;
    while (world_.clock->tick < kSaveTick) frames.push_back(timed_tick());
    std::tie(played_.frames.median_before_ms, played_.frames.longest_before_ms) =
        median_and_longest(frames);
    // Pages for the writes after the capture, so that no frame waits for fresh memory.
    world_.database.reserve_copies();
    played_.at_save.missiles_live = world_.missiles.size();
    played_.at_save.missiles_free = world_.missiles.counters().free_count;
    played_.at_save.things_free = world_.things.counters().free_count;
    played_.at_save.shots_retired = world_.shots.counters().retired_count;
    played_.at_save.events_handled = world_.agenda->handled;
    played_.at_save.events_stale = world_.agenda->stale;
    played_.at_save.events_waiting = world_.agenda->events.size();
    played_.at_save.textures = world_.textures.table().size();
    played_.at_save.sprites = world_.sprites.size();
    played_.at_save.sprites_misplaced = misplaced_sprites(world_);
    played_.at_save.is_sorting = !is_sorted_for_drawing(world_);
  }

  void list_handles_held() {
    const HandleList list = list_handles(world_, sound_, hud_, ledger_);
    played_.at_save.handles_held = list.handles.size();
    played_.at_save.handles_stale = list.stale_count();
    played_.at_save.handles_disputed = list.disputed;
    if (!write_text(files_.handles(), to_text(list))) {
      played_.error = files_.handles() + ": cannot be written";
    }
  }

  void play_while_saving() {
    FrameFacts& frames = played_.frames;
    const Stopwatch whole;
    hdb::Snapshot snapshot = world_.database.capture();
    frames.capture_us = whole.ms() * 1000;
    const Stopwatch start;
    hdb::Saving saving = hdb::save_async(std::move(snapshot), files_.save(), save_options(world_));
    frames.start_us = start.ms() * 1000;

    Trace trace;
    std::vector<double> during;
    while (world_.clock->tick < kEndTick) {
      const bool is_saving = !saving.done();
      const double frame_ms = timed_tick();
      if (is_saving) {
        during.push_back(frame_ms);
        frames.save_ms = whole.ms();
      }
      trace.push_back(tick_hashes(world_, sound_));
    }
    frames.ticks_during = during.size();
    std::tie(frames.median_during_ms, frames.longest_during_ms) = median_and_longest(during);
    const auto& saved = saving.result();
    if (!saved) {
      played_.error = saved.error().message();
      return;
    }
    frames.file_bytes = saved->bytes;
    if (!write_text(files_.trace(), to_text(trace))) {
      played_.error = files_.trace() + ": cannot be written";
    }
  }

  void finish() {
    played_.missiles_made = world_.clock->missiles_made;
    played_.deaths = world_.clock->deaths;
    played_.plain_hash = fmt::format("{:016x}", world_hash(world_, sound_));
    const hdb::Snapshot end = world_.database.capture();
    played_.state_hash = end.state_hash().hex();
    const auto saved = hdb::save(end, files_.end(), save_options(world_));
    if (!saved) {
      played_.error = saved.error().message();
      return;
    }
    const auto shape = free_list_shape(files_.save(), "missiles");
    if (!shape) {
      played_.error = shape.error().message();
      return;
    }
    played_.at_save.missiles_descents = shape->descents;
    if (const auto sorted = write_with_sorted_free_lists(files_.save(), files_.sorted_save());
        !sorted) {
      played_.error = sorted.error().message();
    }
  }

  void go_on() {
    played_.journey = play_next_map(world_, sound_, ledger_, textures_, simulation_);
    played_.handles_unique = ledger_.is_sound();
  }

  Files files_;
  World world_;
  SoundSystem sound_;
  Ledger ledger_;
  TextureStore textures_;
  Hud hud_;
  Simulation simulation_;
  Played played_;
};

}  // namespace

Played play(const MapData& map, const Art& art, std::uint64_t seed, const Files& files) {
  return std::make_unique<Game>(map, art, seed, files)->play();
}

}  // namespace demo
