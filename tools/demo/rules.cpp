// The order of a tick; birth, death and return; events; the order of drawing.
#include <fmt/format.h>

#include <utility>

#include "game.hpp"

namespace demo {
namespace {

// A strict weak order, whatever the distances are: the farthest is drawn first.
bool is_drawn_first(const Sprite& a, const Sprite& b) { return a.distance > b.distance; }

}  // namespace

void Game::tick() {
  // Both pointers stay valid for the whole tick: nobody captures or restores within one.
  rng_ = &world.rng.edit();
  clock_ = &world.clock.edit();
  ++clock_->tick;
  handle_events();
  let_the_dead_return();
  monsters_act();
  missiles_fly();
  if (has_bug_) let_weather_strike();
  bury_the_dead();
  sort_for_drawing(clock_->tick);
}

void Game::play_to(std::uint32_t tick) {
  while (world.clock->tick < tick) this->tick();
}

bool Game::is_raging() const { return clock_->tick % kRagePeriod < kRagePeriod / 2; }

void Game::let_weather_strike() {
  constexpr std::uint32_t kTicksBetweenStrikes = 20;
  if (++weather_ % kTicksBetweenStrikes != 0 || world.things.empty()) return;
  --world.things.edit(world.things.begin().handle())->hp;
}

ThingHandle Game::spawn(Kind kind, const Spot& spot) {
  Thing thing;
  thing.number = world.clock.edit().things_made++;
  thing.name = fmt::format("{} {}", info_of(kind).name, thing.number);
  thing.kind = kind;
  thing.x = spot.x;
  thing.y = spot.y;
  thing.hp = info_of(kind).hp;
  thing.sector = spot.sector;
  const std::uint32_t number = thing.number;
  const ThingHandle handle = world.things.insert(std::move(thing));
  const StrongTexture picture = world.cast->roles[static_cast<std::size_t>(kind)].picture;
  world.things.edit(handle)->sprite = world.sprites.insert(Sprite{number, 0, handle, picture});
  return handle;
}

void Game::let_the_dead_return() {
  Graveyard& graveyard = world.graveyard.edit();
  std::vector<Waiting> still_waiting;
  for (const Waiting& one : graveyard.waiting) {
    if (one.tick > clock_->tick) {
      still_waiting.push_back(one);
    } else {
      sounds.play(
          hdb::any_handle(spawn(one.kind, graveyard.spots[rng_->below(graveyard.spots.size())])));
    }
  }
  graveyard.waiting = std::move(still_waiting);
}

void Game::bury_the_dead() {
  for (const ThingHandle handle : dead_) {
    const Thing* const thing = world.things.find(handle);
    if (thing == nullptr) continue;  // killed twice
    world.graveyard.edit().waiting.push_back({thing->kind, clock_->tick + 10 + rng_->below(40)});
    world.sprites.erase(thing->sprite);
    world.things.erase(handle);
    sounds.play(hdb::any_handle(handle));  // its last cry, heard from a stale handle
    ++clock_->deaths;
  }
  dead_.clear();
}

void Game::schedule(std::uint32_t ticks, EventKind kind, hdb::AnyHandle subject) {
  world.agenda.edit().events.push_back({clock_->tick + ticks, kind, subject});
}

void Game::handle_events() {
  Agenda& agenda = world.agenda.edit();
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

// False if the subject is gone.
bool Game::handle(const Event& event) {
  // The handle itself names its table; no table finds a subject that is gone.
  Thing* const thing = world.database.edit<Thing>(event.subject);
  Missile* const missile = world.database.edit<Missile>(event.subject);
  if (event.kind == EventKind::wake && thing != nullptr) thing->is_stunned = false;
  if (event.kind == EventKind::sound_ends && thing != nullptr) thing->sound = {};
  if (event.kind == EventKind::sound_ends && missile != nullptr) missile->sound = {};
  return world.database.contains(event.subject);
}

// `subject`, whose sound is `channel`, sounds for as long as the sound lasts, unless it sounds
// already.
void Game::start_sound(SoundHandle& channel, SoundHandle sound, hdb::AnyHandle subject) {
  const SoundInfo* const info = world.sounds.meta(sound);
  if (info == nullptr || channel) return;
  channel = sound;
  schedule(info->ticks, EventKind::sound_ends, subject);
}

void Game::sort_for_drawing(std::uint32_t tick) {
  const Thing* viewer = nullptr;
  if (tick % kLookPeriod == 0) {
    for (const Thing& thing : world.things) {
      const bool is_older = viewer == nullptr || thing.number < viewer->number;
      if (thing.kind == Kind::marine && is_older) viewer = &thing;
    }
  }
  if (viewer != nullptr) {
    world.sprites.edit_each([&](SpriteHandle, Sprite& sprite) {
      const Thing* const thing = world.things.find(sprite.thing);
      if (thing != nullptr) sprite.distance = distance(thing->x - viewer->x, thing->y - viewer->y);
    });
  }
  world.sprites.sort_step(is_drawn_first, kSortBudget);
}

bool Game::is_sorted_for_drawing() { return world.sprites.sort_step(is_drawn_first, 0); }

}  // namespace demo
