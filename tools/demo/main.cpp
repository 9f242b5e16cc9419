// hdb_demo: a headless game on a DOOM map that saves in mid-play and proves that nothing was lost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "demonstration.hpp"
#include "experiments.hpp"
#include "process.hpp"
#include "report.hpp"

namespace {

constexpr int kPassed = 0;
constexpr int kFailed = 1;
constexpr int kTrouble = 2;

struct Options {
  std::string wad;
  std::string map;
  std::string folder;
  std::string seed_text = "1";
  std::uint64_t seed = 1;
  bool all_maps = false;
  bool with_bug = false;
  bool with_rollback = false;
  // of the second process
  std::string resume_folder;
  std::string resume_which = "exact";
};

// Whether everything printed so far has arrived.
bool print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int trouble(const std::string& text) {
  std::fputs(("hdb_demo: " + text + "\n").c_str(), stderr);
  return kTrouble;
}

// The exit status of a run whose report is printed.
int status_of(bool is_printed, bool is_trouble, bool is_passed) {
  if (!is_printed) return trouble("the report cannot be written to standard output");
  if (is_trouble) return kTrouble;
  return is_passed ? kPassed : kFailed;
}

// The WAD to play: the one asked for, else the first in DOOMWADDIR (the folder that DOOM programs
// agree on) or where Debian installs them; empty: none.
std::string find_wad(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* const folder = std::getenv("DOOMWADDIR");
  const std::filesystem::path wads = folder != nullptr ? folder : "/usr/share/games/doom";
  for (const char* const name : {"freedoom2.wad", "freedoom1.wad"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(wads / name, error)) return (wads / name).string();
  }
  return {};
}

bool parse_seed(Options& options) {
  const char* const end = options.seed_text.data() + options.seed_text.size();
  const auto [at, error] = std::from_chars(options.seed_text.data(), end, options.seed);
  return error == std::errc() && at == end;
}

bool is_ci() {
  const char* const ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

// The folder for the files: the one asked for, else a new temporary one.
// Throws: filesystem_error, with the folder and the reason.
std::string make_folder(const std::string& wanted) {
  namespace fs = std::filesystem;
  if (!wanted.empty()) {
    fs::create_directories(wanted);
    return wanted;
  }
  return demo::make_temporary_folder();
}

// Why no WAD was found, and what helps.
std::string missing_wad() {
  const char* const folder = std::getenv("DOOMWADDIR");
  return folder != nullptr
             ? fmt::format("DOOMWADDIR={} has no freedoom WAD", folder)
             : "no WAD was found: install the package freedoom, or give a WAD file with --wad";
}

// The WAD of this path; for an empty one, that of generated maps.
tl::expected<demo::Art, std::string> read_art(const std::string& path) {
  auto art = (path.empty() ? demo::Wad::parse(demo::generate_wad()) : demo::Wad::open(path))
                 .and_then([&](demo::Wad wad) { return demo::Art::read(std::move(wad), path); });
  if (art) return *std::move(art);
  const std::string message = art.error().message();
  return tl::unexpected<std::string>(message.starts_with(path) ? message : path + ": " + message);
}

int run_one(const demo::MapData& map, const demo::Art& art, const std::string& source,
            const Options& options, const std::string& folder) {
  const demo::Files files{folder};
  const demo::Demonstration result =
      demo::demonstrate(map, art, options.seed, files, demo::find_programs());
  const std::string title =
      fmt::format("hdb demo: {} of {}, seed {}", map.name, source, options.seed);
  const bool is_printed = print(demo::full_report(demo::standard_screen(), title, result, files));
  return status_of(is_printed, !result.error.empty(), result.failed_checks().empty());
}

// Frames run twice, with a bug planted: the run passes when it is found.
int run_with_bug(const demo::MapData& map, const demo::Art& art, const Options& options) {
  const demo::SyncTrial trial = demo::try_sync(map, art, options.seed, true);
  if (!trial.error.empty()) return trouble(trial.error);
  const demo::Screen screen = demo::standard_screen();
  std::string text = screen.bold("sync_test with a variable that is not in the save") + "\n";
  const bool is_found = !trial.divergence.empty();
  text +=
      fmt::format("  {} {} ticks were equal in both runs, then\n    {}\n", screen.mark(is_found),
                  trial.ticks, is_found ? trial.divergence : "no difference was found");
  return status_of(print(text), false, is_found);
}

// Back and forth in every frame, beside a game that goes straight on.
int run_with_rollback(const demo::MapData& map, const demo::Art& art, const Options& options,
                      const std::string& folder) {
  const demo::RollbackTrial trial = demo::try_rollback(map, art, options.seed);
  if (!trial.error.empty()) return trouble(trial.error);
  const demo::Screen screen = demo::standard_screen();
  const std::string plot = folder + "/rollback.svg";
  if (!demo::write_text(plot, demo::rollback_plot(map.name, trial))) {
    return trouble(plot + ": the file cannot be written");
  }
  std::string text =
      screen.bold(fmt::format("{} frames, each goes {} ticks back and plays them again\n",
                              trial.with.frames_ms.size(), demo::kRollbackTicks));
  text += fmt::format(
      "  {} the state is equal to that of a game without rollback\n"
      "    time of hdb per frame (1 rewind, {} records): median {:.2f} ms, 99 % {:.2f}, longest "
      "{:.2f}\n"
      "    the history uses {} KiB in addition to the newest frame; frame times are in {}\n",
      screen.mark(trial.is_equal), demo::kRollbackTicks + 1, trial.back.median_ms,
      trial.back.percentile_99_ms, trial.back.longest_ms, trial.history_bytes / 1024, plot);
  return status_of(print(text), false, trial.is_equal);
}

int run_on(const demo::MapData& map, const demo::Art& art, const std::string& source,
           const Options& options, const std::string& folder) {
  if (options.with_bug) return run_with_bug(map, art, options);
  if (options.with_rollback) return run_with_rollback(map, art, options, folder);
  return run_one(map, art, source, options, folder);
}

int run_all(const demo::Art& art, const std::string& source, const Options& options,
            const std::string& folder) {
  const demo::Screen screen = demo::standard_screen();
  print(screen.bold(fmt::format("hdb demo: all maps of {}, seed {}\n", source, options.seed)));
  print(fmt::format("  {:<6} {:>5} {:>6} {:>6} {:>7} {:>6} {:>6} {:>7} {:>8} {:>9} {:>5}\n", "map",
                    "areas", "things", "free", "retired", "stale", "live", "capt us", "frame ms",
                    "diverges", "s"));
  std::size_t failed = 0;
  std::size_t played = 0;
  bool is_trouble = false;
  for (const std::string& name : art.wad().map_names()) {
    const demo::Files files{(std::filesystem::path(folder) / name).string()};
    demo::Demonstration result;
    make_folder(files.folder);
    if (const auto map = demo::read_map(art.wad(), name)) {
      result = demo::demonstrate(*map, art, options.seed, files, demo::find_programs());
    } else {
      result.error = map.error().message();
    }
    print(demo::one_line_report(screen, name, result));
    ++played;
    is_trouble |= !result.error.empty();
    failed += result.error.empty() && result.failed_checks().empty() ? 0 : 1;
  }
  const bool is_printed =
      print(screen.bold(fmt::format("{} of {} maps passed", played - failed, played)) +
            fmt::format(". Files: {}\n", folder));
  return status_of(is_printed, is_trouble, failed == 0 && played != 0);
}

int run(const Options& options) {
  const std::string wad_path = find_wad(options.wad);
  const bool has_wad = !wad_path.empty();
  if (!has_wad && is_ci()) {
    return trouble(missing_wad() + "; with CI=true a generated map is not accepted");
  }
  if (!has_wad && (options.all_maps || !options.map.empty())) return trouble(missing_wad());
  const auto art = read_art(wad_path);
  if (!art) return trouble(art.error());

  std::string name = demo::upper_case(options.map);
  if (has_wad) {
    const auto names = art->wad().map_names();
    if (names.empty()) return trouble(wad_path + ": the WAD has no map");
    if (name.empty()) name = names.front();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return trouble(fmt::format("{}: the WAD has no map {}; its maps are {}", wad_path, name,
                                 fmt::join(names, " ")));
    }
  }
  std::optional<demo::MapData> map;
  if (has_wad && !options.all_maps) {
    auto read = demo::read_map(art->wad(), name);
    if (!read) return trouble(wad_path + ": " + read.error().message());
    map = *std::move(read);
  }
  const std::string folder = make_folder(options.folder);
  const std::string source = std::filesystem::path(wad_path).filename().string();
  if (options.all_maps) return run_all(*art, source, options, folder);
  if (map) return run_on(*map, *art, source, options, folder);
  const std::string why = "no WAD (" + missing_wad() + ")";
  return run_on(demo::generate_map(options.seed), *art, why, options, folder);
}

int run_second_process(const Options& options) {
  const demo::Files files{options.resume_folder};
  const auto art = read_art(options.wad);
  if (!art) return trouble(art.error());
  const demo::Resumed resumed = demo::resume(
      files, *art, options.resume_which == "control" ? demo::Resume::control : demo::Resume::exact);
  return status_of(print(demo::to_json(resumed)), !resumed.error.empty(), true);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Plays a DOOM map without a screen, saves during play, continues in a second process from "
      "the "
      "save, and checks that nothing differs.\n\n"
      "Examples:\n"
      "  hdb_demo                        the first map\n"
      "  hdb_demo --map MAP07 --seed 3   another map, another game\n"
      "  hdb_demo --all-maps             every map, one line each\n"
      "  hdb_demo --plant-bug            show how sync_test reports a bug\n"
      "  hdb_demo --rollback             go 8 ticks back in every frame"};
  app.allow_windows_style_options(false);  // a word that begins with a slash is a path
  app.footer(
      "The environment variable DOOMWADDIR is the folder of the WADs. Without a WAD, a map is\n"
      "generated; with CI=true that is a failure.\n"
      "Exit status: 0 all checks passed, 1 a check failed, 2 the demo could not run.");
  CLI::Option* const map =
      app.add_option("--map", options.map, "The map to play, such as MAP01 (default: the first)");
  app.add_flag("--all-maps", options.all_maps, "Play every map of the WAD, one line each")
      ->excludes(map);
  CLI::Option* const bug = app.add_flag("--plant-bug", options.with_bug,
                                        "Plant a variable outside the state, and find it");
  app.add_flag("--rollback", options.with_rollback,
               "Go back 8 ticks in every frame and play them again")
      ->excludes(bug);
  app.add_option("--seed", options.seed_text, "Seed of the random generator (default 1)")
      ->type_name("N");
  app.add_option("--wad", options.wad,
                 "The WAD file (default: freedoom2.wad, as Debian installs it)");
  app.add_option("--out", options.folder, "Folder for the files (default: a new temporary one)");
  CLI::App* const second = app.add_subcommand("resume", "The second process")->group("");
  second->add_option("folder", options.resume_folder)->required();
  second->add_option("which", options.resume_which)->check(CLI::IsMember({"exact", "control"}));
  try {
    std::vector<std::string> words = demo::command_line(argc, argv);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
    if (!words.empty()) words.pop_back();
    app.name("hdb_demo");
    app.parse(std::move(words));
    if (!parse_seed(options)) return trouble("--seed needs a number from 0 to 2^64 - 1");
    return second->parsed() ? run_second_process(options) : run(options);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return trouble(std::string(error.what()) + "; see hdb_demo --help");
  } catch (const std::exception& error) {
    return trouble(error.what());
  }
}
