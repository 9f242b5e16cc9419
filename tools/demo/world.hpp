// The world: the database and its tables. All that a save holds is here.
#pragma once

#include <array>
#include <hdb/blob_table.hpp>
#include <hdb/hdb.hpp>
#include <hdb/resource_table.hpp>
#include <string_view>
#include <type_traits>

#include "records.hpp"

namespace demo {

/// The table of the handles of this type.
template <class Handle>
inline constexpr std::string_view kTableOf = std::is_same_v<Handle, TextureHandle>   ? "textures"
                                             : std::is_same_v<Handle, SoundHandle>   ? "sounds"
                                             : std::is_same_v<Handle, SectorHandle>  ? "sectors"
                                             : std::is_same_v<Handle, LineHandle>    ? "lines"
                                             : std::is_same_v<Handle, ThingHandle>   ? "things"
                                             : std::is_same_v<Handle, MissileHandle> ? "missiles"
                                             : std::is_same_v<Handle, ShotHandle>    ? "shots"
                                                                                     : "sprites";

using TextureTable = hdb::Table<Texture, TextureHandle::LayoutType>;
using SoundTable = hdb::BlobTable<SoundInfo, SoundHandle::LayoutType>;
/// Holds a texture from outside of the database.
using TextureRef = hdb::Ref<Texture, TextureHandle::LayoutType>;

struct World {
  hdb::Database database;

  /// By name, whatever the case. Records that nobody holds any more are flushed.
  hdb::ResourceTable<Texture, TextureHandle::LayoutType>& textures =
      database.create_resource_table<Texture, TextureHandle::LayoutType>(
          kTableOf<TextureHandle>, {.names = hdb::RecordNames::ignore_case});
  SoundTable& sounds = database.create_blob_table<SoundInfo, SoundHandle::LayoutType>(
      kTableOf<SoundHandle>, {.capacity_bytes = 256 << 10});
  hdb::Table<Sector>& sectors = database.create_table<Sector>(kTableOf<SectorHandle>);
  hdb::Table<Line>& lines = database.create_table<Line>(kTableOf<LineHandle>);
  /// A free slot waits in a queue: a stale handle of a thing takes long to meet another tenant.
  hdb::Table<Thing, ThingHandle::LayoutType>& things =
      database.create_table<Thing, ThingHandle::LayoutType>(kTableOf<ThingHandle>,
                                                            {.free_list = hdb::FreeList::fifo});
  /// Stable: a missile stays where it is in memory while others are launched and erased.
  hdb::Table<Missile, MissileHandle::LayoutType>& missiles =
      database.create_table<Missile, MissileHandle::LayoutType>(kTableOf<MissileHandle>,
                                                                {.storage = hdb::Storage::stable});
  /// One lives at a time, and takes the slot freed last: the same one until it is worn out.
  hdb::Table<Missile, ShotHandle::LayoutType, Shot>& shots =
      database.create_table<Missile, ShotHandle::LayoutType, Shot>(kTableOf<ShotHandle>);
  /// In the order of drawing.
  hdb::Table<Sprite>& sprites = database.create_table<Sprite>(kTableOf<SpriteHandle>);

  hdb::Singleton<Cast>& cast = database.singleton<Cast>("cast");
  hdb::Singleton<Agenda>& agenda = database.singleton<Agenda>("agenda");
  hdb::Singleton<Graveyard>& graveyard = database.singleton<Graveyard>("graveyard");
  hdb::Singleton<Clock>& clock = database.singleton<Clock>("clock");
  hdb::Singleton<Rng>& rng = database.singleton<Rng>("rng");
};

/// Calls `visit` with each table whose records change in every tick.
template <class AnyWorld, class Visit>
void each_moving_table(AnyWorld& world, const Visit& visit) {
  visit(world.things);
  visit(world.missiles);
  visit(world.shots);
  visit(world.sprites);
}
/// Calls `visit` with each table but the sounds.
template <class AnyWorld, class Visit>
void each_table(AnyWorld& world, const Visit& visit) {
  visit(world.textures.table());
  visit(world.sectors);
  visit(world.lines);
  each_moving_table(world, visit);
}

/// The sound system is outside of the database: a ring of the things and missiles that were heard
/// last. It keeps their handles long after they are gone. The rules listen to it, so the program
/// must save and rewind it by itself: a save has it among its metadata.
struct SoundSystem {
  static constexpr std::size_t kChannels = 1024;
  std::array<std::uint64_t, kChannels> sources{};  ///< Bits of an hdb::AnyHandle; 0: none yet.
  std::size_t next = 0;

  void play(hdb::AnyHandle source) {
    sources[next] = source.bits();
    next = (next + 1) % kChannels;
  }
  /// The latest thing that still lives among those heard `sounds_ago` sounds ago or earlier.
  [[nodiscard]] ThingHandle heard(const World& world, std::size_t sounds_ago) const;

  /// The whole state in one line.
  [[nodiscard]] std::string text() const;
  /// Throws: runtime_error if `text` is not a text of a sound system.
  [[nodiscard]] static SoundSystem parse(const std::string& text);

  friend bool operator==(const SoundSystem&, const SoundSystem&) = default;
};

}  // namespace demo
