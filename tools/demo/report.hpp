// What the demonstration shows on the screen: 24 lines at most for one map, one line each for many.
#pragma once

#include <string>

#include "demonstration.hpp"

namespace demo {

/// Colours and marks of a screen.
struct Screen {
  bool has_colour = false;

  /// A tick, or a cross.
  [[nodiscard]] std::string mark(bool passed) const;
  [[nodiscard]] std::string bold(const std::string& text) const;
  [[nodiscard]] std::string dim(const std::string& text) const;
};
/// Coloured when standard output is a terminal that wants it (NO_COLOR, TERM=dumb).
[[nodiscard]] Screen standard_screen();

[[nodiscard]] std::string full_report(const Screen& screen, const std::string& title,
                                      const Demonstration& result, const Files& files);
[[nodiscard]] std::string one_line_report(const Screen& screen, const std::string& map,
                                          const Demonstration& result);

}  // namespace demo
