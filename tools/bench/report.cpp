// The summary table and the JSON lines.
#include "report.hpp"

#include <string>

#include <fmt/format.h>

namespace hdb::bench {
namespace {

std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

void print_summary(const std::vector<Figure>& figures) {
  fmt::print("{:<28} {:>10} {:<6} {:>8}  {:<5} {:>11} {:>11}  {}\n", "metric", "figure", "unit",
             "target", "", "own ns", "base ns", "note");
  std::size_t missed = 0;
  std::size_t judged = 0;
  for (const Figure& figure : figures) {
    judged += figure.target ? 1 : 0;
    missed += figure.passes() ? 0 : 1;
    fmt::print("{:<28} {:>10} {:<6} {:>8}  {:<5} {:>11} {:>11}  {}\n", figure.name,
               number(figure.value), figure.unit.empty() ? "x" : figure.unit,
               figure.target ? number(*figure.target) : "-",
               !figure.target    ? ""
               : figure.passes() ? "pass"
                                 : "FAIL",
               figure.own_ns > 0 ? number(figure.own_ns) : "",
               figure.base_ns > 0 ? number(figure.base_ns) : "", figure.note);
  }
  fmt::print("{} of {} targets reached\n", judged - missed, judged);
}

void print_json(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    fmt::print(R"({{"name": "{}", "value": {:.6g}, "unit": "{}", "target": {}, "pass": {}, )"
               R"("base_ns": {:.6g}, "own_ns": {:.6g}}})"
               "\n",
               figure.name, figure.value, figure.unit,
               figure.target ? fmt::format("{:g}", *figure.target) : "null",
               figure.target ? (figure.passes() ? "true" : "false") : "null", figure.base_ns,
               figure.own_ns);
  }
}

}  // namespace hdb::bench
