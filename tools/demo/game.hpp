// A whole game: the world, what is beside it, and the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hdb/sidecar.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "wad.hpp"
#include "world.hpp"

namespace demo {

inline constexpr std::uint32_t kTicksASecond = 35;
/// In the first half of every period all monsters rage: they shoot fast, without aiming.
inline constexpr std::uint32_t kRagePeriod = 100;
/// At least as many monsters live when a map begins.
inline constexpr std::uint32_t kLeastFighters = 280;
/// Distances to the viewer, the oldest marine, are measured again every kLookPeriod ticks.
inline constexpr std::uint32_t kLookPeriod = 32;
/// The cost of sorting in one tick, in comparisons and moves.
inline constexpr std::uint64_t kSortBudget = 96;
/// The picture of the status bar.
inline constexpr std::string_view kHudPicture = "STBAR";

/// A picture as a graphics card would have it.
using Pixels = std::vector<std::byte>;

/// Where a step ended.
struct Arrival {
  SectorHandle sector;
  std::int32_t x = 0;
  std::int32_t y = 0;
  bool is_blocked = false;  ///< A line was in the way; the place is the start.
};

/// The textures before and after a journey.
struct TextureFacts {
  std::size_t before = 0;
  std::size_t loaded = 0;   ///< Needed by the new map and not by the old one.
  std::size_t flushed = 0;  ///< Not needed by the new map.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(before), CEREAL_NVP(loaded), CEREAL_NVP(flushed));
  }
  friend bool operator==(const TextureFacts&, const TextureFacts&) = default;
};

/// Monsters act in dense order, missiles fly in the order of their slots, and all draw from one
/// random generator. So the slot that a missile got decides who is hit first: a free list in
/// another order makes another game.
class Game {
 public:
  /// A new game. `wad` must outlive it. Throws: WadError if the map is broken.
  Game(const Wad& wad, const std::string& map, std::uint64_t seed);
  /// A game to be loaded: load() or after_load() must be next.
  explicit Game(const Wad& wad) : wad_(wad) {}

  // map.cpp
  /// Erases all that belongs to the present map, brings in another and flushes textures. Events of
  /// the old map stay on the agenda: their subjects are stale.
  TextureFacts travel_to(const std::string& map);
  /// The map after the present one; the first after the last.
  [[nodiscard]] std::string next_map() const;
  /// The texture with this name, loaded the first time; empty if the WAD lacks it.
  [[nodiscard]] TextureRef texture(std::string_view name);
  /// The sound with this name, copied from the WAD the first time; null if the WAD lacks it or the
  /// buffer of the table is full.
  SoundHandle sound(std::string_view name);
  /// Destroys the textures that no record and no TextureRef holds; returns how many.
  std::size_t flush_textures();

  // saves.cpp
  /// Title, tick and sounds of a save. Equal states have equal files.
  [[nodiscard]] hdb::SaveOptions save_options() const;
  /// Errors: as hdb::Database::load. Throws: as after_load.
  [[nodiscard]] hdb::Status load(const std::string& path);
  /// Brings back what is beside the database. Call it after each load.
  /// Throws: runtime_error if the metadata has no sounds, as in the save of another program.
  void after_load(const hdb::Metadata& metadata);
  /// Makes the pixels of textures that a restore or load brought; returns how many. Call it after
  /// each of them.
  std::size_t refresh_pixels();
  [[nodiscard]] Pixels pixels_of(const Texture& texture) const;

  // rules.cpp
  void tick();
  void play_to(std::uint32_t tick);
  /// From now on the rules depend on a variable that no save holds, for sync_test to find.
  void plant_bug() noexcept { has_bug_ = true; }
  ThingHandle spawn(Kind kind, const Spot& spot);
  /// One tick's work on the order of drawing. What is left to do is part of the state.
  void sort_for_drawing(std::uint32_t tick);
  [[nodiscard]] bool is_sorted_for_drawing();

  // travel.cpp
  /// A step of (dx, dy) from a place in `sector`, across all borders between.
  [[nodiscard]] Arrival travel(SectorHandle sector, std::int32_t x, std::int32_t y, std::int32_t dx,
                               std::int32_t dy) const;

  World world;
  hdb::Sidecar<Pixels, TextureTable> pixels{world.textures.table()};  ///< Not state.
  TextureRef hud;      ///< The status bar is outside of the database: it holds its texture.
  SoundSystem sounds;  ///< Outside of the database, as the status bar.

 private:
  // rules.cpp
  void let_the_dead_return();
  void bury_the_dead();
  void handle_events();
  bool handle(const Event& event);
  void schedule(std::uint32_t ticks, EventKind kind, hdb::AnyHandle subject);
  void start_sound(SoundHandle& channel, SoundHandle sound, hdb::AnyHandle subject);
  [[nodiscard]] bool is_raging() const;
  void let_weather_strike();

  // fighting.cpp
  void monsters_act();
  void act(ThingHandle self, Thing& thing);
  [[nodiscard]] ThingHandle choose_target(ThingHandle self, const Thing& thing) const;
  void walk(Thing& thing, const Thing* target);
  void shoot(ThingHandle self, Thing& thing, const Thing& target);
  void missiles_fly();
  bool fly(Missile& missile);
  void hurt(ThingHandle victim, const Missile& missile);
  void strike_sparks(const Missile& missile);

  const Wad& wad_;
  // For one tick only:
  Rng* rng_ = nullptr;
  Clock* clock_ = nullptr;
  std::vector<std::vector<ThingHandle>> by_sector_;
  std::vector<ThingHandle> dead_;

  bool has_bug_ = false;
  std::uint32_t weather_ = 0;  // the planted bug
};

/// An estimate of the distance between two places that needs no roots: at most an eighth too long.
[[nodiscard]] std::int32_t distance(std::int32_t dx, std::int32_t dy) noexcept;

}  // namespace demo
