// The agenda: what a tick adds to it, and what becomes of what is due.
#include <utility>

#include "simulation.hpp"

namespace demo {
namespace {

constexpr std::uint32_t kDoorTicks = 70;

}  // namespace

void Simulation::schedule(std::uint32_t ticks, EventKind kind, hdb::AnyHandle subject) {
  world_.agenda.edit().events.push_back({clock_->tick + ticks, kind, subject});
}

void Simulation::handle_events() {
  Agenda& agenda = world_.agenda.edit();
  std::vector<Event> later;
  for (const Event& event : agenda.events) {
    if (event.tick > clock_->tick) {
      later.push_back(event);
    } else {
      ++(handle(event) ? agenda.handled : agenda.stale);
    }
  }
  agenda.events = std::move(later);
}

bool Simulation::handle(const Event& event) {
  // The handle itself says which table it is of; no table finds a subject that is gone.
  hdb::Database& database = world_.database;
  Thing* const thing = database.edit<Thing>(event.subject);
  Missile* const missile = database.edit<Missile>(event.subject);
  Sector* const sector = database.edit<Sector>(event.subject);
  switch (event.kind) {
    case EventKind::wake:
      if (thing != nullptr) thing->is_stunned = false;
      break;
    case EventKind::sound_ends:
      if (thing != nullptr) thing->sound = {};
      if (missile != nullptr) missile->sound = {};
      break;
    case EventKind::door_closes:
      if (sector != nullptr) sector->is_open = false;
      break;
  }
  return database.contains(event.subject);
}

bool Simulation::start_sound(SoundHandle& channel, SoundHandle sound, hdb::AnyHandle subject) {
  const SoundInfo* const info = world_.sounds.meta(sound);
  if (info == nullptr || channel) return false;
  channel = sound;
  schedule(info->ticks, EventKind::sound_ends, subject);
  return true;
}

void Simulation::stun(ThingHandle victim, Thing& thing) {
  if (thing.is_stunned || !rng_->one_in(8)) return;
  thing.is_stunned = true;
  schedule(2 + rng_->below(8), EventKind::wake, hdb::any_handle(victim));
}

void Simulation::open_door(SectorHandle door) {
  const Sector* const sector = world_.sectors.find(door);
  if (sector == nullptr || sector->is_open) return;
  world_.sectors.edit(door)->is_open = true;
  schedule(kDoorTicks, EventKind::door_closes, hdb::any_handle(door));
}

}  // namespace demo
