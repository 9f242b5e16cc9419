// Makes a WAD of simple pictures and sounds for machines without one.
#include <fmt/format.h>

#include <string>

#include "art.hpp"
#include "kinds.hpp"

namespace demo {
namespace {

using Bytes = std::vector<std::byte>;

void put(Bytes& bytes, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put_name(Bytes& bytes, const std::string& name) {
  for (std::size_t i = 0; i < 8; ++i) put(bytes, i < name.size() ? std::uint64_t(name[i]) : 0, 1);
}

// A picture of one post a column, striped by colours from `seed` on.
Bytes picture(unsigned width, unsigned height, unsigned seed) {
  Bytes bytes;
  for (const unsigned number : {width, height, 0u, 0u}) put(bytes, number, 2);
  const unsigned column_bytes = height + 5;
  for (unsigned x = 0; x < width; ++x) put(bytes, 8 + 4 * width + column_bytes * x, 4);
  for (unsigned x = 0; x < width; ++x) {
    for (const unsigned number : {0u, height, 0u}) put(bytes, number, 1);
    for (unsigned y = 0; y < height; ++y) put(bytes, (seed * 16 + (x ^ y) / 8) % 255, 1);
    for (const unsigned number : {0u, 255u}) put(bytes, number, 1);
  }
  return bytes;
}

Bytes flat(unsigned seed) {
  Bytes bytes;
  for (unsigned i = 0; i < 64 * 64; ++i) put(bytes, (seed * 32 + i / 64 % 16) % 256, 1);
  return bytes;
}

// A saw-tooth.
Bytes sound(unsigned samples, unsigned period) {
  Bytes bytes;
  put(bytes, 3, 2);
  put(bytes, 11025, 2);
  put(bytes, samples, 4);
  for (unsigned i = 0; i < samples; ++i) put(bytes, i % period * 255 / period, 1);
  return bytes;
}

class Writer {
 public:
  Writer& lump(const std::string& name, const Bytes& bytes = {}) {
    put(directory_, kHeaderBytes + contents_.size(), 4);
    put(directory_, bytes.size(), 4);
    put_name(directory_, name);
    contents_.insert(contents_.end(), bytes.begin(), bytes.end());
    ++count_;
    return *this;
  }
  [[nodiscard]] Bytes build() const {
    Bytes file;
    for (const char c : {'P', 'W', 'A', 'D'}) put(file, std::uint64_t(c), 1);
    put(file, count_, 4);
    put(file, kHeaderBytes + contents_.size(), 4);
    file.insert(file.end(), contents_.begin(), contents_.end());
    file.insert(file.end(), directory_.begin(), directory_.end());
    return file;
  }

 private:
  static constexpr std::size_t kHeaderBytes = 12;
  Bytes contents_;
  Bytes directory_;
  std::size_t count_ = 0;
};

constexpr unsigned kPatches = 6;
constexpr unsigned kWalls = 24;

// Each wall is one patch beside another.
Bytes wall_definitions() {
  constexpr unsigned kWallBytes = 22 + 2 * 10;
  Bytes bytes;
  put(bytes, kWalls, 4);
  for (unsigned i = 0; i < kWalls; ++i) put(bytes, 4 + 4 * kWalls + kWallBytes * i, 4);
  for (unsigned i = 0; i < kWalls; ++i) {
    put_name(bytes, fmt::format("WALL{:02}", i));
    put(bytes, 0, 4);
    put(bytes, 64, 2);
    put(bytes, 64 + i, 2);
    put(bytes, 0, 4);
    put(bytes, 2, 2);
    for (const unsigned half : {0u, 1u}) {
      put(bytes, 32 * half, 2);
      put(bytes, i, 2);
      put(bytes, (i + half * (1 + i / kPatches)) % kPatches, 2);
      put(bytes, 0, 4);
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> generate_wad() {
  Writer wad;
  Bytes names;
  put(names, kPatches, 4);
  for (unsigned i = 0; i < kPatches; ++i) put_name(names, fmt::format("PATCH{}", i));
  wad.lump("TEXTURE1", wall_definitions()).lump("PNAMES", names);
  for (unsigned i = 0; i < kPatches; ++i) wad.lump(fmt::format("PATCH{}", i), picture(32, 64, i));
  wad.lump("F_START");
  unsigned number = 0;
  for (const char* const name : {"FLOOR0", "FLOOR1", "CEIL0", "CEIL1"}) {
    wad.lump(name, flat(number++));
  }
  wad.lump("F_END").lump("STBAR", picture(160, 32, 1));
  for (std::size_t i = 0; i < kKindCount; ++i) {
    const KindInfo& info = info_of(static_cast<Kind>(i));
    const auto seed = static_cast<unsigned>(i);
    // Some kinds share: the later lump of a name is the one that counts.
    wad.lump(std::string(info.picture), picture(24 + seed, 40 + seed, seed));
    if (!info.sound.empty()) wad.lump(std::string(info.sound), sound(2000 + 700 * seed, 30 + seed));
  }
  return wad.lump(std::string(kFireballSound), sound(12000, 90)).build();
}

}  // namespace demo
