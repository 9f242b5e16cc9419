// The records of the game: each describes itself to cereal once, and hdb does the rest from that.
#pragma once

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <hdb/any_handle.hpp>
#include <string>
#include <vector>

#include "kinds.hpp"

namespace demo {

struct Texture;
struct SoundInfo;
struct Sector;
struct Line;
struct Thing;
struct Missile;
struct Shot;  // a tag: shots are missiles in a table of their own
struct Sprite;

// The layouts differ on purpose. Few textures and sounds need few bits. Handles of things and
// missiles carry the id of their table, so that an event can be about either. The small generations
// of shots run out, so that slots retire.
using TextureHandle = hdb::Handle<Texture, hdb::Layout<16, 16>>;
/// In records: keeps the texture from being flushed.
using StrongTexture = hdb::Strong<Texture, hdb::Layout<16, 16>>;
using SoundHandle = hdb::Handle<SoundInfo, hdb::Layout<16, 16>>;
using SectorHandle = hdb::Handle<Sector>;
using LineHandle = hdb::Handle<Line>;
using ThingHandle = hdb::TypedHandle<Thing>;
using MissileHandle = hdb::TypedHandle<Missile>;
using ShotHandle = hdb::Handle<Shot, hdb::Layout<22, 10>>;
using SpriteHandle = hdb::Handle<Sprite>;

// Each record of a table has a `number` that, unlike a handle, is never used twice while the record
// lives: the ledger and the list of handles know records by it.

/// A picture of the WAD. The table keeps its name; its pixels are not state (Game::pixels).
struct Texture {
  std::uint32_t number = 0;  ///< Number of the lump.
  std::uint32_t bytes = 0;   ///< Size of the lump.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(bytes));
  }
};

/// The metadata of a sound; its samples, one byte each, are the blob beside it.
struct SoundInfo {
  std::string name;
  std::uint32_t number = 0;  ///< Number of the lump.
  std::uint32_t ticks = 0;   ///< Duration.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(number), CEREAL_NVP(ticks));
  }
};

/// An area with one floor and one ceiling, bounded by lines.
struct Sector {
  std::uint32_t number = 0;
  std::int16_t floor = 0;
  std::int16_t ceiling = 0;
  StrongTexture floor_flat;
  StrongTexture ceiling_flat;
  std::vector<LineHandle> lines;
  std::uint32_t deaths = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(floor), CEREAL_NVP(ceiling), CEREAL_NVP(floor_flat),
            CEREAL_NVP(ceiling_flat), CEREAL_NVP(lines), CEREAL_NVP(deaths));
  }
};

/// A wall or the border between two sectors. A plain record: trivially copyable, no containers.
struct Line {
  std::uint32_t number = 0;
  std::int32_t x1 = 0;
  std::int32_t y1 = 0;
  std::int32_t x2 = 0;
  std::int32_t y2 = 0;
  bool blocks_walkers = false;
  bool is_door = false;  ///< Opens for everybody, whatever the height of the gap.
  SectorHandle front;    ///< To the right of the direction from 1 to 2.
  SectorHandle back;     ///< Null: a wall.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(x1), CEREAL_NVP(y1), CEREAL_NVP(x2), CEREAL_NVP(y2),
            CEREAL_NVP(blocks_walkers), CEREAL_NVP(is_door), CEREAL_NVP(front), CEREAL_NVP(back));
  }
};

/// A monster, a marine or an item.
struct Thing {
  std::string name;          ///< "imp 41".
  std::uint32_t number = 0;  ///< Number of things made before.
  Kind kind = Kind::item;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t hp = 0;
  std::int32_t way_x = 0;  ///< Direction of walking: -1, 0 or 1.
  std::int32_t way_y = 0;
  std::uint32_t steps_left = 0;  ///< Steps before it chooses another direction.
  std::uint32_t reload = 0;      ///< Ticks before it can shoot again.
  bool is_stunned = false;       ///< Until an event wakes it.
  std::uint32_t kills = 0;
  SectorHandle sector;
  SpriteHandle sprite;
  SoundHandle sound;  ///< The sound that it makes; null: it is silent.
  ThingHandle target;
  MissileHandle last_fireball;       ///< Often stale.
  ShotHandle last_shot;              ///< Always stale: a shot ends in the tick in which it began.
  std::vector<ThingHandle> grudges;  ///< Who hurt it, the latest last; often stale.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(number), CEREAL_NVP(kind), CEREAL_NVP(x), CEREAL_NVP(y),
            CEREAL_NVP(hp), CEREAL_NVP(way_x), CEREAL_NVP(way_y), CEREAL_NVP(steps_left),
            CEREAL_NVP(reload), CEREAL_NVP(is_stunned), CEREAL_NVP(kills), CEREAL_NVP(sector),
            CEREAL_NVP(sprite), CEREAL_NVP(sound), CEREAL_NVP(target), CEREAL_NVP(last_fireball),
            CEREAL_NVP(last_shot), CEREAL_NVP(grudges));
  }
};

/// A fireball or a spark in the table of missiles, or a bullet in the table of shots. Plain.
struct Missile {
  std::uint32_t number = 0;  ///< Number of missiles and shots made before.
  bool is_spark = false;
  std::uint32_t ticks_left = 0;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t dx = 0;  ///< Map units a tick.
  std::int32_t dy = 0;
  std::int32_t damage = 0;
  SoundHandle sound;  ///< The sound that it makes; null: it is silent.
  SectorHandle sector;
  ThingHandle owner;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(is_spark), CEREAL_NVP(ticks_left), CEREAL_NVP(x),
            CEREAL_NVP(y), CEREAL_NVP(dx), CEREAL_NVP(dy), CEREAL_NVP(damage), CEREAL_NVP(sound),
            CEREAL_NVP(sector), CEREAL_NVP(owner));
  }
};

/// A thing as the screen would show it; the dense order of sprites is the order of drawing. Plain.
struct Sprite {
  std::uint32_t number = 0;  ///< Number of the thing.
  std::int32_t distance = 0;
  ThingHandle thing;
  StrongTexture picture;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(distance), CEREAL_NVP(thing), CEREAL_NVP(picture));
  }
};

// The singletons: what there is once.

/// How a kind of thing looks and sounds.
struct Role {
  bool is_cast = false;  ///< The map has things of this kind.
  StrongTexture picture;
  SoundHandle attack;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(is_cast), CEREAL_NVP(picture), CEREAL_NVP(attack));
  }
};
/// The roles of the present map, by kind.
struct Cast {
  std::vector<Role> roles;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(roles));
  }
};

enum class EventKind : std::uint8_t {
  wake,        ///< A stunned thing acts again.
  sound_ends,  ///< A thing or a missile falls silent.
};
/// Something that happens in a later tick. Its subject is of any table with typed handles; it may
/// be dead by then, and its slot even have another tenant.
struct Event {
  std::uint32_t tick = 0;
  EventKind kind = EventKind::wake;
  hdb::AnyHandle subject;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(tick), CEREAL_NVP(kind), CEREAL_NVP(subject));
  }
};
/// All planned events, in the order in which they were planned.
struct Agenda {
  std::vector<Event> events;
  std::uint32_t handled = 0;
  std::uint32_t stale = 0;  ///< Events skipped because the subject was gone.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(events), CEREAL_NVP(handled), CEREAL_NVP(stale));
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
  std::uint32_t tick = 0;  ///< When it comes.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(kind), CEREAL_NVP(tick));
  }
};
struct Graveyard {
  std::vector<Spot> spots;
  std::vector<Waiting> waiting;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(spots), CEREAL_NVP(waiting));
  }
};

/// How far the game is, and in which map.
struct Clock {
  std::string map;
  std::uint32_t tick = 0;
  std::uint32_t things_made = 0;
  std::uint32_t missiles_made = 0;
  std::uint32_t deaths = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(map), CEREAL_NVP(tick), CEREAL_NVP(things_made), CEREAL_NVP(missiles_made),
            CEREAL_NVP(deaths));
  }
};

/// A random generator whose whole state is one number: equal states have equal futures on every
/// machine.
struct Rng {
  std::uint64_t state = 1;

  /// The next 31 random bits.
  std::uint32_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33);
  }
  /// A number from 0 to `bound` - 1. Requires: bound > 0.
  std::uint32_t below(std::size_t bound) { return next() % static_cast<std::uint32_t>(bound); }
  /// A number from -`most` to `most`.
  std::int32_t around_zero(std::int32_t most) {
    return static_cast<std::int32_t>(below(2 * static_cast<std::size_t>(most) + 1)) - most;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(state));
  }
};

}  // namespace demo
