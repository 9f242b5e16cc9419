// The figures of a run, and how they are printed: a table for people, a line of JSON each for
// programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hdb::bench {

/// One figure.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;              ///< Empty: a ratio.
  std::optional<double> target;  ///< At most this; none: reported only.
  double base_ns =
      0;  ///< The reference, per operation (or per run where there is no operation); 0: none.
  double own_ns = 0;
  std::string note;

  [[nodiscard]] bool passes() const noexcept { return !target || value <= *target; }
};

/// Prints the table: name, figure, target, pass or FAIL.
void print_summary(const std::vector<Figure>& figures);
/// Prints one JSON object a line.
void print_json(const std::vector<Figure>& figures);

}  // namespace hdb::bench
