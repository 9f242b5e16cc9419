// The order of a tick, death and return.
#include "simulation.hpp"

#include "draw_order.hpp"

namespace demo {

void Simulation::tick() {
  // Both stay good for the whole tick: nobody captures or restores within one.
  rng_ = &world_.rng.edit();
  clock_ = &world_.clock.edit();
  ++clock_->tick;
  handle_events();
  let_the_dead_return();
  sort_things_by_sector();
  monsters_act();
  missiles_fly();
  if (has_bug_) let_weather_strike();
  bury_the_dead();
  sort_for_drawing(world_, clock_->tick);
}

void Simulation::let_weather_strike() {
  constexpr std::uint32_t kTicksBetweenStrikes = 20;
  if (++weather_ % kTicksBetweenStrikes != 0 || world_.things.empty()) return;
  const ThingHandle struck = (*world_.things.entries().begin()).first;
  --world_.things.edit(struck)->hp;
}

bool Simulation::is_raging() const {
  const std::uint32_t period = world_.settings->rage_period;
  return clock_->tick % period < period / 2;
}

void Simulation::sort_things_by_sector() {
  // Sectors are only cleared all at once, and the lowest slots are re-used first: so theirs are 0,
  // 1, ...
  by_sector_.resize(world_.sectors.size());
  for (auto& list : by_sector_) list.clear();
  for (const auto& [handle, thing] : world_.things.entries()) {
    if (thing.kind != Kind::item) by_sector_[thing.sector.index()].push_back(handle);
  }
}

void Simulation::let_the_dead_return() {
  Graveyard& graveyard = world_.graveyard.edit();
  std::vector<Waiting> still_waiting;
  for (const Waiting& one : graveyard.waiting) {
    if (one.tick > clock_->tick) {
      still_waiting.push_back(one);
      continue;
    }
    const Spot& spot = graveyard.spots[rng_->below(graveyard.spots.size())];
    const ThingHandle thing = spawn_thing(world_, one.kind, spot, ledger_);
    sound_.play(TableId::things, thing.bits());
    ++clock_->respawns;
  }
  graveyard.waiting = std::move(still_waiting);
}

void Simulation::kill(ThingHandle thing) { dead_.push_back(thing); }

void Simulation::bury_the_dead() {
  for (const ThingHandle handle : dead_) {
    const Thing* const thing = world_.things.find(handle);
    if (thing == nullptr) continue;
    const Waiting waiting{thing->kind, clock_->tick + 10 + rng_->below(40)};
    world_.graveyard.edit().waiting.push_back(waiting);
    if (Sector* const sector = world_.sectors.edit(thing->sector)) ++sector->deaths;
    const SpriteHandle sprite = thing->sprite;
    if (world_.sprites.erase(sprite)) ledger_.died(TableId::sprites, sprite.bits());
    world_.things.erase(handle);
    ledger_.died(TableId::things, handle.bits());
    sound_.play(TableId::things, handle.bits());  // its last cry, heard from a stale handle
    ++clock_->deaths;
  }
  dead_.clear();
}

}  // namespace demo
