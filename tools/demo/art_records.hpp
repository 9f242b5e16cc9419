// The records of what is seen and heard: textures, sounds, sprites, and which kind of thing has
// which.
#pragma once

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "handles.hpp"

namespace demo {

enum class PictureKind : std::uint8_t { wall, flat, picture };

/// A wall, the flat of a floor or ceiling, or a picture: where the WAD has it, and how large it is.
/// Its name is kept by the table; its pixels are not state, the TextureStore has them. Plain.
struct Texture {
  PictureKind kind = PictureKind::wall;
  std::uint32_t number = 0;  ///< Of a wall: its definition; of others: their lump.
  std::int16_t width = 0;
  std::int16_t height = 0;
  std::uint32_t bytes = 0;  ///< Of all lumps that it is made of.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(kind), CEREAL_NVP(number), CEREAL_NVP(width), CEREAL_NVP(height),
            CEREAL_NVP(bytes));
  }
};

/// A number that differs for each texture; not part of a handle.
[[nodiscard]] inline std::uint32_t serial_of(const Texture& texture) noexcept {
  return static_cast<std::uint32_t>(texture.kind) << 24 | texture.number;
}

/// What is known of a sound; its samples, a byte each, are the block of bytes beside it.
struct SoundInfo {
  std::string name;
  std::uint32_t number = 0;  ///< Of its lump.
  std::uint16_t sample_rate = 0;
  std::uint16_t ticks = 0;  ///< How long it lasts.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(number), CEREAL_NVP(sample_rate), CEREAL_NVP(ticks));
  }
};

/// A thing as the screen would show it; the dense order of sprites is the order of drawing. Plain.
struct Sprite {
  std::uint32_t serial = 0;  ///< Of the thing.
  std::int32_t distance = 0;
  ThingHandle thing;
  StrongTexture picture;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(serial), CEREAL_NVP(distance), CEREAL_NVP(thing), CEREAL_NVP(picture));
  }
};

/// How a kind of thing looks and sounds.
struct Role {
  bool is_cast = false;  ///< Whether the map has such things.
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
  SoundHandle fireball;  ///< Heard while one flies, until it ends.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(roles), CEREAL_NVP(fireball));
  }
};

}  // namespace demo
