// Loading and playing on.
#include "resume.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "frame_times.hpp"
#include "session.hpp"

namespace demo {
namespace {

// The ledger of a loaded game: what the list says is alive.
Ledger ledger_of(const HandleList& list) {
  Ledger ledger;
  for (const HeldHandle& held : list.handles) {
    if (held.is_live && !ledger.serial_of(held.table, held.bits)) {
      ledger.born(held.table, held.bits, held.content.serial);
    }
  }
  return ledger;
}

// Errors: as text; empty: none.
std::string load(Session& game, const std::string& path, const HandleList& list, Resumed& resumed) {
  const Stopwatch watch;
  const auto loaded = game.world.database.load(path);
  resumed.load_ms = watch.ms();
  if (!loaded) return loaded.error().message();
  if (const char* const broken = game.world.database.check_invariants()) return broken;
  resumed.textures = game.world.textures.table().size();
  resumed.decoded = game.textures.refresh().decoded;
  game.hud.bar = game.world.textures.adopt(hud_bar_of(list));
  resumed.list = check_handle_list(game.world, list);
  game.sound = sound_of(list);
  game.ledger = ledger_of(list);
  return {};
}

void play_on(Session& game, const Trace& trace, Resumed& resumed) {
  for (const TickHashes& expected : trace) {
    game.simulation.tick();
    const TickHashes found = tick_hashes(game.world, game.sound);
    const std::uint32_t tick = game.world.clock->tick;
    if (resumed.first_other_tick == 0 && found.moving != expected.moving) {
      resumed.first_other_tick = tick;
    }
    if (resumed.first_other_fate == 0 && found.fates != expected.fates) {
      resumed.first_other_fate = tick;
    }
  }
  resumed.state_hash = game.world.database.state_hash().hex();
  resumed.plain_hash = fmt::format("{:016x}", world_hash(game.world, game.sound));
}

Resumed failed(std::string error) {
  Resumed resumed;
  resumed.error = std::move(error);
  return resumed;
}

}  // namespace

hdb::SaveOptions save_options(const World& world) {
  hdb::SaveOptions options;
  options.metadata.title = fmt::format("{}, tick {}", world.settings->map, world.clock->tick);
  options.metadata.play_time_ms = world.clock->tick * std::uint64_t{1000} / kTicksASecond;
  options.metadata.sequence = world.clock->tick;
  // The demo compares the files of two runs. Games leave the id to hdb.
  options.write.file_id = hdb::hash128(hdb::bytes_of(options.metadata.title));
  return options;
}

Resumed resume(const Files& files, const Art& art, Resume which) {
  const auto list = read_text(files.handles()).and_then(parse_handle_list);
  if (!list) return failed("the list of handles: " + list.error());
  const auto trace = read_text(files.trace()).and_then(from_json<Trace>);
  if (!trace) return failed("the trace: " + trace.error());
  if (trace->size() != kEndTick - kSaveTick)
    return failed(files.trace() + ": the file is too short");

  const bool is_exact = which == Resume::exact;
  const auto game = std::make_unique<Session>(art);
  Resumed resumed;
  std::string error = load(*game, is_exact ? files.save() : files.sorted_save(), *list, resumed);
  if (!error.empty()) return failed(std::move(error));
  play_on(*game, *trace, resumed);
  if (is_exact) {
    World& world = game->world;
    const auto saved =
        hdb::save(world.database.capture(), files.resumed_end(), save_options(world));
    if (!saved) return failed(saved.error().message());
    resumed.journey = play_next_map(*game);
  }
  resumed.handles_unique = game->ledger.is_sound();
  return resumed;
}

Resumed parse_resumed(const std::string& text) {
  auto resumed = from_json<Resumed>(text);
  if (resumed) return *std::move(resumed);
  return failed(text.empty() ? "the second process printed nothing"
                             : text.substr(0, text.find('\n')));
}

}  // namespace demo
