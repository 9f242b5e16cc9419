// The systems of the EnTT sample game.
#include "battle.hpp"

#include <utility>
#include <vector>

namespace entt_game {
namespace {

constexpr float kField = 1000;

}  // namespace

Battle::Battle(bool has_bug)
    : clock_(world_.database().singleton<Clock>("clock")), has_bug_(has_bug) {
  world_.pool<Position>("Position").pool<Velocity>("Velocity").pool<Health>("Health");
  world_.pool<Turrets>("Turrets").pool<Mount>("Mount").pool<Hostile>("Hostile");
  world_.group<Position, Velocity>("moving");
  world_.group<>("armed", entt::get<Health, Turrets>, entt::exclude<Hostile>);
}

std::uint32_t Battle::random(std::uint32_t end) {
  std::uint64_t& state = clock_.edit().random;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state >> 33) % end;
}

std::size_t Battle::ship_count() const { return registry_.view<const Health>().size(); }
std::size_t Battle::turret_count() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto turret : registry_.view<const Mount>()) ++count;
  return count;
}

void Battle::fill(std::size_t ships) {
  while (ship_count() < ships) add_ship();
}

void Battle::add_ship() {
  const entt::entity ship = registry_.create();
  const auto place = [this] { return static_cast<float>(random(1000)); };
  registry_.emplace<Position>(ship, Position{place(), place()});
  const auto speed = [this] { return static_cast<float>(random(9)) - 4; };
  registry_.emplace<Velocity>(ship, Velocity{speed(), speed()});
  registry_.emplace<Health>(ship);
  if (random(2) == 0) registry_.emplace<Hostile>(ship);
  Turrets turrets;
  for (std::uint32_t i = random(3); i != 0; --i) {
    const entt::entity turret = registry_.create();
    registry_.emplace<Mount>(turret, Mount{ship, static_cast<float>(random(360))});
    turrets.list.push_back(turret);
  }
  if (!turrets.list.empty()) registry_.emplace<Turrets>(ship, std::move(turrets));
}

void Battle::sink(entt::entity ship) {
  if (const Turrets* const turrets = registry_.try_get<Turrets>(ship)) {
    for (const entt::entity turret : std::vector(turrets->list)) registry_.destroy(turret);
  }
  registry_.destroy(ship);
}

void Battle::move_ships() {
  for (auto [ship, position, velocity] : registry_.group<Position, Velocity>().each()) {
    const auto move = [](float& at, float& by) {
      at += by;
      if (at < 0 || at > kField) by = -by;
    };
    move(position.x, velocity.x);
    move(position.y, velocity.y);
  }
}

void Battle::turn_turrets() {
  for (auto [turret, mount] : registry_.view<Mount>().each()) {
    mount.angle += registry_.get<Velocity>(mount.ship).x;
    if (mount.angle >= 360) mount.angle -= 360;
  }
}

// Each armed ship of one side hits one ship of the other side.
void Battle::fire() {
  const auto hostile = registry_.view<Hostile, Health>();
  std::vector<entt::entity> targets(hostile.begin(), hostile.end());
  std::vector<entt::entity> sunk;
  for (auto [ship, health, turrets] :
       registry_.group<>(entt::get<Health, Turrets>, entt::exclude<Hostile>).each()) {
    if (targets.empty()) break;
    const entt::entity target = targets[random(static_cast<std::uint32_t>(targets.size()))];
    auto damage = static_cast<std::int32_t>(turrets.list.size()) + 4;
    if (has_bug_ && ++forgotten_ % 5'000 == 0) ++damage;
    Health& hit = registry_.get<Health>(target);
    const bool was_afloat = hit.points > 0;
    hit.points -= damage;
    if (was_afloat && hit.points <= 0) sunk.push_back(target);
  }
  for (const entt::entity ship : sunk) sink(ship);
}

void Battle::step() {
  ++clock_.edit().frame;
  move_ships();
  turn_turrets();
  fire();
  for (std::uint32_t i = random(40); i != 0; --i) add_ship();
}

}  // namespace entt_game
