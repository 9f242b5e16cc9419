// The uninterrupted game.
#include "play.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "draw_order.hpp"
#include "frame_times.hpp"
#include "handle_list.hpp"
#include "resume.hpp"
#include "session.hpp"
#include "sorted_image.hpp"

namespace demo {
namespace {

class Game {
 public:
  Game(const MapData& map, const Art& art, std::uint64_t seed, const Files& files)
      : files_(files), session_(map, art, seed) {
    WorldFacts& facts = played_.world;
    facts.sectors = world_.sectors.size();
    facts.lines = world_.lines.size();
    facts.textures = world_.textures.table().size();
    facts.things = world_.things.size();
    facts.textures_shared = session_.textures.counts().shared;
    facts.textures_unknown = session_.textures.counts().unknown.size();
    facts.sounds = world_.sounds.size();
    facts.sound_bytes = world_.sounds.allocated_bytes();
  }

  Played play() {
    if (world_.graveyard->spots.empty()) return failed("the map has no room for a thing");
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

  void play_to_the_save() {
    session_.play_to(kSaveTick);
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
    const HandleList list = list_handles(world_, session_.sound, session_.hud, session_.ledger);
    played_.at_save.handles_held = list.handles.size();
    played_.at_save.handles_stale = list.stale_count();
    played_.at_save.handles_disputed = list.disputed;
    if (!write_text(files_.handles(), to_json(list))) {
      played_.error = files_.handles() + ": the file cannot be written";
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
    while (world_.clock->tick < kEndTick) {
      const bool is_saving = !saving.done();
      const Stopwatch frame;
      session_.simulation.tick();
      if (is_saving) {
        frames.longest_during_ms = std::max(frames.longest_during_ms, frame.ms());
        frames.save_ms = whole.ms();
      }
      trace.push_back(tick_hashes(world_, session_.sound));
    }
    const auto& saved = saving.result();
    if (!saved) {
      played_.error = saved.error().message();
      return;
    }
    frames.file_bytes = saved->bytes;
    if (!write_text(files_.trace(), to_json(trace))) {
      played_.error = files_.trace() + ": the file cannot be written";
    }
  }

  void finish() {
    played_.missiles_made = world_.clock->missiles_made;
    played_.deaths = world_.clock->deaths;
    played_.plain_hash = fmt::format("{:016x}", world_hash(world_, session_.sound));
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
    played_.journey = play_next_map(session_);
    played_.handles_unique = session_.ledger.is_sound();
  }

  Files files_;
  Session session_;
  World& world_ = session_.world;
  Played played_;
};

}  // namespace

Played play(const MapData& map, const Art& art, std::uint64_t seed, const Files& files) {
  return std::make_unique<Game>(map, art, seed, files)->play();
}

}  // namespace demo
