// hdb_demo: a headless game on a DOOM map that saves in mid-play and proves that nothing was lost.
#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>

#include "demonstration.hpp"
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
  std::uint64_t seed = 1;
  bool all_maps = false;
  // of the second process
  std::string resume_folder;
  std::string resume_which = "exact";
};

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int trouble(const std::string& text) {
  std::fputs(("hdb_demo: " + text + "\n").c_str(), stderr);
  return kTrouble;
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

bool is_ci() {
  const char* const ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

// The folder for the files: the one asked for, else a new temporary one; empty: it could not be
// made.
std::string make_folder(const std::string& wanted) {
  std::error_code error;
  if (!wanted.empty()) {
    std::filesystem::create_directories(wanted, error);
    return error ? std::string() : wanted;
  }
  std::string name = (std::filesystem::temp_directory_path(error) / "hdb_demo.XXXXXX").string();
  return ::mkdtemp(name.data()) != nullptr ? name : std::string();
}

int run_one(const demo::MapData& map, const std::string& source, const Options& options,
            const std::string& folder) {
  const demo::Files files{folder};
  const demo::Demonstration result =
      demo::demonstrate(map, options.seed, files, demo::find_programs());
  const std::string title =
      fmt::format("hdb demo: {} of {}, seed {}", map.name, source, options.seed);
  print(demo::full_report(demo::standard_screen(), title, result, files));
  return result.error.empty() && result.failed_count() == 0 ? kPassed : kFailed;
}

int run_all(const demo::Wad& wad, const std::string& source, const Options& options,
            const std::string& folder) {
  const demo::Screen screen = demo::standard_screen();
  print(screen.bold(fmt::format("hdb demo: all maps of {}, seed {}\n", source, options.seed)));
  print(fmt::format("  {:<9} {:>5} {:>7} {:>7} {:>8} {:>6} {:>8} {:>8} {:>9} {:>11} {:>5}\n", "map",
                    "areas", "things", "free", "retired", "stale", "live", "save us", "frame ms",
                    "diverges at", "s"));
  std::size_t failed = 0;
  std::size_t played = 0;
  for (const std::string& name : wad.map_names()) {
    const demo::Files files{(std::filesystem::path(folder) / name).string()};
    demo::Demonstration result;
    if (make_folder(files.folder).empty()) return trouble("cannot make " + files.folder);
    if (const auto map = demo::read_map(wad, name)) {
      result = demo::demonstrate(*map, options.seed, files, demo::find_programs());
    } else {
      result.error = map.error().message();
    }
    print(demo::one_line_report(screen, name, result));
    ++played;
    failed += result.error.empty() && result.failed_count() == 0 ? 0 : 1;
  }
  print(screen.bold(fmt::format("{} of {} maps passed", played - failed, played)) +
        fmt::format(". Files: {}\n", folder));
  return failed == 0 && played != 0 ? kPassed : kFailed;
}

int run(const Options& options) {
  const std::string wad_path = find_wad(options.wad);
  std::optional<demo::Wad> wad;
  if (!wad_path.empty()) {
    auto opened = demo::Wad::open(wad_path);
    if (!opened) return trouble(wad_path + ": " + opened.error().message());
    wad = *std::move(opened);
  } else if (is_ci()) {
    return trouble("no WAD was found, and a generated map is not enough here (CI=true)");
  } else if (options.all_maps || !options.map.empty()) {
    return trouble("no WAD was found: install the package freedoom, or name one with --wad");
  }

  std::string name = options.map;
  if (wad && name.empty()) {
    const auto names = wad->map_names();
    if (names.empty()) return trouble(wad_path + ": there is no map in it");
    name = names.front();
  }
  std::optional<demo::MapData> map;
  if (wad && !options.all_maps) {
    auto read = demo::read_map(*wad, name);
    if (!read) return trouble(wad_path + ": " + read.error().message());
    map = *std::move(read);
  }
  const std::string folder = make_folder(options.folder);
  if (folder.empty()) return trouble("the folder for the files cannot be made");
  const std::string source = std::filesystem::path(wad_path).filename().string();
  if (options.all_maps) return run_all(*wad, source, options, folder);
  if (map) return run_one(*map, source, options, folder);
  return run_one(demo::generate_map(options.seed), "no WAD (none found)", options, folder);
}

int run_second_process(const Options& options) {
  const demo::Files files{options.resume_folder};
  const demo::Resumed resumed = demo::resume(
      files, options.resume_which == "control" ? demo::Resume::control : demo::Resume::exact);
  print(demo::to_text(resumed));
  return resumed.error.empty() ? kPassed : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Plays a DOOM map without a screen, saves in mid-play, plays on in a second process from the "
      "save, and checks that nothing differs.\nExit status: 0 all checks passed, 1 one failed, 2 "
      "trouble."};
  app.add_option("--map", options.map, "The map to play, such as MAP01 (default: the first)");
  app.add_flag("--all-maps", options.all_maps, "Play every map of the WAD, one line each");
  app.add_option("--seed", options.seed, "Seed of the random generator")->capture_default_str();
  app.add_option("--wad", options.wad,
                 "The WAD file (default: freedoom2.wad, as Debian installs it)");
  app.add_option("--out", options.folder, "Folder for the files (default: a new temporary one)");
  CLI::App* const second = app.add_subcommand("resume", "The second process")->group("");
  second->add_option("folder", options.resume_folder)->required();
  second->add_option("which", options.resume_which)->check(CLI::IsMember({"exact", "control"}));
  try {
    app.parse(argc, argv);
    return second->parsed() ? run_second_process(options) : run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kTrouble;
  } catch (const std::exception& error) {
    return trouble(error.what());
  }
}
