// What the demonstration consists of: its checks, its ticks, its files, and what one process writes
// for the other.
#pragma once

#include <cereal/archives/json.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "judges.hpp"

namespace demo {

inline constexpr std::uint32_t kSaveTick = 300;
inline constexpr std::uint32_t kEndTick = 600;
/// From kEndTick to here the game goes on in the next map.
inline constexpr std::uint32_t kLastTick = 660;
inline constexpr std::uint32_t kAutosaveTicks = 50;
inline constexpr std::uint32_t kSyncTestTicks = 60;
inline constexpr std::uint32_t kRollbackTicks = 8;

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

// second_process.cpp

/// Loads the save, plays on to kEndTick and in the next map.
/// Throws: runtime_error if the save or the expectations cannot be read.
[[nodiscard]] Checks check_resumed_game(const Files& files, const Wad& wad);
/// The control: from the save with sorted free lists the game must take another course.
/// Throws: as check_resumed_game.
[[nodiscard]] Check check_control(const Files& files, const Wad& wad);

// first_process.cpp

/// A game with its facts for the screen, and the checks in this process and in the others.
struct Demonstration {
  std::string facts;
  std::string save_facts;
  Checks first_checks;     ///< In this process.
  Checks second_checks;    ///< In the second process, the control and the inspector.
  std::string diff_lines;  ///< What hdbinspect says of kSaveTick against kEndTick.
};
/// Plays `map` to the save and to the end, goes on to the next map, and writes all files but those
/// of the second process. Throws: runtime_error, WadError.
[[nodiscard]] Demonstration play(const Wad& wad, const std::string& map, std::uint64_t seed,
                                 const Files& files);
/// As play, with all other checks. `wad_path`: the WAD for the second process, which is `program`;
/// hdbinspect is beside it or in the folder of tools beside its own.
[[nodiscard]] Demonstration demonstrate(const Wad& wad, const std::string& wad_path,
                                        const std::string& map, std::uint64_t seed,
                                        const Files& files, const std::string& program);

// trials.cpp: what cheap captures make possible, each tried on games of its own.

/// One game played twice: without saves, and with an autosave into `folder` every kAutosaveTicks.
/// Both must end in the same state, and the newest file must hold the state of its tick.
[[nodiscard]] Check try_autosaves(const Wad& wad, const std::string& map, std::uint64_t seed,
                                  const std::string& folder);
/// Runs each of kSyncTestTicks ticks twice from one state. `with_bug`: the rules then depend on a
/// variable that is in no save, which must be found.
[[nodiscard]] Check try_sync(const Wad& wad, const std::string& map, std::uint64_t seed,
                             bool with_bug);
/// Goes kRollbackTicks back in each frame and plays them again. The game must end in the state of
/// one that never goes back.
[[nodiscard]] Check try_rollback(const Wad& wad, const std::string& map, std::uint64_t seed);

// sorted_image.cpp

/// Writes `to`: the same records, slots and generations as `from`, but free lists in rising order.
void write_with_sorted_free_lists(const std::string& from, const std::string& to);
/// The free slots of one table of a save, in the order of use.
[[nodiscard]] std::vector<std::uint32_t> free_list_of(const std::string& path,
                                                      std::string_view table);

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The value of a result of hdb. Throws: runtime_error with the error's message.
template <class R>
auto must(R result) {
  if (!result) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<typename R::value_type>) return *std::move(result);
}

}  // namespace demo
