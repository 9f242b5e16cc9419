// A window of SDL2 with Dear ImGui in it, drawn by SDL's software renderer.
#pragma once

#include <SDL.h>

#include <functional>

namespace demo {

/// Throws: runtime_error with SDL's message if it cannot be made.
class Screen {
 public:
  Screen(const char* title, int width, int height);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Gives all events to Dear ImGui and, but for keys that go into a text, to `handle`.
  void take_events(const std::function<void(const SDL_Event& event)>& handle) const;
  /// Begins a frame of Dear ImGui on a dark ground.
  void begin() const;
  /// Draws what Dear ImGui was asked for, and shows the frame.
  void end() const;

  [[nodiscard]] SDL_Renderer& renderer() const noexcept { return *renderer_; }
  /// The size of the window in pixels.
  [[nodiscard]] SDL_Point size() const;

 private:
  void make_fonts();

  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
  SDL_Texture* fonts_ = nullptr;
};

}  // namespace demo
