// How monsters and marines hunt, walk and shoot; how missiles fly and what they hit; steps from
// sector to sector in whole map units.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "game.hpp"

namespace demo {
namespace {

constexpr std::int32_t kRange = 2000;  // map units from which a monster shoots
constexpr std::int32_t kRadius = 24;   // of every thing
constexpr std::int32_t kFireballSpeed = 20;
constexpr std::int32_t kBulletSpeed = 32;
constexpr std::uint32_t kFireballTicks = 60;
constexpr std::uint32_t kBulletTicks = 24;  // all within the tick of the shot
constexpr std::size_t kMostGrudges = 4;

// -1, 0 or 1: the part of a step of eight directions.
std::int32_t part_towards(std::int32_t wanted, std::int32_t other) {
  return std::abs(wanted) * 2 < std::abs(other) ? 0 : (wanted > 0) - (wanted < 0);
}

constexpr int kMostBorders = 8;   // crossed in one step
constexpr std::int32_t kGap = 8;  // least units between floor and ceiling of a border
constexpr std::int64_t kWholeStep = 65536;

std::int64_t cross(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
  return ax * by - ay * bx;
}

// Where a step meets a line: how far along the step, and towards which side.
struct Crossing {
  std::int64_t along = kWholeStep + 1;  // a number above kWholeStep: they do not meet
  bool to_left = false;
};

Crossing crossing_of(const Line& line, std::int32_t x, std::int32_t y, std::int32_t dx,
                     std::int32_t dy) {
  const std::int64_t line_dx = line.x2 - line.x1;
  const std::int64_t line_dy = line.y2 - line.y1;
  const std::int64_t start = cross(line_dx, line_dy, x - line.x1, y - line.y1);
  const std::int64_t end = cross(line_dx, line_dy, x + dx - line.x1, y + dy - line.y1);
  const bool is_beside = (cross(dx, dy, line.x1 - x, line.y1 - y) >= 0) ==
                         (cross(dx, dy, line.x2 - x, line.y2 - y) >= 0);
  if ((start >= 0) == (end >= 0) || is_beside) return {};
  return {std::abs(start) * kWholeStep / (std::abs(start) + std::abs(end)), end >= 0};
}

bool may_pass(const World& world, const Line& line) {
  const Sector* const front = world.sectors.find(line.front);
  const Sector* const back = world.sectors.find(line.back);
  if (front == nullptr || back == nullptr) return false;
  return std::min(front->ceiling, back->ceiling) - std::max(front->floor, back->floor) >= kGap;
}

}  // namespace

void Game::monsters_act() {
  // A new map clears all sectors at once, and their slots are used again: 0, 1, ...
  by_sector_.resize(world.sectors.counters().slot_count);
  for (auto& list : by_sector_) list.clear();
  std::vector<ThingHandle> actors;
  for (const auto& [handle, thing] : world.things.entries()) {
    if (thing.kind == Kind::item) continue;
    by_sector_[thing.sector.index()].push_back(handle);
    actors.push_back(handle);
  }
  // Nobody is born or buried here, so the pointer to a thing stays valid while it acts.
  for (const ThingHandle handle : actors) act(handle, *world.things.edit(handle));
}

void Game::act(ThingHandle self, Thing& thing) {
  if (thing.is_stunned) return;
  if (!world.things.contains(thing.target) || rng_->below(32) == 0) {
    thing.target = choose_target(self, thing);
  }
  const Thing* const target = world.things.find(thing.target);
  if (thing.reload > 0) --thing.reload;
  if (target != nullptr && thing.reload == 0 &&
      distance(target->x - thing.x, target->y - thing.y) < kRange) {
    shoot(self, thing, *target);
    thing.reload = is_raging() ? 3 + rng_->below(3) : 40 + rng_->below(30);
  }
  walk(thing, target);
}

ThingHandle Game::choose_target(ThingHandle self, const Thing& thing) const {
  // The latest grudge against somebody who still lives.
  for (auto grudge = thing.grudges.rbegin(); grudge != thing.grudges.rend(); ++grudge) {
    if (*grudge != self && world.things.contains(*grudge)) return *grudge;
  }
  // One in eight follows its ears.
  const ThingHandle heard = sounds.heard(world, rng_->below(SoundSystem::kChannels));
  if (rng_->below(8) == 0 && heard && heard != self) return heard;
  // The nearest of another kind in the same sector.
  ThingHandle nearest;
  std::int32_t nearest_distance = std::numeric_limits<std::int32_t>::max();
  for (const ThingHandle other : by_sector_[thing.sector.index()]) {
    const Thing& candidate = world.things.at(other);
    const std::int32_t far = distance(candidate.x - thing.x, candidate.y - thing.y);
    if (candidate.kind == thing.kind || far >= nearest_distance) continue;
    nearest = other;
    nearest_distance = far;
  }
  return nearest || heard == self ? nearest : heard;
}

void Game::walk(Thing& thing, const Thing* target) {
  const auto choose_any_way = [&](std::uint32_t steps) {
    thing.way_x = rng_->around_zero(1);
    thing.way_y = rng_->around_zero(1);
    thing.steps_left = steps;
  };
  if (thing.steps_left == 0) {
    choose_any_way(4 + rng_->below(8));
    if (target != nullptr && rng_->below(4) != 0) {
      thing.way_x = part_towards(target->x - thing.x, target->y - thing.y);
      thing.way_y = part_towards(target->y - thing.y, target->x - thing.x);
    }
  }
  --thing.steps_left;
  const std::int32_t speed = info_of(thing.kind).speed;
  const Arrival arrival =
      travel(thing.sector, thing.x, thing.y, thing.way_x * speed, thing.way_y * speed);
  if (arrival.is_blocked) return choose_any_way(2 + rng_->below(4));
  thing.sector = arrival.sector;
  thing.x = arrival.x;
  thing.y = arrival.y;
}

void Game::shoot(ThingHandle self, Thing& thing, const Thing& target) {
  const KindInfo& info = info_of(thing.kind);
  const std::int32_t far = std::max(1, distance(target.x - thing.x, target.y - thing.y));
  const auto aimed = [&](std::int32_t speed, std::uint32_t ticks) {
    Missile missile;
    missile.number = clock_->missiles_made++;
    missile.ticks_left = ticks;
    missile.x = thing.x;
    missile.y = thing.y;
    missile.dx = (target.x - thing.x) * speed / far + rng_->around_zero(2);
    missile.dy = (target.y - thing.y) * speed / far + rng_->around_zero(2);
    missile.damage = info.damage;
    missile.sector = thing.sector;
    missile.owner = self;
    return missile;
  };
  sounds.play(hdb::any_handle(self));
  const SoundHandle attack = world.cast->roles[static_cast<std::size_t>(thing.kind)].attack;
  start_sound(thing.sound, attack, hdb::any_handle(self));
  for (std::uint32_t i = 0; i < info.missiles; ++i) {
    thing.last_fireball = world.missiles.insert(aimed(kFireballSpeed, kFireballTicks));
    Missile* const fireball = world.missiles.edit(thing.last_fireball);
    start_sound(fireball->sound, attack, hdb::any_handle(thing.last_fireball));
  }
  for (std::uint32_t i = 0; i < info.bullets; ++i) {
    Missile bullet = aimed(kBulletSpeed, kBulletTicks);
    thing.last_shot = world.shots.insert(bullet);
    while (bullet.ticks_left-- > 0 && !fly(bullet)) {
    }
    world.shots.erase(thing.last_shot);
  }
}

void Game::missiles_fly() {
  std::vector<MissileHandle> flying;
  for (const auto& [handle, missile] : world.missiles.entries()) flying.push_back(handle);
  for (const MissileHandle handle : flying) {
    // The table is stable: a missile stays where it is until it is erased.
    Missile& missile = *world.missiles.edit(handle);
    if (missile.ticks_left-- > 0 && !fly(missile)) continue;
    const Missile spent = missile;
    world.missiles.erase(handle);
    if (spent.is_spark) continue;
    sounds.play(hdb::any_handle(handle));
    strike_sparks(spent);
  }
}

// One step; true if the missile hit a thing or a wall.
bool Game::fly(Missile& missile) {
  const Arrival arrival = travel(missile.sector, missile.x, missile.y, missile.dx, missile.dy);
  if (arrival.is_blocked) return !missile.is_spark;
  missile.sector = arrival.sector;
  missile.x = arrival.x;
  missile.y = arrival.y;
  if (missile.is_spark) return false;
  for (const ThingHandle handle : by_sector_[missile.sector.index()]) {
    const Thing* const thing = world.things.find(handle);
    if (handle == missile.owner || thing == nullptr || thing->hp <= 0) continue;
    if (std::abs(thing->x - missile.x) > kRadius || std::abs(thing->y - missile.y) > kRadius) {
      continue;
    }
    hurt(handle, missile);
    return true;
  }
  return false;
}

void Game::hurt(ThingHandle victim, const Missile& missile) {
  Thing& thing = *world.things.edit(victim);
  thing.hp -= missile.damage + static_cast<std::int32_t>(rng_->below(8));
  if (thing.grudges.size() == kMostGrudges) thing.grudges.erase(thing.grudges.begin());
  thing.grudges.push_back(missile.owner);
  if (rng_->below(2) == 0) thing.target = missile.owner;
  if (!thing.is_stunned && rng_->below(8) == 0) {
    thing.is_stunned = true;
    schedule(2 + rng_->below(8), EventKind::wake, hdb::any_handle(victim));
  }
  if (thing.hp > 0) return;
  dead_.push_back(victim);
}

void Game::strike_sparks(const Missile& missile) {
  Missile spark = missile;
  spark.is_spark = true;
  spark.damage = 0;
  spark.sound = {};
  const std::uint32_t count = 18 + rng_->below(6);
  for (std::uint32_t i = 0; i < count; ++i) {
    spark.number = clock_->missiles_made++;
    spark.ticks_left = 12 + rng_->below(20);
    spark.dx = rng_->around_zero(3);
    spark.dy = rng_->around_zero(3);
    world.missiles.insert(spark);
  }
}

Arrival Game::travel(SectorHandle sector, std::int32_t x, std::int32_t y, std::int32_t dx,
                     std::int32_t dy) const {
  const Arrival blocked{sector, x, y, true};
  LineHandle last_crossed;
  std::int64_t reached = 0;
  for (int borders = 0; borders < kMostBorders; ++borders) {
    const Sector* const area = world.sectors.find(sector);
    if (area == nullptr) return blocked;
    LineHandle nearest;
    Crossing crossing;
    for (const LineHandle handle : area->lines) {
      const Crossing other = crossing_of(world.lines.at(handle), x, y, dx, dy);
      if (handle == last_crossed || other.along < reached || other.along >= crossing.along)
        continue;
      nearest = handle;
      crossing = other;
    }
    if (!nearest) return {sector, x + dx, y + dy, false};
    const Line& line = world.lines.at(nearest);
    if (!may_pass(world, line)) return blocked;
    sector = crossing.to_left ? line.back : line.front;
    last_crossed = nearest;
    reached = crossing.along;
  }
  return blocked;
}

std::int32_t distance(std::int32_t dx, std::int32_t dy) noexcept {
  const std::int32_t a = std::abs(dx);
  const std::int32_t b = std::abs(dy);
  return std::max(a, b) + std::min(a, b) / 2;
}

}  // namespace demo
