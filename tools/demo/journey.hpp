// From one map to the next: the old map's records go, and the textures that the new one does not
// use.
#pragma once

#include <cstddef>
#include <string>

#include "map.hpp"
#include "session.hpp"

namespace demo {

/// The map after the present one: the WAD's next, the first after the last; another generated one
/// where the WAD has none.
[[nodiscard]] WadResult<MapData> next_map(const Art& art, const World& world);

/// What became of the textures, by the handles that are valid before and after.
struct TextureFacts {
  std::size_t before = 0;
  std::size_t loaded = 0;   ///< That the new map wants, and the old one had not.
  std::size_t flushed = 0;  ///< That the new map does not want.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(before), CEREAL_NVP(loaded), CEREAL_NVP(flushed));
  }
  friend bool operator==(const TextureFacts&, const TextureFacts&) = default;
};

/// Erases all that belongs to the present map, brings `map` in and flushes textures. Events of the
/// old map stay on the agenda: their subjects are stale.
TextureFacts leave_for(World& world, const MapData& map, TextureStore& textures, Ledger& ledger);

/// What a process found out on the next map.
struct Journey {
  std::string error;  ///< Why there was none; empty: there was.
  std::string map;
  TextureFacts textures;
  std::size_t images = 0;  ///< Decoded, at the end: as many as textures.
  std::string state_hash;  ///< At kLastTick.
  std::string plain_hash;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(error), CEREAL_NVP(map), CEREAL_NVP(textures), CEREAL_NVP(images),
            CEREAL_NVP(state_hash), CEREAL_NVP(plain_hash));
  }
  friend bool operator==(const Journey&, const Journey&) = default;
};

/// Leaves for the next map and plays there to kLastTick.
[[nodiscard]] Journey play_next_map(Session& game);

}  // namespace demo
