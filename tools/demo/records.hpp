// The records of the game: each describes itself to cereal once, and hdb does the rest from that.
#pragma once

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "art_records.hpp"
#include "events.hpp"
#include "handles.hpp"
#include "kinds.hpp"

namespace demo {

/// An area with one floor and one ceiling, bounded by lines.
struct Sector {
  std::uint32_t number = 0;
  std::int16_t floor = 0;
  std::int16_t ceiling = 0;
  std::int16_t light = 0;
  std::uint16_t special = 0;
  std::uint16_t tag = 0;
  bool is_open = false;  ///< Of the sector of a door: lets missiles and glances through.
  StrongTexture floor_flat;
  StrongTexture ceiling_flat;
  std::vector<LineHandle> lines;
  std::uint32_t deaths = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(floor), CEREAL_NVP(ceiling), CEREAL_NVP(light),
            CEREAL_NVP(special), CEREAL_NVP(tag), CEREAL_NVP(is_open), CEREAL_NVP(floor_flat),
            CEREAL_NVP(ceiling_flat), CEREAL_NVP(lines), CEREAL_NVP(deaths));
  }
};

/// One face of a line. A plain record: trivially copyable, without containers.
struct Side {
  std::uint32_t number = 0;
  std::int16_t x_offset = 0;
  std::int16_t y_offset = 0;
  StrongTexture upper;
  StrongTexture lower;
  StrongTexture middle;
  SectorHandle sector;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(x_offset), CEREAL_NVP(y_offset), CEREAL_NVP(upper),
            CEREAL_NVP(lower), CEREAL_NVP(middle), CEREAL_NVP(sector));
  }
};

/// A wall, or the border between two sectors. Plain.
struct Line {
  std::uint32_t number = 0;
  std::int32_t x1 = 0;
  std::int32_t y1 = 0;
  std::int32_t x2 = 0;
  std::int32_t y2 = 0;
  std::uint16_t flags = 0;
  std::uint16_t special = 0;
  std::uint16_t tag = 0;
  SideHandle front;  ///< To the right of the direction 1 -> 2.
  SideHandle back;   ///< Null: a wall.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(x1), CEREAL_NVP(y1), CEREAL_NVP(x2), CEREAL_NVP(y2),
            CEREAL_NVP(flags), CEREAL_NVP(special), CEREAL_NVP(tag), CEREAL_NVP(front),
            CEREAL_NVP(back));
  }
};

/// A monster, a marine or an item.
struct Thing {
  std::string name;          ///< "imp 41": unlike a handle, never used twice.
  std::uint32_t serial = 0;  ///< How many things were made before.
  Kind kind = Kind::item;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t hp = 0;
  std::uint8_t direction = 0;
  std::int16_t steps_left = 0;
  std::int16_t reload = 0;
  bool is_stunned = false;  ///< Until an event wakes it.
  std::uint32_t kills = 0;
  SpriteHandle sprite;
  SoundHandle sound;  ///< That it makes; null: it is silent.
  SectorHandle sector;
  ThingHandle target;
  MissileHandle last_fireball;       ///< Often stale by now.
  ShotHandle last_shot;              ///< Always stale: a shot ends in the tick in which it began.
  std::vector<ThingHandle> grudges;  ///< Who hurt it, the latest last; often stale by now.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(serial), CEREAL_NVP(kind), CEREAL_NVP(x), CEREAL_NVP(y),
            CEREAL_NVP(hp), CEREAL_NVP(direction), CEREAL_NVP(steps_left), CEREAL_NVP(reload),
            CEREAL_NVP(is_stunned), CEREAL_NVP(kills), CEREAL_NVP(sprite), CEREAL_NVP(sound),
            CEREAL_NVP(sector), CEREAL_NVP(target), CEREAL_NVP(last_fireball),
            CEREAL_NVP(last_shot), CEREAL_NVP(grudges));
  }
};

enum class MissileKind : std::uint8_t { fireball, spark, bullet, glance };

/// Anything that flies. Fireballs and sparks are in the table of missiles, bullets and glances in
/// that of shots. Plain.
struct Missile {
  std::uint32_t serial = 0;
  MissileKind kind = MissileKind::fireball;
  std::uint16_t ticks_left = 0;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t dx = 0;  ///< Map units a tick.
  std::int32_t dy = 0;
  std::int32_t damage = 0;
  SoundHandle sound;  ///< That it makes; null: it is silent.
  SectorHandle sector;
  ThingHandle owner;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(serial), CEREAL_NVP(kind), CEREAL_NVP(ticks_left), CEREAL_NVP(x),
            CEREAL_NVP(y), CEREAL_NVP(dx), CEREAL_NVP(dy), CEREAL_NVP(damage), CEREAL_NVP(sound),
            CEREAL_NVP(sector), CEREAL_NVP(owner));
  }
};

/// How far the game is.
struct Clock {
  std::uint32_t tick = 0;
  std::uint32_t things_made = 0;
  std::uint32_t missiles_made = 0;
  std::uint32_t deaths = 0;
  std::uint32_t respawns = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(tick), CEREAL_NVP(things_made), CEREAL_NVP(missiles_made),
            CEREAL_NVP(deaths), CEREAL_NVP(respawns));
  }
};

/// What was chosen when the game began.
struct Settings {
  std::string map;
  std::uint64_t seed = 0;
  std::uint32_t rage_period = 100;  ///< In the first half of every period all monsters rage.
  std::uint32_t fighters = 280;     ///< At least as many monsters live at the start.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(map), CEREAL_NVP(seed), CEREAL_NVP(rage_period), CEREAL_NVP(fighters));
  }
};

/// A place at which things may appear.
struct Spot {
  std::int32_t x = 0;
  std::int32_t y = 0;
  SectorHandle sector;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(sector));
  }
};

/// One who died and will come again.
struct Waiting {
  Kind kind = Kind::item;
  std::uint32_t tick = 0;  ///< When.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(kind), CEREAL_NVP(tick));
  }
};

/// Where the dead come again, and who waits for it.
struct Graveyard {
  std::vector<Spot> spots;
  std::vector<Waiting> waiting;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(spots), CEREAL_NVP(waiting));
  }
};

}  // namespace demo
