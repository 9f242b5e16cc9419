// Loading and playing on; and the text between the two processes.
#include "resume.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <sstream>

#include "simulation.hpp"

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

void play_on(World& world, const HandleList& list, const Trace& trace, Resumed& resumed) {
  SoundSystem sound = sound_of(list);
  Ledger ledger = ledger_of(list);
  Simulation simulation(world, sound, ledger);
  for (const TickHashes& expected : trace) {
    simulation.tick();
    const TickHashes found = tick_hashes(world, sound);
    const std::uint32_t tick = world.clock->tick;
    if (resumed.first_other_tick == 0 && found.moving != expected.moving) {
      resumed.first_other_tick = tick;
    }
    if (resumed.first_other_fate == 0 && found.fates != expected.fates) {
      resumed.first_other_fate = tick;
    }
  }
  resumed.handles_unique = ledger.is_sound();
  resumed.state_hash = world.database.state_hash().hex();
  resumed.plain_hash = fmt::format("{:016x}", world_hash(world, sound));
}

Resumed failed(std::string error) {
  Resumed resumed;
  resumed.error = std::move(error);
  return resumed;
}

}  // namespace

hdb::SaveOptions save_options(const World& world) {
  constexpr std::uint64_t kTicksASecond = 35;
  hdb::SaveOptions options;
  options.metadata.title = fmt::format("{}, tick {}", world.settings->map, world.clock->tick);
  options.metadata.play_time_ms = world.clock->tick * 1000 / kTicksASecond;
  options.metadata.sequence = world.clock->tick;
  return options;
}

Resumed resume(const Files& files, Resume which) {
  const auto list_text = read_text(files.handles());
  if (!list_text) return failed(list_text.error());
  const auto list = parse_handle_list(*list_text);
  if (!list) return failed(files.handles() + ": " + list.error());
  const auto trace_text = read_text(files.trace());
  if (!trace_text) return failed(trace_text.error());
  const Trace trace = parse_trace(*trace_text);
  if (trace.size() != kEndTick - kSaveTick) return failed(files.trace() + ": too short");

  World world;
  Resumed resumed;
  const auto begin = std::chrono::steady_clock::now();
  const auto loaded =
      world.database.load(which == Resume::exact ? files.save() : files.sorted_save());
  const std::chrono::duration<double, std::milli> load_time =
      std::chrono::steady_clock::now() - begin;
  if (!loaded) return failed(loaded.error().message());
  resumed.load_ms = load_time.count();
  if (const char* const broken = world.database.check_invariants()) return failed(broken);

  resumed.list = check_handle_list(world, *list);
  play_on(world, *list, trace, resumed);
  if (which == Resume::exact) {
    const auto saved =
        hdb::save(world.database.capture(), files.resumed_end(), save_options(world));
    if (!saved) return failed(saved.error().message());
  }
  return resumed;
}

std::string to_text(const Resumed& resumed) {
  if (!resumed.error.empty()) return "error " + resumed.error + "\n";
  std::string text = fmt::format(
      "load_ms {}\nlive_right {}\nlive_wrong {}\nstale_right {}\nstale_wrong {}\n"
      "first_other_tick {}\nfirst_other_fate {}\nhandles_unique {}\nstate_hash {}\n"
      "plain_hash {}\n",
      resumed.load_ms, resumed.list.live_right, resumed.list.live_wrong, resumed.list.stale_right,
      resumed.list.stale_wrong, resumed.first_other_tick, resumed.first_other_fate,
      resumed.handles_unique ? 1 : 0, resumed.state_hash, resumed.plain_hash);
  if (!resumed.list.first_wrong.empty()) text += "first_wrong " + resumed.list.first_wrong + "\n";
  return text;
}

Resumed parse_resumed(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) values[line.substr(0, space)] = line.substr(space + 1);
  }
  if (values.contains("error")) return failed(values["error"]);
  if (!values.contains("plain_hash")) return failed(text.substr(0, text.find('\n')));
  const auto number = [&](const char* name) {
    return std::strtoull(values[name].c_str(), nullptr, 10);
  };
  Resumed resumed;
  resumed.load_ms = std::strtod(values["load_ms"].c_str(), nullptr);
  resumed.list.live_right = number("live_right");
  resumed.list.live_wrong = number("live_wrong");
  resumed.list.stale_right = number("stale_right");
  resumed.list.stale_wrong = number("stale_wrong");
  resumed.list.first_wrong = values["first_wrong"];
  resumed.first_other_tick = static_cast<std::uint32_t>(number("first_other_tick"));
  resumed.first_other_fate = static_cast<std::uint32_t>(number("first_other_fate"));
  resumed.handles_unique = number("handles_unique") == 1;
  resumed.state_hash = values["state_hash"];
  resumed.plain_hash = values["plain_hash"];
  return resumed;
}

}  // namespace demo
