// hdb_bench: measures hdb against reference code in one run and says which targets are reached.
#include <cstdio>

#include <malloc.h>
#include <CLI/CLI.hpp>

#include "bench.hpp"
#include "report.hpp"

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
  app.add_flag("--quick", quick, "fewer runs: done in 60 s");
  app.add_flag("--google", options.with_google,
               "print every side as Google Benchmark does, without ratios");
  app.add_option("--filter", options.filter, "only metrics whose name contains this");
  CLI11_PARSE(app, argc, argv);
  if (quick) options.rounds = 7;

  // Fixed limits, so that what one row frees does not change where the next one's memory comes
  // from.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 27);
  char* google_arguments[] = {argv[0], nullptr};
  int google_count = 1;
  benchmark::Initialize(&google_count, google_arguments);

  hdb::bench::Bench bench(options);
  hdb::bench::capture_rows(bench);
  hdb::bench::table_rows(bench);
  hdb::bench::lookup_rows(bench);
  hdb::bench::edit_rows(bench);
  hdb::bench::iterate_rows(bench);
  hdb::bench::change_rows(bench);
  hdb::bench::memory_rows(bench);
  hdb::bench::encode_rows(bench);
  hdb::bench::file_rows(bench);
  hdb::bench::autosave_rows(bench);
  hdb::bench::archive_rows(bench);
  hdb::bench::pause_rows(bench);
  hdb::bench::sort_rows(bench);
  hdb::bench::inspect_rows(bench);
  hdb::bench::article_rows(bench);
#if HDB_BENCH_HAS_ENTT
  hdb::bench::entt_rows(bench);
#endif
  std::fprintf(stderr, "\r%-40s\r", "");
  if (options.with_google) return 0;
  if (json) hdb::bench::print_json(bench.figures());
  if (summary || !json) hdb::bench::print_summary(bench.figures());
  return 0;
}
