// hdb_demo_window: the sample game in a window, seen from above, with the browser of hdb/imgui.hpp.
// session.hpp is the game with its frames and saves, map_view.hpp the map, screen.hpp the window.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <hdb/imgui.hpp>

#include "checks.hpp"
#include "map_view.hpp"
#include "places.hpp"
#include "screen.hpp"
#include "session.hpp"

namespace {

constexpr const char* kKeys =
    "F5 save   F9 load   Backspace back in time   Space pause   N one tick   B plant a bug   "
    "click: select a monster";

class Player {
 public:
  // `trace`: the file for what the program did; empty: none.
  Player(const demo::Wad& wad, const std::string& map, std::uint64_t seed,
         const std::string& folder, std::uint64_t history_bytes, const std::string& trace)
      : session_(wad, map, seed, folder, history_bytes), view_(session_.game().world, map_area()) {
    if (!trace.empty()) trace_.open(trace);
    options_.history = &session_.history();
    options_.autosaver = &session_.autosaver();
    options_.on_restore = [this](std::uint64_t frame) {
      session_.on_restore(frame);
      note_state("shown");
    };
    browser_.select("things");
  }

  void play() {
    while (is_open_) {
      const demo::Stopwatch watch;
      screen_.take_events([this](const SDL_Event& event) { handle(event); });
      move();
      draw();
      frame_ms_.add(watch.ms());
      const double rest_ms = 1000.0 / demo::kFramesASecond - watch.ms();
      if (rest_ms > 0) SDL_Delay(static_cast<Uint32>(rest_ms));
    }
  }

 private:
  [[nodiscard]] SDL_Rect map_area() const {
    const SDL_Point size = screen_.size();
    return {0, 0, size.x * 45 / 100, size.y - kStatusHeight};
  }

  // One frame of the game, forth or back.
  void move() {
    if (is_rewinding_) {
      if (session_.rewind()) note_state("back");
    } else if (!is_paused_ && !browser_.shown_frame()) {
      advance();
    }
  }
  void advance() {
    session_.advance();
    note_state("frame");
  }

  void handle(const SDL_Event& event) {
    if (event.type == SDL_QUIT) is_open_ = false;
    if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
      view_ = demo::MapView(session_.game().world, map_area());
    if (event.type == SDL_KEYUP && event.key.keysym.sym == SDLK_BACKSPACE && is_rewinding_) {
      is_rewinding_ = false;
      note_state("rewound");
    }
    if (event.type == SDL_MOUSEBUTTONDOWN) select_at(event.button.x, event.button.y);
    if (event.type == SDL_KEYDOWN && event.key.repeat == 0) press(event.key.keysym.sym);
  }

  void press(SDL_Keycode key) {
    switch (key) {
      case SDLK_ESCAPE: is_open_ = false; return;
      case SDLK_BACKSPACE: is_rewinding_ = true; return;
      case SDLK_SPACE: return pause();
      case SDLK_n:
        if (is_paused_ && !browser_.shown_frame()) advance();
        return;
      case SDLK_F5: return report("saved", session_.save());
      case SDLK_F9: return report("loaded", session_.load());
      case SDLK_b:
        message_ = "sync_test found the planted bug: " + session_.find_planted_bug();
        return note("divergence", message_);
      default: return;
    }
  }

  void pause() {
    if (browser_.shown_frame()) {
      session_.continue_here();
      is_paused_ = false;
    } else {
      is_paused_ = !is_paused_;
    }
    note_state(is_paused_ ? "paused" : "running");
    if (is_paused_) note_monster();
  }

  void report(const char* what, const hdb::Status& done) {
    message_ = done ? fmt::format("{} at tick {}", what, session_.game().world.clock->tick)
                    : done.error().message();
    done ? note_state(what) : note("error", message_);
  }

  void select_at(int x, int y) {
    const SDL_Point point{x, y};
    const SDL_Rect map = map_area();
    if (!SDL_PointInRect(&point, &map)) return;
    const demo::ThingHandle thing = view_.thing_at(session_.game().world, x, y);
    if (thing.is_null()) return;
    browser_.select("things", thing.bits());
    note("selected", fmt::format("{} {}", browser_.table(), browser_.handle()));
  }

  void draw() {
    screen_.begin();
    const demo::ThingHandle selected = browser_.table() == "things"
                                           ? demo::ThingHandle::from_bits(browser_.handle())
                                           : demo::ThingHandle();
    view_.draw(screen_.renderer(), session_.game().world, selected);
    const SDL_Rect map = map_area();
    const auto width = static_cast<float>(screen_.size().x);
    const auto left = static_cast<float>(map.w);
    const auto height = static_cast<float>(map.h);
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove;
    ImGui::SetNextWindowPos({left, 0});
    ImGui::SetNextWindowSize({width - left, height});
    ImGui::Begin("database", nullptr, kFlags);
    hdb::imgui::show_database(browser_, session_.game().world.database, options_);
    ImGui::End();
    ImGui::SetNextWindowPos({0, height});
    ImGui::SetNextWindowSize({width, kStatusHeight});
    ImGui::Begin("status", nullptr, kFlags);
    draw_status();
    ImGui::End();
    screen_.end();
  }

  void draw_status() {
    const demo::World& world = session_.game().world;
    const char* const state = is_rewinding_                          ? "back in time"
                              : is_paused_ || browser_.shown_frame() ? "paused"
                                                                     : "running";
    const std::string line =
        fmt::format("{}, tick {}, {}   frame {:.1f} ms (worst {:.1f})", world.clock->map,
                    world.clock->tick, state, frame_ms_.median(), frame_ms_.worst());
    ImGui::TextUnformatted((line + "   " + message_).c_str());
    ImGui::TextUnformatted(session_.costs().c_str());
    ImGui::TextUnformatted(kKeys);
  }

  // --- the trace

  void note(const char* what, const std::string& text) {
    if (trace_.is_open()) trace_ << what << ' ' << text << std::endl;
  }
  // The tick and the hash of its state.
  void note_state(const char* what) {
    if (trace_.is_open())
      note(what, fmt::format("{} {}", session_.tick(), session_.state_hash().hex()));
  }
  // The first monster with nobody near, and where it is in the window.
  void note_monster() {
    const demo::World& world = session_.game().world;
    for (auto at = world.things.begin(); at != world.things.end(); ++at) {
      const SDL_Point point = view_.point_of(at->x, at->y);
      if (at->kind == demo::Kind::item || view_.thing_at(world, point.x, point.y) != at.handle())
        continue;
      return note("monster", fmt::format("{} {} {}", at.handle().bits(), point.x, point.y));
    }
  }

  static constexpr int kStatusHeight = 64;

  demo::Screen screen_{"hdb demo", 1500, 860};
  demo::Session session_;
  demo::MapView view_;
  hdb::imgui::Browser browser_;
  hdb::imgui::BrowserOptions options_;
  demo::Cost frame_ms_;
  std::string message_;
  std::ofstream trace_;
  bool is_open_ = true;
  bool is_paused_ = false;
  bool is_rewinding_ = false;
};

struct Options {
  std::string wad;
  std::string map;
  std::string folder;
  std::string trace;
  std::uint64_t seed = 1;
  std::uint64_t history_mib = 512;
};

void play(Options options) {
  const std::string folder = demo::make_folder(options.folder);
  if (options.wad.empty()) options.wad = demo::find_wad();
  if (options.wad.empty()) {
    options.wad = folder + "/generated.wad";
    demo::write_generated_wad(options.wad, options.seed);
  }
  const demo::Wad wad = demo::Wad::open(options.wad);
  const std::vector<std::string> names = wad.map_names();
  if (names.empty()) throw std::runtime_error(options.wad + ": the WAD has no map");
  Player(wad, options.map.empty() ? names.front() : demo::upper_case(options.map), options.seed,
         folder, options.history_mib << 20, options.trace)
      .play();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Plays a DOOM map in a window, and shows its database.", "hdb_demo_window"};
  app.footer(std::string("Keys: ") + kKeys);
  app.add_option("--map", options.map, "The map to play, such as MAP01 (default: the first)");
  app.add_option("--seed", options.seed, "Seed of the random generator (default 1)");
  app.add_option("--wad", options.wad,
                 "The WAD file (default: freedoom2.wad, as Debian installs it; else a map is "
                 "generated)");
  app.add_option("--out", options.folder, "Folder for the saves (default: a new temporary one)");
  app.add_option("--history-mib", options.history_mib,
                 "Memory for the captures of the last minute, in MiB (default 512)");
  app.add_option("--trace", options.trace,
                 "File for a line on each frame, with the hash of its state");
  CLI11_PARSE(app, argc, argv);
  try {
    play(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hdb_demo_window: %s\n", error.what());
  }
  return 2;
}
