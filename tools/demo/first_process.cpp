// Plays without a break, saves on the way, and lets other processes check the files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>

#include "checks.hpp"
#include "process.hpp"

namespace demo {
namespace {

constexpr std::size_t kLeastFreeSlots = 1000;

// What a careless save would lose of the state at the save.
Checks state_checks(Game& game, const HandleList& handles) {
  const std::size_t free = game.world.missiles.counters().free_count;
  const std::size_t retired = game.world.shots.counters().retired_count;
  const Agenda& agenda = *game.world.agenda;
  return {
      {free >= kLeastFreeSlots && retired > 0 && handles.stale_count() > 0,
       fmt::format("{} free missile slots out of order, {} retired, {} stale handles held", free,
                   retired, handles.stale_count())},
      {handles.disputed == 0,
       fmt::format("{} handles written as plain text, without hdb", handles.handles.size())},
      {agenda.handled > 0 && agenda.stale > 0 && !agenda.events.empty() &&
           !game.is_sorted_for_drawing(),
       fmt::format("{} events handled, {} skipped as stale; {} sprites sorted in part",
                   agenda.handled, agenda.stale, game.world.sprites.size())},
  };
}

// Saves in the background while the game goes on to kEndTick; returns the times of it.
std::string save_and_play_on(Game& game, const Files& files, Expected& expected) {
  // Pages for the writes after the capture, so that no frame waits for fresh memory.
  game.world.database.reserve_copies();
  const Stopwatch whole;
  hdb::Snapshot snapshot = game.world.database.capture();
  const double capture_ms = whole.ms();
  hdb::Saving saving = hdb::save_async(std::move(snapshot), files.save(), game.save_options());
  const double start_ms = whole.ms() - capture_ms;
  double save_ms = 0;
  while (game.world.clock->tick < kEndTick) {
    const bool is_saving = !saving.done();
    game.tick();
    if (is_saving) save_ms = whole.ms();
    expected.trace.push_back(tick_hashes(game));
  }
  const hdb::SaveReport report = must(saving.result());
  return fmt::format("capture {:.0f} us, start {:.0f} us; {} KiB durable after {:.1f} ms",
                     capture_ms * 1000, start_ms * 1000, (report.bytes + 1023) / 1024, save_ms);
}

void write_expected(const Files& files, const Expected& expected) {
  std::ofstream out(files.expected(), std::ios::binary | std::ios::trunc);
  {
    cereal::JSONOutputArchive archive(out, cereal::JSONOutputArchive::Options::NoIndent());
    archive(cereal::make_nvp("expected", expected));
  }
  if (!out.flush()) throw std::runtime_error(files.expected() + ": the file cannot be written");
}

// Runs this program again. It prints a line for each check: '+' or '-', then the text.
void run_second_process(const std::string& program, const std::string& wad_path, const Files& files,
                        const char* which, Checks& checks) {
  const ProcessResult process =
      run_process({program, "--wad=" + wad_path, "resume", files.folder, which});
  std::istringstream lines(process.output);
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    if (line.starts_with("+ ") || line.starts_with("- ")) {
      checks.push_back({line[0] == '+', line.substr(2)});
    }
  }
  if (process.exit_status == 0) return;
  checks.push_back({false, fmt::format("the process '{}' ended with status {}: {}", which,
                                       process.exit_status, last)});
}

// A trial that cannot be finished has failed.
template <class Trial>
Check outcome_of(const Trial& trial) {
  try {
    return trial();
  } catch (const std::exception& error) {
    return {false, error.what()};
  }
}

// The inspector beside `program` or in the folder of tools beside its own; empty: not found.
std::string find_hdbinspect(const std::filesystem::path& program) {
  const std::string name = "hdbinspect" + program.extension().string();
  const auto folder = program.parent_path();
  for (const auto& path : {folder / name, folder.parent_path() / "hdbinspect" / name}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return {};
}

void inspect(const std::string& program, const Files& files, Demonstration& result) {
  const std::string inspector = find_hdbinspect(program);
  if (inspector.empty()) {
    result.second_checks.emplace_back().text = "hdbinspect is not in the folder of this program";
    return;
  }
  const auto add = [&](bool passed, const std::string& text, const ProcessResult& process) {
    result.second_checks.push_back(
        {passed, passed ? text
                        : fmt::format("{} status {}: {}", text.substr(0, text.find(':') + 1),
                                      process.exit_status,
                                      process.output.substr(0, process.output.find('\n')))});
  };
  const ProcessResult validated = run_process({inspector, "validate", files.save(), files.end()});
  add(validated.exit_status == 0,
      "hdbinspect validate: every hash, slot and free list of both files is sound", validated);
  const ProcessResult diff =
      run_process({inspector, "diff", "--summary", files.save(), files.end()});
  std::istringstream lines(diff.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("missiles ") || line.starts_with("things ")) {
      result.diff_lines += "      " + line + '\n';
    }
  }
  // 1 is the answer "they differ"; anything else is an error.
  add(diff.exit_status == 1 && !result.diff_lines.empty(),
      fmt::format("hdbinspect diff: tick {} and {} (+ added - removed ~ changed R re-used)",
                  kSaveTick, kEndTick),
      diff);
}

}  // namespace

Demonstration play(const Wad& wad, const std::string& map, std::uint64_t seed, const Files& files) {
  Demonstration result;
  Game game(wad, map, seed);
  result.facts =
      fmt::format("{} sectors, {} lines, {} things; {} textures, {} sounds in {} KiB",
                  game.world.sectors.size(), game.world.lines.size(), game.world.things.size(),
                  game.world.textures.table().size(), game.world.sounds.size(),
                  (game.world.sounds.allocated_bytes() + 1023) / 1024);
  game.play_to(kSaveTick);
  Expected expected;
  expected.handles = list_handles(game);
  result.first_checks = state_checks(game, expected.handles);
  expected.textures = game.world.textures.table().size();
  result.save_facts = save_and_play_on(game, files, expected);

  const hdb::Snapshot end = game.world.database.capture();
  expected.state_hash = end.state_hash().hex();
  expected.plain = plain_hash(game);
  must(hdb::save(end, files.end(), game.save_options()));
  write_with_sorted_free_lists(files.save(), files.sorted_save());
  const auto free_list = free_list_of(files.save(), kTableOf<MissileHandle>);
  if (std::is_sorted(free_list.begin(), free_list.end()) ||
      std::is_sorted(free_list.begin(), free_list.end(), std::greater<>())) {
    result.first_checks[0].passed = false;
  }
  expected.journey = play_next_map(game);
  write_expected(files, expected);
  return result;
}

Demonstration demonstrate(const Wad& wad, const std::string& wad_path, const std::string& map,
                          std::uint64_t seed, const Files& files, const std::string& program) {
  Demonstration result = play(wad, map, seed, files);
  result.first_checks.push_back(
      outcome_of([&] { return try_autosaves(wad, map, seed, files.folder + "/autosaves"); }));
  result.first_checks.push_back(outcome_of([&] { return try_sync(wad, map, seed, false); }));
  run_second_process(program, wad_path, files, "exact", result.second_checks);
  run_second_process(program, wad_path, files, "control", result.second_checks);
  inspect(program, files, result);
  return result;
}

}  // namespace demo
