// Writes the WAD for machines without one: two maps of rooms, simple pictures and sounds.
#include <fmt/format.h>

#include <fstream>

#include "records.hpp"
#include "wad.hpp"

namespace demo {
namespace {

constexpr int kRoomsAcross = 12;
constexpr int kRoomUnits = 320;
constexpr unsigned kNoRoom = 0xffff;
constexpr unsigned kFlats = 24;

// A map of kRoomsAcross * kRoomsAcross rooms, with one line between two rooms.
class RoomMap {
 public:
  RoomMap(std::uint64_t seed, unsigned first_flat) : rng_{seed}, first_flat_(first_flat) {}

  void add_to(WadWriter& wad, std::string_view name) {
    for (int i = 0; i < kRoomsAcross * kRoomsAcross; ++i) add_room();
    for (int y = 0; y <= kRoomsAcross; ++y) {
      for (int x = 0; x <= kRoomsAcross; ++x) {
        vertexes_.u16(bits(x * kRoomUnits)).u16(bits(y * kRoomUnits));
        if (x < kRoomsAcross) add_wall(x, y, x + 1, y, room(x, y - 1), room(x, y));
        if (y < kRoomsAcross) add_wall(x, y, x, y + 1, room(x, y), room(x - 1, y));
      }
    }
    for (int i = 0; i < 3 * kRoomsAcross * kRoomsAcross; ++i) add_thing(i / 3);
    wad.lump(name).lump("THINGS", things_).lump("LINEDEFS", lines_).lump("SIDEDEFS", sides_);
    wad.lump("VERTEXES", vertexes_).lump("SECTORS", sectors_);
  }

 private:
  static unsigned bits(int value) { return static_cast<std::uint16_t>(value); }
  static unsigned room(int x, int y) {
    const bool is_inside = x >= 0 && y >= 0 && x < kRoomsAcross && y < kRoomsAcross;
    return is_inside ? static_cast<unsigned>(y * kRoomsAcross + x) : kNoRoom;
  }
  static unsigned corner(int x, int y) { return static_cast<unsigned>(y * (kRoomsAcross + 1) + x); }

  // Two thirds of the flats, so that two maps share some.
  std::string flat() {
    return fmt::format("FLAT{}", (first_flat_ + rng_.below(2 * kFlats / 3)) % kFlats);
  }
  void add_room() {
    const std::uint32_t floor = 8 * rng_.below(3);
    sectors_.u16(floor).u16(128 + 16 * rng_.below(4)).name8(flat()).name8(flat());
    sectors_.u16(160).u16(0).u16(0);
  }
  // The wall between two corners; the rooms are to its right and left as seen along it.
  void add_wall(int x0, int y0, int x1, int y1, unsigned right, unsigned left) {
    const bool is_turned = right == kNoRoom;
    const bool is_inner = right != kNoRoom && left != kNoRoom;
    const unsigned from = corner(x0, y0);
    const unsigned to = corner(x1, y1);
    lines_.u16(is_turned ? to : from).u16(is_turned ? from : to).u16(0);
    lines_.u16(0).u16(0).u16(side(is_turned ? left : right)).u16(is_inner ? side(left) : kNoRoom);
  }
  unsigned side(unsigned room) {
    sides_.u32(0).name8("-").name8("-").name8("-").u16(room);
    return side_count_++;
  }
  void add_thing(int room) {
    const int x = room % kRoomsAcross * kRoomUnits + 32 + static_cast<int>(rng_.below(256));
    const int y = room / kRoomsAcross * kRoomUnits + 32 + static_cast<int>(rng_.below(256));
    const Kind kind = room == 0 ? Kind::marine : monster_kind(rng_.next());
    const bool is_item = room != 0 && rng_.below(4) == 0;
    things_.u16(bits(x)).u16(bits(y)).u16(0).u16(is_item ? 0 : info_of(kind).map_type).u16(7);
  }

  Rng rng_;
  unsigned first_flat_;
  unsigned side_count_ = 0;
  LumpWriter things_;
  LumpWriter lines_;
  LumpWriter sides_;
  LumpWriter vertexes_;
  LumpWriter sectors_;
};

LumpWriter stripes(unsigned size_bytes, unsigned seed) {
  LumpWriter lump;
  for (unsigned i = 0; i < size_bytes; ++i) lump.u8((seed * 16 + i / 64) % 256);
  return lump;
}

LumpWriter saw_tooth(unsigned samples, unsigned period) {
  LumpWriter lump;
  lump.u16(3).u16(11025).u32(samples);
  for (unsigned i = 0; i < samples; ++i) lump.u8(i % period * 255 / period);
  return lump;
}

}  // namespace

LumpWriter& LumpWriter::number(std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  return *this;
}

LumpWriter& LumpWriter::name8(std::string_view text) {
  for (std::size_t i = 0; i < 8; ++i) u8(i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return *this;
}

WadWriter& WadWriter::lump(std::string_view name, const LumpWriter& content) {
  directory_.u32(12 + contents_.size()).u32(content.bytes().size()).name8(name);
  contents_.insert(contents_.end(), content.bytes().begin(), content.bytes().end());
  ++count_;
  return *this;
}

std::vector<std::byte> WadWriter::build() const {
  LumpWriter header;
  for (const char c : {'P', 'W', 'A', 'D'}) header.u8(static_cast<unsigned char>(c));
  std::vector<std::byte> file = header.u32(count_).u32(12 + contents_.size()).bytes();
  file.insert(file.end(), contents_.begin(), contents_.end());
  file.insert(file.end(), directory_.bytes().begin(), directory_.bytes().end());
  return file;
}

std::vector<std::byte> generate_wad(std::uint64_t seed) {
  WadWriter wad;
  RoomMap(seed, 0).add_to(wad, "MAP01");
  RoomMap(seed + 1, kFlats / 3).add_to(wad, "MAP02");
  for (unsigned i = 0; i < kFlats; ++i) wad.lump(fmt::format("FLAT{}", i), stripes(64 * 64, i));
  wad.lump("STBAR", stripes(5000, 1));
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const auto seed_of_kind = static_cast<unsigned>(i);
    wad.lump(kKinds[i].picture, stripes(900 + 100 * seed_of_kind, seed_of_kind));
    if (kKinds[i].sound.empty()) continue;
    wad.lump(kKinds[i].sound, saw_tooth(4000 + 700 * seed_of_kind, 30 + seed_of_kind));
  }
  return wad.build();
}

void write_generated_wad(const std::string& path, std::uint64_t seed) {
  const std::vector<std::byte> bytes = generate_wad(seed);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + ": the file cannot be written");
}

}  // namespace demo
