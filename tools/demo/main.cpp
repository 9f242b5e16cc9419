// hdb_demo: a headless game on a DOOM map that saves in mid-play and proves that nothing was lost.
// The files, in the order of reading:
//
//   records.hpp    the records of the game and their handles
//   world.hpp      the database, its tables, and the sound system outside of it
//   game.hpp       a whole game; its parts are
//     map.cpp        a map of the WAD into the tables, textures and sounds, the next map
//     rules.cpp      a tick, birth and death, events, sorting in steps
//     fighting.cpp   monsters and missiles, steps from sector to sector
//     saves.cpp      what a save has besides the tables
//   first_process.cpp    the demonstration: plays, saves, and has other processes check the files
//   second_process.cpp   continues from the save and compares
//   trials.cpp           autosaves, sync_test and rollback
//
// The judges, which do not use hdb: judges.hpp (hashes, the list of handles).
// The control, which uses hdb's images without record types: sorted_image.cpp. The rest reads and
// makes WAD files (wad.hpp) and starts processes (process.hpp).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>

#include "first_process.hpp"
#include "process.hpp"
#include "trials.hpp"

namespace {

constexpr int kPassed = 0;
constexpr int kFailed = 1;
constexpr int kTrouble = 2;

struct Options {
  std::string wad;
  std::string map;
  std::string folder;
  std::uint64_t seed = 1;
  bool all_maps = false;
  bool with_bug = false;
  bool with_rollback = false;
  // of the second process
  std::string resume_folder;
  std::string resume_which;
};

int trouble(const std::string& text) {
  std::fputs(("hdb_demo: " + text + "\n").c_str(), stderr);
  return kTrouble;
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw std::runtime_error("the report cannot be written to standard output");
  }
}

void print(const demo::Checks& checks) {
  for (const demo::Check& check : checks) {
    print(fmt::format("  {} {}\n", check.passed ? "✓" : "✗", check.text));
  }
}

// The folder for the files: the one asked for, else a new one that only this user can read.
std::string make_folder(const std::string& wanted) {
  namespace fs = std::filesystem;
  fs::path folder = wanted;
  if (wanted.empty()) {
    std::random_device random;
    folder = fs::temp_directory_path() / fmt::format("hdb_demo.{:08x}{:08x}", random(), random());
    if (!fs::create_directory(folder)) throw std::runtime_error(folder.string() + " exists");
    fs::permissions(folder, fs::perms::owner_all);
  }
  fs::create_directories(folder);
  return folder.string();
}

// The first WAD in DOOMWADDIR (the folder that DOOM programs agree on) or where Debian installs
// them; empty: none.
std::string find_wad() {
  const char* const folder = std::getenv("DOOMWADDIR");
  const std::filesystem::path wads = folder != nullptr ? folder : "/usr/share/games/doom";
  for (const char* const name : {"freedoom2.wad", "freedoom1.wad"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(wads / name, error)) return (wads / name).string();
  }
  return {};
}

int run_one(const demo::Wad& wad, const std::string& wad_path, const std::string& map,
            const Options& options, const std::string& folder) {
  const demo::Stopwatch watch;
  const demo::Demonstration result = demo::demonstrate(wad, wad_path, map, options.seed,
                                                       demo::Files{folder}, demo::find_programs());
  print(fmt::format("  {}\nTick {}: save_async, and the game continues\n    {}\n", result.facts,
                    demo::kSaveTick, result.save_facts));
  print(result.first_checks);
  print("A second process, with only the save\n");
  print(result.second_checks);
  const std::size_t failed = result.failed_checks().size();
  const std::size_t all = result.first_checks.size() + result.second_checks.size();
  const std::string verdict = failed == 0 ? fmt::format("All {} checks passed", all)
                                          : fmt::format("{} of {} checks FAILED", failed, all);
  print(fmt::format("{}{} in {:.1f} s. Files: {}\n", result.diff_lines, verdict, watch.ms() / 1000,
                    folder));
  return failed == 0 ? kPassed : kFailed;
}

int run_all(const demo::Wad& wad, const std::string& wad_path, const Options& options,
            const std::string& folder) {
  int status = kPassed;
  for (const std::string& map : wad.map_names()) {
    const demo::Files files{make_folder(folder + "/" + map)};
    demo::Checks failed;
    try {
      failed = demo::demonstrate(wad, wad_path, map, options.seed, files, demo::find_programs())
                   .failed_checks();
    } catch (const std::exception& error) {  // the other maps are played all the same
      failed = {{false, error.what()}};
    }
    print(fmt::format("{} {}\n", failed.empty() ? "✓" : "✗", map));
    print(failed);
    if (!failed.empty()) status = kFailed;
  }
  print(fmt::format("{}. Files: {}\n", status == kPassed ? "All maps passed" : "FAILED", folder));
  return status;
}

int run(const Options& options) {
  std::string wad_path = options.wad.empty() ? find_wad() : options.wad;
  std::string source = std::filesystem::path(wad_path).filename().string();
  const std::string folder = make_folder(options.folder);
  if (wad_path.empty()) {
    const std::string why =
        "no WAD was found: install the package freedoom, or give a WAD file with --wad";
    const char* const ci = std::getenv("CI");
    if (ci != nullptr && std::string_view(ci) == "true") {
      return trouble(why + "; with CI=true a generated map is not accepted");
    }
    source = "a generated WAD (" + why + ")";
    wad_path = folder + "/generated.wad";
    demo::write_generated_wad(wad_path, options.seed);
  }
  const demo::Wad wad = demo::Wad::open(wad_path);
  const std::vector<std::string> names = wad.map_names();
  if (names.empty()) return trouble(wad_path + ": the WAD has no map");
  const std::string map = options.map.empty() ? names.front() : demo::upper_case(options.map);
  if (std::find(names.begin(), names.end(), map) == names.end()) {
    return trouble(fmt::format("{}: the WAD has no map {}; its maps are {}", wad_path, map,
                               fmt::join(names, " ")));
  }
  print(fmt::format("hdb demo: {} of {}, seed {}\n", options.all_maps ? "all maps" : map, source,
                    options.seed));
  if (options.all_maps) return run_all(wad, wad_path, options, folder);
  if (!options.with_bug && !options.with_rollback) {
    return run_one(wad, wad_path, map, options, folder);
  }
  const demo::Check check = options.with_bug ? demo::try_sync(wad, map, options.seed, true)
                                             : demo::try_rollback(wad, map, options.seed);
  print(demo::Checks{check});
  return check.passed ? kPassed : kFailed;
}

int run_second_process(const Options& options) {
  const demo::Wad wad = demo::Wad::open(options.wad);
  const demo::Files files{options.resume_folder};
  const demo::Checks checks = options.resume_which == "control"
                                  ? demo::Checks{demo::check_control(files, wad)}
                                  : demo::check_resumed_game(files, wad);
  for (const demo::Check& check : checks) {
    print(fmt::format("{} {}\n", check.passed ? '+' : '-', check.text));
  }
  return kPassed;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Plays a DOOM map without a screen, saves during play, continues in a second process from "
      "the save, and checks that nothing differs.",
      "hdb_demo"};
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
  app.add_option("--seed", options.seed, "Seed of the random generator (default 1)");
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
    app.parse(std::move(words));
    return second->parsed() ? run_second_process(options) : run(options);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return trouble(std::string(error.what()) + "; see hdb_demo --help");
  } catch (const std::exception& error) {
    return trouble(error.what());
  }
}
