// Plays without a break, saves on the way, and lets other processes check the files.
#include "first_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "process.hpp"
#include "sorted_image.hpp"
#include "trials.hpp"

namespace demo {
namespace {

constexpr std::size_t kLeastFreeSlots = 1000;

// Whether the state at the save is one that a careless save would lose.
struct SaveFacts {
  explicit SaveFacts(Game& game)
      : missiles_free(game.world.missiles.counters().free_count),
        shots_retired(game.world.shots.counters().retired_count),
        agenda(*game.world.agenda),
        sprites(game.world.sprites.size()),
        is_sorting(!game.is_sorted_for_drawing()) {}

  [[nodiscard]] Checks checks(const HandleList& handles, std::size_t descents) const {
    const bool is_unsorted = descents > 0 && descents + 1 < missiles_free;
    return {
        {missiles_free >= kLeastFreeSlots && is_unsorted && shots_retired > 0 &&
             handles.stale_count() > 0,
         fmt::format("{} free missile slots out of order, {} retired, {} stale handles held",
                     missiles_free, shots_retired, handles.stale_count())},
        {handles.disputed == 0,
         fmt::format("{} handles written as plain text, without hdb", handles.handles.size())},
        {agenda.handled > 0 && agenda.stale > 0 && !agenda.events.empty() && is_sorting,
         fmt::format("{} events handled, {} skipped as stale; {} sprites sorted in part",
                     agenda.handled, agenda.stale, sprites)},
    };
  }

  std::size_t missiles_free;
  std::size_t shots_retired;
  Agenda agenda;
  std::size_t sprites;
  bool is_sorting;
};

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
void run_second_process(const Programs& programs, const std::string& wad_path, const Files& files,
                        const char* which, Checks& checks) {
  const ProcessResult process =
      run_process({programs.demo, "--wad=" + wad_path, "resume", files.folder, which});
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

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void inspect(const Programs& programs, const Files& files, Demonstration& result) {
  if (programs.hdbinspect.empty()) {
    result.second_checks.push_back({false, "hdbinspect is not in the folder of this program"});
    return;
  }
  const ProcessResult validated =
      run_process({programs.hdbinspect, "validate", files.save(), files.end()});
  result.second_checks.push_back(
      {validated.exit_status == 0,
       validated.exit_status == 0
           ? "hdbinspect validate: every hash, slot and free list of both files is sound"
           : fmt::format("hdbinspect validate: status {}: {}", validated.exit_status,
                         first_line(validated.output))});
  const ProcessResult diff =
      run_process({programs.hdbinspect, "diff", "--summary", files.save(), files.end()});
  std::istringstream lines(diff.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("missiles ") || line.starts_with("things ")) {
      result.diff_lines += "      " + line + '\n';
    }
  }
  // 1 is the answer "they differ"; anything else is an error.
  const bool differ = diff.exit_status == 1 && !result.diff_lines.empty();
  result.second_checks.push_back(
      {differ,
       differ
           ? fmt::format("hdbinspect diff: tick {} and {} (+ added - removed ~ changed R re-used)",
                         kSaveTick, kEndTick)
           : fmt::format("hdbinspect diff: status {}: {}", diff.exit_status,
                         first_line(diff.output))});
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
  const SaveFacts at_save(game);
  Expected expected;
  expected.handles = list_handles(game);
  expected.textures = game.world.textures.table().size();
  result.save_facts = save_and_play_on(game, files, expected);

  const hdb::Snapshot end = game.world.database.capture();
  expected.state_hash = end.state_hash().hex();
  expected.plain = plain_hash(game);
  must(hdb::save(end, files.end(), game.save_options()));
  must(write_with_sorted_free_lists(files.save(), files.sorted_save()));
  const FreeListShape shape =
      must(free_list_shape(files.save(), std::string(kTableOf<MissileHandle>)));
  expected.journey = play_next_map(game);
  write_expected(files, expected);
  result.first_checks = at_save.checks(expected.handles, shape.descents);
  return result;
}

Demonstration demonstrate(const Wad& wad, const std::string& wad_path, const std::string& map,
                          std::uint64_t seed, const Files& files, const Programs& programs) {
  Demonstration result = play(wad, map, seed, files);
  result.first_checks.push_back(
      outcome_of([&] { return try_autosaves(wad, map, seed, files.folder + "/autosaves"); }));
  result.first_checks.push_back(outcome_of([&] { return try_sync(wad, map, seed, false); }));
  run_second_process(programs, wad_path, files, "exact", result.second_checks);
  run_second_process(programs, wad_path, files, "control", result.second_checks);
  inspect(programs, files, result);
  return result;
}

Checks Demonstration::failed_checks() const {
  Checks failed;
  for (const Checks* const checks : {&first_checks, &second_checks}) {
    std::copy_if(checks->begin(), checks->end(), std::back_inserter(failed),
                 [](const Check& check) { return !check.passed; });
  }
  return failed;
}

Programs find_programs() {
  namespace fs = std::filesystem;
  Programs programs{own_path(), {}};
  const fs::path folder = fs::path(programs.demo).parent_path();
  const std::string name = "hdbinspect" + fs::path(programs.demo).extension().string();
  for (const fs::path& path : {folder / name, folder.parent_path() / "hdbinspect" / name}) {
    std::error_code error;
    if (programs.hdbinspect.empty() && fs::is_regular_file(path, error)) {
      programs.hdbinspect = path.string();
    }
  }
  return programs;
}

}  // namespace demo
