// Lines, things and missiles as lines and squares.
#include "map_view.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace demo {
namespace {

constexpr int kThingHalf = 3;
constexpr int kNear = 12;  // pixels

// By Kind.
constexpr std::array<SDL_Color, 8> kColors{{{120, 120, 140, 255},
                                            {90, 230, 90, 255},
                                            {210, 170, 110, 255},
                                            {230, 210, 90, 255},
                                            {220, 120, 60, 255},
                                            {230, 110, 190, 255},
                                            {200, 60, 60, 255},
                                            {170, 110, 240, 255}}};

void set_color(SDL_Renderer& renderer, const SDL_Color& color) {
  SDL_SetRenderDrawColor(&renderer, color.r, color.g, color.b, color.a);
}

}  // namespace

MapView::MapView(const World& world, const SDL_Rect& area) : area_(area) {
  std::int32_t right = std::numeric_limits<std::int32_t>::min();
  std::int32_t bottom = right;
  left_ = top_ = std::numeric_limits<std::int32_t>::max();
  for (const Line& line : world.lines) {
    left_ = std::min({left_, line.x1, line.x2});
    right = std::max({right, line.x1, line.x2});
    bottom = std::max({bottom, line.y1, line.y2});
    top_ = std::min({top_, line.y1, line.y2});
  }
  if (world.lines.empty()) left_ = top_ = right = bottom = 0;
  constexpr int kMargin = 12;
  const double wide = std::max(1, right - left_);
  const double high = std::max(1, bottom - top_);
  scale_ = std::min((area.w - 2 * kMargin) / wide, (area.h - 2 * kMargin) / high);
  area_.x += static_cast<int>((area.w - wide * scale_) / 2);
  area_.y += static_cast<int>((area.h - high * scale_) / 2);
  area_.h = static_cast<int>(high * scale_);
}

// North is up: y rises.
SDL_Point MapView::point_of(std::int32_t x, std::int32_t y) const {
  return {area_.x + static_cast<int>((x - left_) * scale_),
          area_.y + area_.h - static_cast<int>((y - top_) * scale_)};
}

void MapView::draw_square(SDL_Renderer& renderer, const SDL_Point& middle, int half) const {
  const SDL_Rect square{middle.x - half, middle.y - half, 2 * half + 1, 2 * half + 1};
  SDL_RenderFillRect(&renderer, &square);
}

void MapView::draw(SDL_Renderer& renderer, const World& world, ThingHandle selected) const {
  for (const Line& line : world.lines) {
    set_color(renderer,
              line.back.is_null() ? SDL_Color{200, 200, 210, 255} : SDL_Color{80, 80, 95, 255});
    const SDL_Point from = point_of(line.x1, line.y1);
    const SDL_Point to = point_of(line.x2, line.y2);
    SDL_RenderDrawLine(&renderer, from.x, from.y, to.x, to.y);
  }
  for (const Missile& missile : world.missiles) {
    set_color(renderer,
              missile.is_spark ? SDL_Color{150, 120, 60, 255} : SDL_Color{255, 240, 120, 255});
    draw_square(renderer, point_of(missile.x, missile.y), missile.is_spark ? 0 : 1);
  }
  for (const Thing& thing : world.things) {
    set_color(renderer, kColors[static_cast<std::size_t>(thing.kind)]);
    draw_square(renderer, point_of(thing.x, thing.y), thing.kind == Kind::item ? 1 : kThingHalf);
  }
  const Thing* const thing = world.things.find(selected);
  if (thing == nullptr) return;
  set_color(renderer, {255, 255, 255, 255});
  const SDL_Point middle = point_of(thing->x, thing->y);
  const SDL_Rect frame{middle.x - 7, middle.y - 7, 15, 15};
  SDL_RenderDrawRect(&renderer, &frame);
}

ThingHandle MapView::thing_at(const World& world, int x, int y) const {
  ThingHandle nearest;
  int least = kNear * kNear;
  for (auto at = world.things.begin(); at != world.things.end(); ++at) {
    const SDL_Point point = point_of(at->x, at->y);
    const int apart = (point.x - x) * (point.x - x) + (point.y - y) * (point.y - y);
    if (at->kind == Kind::item || apart >= least) continue;
    least = apart;
    nearest = at.handle();
  }
  return nearest;
}

}  // namespace demo
