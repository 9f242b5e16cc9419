// The table of kinds.
#include "kinds.hpp"

#include <array>
#include <cstddef>

namespace demo {
namespace {

// name, hp, speed, bullets, missiles, damage, flies, picture, sound
constexpr std::array<KindInfo, kKindCount> kKinds{{
    {"item", 1, 0, 0, 0, 0, false, "BON1A0", ""},
    {"marine", 300, 14, 4, 1, 9, false, "PLAYA1", "DSPISTOL"},
    {"zombie", 20, 8, 2, 0, 6, false, "POSSA1", "DSPISTOL"},
    {"sergeant", 30, 8, 4, 0, 6, false, "SPOSA1", "DSSHOTGN"},
    {"gunner", 70, 8, 6, 0, 5, false, "CPOSA1", "DSSHOTGN"},
    {"imp", 60, 8, 0, 1, 8, false, "TROOA1", "DSCLAW"},
    {"hound", 90, 14, 1, 0, 12, false, "SARGA1", "DSSGTATK"},
    {"ghost", 90, 14, 1, 0, 12, false, "SARGA1", "DSSGTATK"},
    {"skull", 50, 16, 1, 0, 6, true, "SKULA1", "DSSKLATK"},
    {"eye", 160, 8, 0, 1, 10, true, "HEADA1", "DSCLAW"},
    {"knight", 200, 8, 0, 1, 14, false, "BOS2A1", "DSCLAW"},
    {"baron", 300, 8, 0, 1, 18, false, "BOSSA1", "DSCLAW"},
    {"skeleton", 150, 10, 0, 1, 16, false, "SKELA1D1", "DSSKESWG"},
    {"brute", 220, 8, 0, 3, 8, false, "FATTA1", "DSMANATK"},
    {"spider", 200, 10, 0, 2, 7, false, "BSPIA1D1", "DSMANATK"},
    {"giant", 600, 12, 4, 3, 20, false, "CYBRA1", "DSRLAUNC"},
}};

struct MapType {
  std::uint16_t type;
  Kind kind;
};
constexpr MapType kMapTypes[] = {
    {1, Kind::marine},   {2, Kind::marine},    {3, Kind::marine},    {4, Kind::marine},
    {11, Kind::marine},  {3004, Kind::zombie}, {84, Kind::zombie},   {9, Kind::sergeant},
    {65, Kind::gunner},  {3001, Kind::imp},    {3002, Kind::hound},  {58, Kind::ghost},
    {3006, Kind::skull}, {3005, Kind::eye},    {71, Kind::eye},      {69, Kind::knight},
    {3003, Kind::baron}, {66, Kind::skeleton}, {64, Kind::skeleton}, {67, Kind::brute},
    {68, Kind::spider},  {7, Kind::giant},     {16, Kind::giant},
};

}  // namespace

const KindInfo& info_of(Kind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)]; }

Kind kind_of_map_type(std::uint16_t type) noexcept {
  for (const MapType& entry : kMapTypes) {
    if (entry.type == type) return entry.kind;
  }
  return Kind::item;
}

Kind monster_kind(std::uint32_t number) noexcept {
  constexpr auto kFirst = static_cast<std::uint32_t>(Kind::zombie);
  return static_cast<Kind>(kFirst + number % (kKinds.size() - kFirst));
}

}  // namespace demo
