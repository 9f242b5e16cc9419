// A map of the game from above, in a part of a window.
#pragma once

#include <SDL.h>

#include <optional>

#include "world.hpp"

namespace demo {

/// Where a place of the map is in the window.
class MapView {
 public:
  /// Fits all lines of the map into `area`.
  MapView(const World& world, const SDL_Rect& area);

  void draw(SDL_Renderer& renderer, const World& world, ThingHandle selected) const;
  /// The thing nearest to a point of the window, if one is near.
  [[nodiscard]] ThingHandle thing_at(const World& world, int x, int y) const;
  [[nodiscard]] SDL_Point point_of(std::int32_t x, std::int32_t y) const;

 private:
  void draw_square(SDL_Renderer& renderer, const SDL_Point& middle, int half) const;

  SDL_Rect area_;
  std::int32_t left_ = 0;
  std::int32_t top_ = 0;
  double scale_ = 1;
};

}  // namespace demo
