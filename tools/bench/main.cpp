// hdb_bench: measures hdb against reference code in one run and says which targets are reached.
#include <cstdio>

#include <fmt/format.h>
#include <malloc.h>
#include <CLI/CLI.hpp>

#include "bench.hpp"

namespace hdb::bench {
namespace {

constexpr Rows* kGroups[] = {
    capture_rows, rollback_rows, lookup_rows,   change_rows,  memory_rows, encode_rows,
    file_rows,    load_rows,     autosave_rows, archive_rows, pause_rows,  inspect_rows,
    article_rows, indie_rows,    growth_rows,   debug_rows,   peer_rows,
#if HDB_BENCH_HAS_ENTT
    entt_rows,
#endif
#if HDB_BENCH_HAS_IMGUI
    imgui_rows,
#endif
    compile_rows,
};

std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3g}", value);
}

void print_summary(const std::vector<Figure>& figures) {
  constexpr const char* kLine = "{:<28} {:>10} {:<6} {:>8}  {:<5} {:>11} {:>11}  {}\n";
  fmt::print(kLine, "metric", "figure", "unit", "target", "", "own ns", "base ns", "note");
  std::size_t missed = 0;
  std::size_t judged = 0;
  for (const Figure& figure : figures) {
    const Goal& goal = figure.goal;
    judged += goal.target ? 1 : 0;
    missed += figure.passes() ? 0 : 1;
    fmt::print(kLine, goal.name, number(figure.value), goal.unit.empty() ? "x" : goal.unit,
               goal.target ? number(*goal.target) : "-",
               !goal.target      ? ""
               : figure.passes() ? "pass"
                                 : "FAIL",
               figure.own_ns > 0 ? number(figure.own_ns) : "",
               figure.base_ns > 0 ? number(figure.base_ns) : "", goal.note);
  }
  fmt::print("{} of {} targets reached\n", judged - missed, judged);
}

void print_json(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    const std::optional<double>& target = figure.goal.target;
    fmt::print(R"({{"name": "{}", "value": {:.6g}, "unit": "{}", "target": {}, "pass": {}, )"
               R"("base_ns": {:.6g}, "own_ns": {:.6g}}})"
               "\n",
               figure.goal.name, figure.value, figure.goal.unit,
               target ? fmt::format("{:g}", *target) : "null",
               !target           ? "null"
               : figure.passes() ? "true"
                                 : "false",
               figure.base_ns, figure.own_ns);
  }
}

}  // namespace
}  // namespace hdb::bench

int main(int argc, char** argv) {
  CLI::App app{
      "Measures hdb. Each ratio is taken against reference code in the same run; medians."};
  hdb::bench::Bench::Options options;
  bool summary = false;
  bool json = false;
  bool quick = false;
  app.add_flag("--summary", summary,
               "print a table with figure, target, pass or FAIL (the default)");
  app.add_flag("--json", json, "print one JSON object a line");
  app.add_flag("--quick", quick, "fewer runs, and no compile_*: done in 60 s");
  app.add_flag("--google", options.with_google,
               "print every side as Google Benchmark does, without ratios");
  app.add_option("--filter", options.filter, "only metrics whose name contains this");
  CLI11_PARSE(app, argc, argv);
  if (quick) options.rounds = 7;

  // Fixed limits, so that what one row frees does not change where the next one's memory comes
  // from.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 27);
  int google_count = 1;
  benchmark::Initialize(&google_count, argv);

  hdb::bench::Bench bench(options);
  for (hdb::bench::Rows* const rows : hdb::bench::kGroups) {
    const bool takes_minutes = rows == hdb::bench::compile_rows;
    if (!quick || !takes_minutes || !options.filter.empty()) rows(bench);
  }
  std::fprintf(stderr, "\r%-40s\r", "");
  if (options.with_google) return 0;
  if (json) hdb::bench::print_json(bench.figures());
  if (summary || !json) hdb::bench::print_summary(bench.figures());
  return 0;
}
