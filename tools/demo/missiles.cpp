// Missiles: launched, flown, erased; what they hit, and the sparks they strike.

#include "simulation.hpp"

namespace demo {
namespace {

constexpr std::int32_t kRadius = 24;  // of every thing
constexpr int kBulletSteps = 24;
constexpr std::size_t kMostGrudges = 4;

}  // namespace

void Simulation::erase_missile(MissileHandle handle) {
  if (world_.missiles.erase(handle)) ledger_.died(TableId::missiles, handle.bits());
}

void Simulation::erase_shot(ShotHandle handle) {
  if (world_.shots.erase(handle)) ledger_.died(TableId::shots, handle.bits());
}

ShotHandle Simulation::shoot_bullet(const Missile& bullet) {
  const ShotHandle handle = launch_shot(bullet);
  sound_.play(TableId::shots, handle.bits());
  Missile flight = bullet;
  for (int step = 0; step < kBulletSteps; ++step) {
    if (fly(flight)) break;
  }
  erase_shot(handle);
  return handle;
}

bool Simulation::sees(ThingHandle self, const Thing& thing, const Thing& target) {
  Missile glance;
  glance.kind = MissileKind::glance;
  glance.x = thing.x;
  glance.y = thing.y;
  glance.dx = target.x - thing.x;
  glance.dy = target.y - thing.y;
  glance.sector = thing.sector;
  glance.owner = self;
  const ShotHandle handle = launch_shot(glance);
  const Arrival arrival =
      travel(world_, Traveller::missile, glance.sector, glance.x, glance.y, glance.dx, glance.dy);
  erase_shot(handle);
  return !arrival.is_blocked;
}

bool Simulation::fly(Missile& missile) {
  const Arrival arrival = travel(world_, Traveller::missile, missile.sector, missile.x, missile.y,
                                 missile.dx, missile.dy);
  if (arrival.is_blocked) return true;
  missile.sector = arrival.sector;
  missile.x = arrival.x;
  missile.y = arrival.y;
  for (const ThingHandle handle : things_in(missile.sector)) {
    if (handle == missile.owner) continue;
    const Thing* const thing = world_.things.find(handle);
    if (thing == nullptr || thing->hp <= 0) continue;
    if (std::abs(thing->x - missile.x) > kRadius || std::abs(thing->y - missile.y) > kRadius) {
      continue;
    }
    hurt(handle, missile);
    return true;
  }
  return false;
}

void Simulation::hurt(ThingHandle victim, const Missile& missile) {
  Thing& thing = *world_.things.edit(victim);
  thing.hp -= missile.damage + static_cast<std::int32_t>(rng_->below(8));
  thing.grudges.push_back(missile.owner);
  if (thing.grudges.size() > kMostGrudges) thing.grudges.erase(thing.grudges.begin());
  if (rng_->one_in(2)) thing.target = missile.owner;
  if (thing.hp > 0) {
    stun(victim, thing);
    return;
  }
  kill(victim);
  if (Thing* const killer = world_.things.edit(missile.owner)) ++killer->kills;
}

void Simulation::strike_sparks(const Missile& missile) {
  Missile spark = missile;
  spark.kind = MissileKind::spark;
  spark.damage = 0;
  spark.sound = {};
  const std::uint32_t count = 8 + rng_->below(6);
  for (std::uint32_t i = 0; i < count; ++i) {
    spark.ticks_left = static_cast<std::uint16_t>(12 + rng_->below(20));
    spark.dx = static_cast<std::int32_t>(rng_->below(7)) - 3;
    spark.dy = static_cast<std::int32_t>(rng_->below(7)) - 3;
    launch_missile(spark);
  }
}

void Simulation::missiles_fly() {
  flying_.clear();
  for (const auto& [handle, missile] : world_.missiles.entries()) flying_.push_back(handle);
  for (const MissileHandle handle : flying_) {
    // Stays where it is until it is erased: the table is stable.
    Missile& missile = *world_.missiles.edit(handle);
    const bool is_spark = missile.kind == MissileKind::spark;
    const bool is_spent = missile.ticks_left == 0;
    if (is_spent || (!is_spark && fly(missile))) {
      const Missile spent = missile;
      erase_missile(handle);
      if (!is_spark) {
        sound_.play(TableId::missiles, handle.bits());
        strike_sparks(spent);
      }
      continue;
    }
    --missile.ticks_left;
    if (is_spark) {
      missile.x += missile.dx;
      missile.y += missile.dy;
    }
  }
}

}  // namespace demo
