// Triangles of Dear ImGui go to SDL as they are; Debian's library has no renderer for SDL.
#include "screen.hpp"

#include <backends/imgui_impl_sdl.h>
#include <imgui.h>

#include <stdexcept>
#include <string>

namespace demo {
namespace {

[[noreturn]] void fail_by_sdl(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + SDL_GetError());
}

bool is_wanted_by_a_widget(const SDL_Event& event) {
  return event.type == SDL_KEYDOWN && ImGui::GetIO().WantTextInput;
}

}  // namespace

Screen::Screen(const char* title, int width, int height) {
  SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");  // the detour over OpenGL takes longer
  if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_TIMER) != 0) fail_by_sdl("SDL cannot start");
  window_ = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                             SDL_WINDOW_RESIZABLE);
  if (window_ == nullptr) fail_by_sdl("no window can be opened");
  renderer_ = SDL_CreateRenderer(window_, -1, SDL_RENDERER_SOFTWARE);
  if (renderer_ == nullptr) fail_by_sdl("nothing can be drawn in the window");
  SDL_SetRenderDrawBlendMode(renderer_, SDL_BLENDMODE_BLEND);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGuiStyle& style = ImGui::GetStyle();
  style.AntiAliasedLines = style.AntiAliasedFill = false;  // fewer triangles
  style.FrameRounding = style.WindowRounding = style.ScrollbarRounding = 0;
  ImGui_ImplSDL2_InitForSDLRenderer(window_);
  make_fonts();
}

Screen::~Screen() {
  SDL_DestroyTexture(fonts_);
  ImGui_ImplSDL2_Shutdown();
  ImGui::DestroyContext();
  SDL_DestroyRenderer(renderer_);
  SDL_DestroyWindow(window_);
  SDL_Quit();
}

void Screen::make_fonts() {
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  fonts_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_ABGR8888, SDL_TEXTUREACCESS_STATIC, width,
                             height);
  if (fonts_ == nullptr) fail_by_sdl("the font cannot be drawn");
  SDL_UpdateTexture(fonts_, nullptr, pixels, 4 * width);
  SDL_SetTextureBlendMode(fonts_, SDL_BLENDMODE_BLEND);
  ImGui::GetIO().Fonts->SetTexID(fonts_);
}

void Screen::take_events(const std::function<void(const SDL_Event& event)>& handle) const {
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) {
    ImGui_ImplSDL2_ProcessEvent(&event);
    if (!is_wanted_by_a_widget(event)) handle(event);
  }
}

SDL_Point Screen::size() const {
  SDL_Point size{};
  SDL_GetWindowSize(window_, &size.x, &size.y);
  return size;
}

void Screen::begin() const {
  ImGui_ImplSDL2_NewFrame();
  ImGui::NewFrame();
  SDL_SetRenderDrawColor(renderer_, 18, 18, 24, 255);
  SDL_RenderClear(renderer_);
}

void Screen::end() const {
  ImGui::Render();
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImVec4& clip = command.ClipRect;
      const SDL_Rect area{static_cast<int>(clip.x), static_cast<int>(clip.y),
                          static_cast<int>(clip.z - clip.x), static_cast<int>(clip.w - clip.y)};
      if (area.w <= 0 || area.h <= 0) continue;
      SDL_RenderSetClipRect(renderer_, &area);
      const ImDrawVert* const first = list.VtxBuffer.Data + command.VtxOffset;
      SDL_RenderGeometryRaw(renderer_, static_cast<SDL_Texture*>(command.GetTexID()), &first->pos.x,
                            sizeof(ImDrawVert), reinterpret_cast<const SDL_Color*>(&first->col),
                            sizeof(ImDrawVert), &first->uv.x, sizeof(ImDrawVert),
                            list.VtxBuffer.Size - static_cast<int>(command.VtxOffset),
                            list.IdxBuffer.Data + command.IdxOffset,
                            static_cast<int>(command.ElemCount), sizeof(ImDrawIdx));
    }
  }
  SDL_RenderSetClipRect(renderer_, nullptr);
  SDL_RenderPresent(renderer_);
}

}  // namespace demo
