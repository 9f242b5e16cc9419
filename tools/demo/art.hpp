// The pictures and sounds of a WAD: found by name, decoded from their lumps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "art_records.hpp"
#include "wad.hpp"

namespace demo {

/// A decoded picture: a colour number for each pixel, row by row; kClear where one sees through.
struct Image {
  static constexpr std::int16_t kClear = -1;

  Image(std::int16_t w, std::int16_t h)
      : width(w), height(h), pixels(std::size_t(w) * std::size_t(h), kClear) {}
  std::int16_t width;
  std::int16_t height;
  std::vector<std::int16_t> pixels;
};

/// The samples of a sound, within the WAD.
struct SoundLump {
  std::uint32_t number = 0;
  std::uint16_t sample_rate = 0;
  std::span<const std::byte> samples;
};

/// What a WAD has to show and to play. Names ignore case.
class Art {
 public:
  /// Reads the definitions of walls; `path` is where the WAD came from, empty: it was generated.
  /// Errors: definitions that do not fit their lumps. A WAD without any is fine.
  [[nodiscard]] static WadResult<Art> read(Wad wad, std::string path = {});

  [[nodiscard]] const Wad& wad() const noexcept { return wad_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// What "walls/BRICK1", "flats/FLOOR1" or "pictures/STBAR" is made of; none when the WAD lacks
  /// it.
  [[nodiscard]] std::optional<Texture> find(std::string_view name) const;
  /// The pixels; none when a lump is broken, or `texture` is of another WAD.
  [[nodiscard]] std::optional<Image> decode(const Texture& texture) const;
  /// A sound by the name of its lump; none when the WAD lacks it, or it is broken.
  [[nodiscard]] std::optional<SoundLump> find_sound(std::string_view name) const;

 private:
  struct Patch {
    std::int16_t x = 0;
    std::int16_t y = 0;
    std::uint16_t number = 0;  // in patch_lumps_
  };
  struct Wall {
    std::string name;
    std::int16_t width = 0;
    std::int16_t height = 0;
    std::vector<Patch> patches;
  };
  using Numbers = std::unordered_map<std::string, std::uint32_t>;

  [[nodiscard]] WadResult<bool> read_walls(const Lump& lump);
  [[nodiscard]] WadResult<bool> read_patch_names(const Lump& lump);
  void index_lumps();
  [[nodiscard]] std::optional<Texture> find_wall(std::uint32_t number) const;
  [[nodiscard]] bool draw_patch(std::size_t lump, Image& image, int left, int top) const;
  [[nodiscard]] LumpReader reader(std::size_t lump) const;

  Wad wad_;
  std::string path_;
  std::vector<Wall> walls_;
  std::vector<std::uint32_t> patch_lumps_;  // kNoLump: the WAD lacks it
  Numbers walls_by_name_;
  Numbers flats_by_name_;
  Numbers lumps_by_name_;
};

/// The WAD for machines without one: the walls, flats, pictures and sounds of generated maps.
[[nodiscard]] std::vector<std::byte> generate_wad();

}  // namespace demo
