// The EnTT sample game: ships with turrets fly, fight and sink.
#pragma once

#include <hdb/entt.hpp>
#include <hdb/hdb.hpp>

#include "components.hpp"

namespace entt_game {

/// The game, and what saves it. A step depends on nothing but the registry and the clock, unless a
/// bug is planted.
class Battle {
 public:
  explicit Battle(bool has_bug = false);

  /// Adds ships until there are `ships`.
  void fill(std::size_t ships);
  /// Runs the systems once.
  void step();

  [[nodiscard]] hdb::entt::Registry& world() noexcept { return world_; }
  [[nodiscard]] std::size_t ship_count() const;
  [[nodiscard]] std::size_t turret_count() const;
  [[nodiscard]] std::uint64_t frame() const { return clock_->frame; }

 private:
  /// A number below `end`.
  [[nodiscard]] std::uint32_t random(std::uint32_t end);
  void add_ship();
  void sink(entt::entity ship);
  void move_ships();
  void turn_turrets();
  void fire();

  entt::registry registry_;
  hdb::entt::Registry world_{registry_};
  hdb::Singleton<Clock>& clock_;
  bool has_bug_;
  std::uint32_t forgotten_ = 0;  // not state: what the planted bug depends on
};

}  // namespace entt_game
