// Small parts of the browser that Dear ImGui does not have in all versions.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace hdb::detail::imgui {

inline void draw_text(std::string_view text) {
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
}

inline void draw_dim_text(std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  draw_text(text);
  ImGui::PopStyleColor();
}

/// A message of an error, over several lines if need be.
inline void draw_problem(std::string_view text) {
  if (text.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0F, 0.45F, 0.4F, 1.0F));
  ImGui::PushTextWrapPos(0.0F);
  draw_text(text);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

/// A text that can be clicked. Returns whether it was.
inline bool draw_link(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.45F, 0.72F, 1.0F, 1.0F));
  draw_text(text);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return ImGui::IsItemClicked();
}

/// An input field for a text of any length. True when it was entered, with the Enter key.
inline bool input_text(const char* label, std::string& text, ImGuiInputTextFlags flags,
                       const char* hint = "") {
  const auto resize = [](ImGuiInputTextCallbackData* data) {
    auto& held = *static_cast<std::string*>(data->UserData);
    held.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = held.data();
    return 0;
  };
  return ImGui::InputTextWithHint(label, hint, text.data(), text.capacity() + 1,
                                  flags | ImGuiInputTextFlags_CallbackResize, resize, &text);
}

/// "1 row", "2 rows".
inline std::string count_text(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// "512 B", "1.5 KiB", "30.0 MiB".
inline std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024; ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, kUnits[unit]);
  return text;
}

}  // namespace hdb::detail::imgui
