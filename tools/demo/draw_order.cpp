// Distances, and the steps of sorting by them.
#include "draw_order.hpp"

#include <cstddef>
#include <span>

#include "travel.hpp"

namespace demo {
namespace {

// A strict weak order, whatever the distances are.
bool is_drawn_first(const Sprite& a, const Sprite& b) { return a.distance > b.distance; }

const Thing* find_viewer(const World& world) {
  const Thing* viewer = nullptr;
  for (const Thing& thing : world.things) {
    if (thing.kind != Kind::marine) continue;
    if (viewer == nullptr || thing.serial < viewer->serial) viewer = &thing;
  }
  return viewer;
}

void look_around(World& world) {
  const Thing* const viewer = find_viewer(world);
  if (viewer == nullptr) return;
  world.sprites.edit_each([&](SpriteHandle, Sprite& sprite) {
    const Thing* const thing = world.things.find(sprite.thing);
    if (thing != nullptr) sprite.distance = distance(thing->x - viewer->x, thing->y - viewer->y);
  });
}

}  // namespace

void sort_for_drawing(World& world, std::uint32_t tick) {
  if (tick % kLookPeriod == 0) look_around(world);
  world.sprites.sort_step(is_drawn_first, kSortBudget);
}

bool is_sorted_for_drawing(World& world) { return world.sprites.sort_step(is_drawn_first, 0); }

std::size_t misplaced_sprites(const World& world) {
  const std::span<const Sprite> sprites = world.sprites.records();
  std::size_t misplaced = 0;
  for (std::size_t i = 1; i < sprites.size(); ++i)
    misplaced += is_drawn_first(sprites[i], sprites[i - 1]) ? 1 : 0;
  return misplaced;
}

}  // namespace demo
