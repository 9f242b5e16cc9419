// Loading and playing on; and the text between the two processes.
#include "resume.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <sstream>

#include "journey.hpp"
#include "simulation.hpp"
#include "texture_store.hpp"

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

// The game of the second process, from its load on.
class Game {
 public:
  explicit Game(const Art& art) : textures_(world_, art) {}

  // Errors: as text; empty: none.
  [[nodiscard]] std::string load(const std::string& path, const HandleList& list,
                                 Resumed& resumed) {
    const auto begin = std::chrono::steady_clock::now();
    const auto loaded = world_.database.load(path);
    const std::chrono::duration<double, std::milli> load_time =
        std::chrono::steady_clock::now() - begin;
    if (!loaded) return loaded.error().message();
    resumed.load_ms = load_time.count();
    if (const char* const broken = world_.database.check_invariants()) return broken;
    resumed.textures = world_.textures.table().size();
    resumed.decoded = textures_.refresh().decoded;
    hud_.bar = world_.textures.adopt(hud_bar_of(list));
    resumed.list = check_handle_list(world_, list);
    sound_ = sound_of(list);
    ledger_ = ledger_of(list);
    return {};
  }

  void play_on(const Trace& trace, Resumed& resumed) {
    for (const TickHashes& expected : trace) {
      simulation_.tick();
      const TickHashes found = tick_hashes(world_, sound_);
      const std::uint32_t tick = world_.clock->tick;
      if (resumed.first_other_tick == 0 && found.moving != expected.moving) {
        resumed.first_other_tick = tick;
      }
      if (resumed.first_other_fate == 0 && found.fates != expected.fates) {
        resumed.first_other_fate = tick;
      }
    }
    resumed.handles_unique = ledger_.is_sound();
    resumed.state_hash = world_.database.state_hash().hex();
    resumed.plain_hash = fmt::format("{:016x}", world_hash(world_, sound_));
  }

  [[nodiscard]] std::string save(const std::string& path) {
    const auto saved = hdb::save(world_.database.capture(), path, save_options(world_));
    return saved ? std::string() : saved.error().message();
  }

  void go_on(Resumed& resumed) {
    const Journey journey = play_next_map(world_, sound_, ledger_, textures_, simulation_);
    resumed.journey = journey.error.empty() ? to_text(journey) : journey.error;
    resumed.handles_unique = ledger_.is_sound();
  }

 private:
  World world_;
  SoundSystem sound_;
  Ledger ledger_;
  TextureStore textures_;
  Hud hud_;
  Simulation simulation_{world_, sound_, ledger_};
};

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

Resumed resume(const Files& files, const Art& art, Resume which) {
  const auto list_text = read_text(files.handles());
  if (!list_text) return failed(list_text.error());
  const auto list = parse_handle_list(*list_text);
  if (!list) return failed(files.handles() + ": " + list.error());
  const auto trace_text = read_text(files.trace());
  if (!trace_text) return failed(trace_text.error());
  const Trace trace = parse_trace(*trace_text);
  if (trace.size() != kEndTick - kSaveTick)
    return failed(files.trace() + ": the file is too short");

  const bool is_exact = which == Resume::exact;
  const auto game = std::make_unique<Game>(art);
  Resumed resumed;
  std::string error = game->load(is_exact ? files.save() : files.sorted_save(), *list, resumed);
  if (!error.empty()) return failed(std::move(error));
  game->play_on(trace, resumed);
  if (!is_exact) return resumed;
  error = game->save(files.resumed_end());
  if (!error.empty()) return failed(std::move(error));
  game->go_on(resumed);
  return resumed;
}

std::string to_text(const Resumed& resumed) {
  if (!resumed.error.empty()) return "error " + resumed.error + "\n";
  std::string text = fmt::format(
      "load_ms {}\nlive_right {}\nlive_wrong {}\nstale_right {}\nstale_wrong {}\n"
      "first_other_tick {}\nfirst_other_fate {}\nhandles_unique {}\nstate_hash {}\n"
      "plain_hash {}\ntextures {}\ndecoded {}\njourney {}\n",
      resumed.load_ms, resumed.list.live_right, resumed.list.live_wrong, resumed.list.stale_right,
      resumed.list.stale_wrong, resumed.first_other_tick, resumed.first_other_fate,
      resumed.handles_unique ? 1 : 0, resumed.state_hash, resumed.plain_hash, resumed.textures,
      resumed.decoded, resumed.journey);
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
  resumed.textures = number("textures");
  resumed.decoded = number("decoded");
  resumed.journey = values["journey"];
  return resumed;
}

}  // namespace demo
