// Directory and decoding of pictures and sounds:
//
//   TEXTUREn   u32 count, offsets[count]; at each: char name[8], u32 flags, i16 width, height, u32
//              unused, u16 patch count; a patch: i16 x, y, u16 number in PNAMES, u16 unused[2]
//   PNAMES     u32 count, char names[count][8]: the lumps of the patches
//   a picture  (patches too)  i16 width, height, left, top; u32 column offsets[width]; a column:
//              posts of u8 top, u8 count, u8 unused, u8 colours[count], u8 unused; top 255 ends it
//   a flat     64 * 64 colours, between the markers F_START and F_END
//   a sound    u16 format 3, u16 sample rate, u32 count, u8 samples[count]
#include "art.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace demo {
namespace {

constexpr std::uint32_t kNoLump = 0xffffffff;
constexpr std::uint64_t kPatchBytes = 10;
constexpr std::int16_t kFlatSide = 64;
constexpr std::int16_t kLongestSide = 2048;

std::optional<std::uint32_t> find_in(const std::unordered_map<std::string, std::uint32_t>& numbers,
                                     std::string_view name) {
  const auto place = numbers.find(upper_case(name));
  if (place == numbers.end()) return std::nullopt;
  return place->second;
}

bool is_fine(std::int16_t width, std::int16_t height) {
  return width > 0 && height > 0 && width <= kLongestSide && height <= kLongestSide;
}

}  // namespace

WadResult<Art> Art::read(Wad wad, std::string path) {
  Art art;
  art.wad_ = std::move(wad);
  art.path_ = std::move(path);
  art.index_lumps();
  if (const Lump* const names = art.wad_.find("PNAMES")) {
    if (const auto read = art.read_patch_names(*names); !read) return broken(read.error());
  }
  for (const char* const name : {"TEXTURE1", "TEXTURE2"}) {
    const Lump* const lump = art.wad_.find(name);
    if (lump == nullptr) continue;
    if (const auto read = art.read_walls(*lump); !read) return broken(read.error());
  }
  // A wall that is defined twice is the first one.
  for (std::size_t i = 0; i < art.walls_.size(); ++i) {
    art.walls_by_name_.emplace(art.walls_[i].name, static_cast<std::uint32_t>(i));
  }
  return art;
}

void Art::index_lumps() {
  bool is_flat = false;
  for (std::uint32_t i = 0; i < wad_.lumps().size(); ++i) {
    const Lump& lump = wad_.lumps()[i];
    if (lump.name == "F_START" || lump.name == "FF_START") is_flat = true;
    if (lump.name == "F_END" || lump.name == "FF_END") is_flat = false;
    const bool is_large = lump.size_bytes == std::uint64_t{kFlatSide} * kFlatSide;
    if (is_flat && is_large) flats_by_name_[lump.name] = i;
    if (!is_flat) lumps_by_name_[lump.name] = i;
  }
}

WadResult<bool> Art::read_patch_names(const Lump& lump) {
  LumpReader in(lump.name, lump.offset, wad_.bytes_of(lump));
  const std::uint64_t count = in.u32();
  if (count > in.remaining() / 8) {
    return broken(in.error_at(
        0, fmt::format("{} names do not fit a lump of {} bytes", count, lump.size_bytes)));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    patch_lumps_.push_back(find_in(lumps_by_name_, in.name8()).value_or(kNoLump));
  }
  if (in.failed()) return broken(in.failure());
  return true;
}

WadResult<bool> Art::read_walls(const Lump& lump) {
  LumpReader in(lump.name, lump.offset, wad_.bytes_of(lump));
  const std::uint64_t count = in.u32();
  if (in.failed()) return broken(in.failure());
  if (count > in.remaining() / 4) {
    return broken(in.error_at(
        0, fmt::format("{} textures do not fit a lump of {} bytes", count, lump.size_bytes)));
  }
  std::uint64_t patches_left = lump.size_bytes / kPatchBytes;  // definitions do not overlap
  for (std::uint64_t i = 0; i < count; ++i) {
    Wall wall;
    in.seek(4 + 4 * i);
    in.seek(in.u32());
    const std::uint64_t begin = in.position();
    wall.name = in.name8();
    in.skip(4);
    wall.width = in.i16();
    wall.height = in.i16();
    in.skip(4);
    const std::uint16_t patches = in.u16();
    if (patches > patches_left) {
      return broken(in.error_at(begin, fmt::format("{} patches do not fit a lump of {} bytes",
                                                   patches, lump.size_bytes)));
    }
    patches_left -= patches;
    for (std::uint16_t p = 0; p < patches && !in.failed(); ++p) {
      Patch& patch = wall.patches.emplace_back();
      patch.x = in.i16();
      patch.y = in.i16();
      patch.number = in.u16();
      in.skip(4);
    }
    if (in.failed()) return broken(in.failure());
    walls_.push_back(std::move(wall));
  }
  return true;
}

std::optional<Texture> Art::find(std::string_view name) const {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string_view folder = name.substr(0, slash);
  const std::string_view own_name = name.substr(std::min(slash + 1, name.size()));
  if (folder == "walls") {
    const auto wall = find_in(walls_by_name_, own_name);
    return wall ? find_wall(*wall) : std::nullopt;
  }
  const bool is_flat = folder == "flats";
  if (!is_flat && folder != "pictures") return std::nullopt;
  const auto lump = find_in(is_flat ? flats_by_name_ : lumps_by_name_, own_name);
  if (!lump) return std::nullopt;
  Texture texture{is_flat ? PictureKind::flat : PictureKind::picture, *lump, kFlatSide, kFlatSide,
                  static_cast<std::uint32_t>(wad_.lumps()[*lump].size_bytes)};
  if (!is_flat) {
    LumpReader in = reader(*lump);
    texture.width = in.i16();
    texture.height = in.i16();
  }
  return is_fine(texture.width, texture.height) ? std::optional(texture) : std::nullopt;
}

std::optional<Texture> Art::find_wall(std::uint32_t number) const {
  const Wall& wall = walls_[number];
  if (!is_fine(wall.width, wall.height)) return std::nullopt;
  Texture texture{PictureKind::wall, number, wall.width, wall.height, 0};
  for (const Patch& patch : wall.patches) {
    if (patch.number >= patch_lumps_.size() || patch_lumps_[patch.number] == kNoLump) {
      return std::nullopt;
    }
    texture.bytes +=
        static_cast<std::uint32_t>(wad_.lumps()[patch_lumps_[patch.number]].size_bytes);
  }
  return texture;
}

std::optional<Image> Art::decode(const Texture& texture) const {
  if (!is_fine(texture.width, texture.height)) return std::nullopt;
  Image image(texture.width, texture.height);
  if (texture.kind == PictureKind::wall) {
    if (texture.number >= walls_.size()) return std::nullopt;
    for (const Patch& patch : walls_[texture.number].patches) {
      const bool is_there = patch.number < patch_lumps_.size();
      const std::uint32_t lump = is_there ? patch_lumps_[patch.number] : kNoLump;
      if (lump == kNoLump || !draw_patch(lump, image, patch.x, patch.y)) return std::nullopt;
    }
    return image;
  }
  if (texture.number >= wad_.lumps().size()) return std::nullopt;
  if (texture.kind == PictureKind::picture) {
    return draw_patch(texture.number, image, 0, 0) ? std::optional(std::move(image)) : std::nullopt;
  }
  const auto colours = wad_.bytes_of(wad_.lumps()[texture.number]);
  if (colours.size() != image.pixels.size()) return std::nullopt;
  std::transform(colours.begin(), colours.end(), image.pixels.begin(),
                 [](std::byte colour) { return std::to_integer<std::int16_t>(colour); });
  return image;
}

bool Art::draw_patch(std::size_t lump, Image& image, int left, int top) const {
  constexpr std::uint8_t kEnd = 255;
  LumpReader in = reader(lump);
  const int width = in.i16();
  in.skip(6);
  for (int column = 0; column < width && !in.failed(); ++column) {
    in.seek(8 + 4 * static_cast<std::uint64_t>(column));
    in.seek(in.u32());
    for (std::uint8_t post = in.u8(); post != kEnd && !in.failed(); post = in.u8()) {
      const int count = in.u8();
      in.skip(1);
      for (int i = 0; i < count; ++i) {
        const int x = left + column;
        const int y = top + post + i;
        const std::int16_t colour = in.u8();
        if (x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
        image.pixels[static_cast<std::size_t>(y * image.width + x)] = colour;
      }
      in.skip(1);
    }
  }
  return !in.failed();
}

std::optional<SoundLump> Art::find_sound(std::string_view name) const {
  constexpr std::uint16_t kFormat = 3;
  constexpr std::size_t kHeaderBytes = 8;
  const auto number = find_in(lumps_by_name_, name);
  if (!number) return std::nullopt;
  LumpReader in = reader(*number);
  const std::uint16_t format = in.u16();
  SoundLump sound{*number, in.u16(), {}};
  const std::uint64_t count = in.u32();
  if (in.failed() || format != kFormat || sound.sample_rate == 0 || count > in.remaining()) {
    return std::nullopt;
  }
  sound.samples =
      wad_.bytes_of(wad_.lumps()[*number]).subspan(kHeaderBytes, static_cast<std::size_t>(count));
  return sound;
}

LumpReader Art::reader(std::size_t lump) const {
  const Lump& entry = wad_.lumps()[lump];
  return {entry.name, entry.offset, wad_.bytes_of(entry)};
}

}  // namespace demo
