// The rules of the game: one call a tick, the same future for the same state.
#pragma once

#include <cstdint>
#include <vector>

#include "ledger.hpp"
#include "sound.hpp"
#include "travel.hpp"
#include "world.hpp"

namespace demo {

/// Plays a world. It keeps nothing from one tick to the next but room for lists.
//
// Monsters act in dense order and missiles in the order of their slots, and all draw from one
// random generator. So which slot a missile got decides who is hit first, and a free list in
// another order makes another game of it.
class Simulation {
 public:
  Simulation(World& world, SoundSystem& sound, Ledger& ledger)
      : world_(world), sound_(sound), ledger_(ledger) {}

  /// The next tick.
  void tick();
  /// From now on the rules depend on a variable that no save holds: to show that sync_test finds it
  /// found.
  void plant_bug() noexcept { has_bug_ = true; }

 private:
  // simulation.cpp
  void sort_things_by_sector();
  void let_the_dead_return();
  void bury_the_dead();
  void kill(ThingHandle thing);
  void let_weather_strike();
  [[nodiscard]] const std::vector<ThingHandle>& things_in(SectorHandle sector) const {
    return by_sector_[sector.index()];
  }
  [[nodiscard]] bool is_raging() const;

  // events.cpp
  void schedule(std::uint32_t ticks, EventKind kind, hdb::AnyHandle subject);
  void handle_events();
  /// False when the subject is gone.
  bool handle(const Event& event);
  /// Makes `subject`, whose sound `channel` is, sound for as long as it lasts; false when it sounds
  /// already.
  bool start_sound(SoundHandle& channel, SoundHandle sound, hdb::AnyHandle subject);
  void stun(ThingHandle victim, Thing& thing);
  void open_door(SectorHandle door);

  // monsters.cpp
  void monsters_act();
  void act(ThingHandle self, Thing& thing);
  [[nodiscard]] ThingHandle choose_target(ThingHandle self, const Thing& thing) const;
  void walk(Thing& thing, const Thing* target);
  void shoot(ThingHandle self, Thing& thing, const Thing& target);

  // missiles.cpp
  void missiles_fly();
  /// Puts a missile or shot into its table.
  template <class MissileTable>
  auto launch(MissileTable& table, TableId id, Missile missile) {
    missile.serial = clock_->missiles_made++;
    const auto handle = table.insert(missile);
    if (handle) ledger_.born(id, handle.bits(), missile.serial);
    return handle;
  }
  MissileHandle launch_missile(const Missile& missile) {
    return launch(world_.missiles, TableId::missiles, missile);
  }
  void erase_missile(MissileHandle handle);
  ShotHandle launch_shot(const Missile& shot) { return launch(world_.shots, TableId::shots, shot); }
  void erase_shot(ShotHandle handle);
  /// Shoots a bullet, which lives within this tick only.
  ShotHandle shoot_bullet(const Missile& bullet);
  /// Whether nothing lies between the two. A glance is a shot too: launched, flown and erased at
  /// once. It is these, hundreds a tick, that wear out slots.
  bool sees(ThingHandle self, const Thing& thing, const Thing& target);
  /// Moves a missile by one step; true when it hit a thing or a wall.
  bool fly(Missile& missile);
  void hurt(ThingHandle victim, const Missile& missile);
  void strike_sparks(const Missile& missile);

  World& world_;
  SoundSystem& sound_;
  Ledger& ledger_;
  Rng* rng_ = nullptr;      // of the world, for this tick
  Clock* clock_ = nullptr;  // of the world, for this tick
  bool has_bug_ = false;
  std::uint32_t weather_ = 0;  // the planted bug
  std::vector<std::vector<ThingHandle>> by_sector_;
  std::vector<ThingHandle> dead_;
  std::vector<ThingHandle> actors_;
  std::vector<MissileHandle> flying_;
};

}  // namespace demo
