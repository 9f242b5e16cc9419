// What is checked, and how it is said.
#include "demonstration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "process.hpp"

namespace demo {
namespace {

constexpr std::size_t kLeastFreeSlots = 1000;
constexpr std::size_t kMostDiffLines = 2;

void add(std::vector<Check> more, std::vector<Check>& checks) {
  std::move(more.begin(), more.end(), std::back_inserter(checks));
}

std::vector<Check> check_save(const Played& played) {
  const SaveFacts& at = played.at_save;
  const bool is_unsorted = at.missiles_descents > 0 && at.missiles_descents + 1 < at.missiles_free;
  return {
      {at.missiles_free >= kLeastFreeSlots && is_unsorted && at.shots_retired > 0 &&
           at.handles_stale > 0,
       fmt::format("{} free missile slots out of order, {} retired, {} stale handles held",
                   at.missiles_free, at.shots_retired, at.handles_stale)},
      {at.handles_disputed == 0 && played.handles_unique,
       fmt::format("{} handles written as plain text, without hdb", at.handles_held)},
      {at.events_handled > 0 && at.events_stale > 0 && at.events_waiting > 0 && at.is_sorting,
       fmt::format("{} events handled, {} skipped as stale; {} of {} sprites yet to sort",
                   at.events_handled, at.events_stale, at.sprites_misplaced, at.sprites)},
  };
}

std::vector<Check> check_trials(const AutosaveTrial& autosaves, const SyncTrial& sync) {
  const bool all_saved =
      autosaves.saved > 0 && autosaves.saved + autosaves.superseded == autosaves.frames.size();
  std::vector<Check> checks;
  if (!autosaves.error.empty()) {
    checks.push_back({false, autosaves.error});
  } else {
    checks.push_back(
        {autosaves.is_game_equal && autosaves.is_save_exact && all_saved,
         fmt::format("{} autosaves add {:+.2f} ms/tick, 99 % {:+.2f}, longest {:+.2f} (frames.svg)",
                     autosaves.frames.size(), autosaves.added.median_ms,
                     autosaves.added.percentile_99_ms, autosaves.added.longest_ms)});
  }
  const bool is_equal = sync.error.empty() && sync.divergence.empty();
  checks.push_back(
      {is_equal, is_equal
                     ? fmt::format("sync_test: {} ticks run twice with equal results", sync.ticks)
                     : "sync_test: " + sync.error + sync.divergence});
  return checks;
}

bool same_bytes(const std::string& a, const std::string& b) {
  const auto first = read_text(a);
  const auto second = read_text(b);
  return first && second && !first->empty() && *first == *second;
}

Check check_journey(const Journey& journey, const Resumed& resumed) {
  if (!journey.error.empty()) return {false, journey.error};
  const TextureFacts& facts = journey.textures;
  const std::size_t left = facts.before + facts.loaded - facts.flushed;
  if (resumed.journey != journey) {
    const std::string& error = resumed.journey.error;
    return {false,
            fmt::format("journey to {}: {}, not {}", journey.map,
                        error.empty() ? resumed.journey.plain_hash : error, journey.plain_hash)};
  }
  return {journey.images == left,
          fmt::format("journey to {}: {} textures kept, {} new, {} flushed; equal at tick {}",
                      journey.map, facts.before - facts.flushed, facts.loaded, facts.flushed,
                      kLastTick)};
}

std::vector<Check> check_resumed(const Played& played, const Resumed& resumed, const Files& files) {
  const SaveFacts& at = played.at_save;
  const ListCheck& list = resumed.list;
  const std::string wrong = list.first_wrong.empty() ? "" : "; " + list.first_wrong;
  const bool ticks_equal = resumed.first_other_tick == 0 && resumed.first_other_fate == 0;
  return {
      {list.live_wrong == 0 && list.live_right == at.handles_held - at.handles_stale &&
           list.stale_wrong == 0 && list.stale_right == at.handles_stale,
       fmt::format("{} of {} live handles find their record, {} of {} stale find none{}",
                   list.live_right, at.handles_held - at.handles_stale, list.stale_right,
                   at.handles_stale, list.live_wrong + list.stale_wrong > 0 ? wrong : "")},
      {ticks_equal && resumed.handles_unique,
       ticks_equal ? fmt::format("all ticks from {} to {} are equal", kSaveTick + 1, kEndTick)
                   : fmt::format("tick {} differs", resumed.first_other_tick)},
      {resumed.state_hash == played.state_hash,
       fmt::format("state hash at tick {} equal:  {}", kEndTick, resumed.state_hash)},
      {resumed.plain_hash == played.plain_hash,
       fmt::format("plain hash at tick {} equal:  {}  (made without hdb)", kEndTick,
                   resumed.plain_hash)},
      {same_bytes(files.end(), files.resumed_end()),
       fmt::format("the saves at tick {} are equal, byte for byte", kEndTick)},
      {resumed.decoded == resumed.textures && resumed.textures == played.at_save.textures,
       fmt::format("{} of {} textures have their pixels again; pixels are not saved",
                   resumed.decoded, resumed.textures)},
      check_journey(played.journey, resumed),
  };
}

Check check_control(const Played& played, const Resumed& control) {
  if (!control.error.empty()) return {false, control.error};
  const bool diverged = control.first_other_tick != 0 && control.first_other_fate != 0 &&
                        control.plain_hash != played.plain_hash;
  return {diverged,
          diverged
              ? fmt::format("control with sorted free lists: other handles from tick {}, fates {}",
                            control.first_other_tick, control.first_other_fate)
              : "the control does not diverge: the order of free lists had no effect"};
}

Resumed run_second_process(const Programs& programs, const Art& art, const Files& files,
                           const char* which) {
  std::vector<std::string> command{programs.demo, "resume", files.folder, which};
  if (!art.path().empty()) command.insert(command.begin() + 1, "--wad=" + art.path());
  const ProcessResult process = run_process(command);
  Resumed resumed = parse_resumed(process.output);
  if (process.exit_status != 0 && resumed.error.empty()) {
    resumed.error = fmt::format("the second process ended with status {}", process.exit_status);
  }
  return resumed;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void inspect(const Programs& programs, const Files& files, Demonstration& result) {
  if (programs.hdbinspect.empty()) {
    Check& missing = result.second_checks.emplace_back();
    missing.text = "hdbinspect was not found in the folder of this program";
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
  std::size_t line_count = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_of_interest = line.starts_with("missiles ") || line.starts_with("things ");
    const bool is_shown = is_of_interest && result.diff_lines.size() < kMostDiffLines;
    if (is_shown) result.diff_lines.push_back(line);
    ++line_count;
  }
  // 1 is the answer "they differ"; anything else is trouble.
  const bool differ = diff.exit_status == 1 && !result.diff_lines.empty();
  result.second_checks.push_back(
      {differ,
       differ
           ? fmt::format("hdbinspect diff: tick {} and {} (+ added - removed ~ changed R re-used)",
                         kSaveTick, kEndTick)
           : fmt::format("hdbinspect diff: status {}, {} lines: {}", diff.exit_status, line_count,
                         first_line(diff.output))});
}

}  // namespace

std::vector<Check> Demonstration::failed_checks() const {
  std::vector<Check> failed;
  for (const auto* const list : {&first_checks, &second_checks}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(failed),
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

Demonstration demonstrate(const MapData& map, const Art& art, std::uint64_t seed,
                          const Files& files, const Programs& programs) {
  const auto begin = std::chrono::steady_clock::now();
  Demonstration result;
  result.played = play(map, art, seed, files);
  result.error = result.played.error;
  if (!result.error.empty()) return result;
  result.first_checks = check_save(result.played);
  result.autosaves = try_autosaves(map, art, seed, files.folder);
  if (!write_text(files.frame_plot(), autosave_plot(map.name, result.autosaves))) {
    result.autosaves.error = files.frame_plot() + ": the file cannot be written";
  }
  add(check_trials(result.autosaves, try_sync(map, art, seed, false)), result.first_checks);
  result.resumed = run_second_process(programs, art, files, "exact");
  if (result.resumed.error.empty()) {
    result.second_checks = check_resumed(result.played, result.resumed, files);
  } else {
    result.second_checks.push_back({false, result.resumed.error});
  }
  result.control = run_second_process(programs, art, files, "control");
  result.second_checks.push_back(check_control(result.played, result.control));
  inspect(programs, files, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace demo
