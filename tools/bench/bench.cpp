// Interleaved runs and medians.
#include "bench.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

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

double quantile(std::vector<double> values, double part) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * part);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void make_memory_cold() { malloc_trim(0); }

bool Bench::wants(std::initializer_list<std::string_view> names) const {
  return std::any_of(names.begin(), names.end(), [this](std::string_view name) {
    return name.find(options_.filter) != std::string_view::npos;
  });
}

void Bench::add(const Figure& figure) {
  figures_.push_back(figure);
  std::string& note = figures_.back().goal.note;
  if (figure.goal.in_ms)
    note = fmt::format("{:.3g} / {:.3g} ms {}", figure.own_ns * 1e-6, figure.base_ns * 1e-6, note);
  std::fprintf(stderr, "\r%-40s", figure.goal.name.c_str());
}

void Bench::run_with_google(const std::string& name, const std::vector<Run>& sides) const {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const char* const side = i == 0 ? "/own" : i + 1 == sides.size() ? "/base" : "/plain";
    benchmark::RegisterBenchmark((name + side).c_str(),
                                 [run = sides[i]](benchmark::State& state) {
                                   for (auto _ : state) state.SetIterationTime(run() * 1e-9);
                                 })
        ->UseManualTime()
        ->Iterations(static_cast<std::int64_t>(options_.rounds));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

void Bench::add(const Goal& goal, const std::vector<Run>& sides, OfRound value, OfRound own_ns,
                OfRound base_ns) {
  if (!wants({goal.name})) return;
  for (const Run& run : sides) run();
  if (options_.with_google) return run_with_google(goal.name, sides);
  std::vector<double> values, owns, bases;
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    std::vector<double> ns;
    for (const Run& run : sides) ns.push_back(run());
    values.push_back(value(ns));
    owns.push_back(own_ns(ns));
    bases.push_back(base_ns(ns));
  }
  add({goal, median(values), median(owns), median(bases)});
}

void Bench::compare(const Goal& goal, const Run& own, const Run& base) {
  add(
      goal, {own, base}, [](auto& ns) { return ns[0] / ns[1]; }, [](auto& ns) { return ns[0]; },
      [](auto& ns) { return ns[1]; });
}

void Bench::measure(const Goal& goal, const Run& own) {
  const OfRound time = [](auto& ns) { return ns[0]; };
  const OfRound in_us = [](auto& ns) { return ns[0] * 1e-3; };
  const OfRound in_ms = [](auto& ns) { return ns[0] * 1e-6; };
  add(goal, {own},
      goal.unit == "ms"   ? in_ms
      : goal.unit == "us" ? in_us
                          : time,
      time, [](auto&) { return 0.0; });
}

void Bench::compare_difference(const Goal& goal, const Run& own, const Run& plain,
                               const Run& base) {
  add(
      goal, {own, plain, base}, [](auto& ns) { return (ns[0] - ns[1]) / ns[2]; },
      [](auto& ns) { return ns[0] - ns[1]; }, [](auto& ns) { return ns[2]; });
}

void Bench::report(const Goal& goal, double value) {
  if (wants({goal.name}) && !options_.with_google) add({goal, value});
}

}  // namespace hdb::bench
