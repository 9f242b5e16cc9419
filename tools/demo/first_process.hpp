// The whole demonstration on one map: 15 checks.
#pragma once

#include <string>

#include "checks.hpp"

namespace demo {

struct Programs {
  std::string demo;        ///< This one.
  std::string hdbinspect;  ///< Empty: not found.
};
/// This program, and the inspector beside it or in the folder of tools beside its own.
[[nodiscard]] Programs find_programs();

/// A game with its facts for the screen, and the checks in this process and in the others.
struct Demonstration {
  std::string facts;
  std::string save_facts;
  Checks first_checks;     ///< In this process.
  Checks second_checks;    ///< In the second process, the control and the inspector.
  std::string diff_lines;  ///< What hdbinspect says of kSaveTick against kEndTick.

  [[nodiscard]] Checks failed_checks() const;
};

/// Plays `map` to the save and to the end, goes on to the next map, and writes all files but those
/// of the second process. Throws: runtime_error, WadError.
[[nodiscard]] Demonstration play(const Wad& wad, const std::string& map, std::uint64_t seed,
                                 const Files& files);
/// As play, with all other checks. `wad_path`: the WAD for the second process.
[[nodiscard]] Demonstration demonstrate(const Wad& wad, const std::string& wad_path,
                                        const std::string& map, std::uint64_t seed,
                                        const Files& files, const Programs& programs);

}  // namespace demo
