// The frames of a history and the last autosave.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "hdb/autosaver.hpp"
#include "hdb/detail/imgui/browser_state.hpp"
#include "hdb/detail/imgui/widgets.hpp"
#include "hdb/imgui_browser.hpp"

namespace hdb::detail::imgui {

/// A slider over the frames, and what to do at an earlier one.
inline void draw_history(BrowserState& state, const hdb::imgui::BrowserOptions& options) {
  const HistoryFacts facts = state.history_facts();
  if (facts.frames == 0) return draw_dim_text("the history has no frames");
  const bool is_past = state.shown_frame().has_value();
  std::uint64_t frame = state.shown_frame().value_or(facts.newest);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.5F);
  if (ImGui::SliderScalar("##frame", ImGuiDataType_U64, &frame, &facts.oldest, &facts.newest,
                          "frame %llu")) {
    const auto restored = state.show_frame(frame);
    if (restored && options.on_restore) options.on_restore(*restored);
  }
  ImGui::SameLine();
  draw_text(count_text(facts.frames, "frame") + " in " + bytes_text(facts.memory_bytes));
  if (is_past) {
    ImGui::SameLine();
    if (ImGui::SmallButton("Continue from here")) {
      state.continue_from_shown_frame();
      if (options.on_restore) options.on_restore(frame);
    }
  }
  draw_problem(state.refusal(kAtHistory));
}

/// The cost of the last autosave, or why it failed.
inline void draw_autosave(const Autosaver& autosaver) {
  const auto last = autosaver.last_result();
  if (!last) return draw_dim_text("no autosave yet");
  if (!*last) return draw_problem("autosave: " + last->error().message());
  const SaveReport& report = **last;
  char times[96];
  std::snprintf(times, sizeof times, "autosave: encoded in %.1f ms, on disk in %.1f ms; ",
                report.encode_ms, report.commit_ms);
  draw_text(times + bytes_text(report.bytes) + ", " + bytes_text(report.reused_bytes) +
            " of them from the last save");
}

inline void draw_time(BrowserState& state, const hdb::imgui::BrowserOptions& options) {
  if (options.history != nullptr) draw_history(state, options);
  if (options.autosaver != nullptr) draw_autosave(*options.autosaver);
}

}  // namespace hdb::detail::imgui
