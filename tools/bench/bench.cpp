// Interleaved runs and medians.
#include "bench.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>
#include <malloc.h>

namespace hdb::bench {

std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random() % i)]);
  return order;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void make_memory_cold() { malloc_trim(0); }

bool Bench::wanted(std::string_view name) const {
  return options_.filter.empty() || name.find(options_.filter) != std::string_view::npos;
}

bool Bench::wants(std::initializer_list<std::string_view> names) const {
  return std::any_of(names.begin(), names.end(),
                     [this](std::string_view name) { return wanted(name); });
}

void Bench::add(const Goal& goal, double value, double own_ns, double base_ns) {
  const std::string note =
      goal.in_ms ? fmt::format("{:.3g} / {:.3g} ms {}", own_ns * 1e-6, base_ns * 1e-6, goal.note)
                 : goal.note;
  figures_.push_back({goal.name, value, goal.unit, goal.target, base_ns, own_ns, note});
  std::fprintf(stderr, "\r%-40s", goal.name.c_str());
}

void Bench::run_google(const std::string& name, const Run& run) const {
  benchmark::RegisterBenchmark(name.c_str(),
                               [run](benchmark::State& state) {
                                 for (auto _ : state) state.SetIterationTime(run() * 1e-9);
                               })
      ->UseManualTime()
      ->Iterations(static_cast<std::int64_t>(options_.rounds));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

void Bench::compare(const Goal& goal, const Run& own, const Run& base) {
  if (!wanted(goal.name)) return;
  if (options_.with_google) {
    run_google(goal.name + "/own", own);
    run_google(goal.name + "/base", base);
    return;
  }
  own();
  base();
  std::vector<double> own_ns;
  std::vector<double> base_ns;
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    own_ns.push_back(own());
    base_ns.push_back(base());
  }
  add(goal, median(own_ns) / median(base_ns), median(own_ns), median(base_ns));
}

void Bench::measure(const Goal& goal, const Run& own, double scale) {
  if (!wanted(goal.name)) return;
  if (options_.with_google) return run_google(goal.name, own);
  own();
  std::vector<double> own_ns;
  for (std::size_t round = 0; round < options_.rounds; ++round) own_ns.push_back(own());
  add(goal, median(own_ns) * scale, median(own_ns), 0);
}

void Bench::compare_difference(const Goal& goal, const Run& own, const Run& plain,
                               const Run& base) {
  if (!wanted(goal.name)) return;
  if (options_.with_google) {
    run_google(goal.name + "/own", own);
    run_google(goal.name + "/plain", plain);
    run_google(goal.name + "/base", base);
    return;
  }
  own();
  plain();
  base();
  std::vector<double> own_ns;
  std::vector<double> plain_ns;
  std::vector<double> base_ns;
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    own_ns.push_back(own());
    plain_ns.push_back(plain());
    base_ns.push_back(base());
  }
  const double extra = median(own_ns) - median(plain_ns);
  add(goal, extra / median(base_ns), extra, median(base_ns));
}

void Bench::tell(const Goal& goal, double value) {
  if (wanted(goal.name) && !options_.with_google) add(goal, value, 0, 0);
}

}  // namespace hdb::bench
