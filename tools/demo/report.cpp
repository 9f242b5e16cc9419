// The layout of the screen.
#include "report.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <string_view>

#include "process.hpp"

namespace demo {
namespace {

constexpr std::size_t kWidth = 80;  // of a line; the report has 24 of them

void add_checks(std::string& text, const Screen& screen, const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    fmt::format_to(std::back_inserter(text), "  {} {}\n", screen.mark(check.passed), check.text);
  }
}

}  // namespace

std::string Screen::mark(bool passed) const {
  const char* const mark = passed ? "✓" : "✗";
  if (!has_colour) return mark;
  return fmt::format("\x1b[{}m{}\x1b[0m", passed ? 32 : 31, mark);
}

std::string Screen::bold(const std::string& text) const {
  return has_colour ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::string Screen::dim(const std::string& text) const {
  return has_colour ? "\x1b[2m" + text + "\x1b[0m" : text;
}

Screen standard_screen() {
  const char* const no_colour = std::getenv("NO_COLOR");
  return {(no_colour == nullptr || *no_colour == '\0') && is_colour_terminal()};
}

std::string full_report(const Screen& screen, const std::string& title, const Demonstration& result,
                        const Files& files) {
  std::string text = screen.bold(title) + "\n";
  const auto out = std::back_inserter(text);
  if (!result.error.empty()) {
    fmt::format_to(out, "  {} {}\n", screen.mark(false), result.error);
    return text;
  }
  const WorldFacts& world = result.played.world;
  const FrameFacts& frames = result.played.frames;
  fmt::format_to(out, "  {} sectors, {} lines, {} things; {} ticks, {} shots, {} deaths\n",
                 world.sectors, world.lines, world.things, kEndTick, result.played.missiles_made,
                 result.played.deaths);
  fmt::format_to(out,
                 "  {} textures by name, requested {} times, {} unknown; {} sounds in {} KiB\n",
                 world.textures, world.textures + world.textures_shared, world.textures_unknown,
                 world.sounds, (world.sound_bytes + 1023) / 1024);

  text += screen.bold(fmt::format("Tick {}: save_async, and the game continues", kSaveTick)) + "\n";
  fmt::format_to(out, "    capture {:.0f} us, start {:.0f} us; {} KiB durable after {:.1f} ms\n",
                 frames.capture_us, frames.start_us, (frames.file_bytes + 1023) / 1024,
                 frames.save_ms);
  add_checks(text, screen, result.first_checks);

  text += screen.bold("A second process, with only the save") +
          screen.dim(fmt::format("  (loaded in {:.1f} ms)", result.resumed.load_ms)) + "\n";
  add_checks(text, screen, result.second_checks);
  for (const std::string& line : result.diff_lines) {
    fmt::format_to(out, "      {}\n", std::string_view(line).substr(0, kWidth - 6));
  }

  const std::size_t failed = result.failed_checks().size();
  const std::size_t all = result.first_checks.size() + result.second_checks.size();
  const std::string verdict = failed == 0 ? fmt::format("All {} checks passed", all)
                                          : fmt::format("{} of {} checks FAILED", failed, all);
  fmt::format_to(out, "{} in {:.1f} s. Files: {}\n", screen.bold(verdict), result.seconds,
                 files.folder);
  return text;
}

std::string one_line_report(const Screen& screen, const std::string& map,
                            const Demonstration& result) {
  if (!result.error.empty()) {
    return fmt::format("{} {:<9} {}\n", screen.mark(false), map, result.error);
  }
  const Played& played = result.played;
  const std::vector<Check> failed = result.failed_checks();
  std::string text = fmt::format(
      "{} {:<6} {:>5} {:>6} {:>6} {:>7} {:>6} {:>6} {:>7.0f} {:>8.2f} {:>4}/{:<4} {:>5.1f}\n",
      screen.mark(failed.empty()), map, played.world.sectors, played.world.things,
      played.at_save.missiles_free, played.at_save.shots_retired, played.at_save.handles_stale,
      result.resumed.list.live_right, played.frames.capture_us, played.frames.longest_during_ms,
      result.control.first_other_tick, result.control.first_other_fate, result.seconds);
  add_checks(text, screen, failed);
  return text;
}

}  // namespace demo
