// The lumps of a map:
//
//   THINGS    10 bytes  i16 x, y, angle; u16 type, flags
//   LINEDEFS  14 bytes  u16 from, to, flags, special, tag, front side, back side (65535: none)
//   SIDEDEFS  30 bytes  i16 x offset, y offset; char upper[8], lower[8], middle[8]; u16 sector
//   VERTEXES   4 bytes  i16 x, y
//   SECTORS   26 bytes  i16 floor, ceiling; char flats[2][8]; i16 light; u16 special, tag
#include "map.hpp"

#include <fmt/format.h>

#include <utility>

namespace demo {
namespace {

// Why a record is refused; empty when it is fine.
using Refusal = std::string;

Refusal check_below(std::string_view what, std::uint64_t number, std::uint64_t count) {
  if (number < count) return {};
  return fmt::format("refers to {} {}, but there are only {}", what, number, count);
}

Refusal read_thing(LumpReader& in, MapThing& thing) {
  thing.x = in.i16();
  thing.y = in.i16();
  in.skip(2);
  thing.type = in.u16();
  in.skip(2);
  return {};
}

Refusal read_vertex(LumpReader& in, MapVertex& vertex) {
  vertex.x = in.i16();
  vertex.y = in.i16();
  return {};
}

Refusal read_sector(LumpReader& in, MapSector& sector) {
  sector.floor = in.i16();
  sector.ceiling = in.i16();
  sector.floor_flat = in.name8();
  sector.ceiling_flat = in.name8();
  sector.light = in.i16();
  sector.special = in.u16();
  sector.tag = in.u16();
  return {};
}

Refusal read_side(LumpReader& in, MapSide& side, std::size_t sectors) {
  side.x_offset = in.i16();
  side.y_offset = in.i16();
  side.upper = in.name8();
  side.lower = in.name8();
  side.middle = in.name8();
  side.sector = in.u16();
  return check_below("sector", side.sector, sectors);
}

Refusal read_line(LumpReader& in, MapLine& line, std::size_t vertexes, std::size_t sides) {
  line.from = in.u16();
  line.to = in.u16();
  line.flags = in.u16();
  line.special = in.u16();
  line.tag = in.u16();
  line.front = in.u16();
  line.back = in.u16();
  Refusal refusal = check_below("vertex", line.from, vertexes);
  if (refusal.empty()) refusal = check_below("vertex", line.to, vertexes);
  if (refusal.empty()) refusal = check_below("front side", line.front, sides);
  if (refusal.empty() && line.back != kNoSide) refusal = check_below("back side", line.back, sides);
  return refusal;
}

// The lumps of one map, which follow its marker.
class MapLumps {
 public:
  MapLumps(const Wad& wad, std::string map, std::size_t marker)
      : wad_(wad), map_(std::move(map)), marker_(marker) {}

  // Decodes a lump of records of one size.
  template <class Record, class ReadRecord>
  [[nodiscard]] std::vector<Record> read(std::string_view lump_name, std::uint64_t record_bytes,
                                         const ReadRecord& read_record) {
    std::vector<Record> records;
    const std::string title = fmt::format("{} of {}", lump_name, map_);
    const Lump* const lump = find(lump_name);
    if (failed_ || lump == nullptr) {
      fail({title, wad_.lumps()[marker_].offset, "the map does not have this lump"});
      return records;
    }
    LumpReader in(title, lump->offset, wad_.bytes_of(*lump));
    const std::uint64_t odd_bytes = lump->size_bytes % record_bytes;
    if (odd_bytes != 0) {
      fail(in.error_at(lump->size_bytes - odd_bytes,
                       fmt::format("the last record has {} of {} bytes", odd_bytes, record_bytes)));
      return records;
    }
    records.reserve(static_cast<std::size_t>(lump->size_bytes / record_bytes));
    while (in.remaining() != 0) {
      const std::uint64_t begin = in.position();
      const Refusal refusal = read_record(in, records.emplace_back());
      if (in.failed()) fail(in.failure());
      if (!refusal.empty()) {
        fail(in.error_at(begin, fmt::format("record {} {}", records.size() - 1, refusal)));
      }
      if (failed_) break;
    }
    return records;
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  // The first failure.
  [[nodiscard]] const WadError& failure() const noexcept { return failure_; }

 private:
  [[nodiscard]] const Lump* find(std::string_view name) const {
    constexpr std::size_t kLumpsOfMap = 10;
    for (std::size_t i = marker_ + 1; i < wad_.lumps().size() && i <= marker_ + kLumpsOfMap; ++i) {
      if (wad_.lumps()[i].name == name) return &wad_.lumps()[i];
    }
    return nullptr;
  }
  void fail(WadError error) {
    if (!failed_) failure_ = std::move(error);
    failed_ = true;
  }

  const Wad& wad_;
  std::string map_;
  std::size_t marker_;
  bool failed_ = false;
  WadError failure_;
};

}  // namespace

WadResult<MapData> read_map(const Wad& wad, const std::string& name) {
  const std::size_t marker = wad.map_marker(name);
  if (marker == wad.lumps().size()) {
    return broken({"directory", 0, fmt::format("the WAD has no map {}", name)});
  }
  MapData map;
  map.name = name;
  MapLumps lumps(wad, name, marker);
  map.things = lumps.read<MapThing>("THINGS", 10, read_thing);
  map.vertexes = lumps.read<MapVertex>("VERTEXES", 4, read_vertex);
  map.sectors = lumps.read<MapSector>("SECTORS", 26, read_sector);
  map.sides = lumps.read<MapSide>("SIDEDEFS", 30, [&](LumpReader& in, MapSide& side) {
    return read_side(in, side, map.sectors.size());
  });
  map.lines = lumps.read<MapLine>("LINEDEFS", 14, [&](LumpReader& in, MapLine& line) {
    return read_line(in, line, map.vertexes.size(), map.sides.size());
  });
  if (lumps.failed()) return broken(lumps.failure());
  return map;
}

}  // namespace demo
