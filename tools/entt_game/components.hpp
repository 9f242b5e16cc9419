// The components of the EnTT sample game, and its clock.
#pragma once

#include <cstdint>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/vector.hpp>
#include <entt/entt.hpp>

namespace entt_game {

struct Position {
  float x = 0;
  float y = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

struct Velocity {
  float x = 0;
  float y = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

struct Health {
  std::int32_t points = 100;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(points));
  }
};

/// A ship that has turrets.
struct Turrets {
  std::vector<entt::entity> list;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(list));
  }
};

/// A turret, and the ship that it is on. Turrets stay where they are in memory.
struct Mount {
  static constexpr bool in_place_delete = true;
  entt::entity ship = entt::null;
  float angle = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(ship), CEREAL_NVP(angle));
  }
};

/// A ship of the other side.
struct Hostile {};

/// State of the game that no entity has.
struct Clock {
  std::uint64_t frame = 0;
  std::uint64_t random = 1;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(frame), CEREAL_NVP(random));
  }
};

}  // namespace entt_game
