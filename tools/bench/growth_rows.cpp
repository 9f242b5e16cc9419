// growth_*: how the time of a whole task grows with its size. The figure is the exponent k of the
// curve time = c * size^k that fits three sizes best: 1 is linear, 2 quadratic. The time is that of
// the processor, which other programs change less than that of a clock.
#include <time.h>

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bench.hpp"
#include "hdb/component_table.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

using Sizes = std::array<std::size_t, 3>;
constexpr std::size_t kRuns = 7;

double processor_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Work>
double cpu_ns(const Work& work) {
  const double begin = processor_ns();
  work();
  benchmark::ClobberMemory();
  return processor_ns() - begin;
}

// The slope of the line through the logarithms with the least squares.
double fitted_exponent(const Sizes& sizes, const std::array<double, 3>& times) {
  double x_mean = 0;
  double y_mean = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    x_mean += std::log(static_cast<double>(sizes[i])) / 3;
    y_mean += std::log(times[i]) / 3;
  }
  double xy = 0;
  double xx = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(static_cast<double>(sizes[i])) - x_mean;
    xy += x * (std::log(times[i]) - y_mean);
    xx += x * x;
  }
  return xy / xx;
}

// The nanoseconds of one run of a task, and of erases of the same records in the same random order,
// each of which takes constant time but for the caches of the processor; 1: not compared.
struct Times {
  double own_ns = 0;
  double erases_ns = 1;
};

// `task(size)` returns the Times of one run; the shortest of several counts. What is fitted is the
// time, or how many erases take as long.
template <class Task>
void growth(Bench& bench, const std::string& name, const Sizes& sizes, const Task& task) {
  if (!bench.wants({name})) return;
  std::array<double, 3> times{};
  std::string note;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Times best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (std::size_t run = 0; run < kRuns; ++run) {
      const Times now = task(sizes[i]);
      best = {std::min(best.own_ns, now.own_ns), std::min(best.erases_ns, now.erases_ns)};
    }
    times[i] = best.own_ns;
    if (best.erases_ns != 1) times[i] *= static_cast<double>(sizes[i]) / best.erases_ns;
    note += fmt::format("{}{}: {:.3g} ms", i == 0 ? "" : ", ", sizes[i], best.own_ns * 1e-6);
  }
  bench.report({name, 1.1, "exp", note}, fitted_exponent(sizes, times));
}

using Handles = std::vector<Handle<Body>>;

// Fills a table and erases all records in a random order; returns their handles.
Handles fill_and_erase(Table<Body>& table, std::size_t count) {
  Handles handles;
  for (std::size_t i = 0; i < count; ++i) handles.push_back(table.insert(make_body(i)));
  for (const std::uint32_t i : shuffled(count, kSeed + 1)) table.erase(handles[i]);
  return handles;
}

template <FreeList Policy>
Times revive_all(std::size_t count) {
  Table<Body> table({.free_list = Policy});
  const Handles handles = fill_and_erase(table, count);
  const std::vector<std::uint32_t> order = shuffled(count);
  const double own = cpu_ns([&] {
    for (const std::uint32_t i : order) table.revive(handles[i], make_body(i));
  });
  return {own, cpu_ns([&] {
            for (const std::uint32_t i : order) table.erase(handles[i]);
          })};
}

template <FreeList Policy>
Times insert_all_as(std::size_t count) {
  Table<Body> table({.free_list = Policy});
  const Handles handles = fill_and_erase(table, count);
  const std::vector<std::uint32_t> order = shuffled(count);
  Handles inserted(count);
  const double own = cpu_ns([&] {
    for (const std::uint32_t i : order) {
      const std::uint64_t generation = handles[i].generation() + 1;
      const std::uint64_t later = generation << 32 | handles[i].index();
      inserted[i] = Handle<Body>::from_bits(later);
      table.insert_as(inserted[i], make_body(i));
    }
  });
  return {own, cpu_ns([&] {
            for (const std::uint32_t i : order) table.erase(inserted[i]);
          })};
}

// Revivals with a capture after each, as a game with rollback makes them.
Times revive_between_captures(std::size_t count) {
  Database database;
  auto& table = database.create_table<Body>("bodies");
  const Handles handles = fill_and_erase(table, count);
  const std::vector<std::uint32_t> order = shuffled(count);
  return {cpu_ns([&] {
    for (const std::uint32_t i : order) {
      table.revive(handles[i], make_body(i));
      benchmark::DoNotOptimize(database.capture());
    }
  })};
}

// Levels of tables that are made, filled, captured and dropped.
Times make_and_drop_levels(std::size_t levels) {
  constexpr std::size_t kTables = 20;
  using L = Layout<32, 16, 15>;
  Database database;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kTables; ++i) names.push_back(fmt::format("table {}", i));
  return {cpu_ns([&] {
    for (std::size_t level = 0; level < levels; ++level) {
      for (const std::string& name : names)
        database.create_table<Body, L>(name).insert(make_body(level));
      benchmark::DoNotOptimize(database.capture());
      for (const std::string& name : names) database.drop_table(name);
    }
  })};
}

struct Mark {
  std::uint64_t value = 0;
};

// The first component of a table, of the last of its owners.
template <Storage Stored>
Times component_of_the_last(std::size_t owners) {
  Database database;
  auto& bodies = database.create_table<Body>("bodies");
  Handle<Body> last;
  for (std::size_t i = 0; i < owners; ++i) last = bodies.insert(make_body(i));
  auto& marks =
      database.create_component_table<Mark>("marks", bodies, ComponentOptions{.storage = Stored});
  return {cpu_ns([&] { marks.insert(last, Mark{1}); })};
}

Times clear_all(std::size_t count) {
  Table<Body> table;
  for (std::size_t i = 0; i < count; ++i) table.insert(make_body(i));
  return {cpu_ns([&] { table.clear(); })};
}

}  // namespace

void growth_rows(Bench& bench) {
  constexpr Sizes kRecords{32'000, 64'000, 128'000};
  growth(bench, "growth_revive_lifo", kRecords, revive_all<FreeList::lifo>);
  growth(bench, "growth_revive_fifo", kRecords, revive_all<FreeList::fifo>);
  growth(bench, "growth_insert_as_lifo", kRecords, insert_all_as<FreeList::lifo>);
  growth(bench, "growth_insert_as_fifo", kRecords, insert_all_as<FreeList::fifo>);
  growth(bench, "growth_revive_captured", {8'000, 16'000, 32'000}, revive_between_captures);
  growth(bench, "growth_levels", {100, 300, 900}, make_and_drop_levels);
  growth(bench, "growth_component_dense", {500'000, 1'000'000, 2'000'000},
         component_of_the_last<Storage::dense>);
  growth(bench, "growth_component_stable", {500'000, 1'000'000, 2'000'000},
         component_of_the_last<Storage::stable>);
  growth(bench, "growth_clear", {250'000, 500'000, 1'000'000}, clear_all);
}

}  // namespace hdb::bench
