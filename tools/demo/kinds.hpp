// What kinds of things live in a map, and how they fight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace demo {

enum class Kind : std::uint8_t {
  item,
  marine,
  zombie,
  sergeant,
  gunner,
  imp,
  hound,
  ghost,
  skull,
  eye,
  knight,
  baron,
  skeleton,
  brute,
  spider,
  giant,
};

/// How a kind moves and fights.
struct KindInfo {
  std::string_view name;
  std::int32_t hp = 0;
  std::int32_t speed = 0;      ///< Map units a tick.
  std::uint32_t bullets = 0;   ///< Bullets of one shot, which hit in the tick of the shot.
  std::uint32_t missiles = 0;  ///< Missiles of one shot, which fly for many ticks.
  std::int32_t damage = 0;
  bool flies = false;
  std::string_view picture;  ///< A lump of the WAD.
  std::string_view sound;    ///< Of its shots: a lump; empty: none.
};
inline constexpr std::size_t kKindCount = 16;
/// Of everything that flies for more than a tick.
inline constexpr std::string_view kFireballSound = "DSFIRSHT";

[[nodiscard]] const KindInfo& info_of(Kind kind) noexcept;
/// The kind of the map's thing number; `item` for everything that does not fight.
[[nodiscard]] Kind kind_of_map_type(std::uint16_t type) noexcept;
/// One of the kinds that fight, but a marine; `number` may be anything.
[[nodiscard]] Kind monster_kind(std::uint32_t number) noexcept;

}  // namespace demo
