// How monsters and marines hunt, walk and shoot.
#include <algorithm>

#include "simulation.hpp"

namespace demo {
namespace {

constexpr std::int32_t kRange = 1500;  // map units from which a monster shoots
constexpr std::int32_t kFireballSpeed = 20;
constexpr std::int32_t kBulletSpeed = 32;
constexpr std::uint16_t kFireballTicks = 60;

// East, north-east, north and so on: the eight ways of walking.
struct Way {
  std::int32_t x;
  std::int32_t y;
};
constexpr Way kWays[8] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

std::uint8_t way_towards(std::int32_t dx, std::int32_t dy) {
  const std::int32_t x = std::abs(dx) * 2 < std::abs(dy) ? 0 : (dx > 0) - (dx < 0);
  const std::int32_t y = std::abs(dy) * 2 < std::abs(dx) ? 0 : (dy > 0) - (dy < 0);
  std::uint8_t way = 0;
  for (std::uint8_t i = 0; i < 8; ++i) {
    if (kWays[i].x == x && kWays[i].y == y) way = i;
  }
  return way;
}

}  // namespace

void Simulation::monsters_act() {
  actors_.clear();
  for (const auto& [handle, thing] : world_.things.entries()) {
    if (thing.kind != Kind::item) actors_.push_back(handle);
  }
  // Nobody is born or buried here, so the pointer to one stays good while it acts.
  for (const ThingHandle handle : actors_) act(handle, *world_.things.edit(handle));
}

void Simulation::act(ThingHandle self, Thing& thing) {
  if (thing.is_stunned) return;
  if (!world_.things.contains(thing.target) || rng_->one_in(32)) {
    thing.target = choose_target(self, thing);
  }
  const Thing* const target = world_.things.find(thing.target);
  if (thing.reload > 0) --thing.reload;
  const bool is_near =
      target != nullptr && distance(target->x - thing.x, target->y - thing.y) < kRange;
  const bool is_seen = is_near && sees(self, thing, *target);
  if (is_near && thing.reload == 0 && (is_seen || is_raging())) {
    shoot(self, thing, *target);
    thing.reload =
        static_cast<std::int16_t>(is_raging() ? 3 + rng_->below(3) : 40 + rng_->below(30));
  }
  walk(thing, target);
}

ThingHandle Simulation::choose_target(ThingHandle self, const Thing& thing) const {
  // The latest grudge that still has a living name.
  for (std::size_t i = thing.grudges.size(); i-- > 0;) {
    if (thing.grudges[i] != self && world_.things.contains(thing.grudges[i])) {
      return thing.grudges[i];
    }
  }
  // One in eight follows its ears.
  const ThingHandle heard = sound_.heard(world_, rng_->below(SoundSystem::kChannels));
  if (rng_->one_in(8) && heard && heard != self) return heard;
  // The nearest of another kind, here or next door.
  ThingHandle nearest;
  std::int32_t nearest_distance = INT32_MAX;
  const auto look_at = [&](SectorHandle sector) {
    for (const ThingHandle other : things_in(sector)) {
      const Thing& candidate = world_.things.at(other);
      if (candidate.kind == thing.kind) continue;
      const std::int32_t far = distance(candidate.x - thing.x, candidate.y - thing.y);
      if (far >= nearest_distance) continue;
      nearest = other;
      nearest_distance = far;
    }
  };
  look_at(thing.sector);
  for (const LineHandle handle : world_.sectors.at(thing.sector).lines) {
    const Line& line = world_.lines.at(handle);
    if (line.back.is_null()) continue;
    const SectorHandle front = world_.sides.at(line.front).sector;
    look_at(front == thing.sector ? world_.sides.at(line.back).sector : front);
  }
  if (nearest) return nearest;
  return heard == self ? ThingHandle{} : heard;
}

void Simulation::walk(Thing& thing, const Thing* target) {
  const KindInfo& info = info_of(thing.kind);
  if (thing.steps_left <= 0) {
    thing.direction = target != nullptr && !rng_->one_in(4)
                          ? way_towards(target->x - thing.x, target->y - thing.y)
                          : static_cast<std::uint8_t>(rng_->below(8));
    thing.steps_left = static_cast<std::int16_t>(4 + rng_->below(8));
  }
  const Way way = kWays[thing.direction];
  const Arrival arrival =
      travel(world_, info.flies ? Traveller::flyer : Traveller::walker, thing.sector, thing.x,
             thing.y, way.x * info.speed, way.y * info.speed);
  --thing.steps_left;
  if (arrival.is_blocked) {
    thing.direction = static_cast<std::uint8_t>(rng_->below(8));
    thing.steps_left = static_cast<std::int16_t>(2 + rng_->below(4));
    return;
  }
  if (arrival.door) open_door(arrival.door);
  thing.sector = arrival.sector;
  thing.x = arrival.x;
  thing.y = arrival.y;
}

void Simulation::shoot(ThingHandle self, Thing& thing, const Thing& target) {
  const KindInfo& info = info_of(thing.kind);
  const std::int32_t far = std::max(1, distance(target.x - thing.x, target.y - thing.y));
  const auto aimed = [&](MissileKind kind, std::int32_t speed, std::uint16_t ticks) {
    Missile missile;
    missile.kind = kind;
    missile.ticks_left = ticks;
    missile.x = thing.x;
    missile.y = thing.y;
    const auto scatter = [&] { return static_cast<std::int32_t>(rng_->below(5)) - 2; };
    missile.dx = (target.x - thing.x) * speed / far + scatter();
    missile.dy = (target.y - thing.y) * speed / far + scatter();
    missile.damage = info.damage;
    missile.sector = thing.sector;
    missile.owner = self;
    return missile;
  };
  sound_.play(TableId::things, self.bits());
  const Role& role = world_.cast->roles[static_cast<std::size_t>(thing.kind)];
  start_sound(thing.sound, role.attack, hdb::any_handle(self));
  for (std::uint32_t i = 0; i < info.missiles; ++i) {
    thing.last_fireball =
        launch_missile(aimed(MissileKind::fireball, kFireballSpeed, kFireballTicks));
    if (Missile* const fireball = world_.missiles.edit(thing.last_fireball)) {
      start_sound(fireball->sound, world_.cast->fireball, hdb::any_handle(thing.last_fireball));
    }
  }
  for (std::uint32_t i = 0; i < info.bullets; ++i) {
    thing.last_shot = shoot_bullet(aimed(MissileKind::bullet, kBulletSpeed, 0));
  }
}

}  // namespace demo
