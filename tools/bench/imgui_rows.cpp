// imgui_*: a frame of the browser of hdb/imgui.hpp, against an empty frame of Dear ImGui; neither
// is drawn by a graphics card.
#include <imgui.h>

#include "bench.hpp"
#include "hdb/hdb.hpp"
#include "hdb/imgui.hpp"

namespace {

constexpr std::size_t kBrowsed = 100'000;
constexpr int kFramesInARun = 100;

struct BrowsedUnit {
  std::string name;
  std::int32_t hp = 100;
  float x = 0;
  float y = 0;
  hdb::Handle<BrowsedUnit> target;
  std::vector<hdb::Handle<BrowsedUnit>> seen;
  std::uint32_t kills = 0;
  bool is_asleep = false;
};

struct BrowsedGame {
  hdb::Database database;
  hdb::imgui::Browser browser;
  hdb::imgui::BrowserOptions options;

  BrowsedGame() {
    auto& units = database.create_table<BrowsedUnit>("units");
    std::vector<hdb::Handle<BrowsedUnit>> handles;
    for (std::size_t i = 0; i < kBrowsed; ++i) {
      BrowsedUnit unit;
      unit.name = "unit " + std::to_string(i);
      if (i >= 3) unit.target = handles[i / 3];
      if (i >= 3) unit.seen = {handles[i / 2], handles[i - 1]};
      handles.push_back(units.insert(std::move(unit)));
    }
    for (int i = 0; i < 20; ++i) {
      const std::string name = "table " + std::to_string(i);
      database.create_table<BrowsedUnit, hdb::TypedLayout>(name);
    }
    browser.select("units", handles[kBrowsed / 2].bits());
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1280, 800};
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  }
  ~BrowsedGame() { ImGui::DestroyContext(); }
  BrowsedGame(const BrowsedGame&) = delete;
  BrowsedGame& operator=(const BrowsedGame&) = delete;

  // Nanoseconds of a frame.
  template <class Draw>
  double frame_ns(Draw&& draw) {
    return hdb::bench::time_each_ns(kFramesInARun, [&] {
      for (int i = 0; i < kFramesInARun; ++i) {
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({1280, 800});
        ImGui::Begin("database");
        draw();
        ImGui::End();
        ImGui::Render();
      }
    });
  }
  void show() { hdb::imgui::show_database(browser, database, options); }
};

}  // namespace

namespace hdb::bench {

void imgui_rows(Bench& bench) {
  if (!bench.wants(
          {"imgui_empty_frame", "imgui_browser", "imgui_browser_edited", "imgui_browser_filter"})) {
    return;
  }
  BrowsedGame game;
  bench.measure({"imgui_empty_frame", {}, "ms", "an empty window of Dear ImGui"},
                [&] { return game.frame_ns([] {}); });
  bench.measure({"imgui_browser", 0.5, "ms", "100,000 records, 21 tables, one record open"},
                [&] { return game.frame_ns([&] { game.show(); }); });
  auto& units = *game.database.find_table<BrowsedUnit>("units");
  std::vector<hdb::Handle<BrowsedUnit>> edited;
  for (auto at = units.begin(); edited.size() < 1000; ++at) edited.push_back(at.handle());
  bench.measure({"imgui_browser_edited", 0.5, "ms", "the same, 1,000 records edited in each frame"},
                [&] {
                  return game.frame_ns([&] {
                    for (const auto handle : edited) units.edit(handle)->x += 1;
                    game.show();
                  });
                });
  game.options.search_ms = 0.2;
  bench.measure({"imgui_browser_filter", 1, "ms", "the same with a filter that may take 0.2 ms"},
                [&] {
                  game.browser.state().filter = "hp > 10";
                  game.browser.state().rows.start({});  // the first pass begins again
                  return game.frame_ns([&] { game.show(); });
                });
}

}  // namespace hdb::bench
