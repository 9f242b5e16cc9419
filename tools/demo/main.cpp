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
//   checks.hpp     all that is checked, with the ticks and the files; its parts are
//     first_process.cpp    plays, saves, and has other processes check the files
//     second_process.cpp   continues from the save and compares
//     trials.cpp           autosaves, sync_test and rollback
//     sorted_image.cpp     the control: uses hdb's images without record types
//   judges.hpp     hashes and the list of handles, which do not use hdb
//
// The rest reads and makes WAD files (wad.hpp), finds them (places.hpp) and starts processes
// (process.hpp). window/ is the same game in a window, a program of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "checks.hpp"
#include "places.hpp"
#include "process.hpp"

namespace {

struct Options {
  std::string wad;
  std::string map;
  std::string folder;
  std::uint64_t seed = 1;
  bool with_bug = false;
  bool with_rollback = false;
  // of the second process
  std::string resume_folder;
  std::string resume_which;
};

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

// Plays, and prints all that is checked; false if a check failed.
bool print_demonstration(const demo::Wad& wad, const std::string& wad_path, const std::string& map,
                         const Options& options, const std::string& folder) {
  const demo::Stopwatch watch;
  const demo::Demonstration result =
      demo::demonstrate(wad, wad_path, map, options.seed, demo::Files{folder}, demo::own_path());
  print(fmt::format("  {}\nTick {}: save_async, and the game continues\n    {}\n", result.facts,
                    demo::kSaveTick, result.save_facts));
  print(result.first_checks);
  print("A second process, with only the save\n");
  print(result.second_checks);
  demo::Checks all = result.first_checks;
  all.insert(all.end(), result.second_checks.begin(), result.second_checks.end());
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const demo::Check& check) { return !check.passed; });
  const std::string verdict = failed == 0
                                  ? fmt::format("All {} checks passed", all.size())
                                  : fmt::format("{} of {} checks FAILED", failed, all.size());
  print(fmt::format("{}{} in {:.1f} s. Files: {}\n", result.diff_lines, verdict, watch.ms() / 1000,
                    folder));
  return failed == 0;
}

bool run(const Options& options) {
  std::string wad_path = options.wad.empty() ? demo::find_wad() : options.wad;
  std::string source = std::filesystem::path(wad_path).filename().string();
  const std::string folder = demo::make_folder(options.folder);
  if (wad_path.empty()) {
    const std::string why =
        "no WAD was found: install the package freedoom, or give a WAD file with --wad";
    const char* const ci = std::getenv("CI");
    if (ci != nullptr && std::string_view(ci) == "true") {
      throw std::runtime_error(why + "; with CI=true a generated map is not accepted");
    }
    source = "a generated WAD (" + why + ")";
    wad_path = folder + "/generated.wad";
    demo::write_generated_wad(wad_path, options.seed);
  }
  const demo::Wad wad = demo::Wad::open(wad_path);
  const std::vector<std::string> names = wad.map_names();
  if (names.empty()) throw std::runtime_error(wad_path + ": the WAD has no map");
  const std::string map = options.map.empty() ? names.front() : demo::upper_case(options.map);
  if (std::find(names.begin(), names.end(), map) == names.end()) {
    throw std::runtime_error(fmt::format("{}: the WAD has no map {}; its maps are {}", wad_path,
                                         map, fmt::join(names, " ")));
  }
  print(fmt::format("hdb demo: {} of {}, seed {}\n", map, source, options.seed));
  if (!options.with_bug && !options.with_rollback) {
    return print_demonstration(wad, wad_path, map, options, folder);
  }
  const demo::Check check = options.with_bug ? demo::try_sync(wad, map, options.seed, true)
                                             : demo::try_rollback(wad, map, options.seed);
  print(demo::Checks{check});
  return check.passed;
}

void print_second_process(const Options& options) {
  const demo::Wad wad = demo::Wad::open(options.wad);
  const demo::Files files{options.resume_folder};
  const demo::Checks checks = options.resume_which == "control"
                                  ? demo::Checks{demo::check_control(files, wad)}
                                  : demo::check_resumed_game(files, wad);
  for (const demo::Check& check : checks) {
    print(fmt::format("{} {}\n", check.passed ? '+' : '-', check.text));
  }
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
  app.add_option("--map", options.map, "The map to play, such as MAP01 (default: the first)");
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
    if (!second->parsed()) return run(options) ? 0 : 1;
    print_second_process(options);
    return 0;
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "hdb_demo: %s; see hdb_demo --help\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hdb_demo: %s\n", error.what());
  }
  return 2;
}
