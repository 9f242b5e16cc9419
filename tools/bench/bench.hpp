// How a row is written and measured: its name, target, unit and note, then its sides. Runs of the
// sides are interleaved, figures are medians, and nothing but the timed part is on the clock. Files
// of rows get the most common standard headers from here.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace hdb {
namespace detail {}
using namespace detail;  // the benchmark also measures parts that have no promise
}  // namespace hdb

namespace hdb::bench {

/// What a figure is called and must reach.
struct Goal {
  std::string name;
  std::optional<double> target = {};  ///< At most this; none: reported only.
  std::string unit = {};              ///< Empty: a ratio.
  std::string note = {};
  bool in_ms = false;  ///< Show both sides in milliseconds before the note.
};

/// One figure.
struct Figure {
  Goal goal;
  double value = 0;
  double own_ns = 0;   ///< Per operation, or per run if a run is one operation; 0: unknown.
  double base_ns = 0;  ///< The same of the reference.

  [[nodiscard]] bool passes() const noexcept { return !goal.target || value <= *goal.target; }
};

/// Nanoseconds that `work` takes. Its result, if any, counts as used.
template <class Work>
double time_ns(Work&& work) {
  benchmark::ClobberMemory();
  const auto begin = std::chrono::steady_clock::now();
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    work();
  } else {
    benchmark::DoNotOptimize(work());
  }
  benchmark::ClobberMemory();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

/// Nanoseconds of each of `count` operations that `work` does together.
template <class Work>
double time_each_ns(std::size_t count, Work&& work) {
  return time_ns(work) / static_cast<double>(count);
}

/// One side of a row: a call that returns its own nanoseconds per operation as a `double`. Any
/// other call is timed as a whole.
class Run {
 public:
  template <class Work>
  requires(!std::is_same_v<Work, Run>)
      Run(Work work) {  // NOLINT(google-explicit-constructor): a row shows only its work
    if constexpr (std::is_same_v<std::invoke_result_t<Work>, double>) {
      run_ = std::move(work);
    } else {
      run_ = [work = std::move(work)] { return time_ns(work); };
    }
  }
  double operator()() const { return run_(); }

 private:
  std::function<double()> run_;
};

/// A value that is made when a row first uses it, so that rows that are not wanted cost nothing.
template <class Make>
class Lazy {
 public:
  explicit Lazy(Make make) : make_(std::move(make)) {}
  auto& operator*() {
    if (value_ == nullptr) value_.reset(new auto(make_()));
    return *value_;
  }
  auto* operator->() { return &**this; }

 private:
  Make make_;
  std::unique_ptr<std::invoke_result_t<Make>> value_;
};

/// Copies memory that is warm, for comparison.
class WarmCopy {
 public:
  explicit WarmCopy(std::size_t bytes) : from_(bytes, std::byte{1}), to_(bytes, std::byte{2}) {}
  /// Nanoseconds of one copy.
  double operator()() {
    return time_ns([&] { return std::memcpy(to_.data(), from_.data(), to_.size()); });
  }

 private:
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
};

/// The same numbers in every run of the program.
inline constexpr std::uint64_t kSeed = 0x68646221;

/// 0, 1, ..., count - 1 in a random order.
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed = kSeed);

/// The value below which the share `part` of the values lies.
[[nodiscard]] double quantile(std::vector<double> values, double part);
/// Median of the values.
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

/// Gives free memory back to the system, so that what follows is cold.
void make_memory_cold();

/// Begins to count the memory that the program, its libraries included, takes.
void start_counting_memory() noexcept;
/// Ends it; the most bytes that were taken at once since then and not given back. -1: they cannot
/// be counted in this build.
[[nodiscard]] std::int64_t most_memory_counted() noexcept;

/// Collects figures.
class Bench {
 public:
  struct Options {
    std::size_t rounds = 15;   ///< Runs of each side; at least 7.
    std::string filter = {};   ///< A part of the wanted names; empty: all.
    bool with_google = false;  ///< Let Google Benchmark run each side and print its own table.
  };
  explicit Bench(Options options) : options_(std::move(options)) {}

  /// Whether one of the names is asked for; if not, its data need not be prepared.
  [[nodiscard]] bool wants(std::initializer_list<std::string_view> names) const;

  /// own / base: each side runs once unmeasured, then both in turn. The median of the ratios of
  /// neighbouring runs, so that a time in which other programs slow both sides changes little.
  void compare(const Goal& goal, const Run& own, const Run& base);
  /// own alone, in the goal's unit: ns, us or ms.
  void measure(const Goal& goal, const Run& own);
  /// (own - plain) / base, in the same manner.
  void compare_difference(const Goal& goal, const Run& own, const Run& plain, const Run& base);
  /// A figure that the caller computed, in the goal's unit.
  void report(const Goal& goal, double value);

  [[nodiscard]] const std::vector<Figure>& figures() const noexcept { return figures_; }
  [[nodiscard]] std::size_t rounds() const noexcept { return options_.rounds; }

 private:
  /// Adds the median of what each function computes from the nanoseconds of all sides of a round.
  using OfRound = double (*)(const std::vector<double>& ns);
  void add(const Goal& goal, const std::vector<Run>& sides, OfRound value, OfRound own_ns,
           OfRound base_ns);
  void run_with_google(const std::string& name, const std::vector<Run>& sides) const;
  void add(const Figure& figure);

  Options options_;
  std::vector<Figure> figures_;
};

/// A group of rows; measures those that are wanted.
using Rows = void(Bench& bench);
Rows capture_rows, lookup_rows, change_rows, memory_rows, encode_rows, file_rows, autosave_rows;
Rows archive_rows, load_rows, pause_rows, inspect_rows, article_rows, rollback_rows, entt_rows;
Rows indie_rows, growth_rows, debug_rows, compile_rows, peer_rows, imgui_rows;

}  // namespace hdb::bench
