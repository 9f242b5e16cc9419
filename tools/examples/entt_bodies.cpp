// EnTT: three lines save a registry. Physics bodies are not state, nor would sprites be: their pool
// is left out, and the function that listens to the game fills it again after a restore.
#include <entt/entt.hpp>
#include <hdb/entt.hpp>
#include <hdb/hdb.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace {

struct Position {
  float x = 0, y = 0;
};
// The physics of an engine. A body belongs to one engine and cannot be copied or saved.
struct Physics {
  int bodies = 0;
};
struct Body {
  explicit Body(Physics& of, const Position& at) : physics(&of), x(at.x) { ++physics->bodies; }
  ~Body() {
    if (physics != nullptr) --physics->bodies;
  }
  Body(Body&& other) noexcept : physics(std::exchange(other.physics, nullptr)), x(other.x) {}
  Body& operator=(Body&& other) noexcept {
    std::swap(physics, other.physics);
    std::swap(x, other.x);
    return *this;
  }
  Physics* physics;
  float x;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "entt_bodies: %s\n", what.c_str());
  return 1;
}

// Called for each new position in play, and below for what a restore or load brought.
void add_body(Physics& physics, entt::registry& registry, entt::entity entity) {
  registry.emplace_or_replace<Body>(entity, physics, registry.get<Position>(entity));
}

// No listener of a pool that is state hears of a restore or load, for nothing happened in the game.
// Bodies of entities that are gone were erased; the others get one for their present position.
void refill(Physics& physics, entt::registry& registry) {
  for (const entt::entity entity : registry.view<Position>()) add_body(physics, registry, entity);
}

bool fits(const Physics& physics, entt::registry& registry) {
  std::size_t count = 0;
  for (const auto [entity, position, body] : registry.view<Position, Body>().each()) {
    if (body.x == position.x) ++count;
  }
  return count == registry.view<Position>().size() && count == registry.storage<Body>().size() &&
         physics.bodies == static_cast<int>(count);
}

}  // namespace

int main() {
  Physics physics;
  entt::registry registry;
  hdb::entt::Registry world{registry};                 // line 1
  world.pool<Position>("Position").leave_out<Body>();  // line 2
  registry.on_construct<Position>().connect<&add_body>(physics);
  const entt::entity player = registry.create();
  registry.emplace<Position>(player, 1.0F, 0.0F);
  const entt::entity crate = registry.create();
  registry.emplace<Position>(crate, 5.0F, 0.0F);

  const hdb::Snapshot quicksave = world.capture();  // line 3
  std::printf("saved: %zu positions, %d bodies\n", registry.view<Position>().size(),
              physics.bodies);

  registry.destroy(crate);  // with its body
  const entt::entity bullet = registry.create();
  registry.emplace<Position>(bullet, 2.0F, 0.0F);
  registry.get<Position>(player).x = 3;
  std::printf("played: %zu positions, %d bodies\n", registry.view<Position>().size(),
              physics.bodies);

  if (auto restored = world.restore(quicksave); !restored) {
    return failed(restored.error().message());
  }
  if (registry.valid(bullet)) return failed("the bullet is still there");
  std::printf("restored: %zu positions, %d bodies\n", registry.view<Position>().size(),
              physics.bodies);
  refill(physics, registry);
  std::printf("refilled: %zu positions, %d bodies\n", registry.view<Position>().size(),
              physics.bodies);
  if (!fits(physics, registry)) return failed("bodies and positions differ");

  // The same shot again gets the same entity, and one body.
  registry.destroy(crate);
  const entt::entity again = registry.create();
  registry.emplace<Position>(again, 2.0F, 0.0F);
  if (again != bullet) return failed("the restored game goes on differently");
  return fits(physics, registry) ? 0 : failed("the bullet has another body");
}
