// A window of Dear ImGui without a window system: mouse and keys by its input, and the texts that
// a frame shows, read from what it would draw.
#pragma once

#include <imgui.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hdb::test {

/// A text on the screen: one line of one font.
struct ShownText {
  std::string text;
  float x = 0;
  float y = 0;
  float end_x = 0;
};

class Screen {
 public:
  static constexpr float kWidth = 1280;
  static constexpr float kHeight = 800;

  /// `draw`: the widgets of a frame, in a window that fills the screen.
  explicit Screen(std::function<void()> draw) : draw_(std::move(draw)) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {kWidth, kHeight};
    io.DeltaTime = 1.0F / 60;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    for (const auto key : {ImGuiKey_Enter, ImGuiKey_Escape, ImGuiKey_A, ImGuiKey_Backspace,
                           ImGuiKey_Delete, ImGuiKey_End}) {
      io.KeyMap[key] = key;
    }
    for (const ImFontGlyph& glyph : io.Fonts->Fonts[0]->Glyphs)
      glyphs_[{glyph.U0, glyph.V0, glyph.U1, glyph.V1}] = &glyph;
    frames(3);
  }
  ~Screen() { ImGui::DestroyContext(context_); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void frames(int count = 1) {
    ImGui::SetCurrentContext(context_);
    for (int i = 0; i < count; ++i) {
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({kWidth, kHeight});
      ImGui::Begin("screen", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
      draw_();
      ImGui::End();
      ImGui::Render();
    }
    read();
  }

  // --- what is shown

  [[nodiscard]] const std::vector<ShownText>& texts() const noexcept { return texts_; }
  /// The text that is exactly this, with the largest x of several; none if it is not shown.
  [[nodiscard]] std::optional<ShownText> find(std::string_view text) const {
    std::optional<ShownText> found;
    for (const ShownText& each : texts_) {
      if (each.text == text && (!found || each.x > found->x)) found = each;
    }
    return found;
  }
  /// Everything that is shown, in the order of drawing, for messages and searches.
  [[nodiscard]] std::string all() const {
    std::string all;
    for (const ShownText& each : texts_) all += each.text + ' ';
    return all;
  }

  // --- the user

  void move_to(float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    frames(2);
  }
  void press() {
    ImGui::GetIO().MouseDown[0] = true;
    frames(2);
  }
  void release() {
    ImGui::GetIO().MouseDown[0] = false;
    frames(3);
    ImGui::GetIO().DeltaTime = 1;  // so that the next click is not a double one
    frames(1);
    ImGui::GetIO().DeltaTime = 1.0F / 60;
  }
  void click(float x, float y) {
    move_to(x, y);
    press();
    release();
  }
  /// Clicks on a text. Returns false if it is not shown.
  [[nodiscard]] bool click(std::string_view text) {
    const auto shown = find(text);
    if (shown) click((shown->x + shown->end_x) / 2, shown->y + 6);
    return shown.has_value();
  }
  void key(ImGuiKey key, bool with_control = false) {
    ImGui::GetIO().KeyCtrl = with_control;
    ImGui::GetIO().KeysDown[key] = true;
    frames(1);
    ImGui::GetIO().KeysDown[key] = false;
    ImGui::GetIO().KeyCtrl = false;
    frames(2);
  }
  /// Types into the field that has the keyboard, in place of what it holds.
  void type(const std::string& text) {
    key(ImGuiKey_A, true);
    key(ImGuiKey_Delete);
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(2);
  }
  void enter(const std::string& text) {
    type(text);
    key(ImGuiKey_Enter);
  }

 private:
  struct Corners {
    float u0, v0, u1, v1;
    bool operator<(const Corners& other) const noexcept {
      return std::pair(std::pair(u0, v0), std::pair(u1, v1)) <
             std::pair(std::pair(other.u0, other.v0), std::pair(other.u1, other.v1));
    }
  };

  void read() {
    texts_.clear();
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int i = 0; i < data.CmdListsCount; ++i) {
      const ImDrawList& list = *data.CmdLists[i];
      for (const ImDrawCmd& command : list.CmdBuffer) {
        next_x_ = -1;
        for (unsigned at = 0; at + 6 <= command.ElemCount; at += 3) {
          const ImDrawIdx* const index = list.IdxBuffer.Data + command.IdxOffset + at;
          if (index[1] == index[0] + 1 && index[2] == index[0] + 2)
            read_quad(list.VtxBuffer.Data + command.VtxOffset + index[0], command.ClipRect);
        }
      }
    }
  }
  void read_quad(const ImDrawVert* corner, const ImVec4& clip) {
    const auto found =
        glyphs_.find({corner[0].uv.x, corner[0].uv.y, corner[2].uv.x, corner[2].uv.y});
    if (found == glyphs_.end()) return;
    const ImFontGlyph& glyph = *found->second;
    const float x = corner[0].pos.x - glyph.X0;
    const float y = corner[0].pos.y - glyph.Y0;
    const ImVec2 middle((corner[0].pos.x + corner[2].pos.x) / 2,
                        (corner[0].pos.y + corner[2].pos.y) / 2);
    if (middle.x < clip.x || middle.x > clip.z || middle.y < clip.y || middle.y > clip.w) return;
    const float space = ImGui::GetIO().Fonts->Fonts[0]->GetCharAdvance(' ');
    const bool goes_on =
        next_x_ >= 0 && y == texts_.back().y && (x == next_x_ || x == next_x_ + space);
    if (!goes_on) texts_.push_back({{}, x, y, x});
    if (goes_on && x != next_x_) texts_.back().text += ' ';
    texts_.back().text += static_cast<char>(glyph.Codepoint);
    texts_.back().end_x = next_x_ = x + glyph.AdvanceX;
  }

  std::function<void()> draw_;
  ImGuiContext* context_ = ImGui::CreateContext();
  std::map<Corners, const ImFontGlyph*> glyphs_;
  std::vector<ShownText> texts_;
  float next_x_ = -1;
};

}  // namespace hdb::test
