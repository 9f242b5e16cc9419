// What the demonstration consists of: its checks, its ticks, its files, and what one process writes
// for the other.
#pragma once

#include <cereal/archives/json.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "judges.hpp"

namespace demo {

inline constexpr std::uint32_t kSaveTick = 300;
inline constexpr std::uint32_t kEndTick = 600;
/// From kEndTick to here the game goes on in the next map.
inline constexpr std::uint32_t kLastTick = 660;

/// One promise, and whether it was kept.
struct Check {
  bool passed = false;
  std::string text;
};
using Checks = std::vector<Check>;

/// Names of the files in the folder of a demonstration.
struct Files {
  std::string folder;

  [[nodiscard]] std::string save() const { return folder + "/tick300.hdb"; }
  [[nodiscard]] std::string sorted_save() const { return folder + "/tick300-sorted.hdb"; }
  [[nodiscard]] std::string end() const { return folder + "/tick600.hdb"; }
  [[nodiscard]] std::string resumed_end() const { return folder + "/tick600-resumed.hdb"; }
  [[nodiscard]] std::string expected() const { return folder + "/expected.json"; }
};

/// A game on the next map.
struct Journey {
  std::string map;
  TextureFacts textures;
  std::size_t pixels = 0;   ///< Textures with pixels at kLastTick.
  std::string state_hash;   ///< At kLastTick, by hdb.
  std::uint64_t plain = 0;  ///< At kLastTick, without hdb.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(map), CEREAL_NVP(textures), CEREAL_NVP(pixels), CEREAL_NVP(state_hash),
            CEREAL_NVP(plain));
  }
  friend bool operator==(const Journey&, const Journey&) = default;
};
/// Leaves for the next map and plays there to kLastTick.
[[nodiscard]] Journey play_next_map(Game& game);

/// What the second process must find: JSON by cereal, without hdb.
struct Expected {
  HandleList handles;             ///< At the tick of the save.
  std::vector<TickHashes> trace;  ///< The ticks from the save to the end.
  std::size_t textures = 0;       ///< At the tick of the save.
  std::string state_hash;         ///< At the end, by hdb.
  std::uint64_t plain = 0;        ///< At the end, without hdb.
  Journey journey;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(handles), CEREAL_NVP(trace), CEREAL_NVP(textures), CEREAL_NVP(state_hash),
            CEREAL_NVP(plain), CEREAL_NVP(journey));
  }
};

/// The second process: loads the save, plays on to kEndTick and in the next map.
/// Throws: runtime_error if the save or the expectations cannot be read.
[[nodiscard]] Checks check_resumed_game(const Files& files, const Wad& wad);
/// The control: from the save with sorted free lists the game must take another course.
/// Throws: as check_resumed_game.
[[nodiscard]] Check check_control(const Files& files, const Wad& wad);

/// The value of a result of hdb. Throws: runtime_error with the error's message.
template <class R>
auto must(R result) {
  if (!result) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<typename R::value_type>) return *std::move(result);
}

}  // namespace demo
