// The whole demonstration on one map: play, save, resume elsewhere, the control, the inspector.
#pragma once

#include <string>
#include <vector>

#include "art.hpp"
#include "experiments.hpp"
#include "map.hpp"
#include "play.hpp"
#include "resume.hpp"

namespace demo {

/// One promise, and whether it was kept.
struct Check {
  bool passed = false;
  std::string text;
};

struct Demonstration {
  std::string error;  ///< Why it could not be carried out; empty: it was.
  Played played;
  Resumed resumed;
  Resumed control;
  AutosaveTrial autosaves;
  std::vector<Check> first_checks;      ///< Of this process.
  std::vector<Check> second_checks;     ///< Of the second process, the control and the inspector.
  std::vector<std::string> diff_lines;  ///< What hdbinspect says of tick 300 against tick 600.
  double seconds = 0;

  [[nodiscard]] std::vector<Check> failed_checks() const;
};

struct Programs {
  std::string demo;        ///< This one.
  std::string hdbinspect;  ///< Empty: not found.
};
/// This program, and the inspector beside it or in the folder of tools beside its own.
[[nodiscard]] Programs find_programs();

[[nodiscard]] Demonstration demonstrate(const MapData& map, const Art& art, std::uint64_t seed,
                                        const Files& files, const Programs& programs);

}  // namespace demo
