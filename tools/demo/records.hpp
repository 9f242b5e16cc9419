// The records of the game: each describes itself to cereal once, and hdb does the rest from that.
#pragma once

#include <array>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <cstdint>
#include <hdb/any_handle.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// The kinds of things in a map, and how they fight.
enum class Kind : std::uint8_t { item, marine, zombie, sergeant, imp, hound, baron, brute };

struct KindInfo {
  std::string_view name;
  std::uint16_t map_type = 0;  ///< The number that map editors give to the kind.
  std::int32_t hp = 0;
  std::int32_t speed = 0;      ///< Map units a tick.
  std::uint32_t bullets = 0;   ///< Bullets of one attack, which hit in the same tick.
  std::uint32_t missiles = 0;  ///< Missiles of one attack, which fly for many ticks.
  std::int32_t damage = 0;
  std::string_view picture;  ///< Lump of the WAD.
  std::string_view sound;    ///< Lump of the sound of an attack; empty: none.
};
inline constexpr std::array<KindInfo, 8> kKinds{{
    {"item", 0, 1, 0, 0, 0, 0, "BON1A0", ""},
    {"marine", 1, 300, 14, 4, 1, 9, "PLAYA1", "DSPISTOL"},
    {"zombie", 3004, 20, 8, 2, 0, 6, "POSSA1", "DSPISTOL"},
    {"sergeant", 9, 30, 8, 4, 0, 6, "SPOSA1", "DSSHOTGN"},
    {"imp", 3001, 60, 8, 0, 1, 8, "TROOA1", "DSFIRSHT"},
    {"hound", 3002, 90, 14, 1, 0, 12, "SARGA1", "DSSGTATK"},
    {"baron", 3003, 300, 8, 0, 1, 18, "BOSSA1", "DSFIRSHT"},
    {"brute", 67, 220, 8, 0, 3, 8, "FATTA1", "DSMANATK"},
}};

[[nodiscard]] constexpr const KindInfo& info_of(Kind kind) noexcept {
  return kKinds[static_cast<std::size_t>(kind)];
}
/// The kind of the map's thing number; `item` for everything else. 2 to 4 and 11 are more players.
[[nodiscard]] constexpr Kind kind_of_map_type(std::uint16_t type) noexcept {
  if ((type >= 1 && type <= 4) || type == 11) return Kind::marine;
  for (std::size_t i = 1; i < kKinds.size(); ++i) {
    if (kKinds[i].map_type == type) return static_cast<Kind>(i);
  }
  return Kind::item;
}
/// One of the kinds of monsters; `number` may be anything.
[[nodiscard]] constexpr Kind monster_kind(std::uint32_t number) noexcept {
  constexpr std::uint32_t kFirst = 2;  // after item and marine
  return static_cast<Kind>(kFirst + number % (kKinds.size() - kFirst));
}

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
// lives: the list of handles knows records by it.

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

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(floor), CEREAL_NVP(ceiling), CEREAL_NVP(floor_flat),
            CEREAL_NVP(ceiling_flat), CEREAL_NVP(lines));
  }
};

/// A wall or the border between two sectors. A plain record: trivially copyable, no containers.
struct Line {
  std::uint32_t number = 0;
  std::int32_t x1 = 0;
  std::int32_t y1 = 0;
  std::int32_t x2 = 0;
  std::int32_t y2 = 0;
  SectorHandle front;  ///< To the right of the direction from 1 to 2.
  SectorHandle back;   ///< Null: a wall.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number), CEREAL_NVP(x1), CEREAL_NVP(y1), CEREAL_NVP(x2), CEREAL_NVP(y2),
            CEREAL_NVP(front), CEREAL_NVP(back));
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
            CEREAL_NVP(reload), CEREAL_NVP(is_stunned), CEREAL_NVP(sector), CEREAL_NVP(sprite),
            CEREAL_NVP(sound), CEREAL_NVP(target), CEREAL_NVP(last_fireball), CEREAL_NVP(last_shot),
            CEREAL_NVP(grudges));
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

/// How a kind of thing looks and sounds; null before the map has a thing of it.
struct Role {
  StrongTexture picture;
  SoundHandle attack;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(picture), CEREAL_NVP(attack));
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
