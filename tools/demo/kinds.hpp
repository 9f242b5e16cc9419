// The kinds of things in a map, and how they fight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace demo {

enum class Kind : std::uint8_t { item, marine, zombie, sergeant, imp, hound, baron, brute };

struct KindInfo {
  std::string_view name;
  std::uint16_t map_type = 0;  ///< The number that map editors give to the kind.
  std::int32_t hp = 0;
  std::int32_t speed = 0;      ///< Map units a tick.
  std::uint32_t bullets = 0;   ///< Bullets of one attack, which hit in the same tick.
  std::uint32_t missiles = 0;  ///< Missiles of one attack, which fly for many ticks.
  std::int32_t damage = 0;
  std::string_view picture;  ///< Lump of the WAD.
  std::string_view sound;    ///< Lump of the sound of an attack; empty: none.
};
inline constexpr std::array<KindInfo, 8> kKinds{{
    {"item", 0, 1, 0, 0, 0, 0, "BON1A0", ""},
    {"marine", 1, 300, 14, 4, 1, 9, "PLAYA1", "DSPISTOL"},
    {"zombie", 3004, 20, 8, 2, 0, 6, "POSSA1", "DSPISTOL"},
    {"sergeant", 9, 30, 8, 4, 0, 6, "SPOSA1", "DSSHOTGN"},
    {"imp", 3001, 60, 8, 0, 1, 8, "TROOA1", "DSFIRSHT"},
    {"hound", 3002, 90, 14, 1, 0, 12, "SARGA1", "DSSGTATK"},
    {"baron", 3003, 300, 8, 0, 1, 18, "BOSSA1", "DSFIRSHT"},
    {"brute", 67, 220, 8, 0, 3, 8, "FATTA1", "DSMANATK"},
}};

[[nodiscard]] constexpr const KindInfo& info_of(Kind kind) noexcept {
  return kKinds[static_cast<std::size_t>(kind)];
}
/// The kind of the map's thing number; `item` for everything else. 2 to 4 and 11 are more players.
[[nodiscard]] constexpr Kind kind_of_map_type(std::uint16_t type) noexcept {
  if ((type >= 1 && type <= 4) || type == 11) return Kind::marine;
  for (std::size_t i = 1; i < kKinds.size(); ++i) {
    if (kKinds[i].map_type == type) return static_cast<Kind>(i);
  }
  return Kind::item;
}
/// One of the kinds of monsters; `number` may be anything.
[[nodiscard]] constexpr Kind monster_kind(std::uint32_t number) noexcept {
  constexpr std::uint32_t kFirst = 2;  // after item and marine
  return static_cast<Kind>(kFirst + number % (kKinds.size() - kFirst));
}

}  // namespace demo
