// Interleaved runs and medians.
#include "bench.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

namespace hdb::bench {

std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random() % i)]);
  return order;
}

double quantile(std::vector<double> values, double part) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * part);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void make_memory_cold() { malloc_trim(0); }

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void LongestCall::end_window() {
  const auto as_ns = [](Clock::duration time) {
    return std::chrono::duration<double, std::nano>(time).count();
  };
  const double cpu_ns = thread_cpu_ns();
  const double lost_ns =
      std::max(0.0, as_ns(last_ - window_begin_) - (cpu_ns - window_begin_cpu_ns_));
  longest_ns_ = std::max(longest_ns_, as_ns(window_longest_) - lost_ns);
  window_begin_cpu_ns_ = thread_cpu_ns();
  last_ = window_begin_ = Clock::now();
  window_longest_ = {};
}

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

// Each side once unmeasured, then all in turn. Under Google Benchmark: prints, and returns nothing.
Bench::Rounds Bench::run(const std::string& name,
                         const std::vector<std::pair<const char*, Run>>& sides) const {
  if (options_.with_google) {
    for (const auto& [side, run] : sides) {
      benchmark::RegisterBenchmark((name + side).c_str(),
                                   [run = run](benchmark::State& state) {
                                     for (auto _ : state) state.SetIterationTime(run() * 1e-9);
                                   })
          ->UseManualTime()
          ->Iterations(static_cast<std::int64_t>(options_.rounds));
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
    return {};
  }
  for (const auto& [side, run] : sides) run();
  Rounds rounds(options_.rounds);
  for (std::vector<double>& round : rounds) {
    for (const auto& [side, run] : sides) round.push_back(run());
  }
  return rounds;
}

void Bench::add_medians(const Goal& goal, const Rounds& rounds, const OfRound& value,
                        const OfRound& own_ns, const OfRound& base_ns) {
  if (rounds.empty()) return;
  const auto median_of = [&](const OfRound& of_round) {
    std::vector<double> values;
    for (const std::vector<double>& round : rounds) values.push_back(of_round(round));
    return median(std::move(values));
  };
  add(goal, median_of(value), median_of(own_ns), median_of(base_ns));
}

void Bench::compare(const Goal& goal, const Run& own, const Run& base) {
  if (!wanted(goal.name)) return;
  add_medians(
      goal, run(goal.name, {{"/own", own}, {"/base", base}}),
      [](auto& ns) { return ns[0] / ns[1]; }, [](auto& ns) { return ns[0]; },
      [](auto& ns) { return ns[1]; });
}

void Bench::measure(const Goal& goal, const Run& own) {
  if (!wanted(goal.name)) return;
  const double scale = goal.unit == "ms" ? 1e-6 : goal.unit == "us" ? 1e-3 : 1;
  add_medians(
      goal, run(goal.name, {{"", own}}), [scale](auto& ns) { return ns[0] * scale; },
      [](auto& ns) { return ns[0]; }, [](auto&) { return 0.0; });
}

void Bench::compare_difference(const Goal& goal, const Run& own, const Run& plain,
                               const Run& base) {
  if (!wanted(goal.name)) return;
  add_medians(
      goal, run(goal.name, {{"/own", own}, {"/plain", plain}, {"/base", base}}),
      [](auto& ns) { return (ns[0] - ns[1]) / ns[2]; }, [](auto& ns) { return ns[0] - ns[1]; },
      [](auto& ns) { return ns[2]; });
}

void Bench::report(const Goal& goal, double value) {
  if (wanted(goal.name) && !options_.with_google) add(goal, value, 0, 0);
}

}  // namespace hdb::bench
