// How figures are measured: runs of both sides interleaved, medians, and nothing but the timed part
// on the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "report.hpp"

namespace hdb {
namespace detail {}
using namespace detail;  // the benchmark also measures parts that have no promise
}  // namespace hdb

namespace hdb::bench {

/// Does one run and returns its nanoseconds per operation.
using Run = std::function<double()>;

/// What a figure is called and must reach.
struct Goal {
  std::string name;
  std::optional<double> target = {};
  std::string unit = {};
  std::string note = {};
  bool in_ms = false;  ///< Show both sides in milliseconds before the note.
};

/// Nanoseconds that `work` takes.
template <class Work>
double time_ns(Work&& work) {
  benchmark::ClobberMemory();
  const auto begin = std::chrono::steady_clock::now();
  work();
  benchmark::ClobberMemory();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

/// Nanoseconds of each of `count` operations that `work` does together.
template <class Work>
double time_each_ns(std::size_t count, Work&& work) {
  return time_ns(work) / static_cast<double>(count);
}

/// Copies memory that is warm, for comparison.
class WarmCopy {
 public:
  explicit WarmCopy(std::size_t bytes) : from_(bytes, std::byte{1}), to_(bytes, std::byte{2}) {}
  /// Nanoseconds of one copy.
  double operator()() {
    return time_ns([&] {
      std::memcpy(to_.data(), from_.data(), to_.size());
      benchmark::DoNotOptimize(to_.data());
    });
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

/// Nanoseconds of processor time that the calling thread has used.
[[nodiscard]] double thread_cpu_ns();

/// The longest of many calls, one directly after the other. Time in which other programs had the
/// processor does not count. Asking for the processor time takes about 1 us, so this happens after
/// a long call, or after 64 short ones.
class LongestCall {
 public:
  template <class Call>
  void operator()(Call&& call) {
    call();
    const auto now = Clock::now();
    const auto took = now - last_;
    last_ = now;
    window_longest_ = std::max(window_longest_, took);
    if (++calls_ % 64 == 0 || took > kLong) end_window();
  }
  /// Nanoseconds of the longest call so far.
  [[nodiscard]] double ns() {
    end_window();
    return longest_ns_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kLong{10};
  void end_window();

  Clock::time_point last_ = Clock::now();
  Clock::time_point window_begin_ = last_;
  Clock::duration window_longest_{};
  double window_begin_cpu_ns_ = thread_cpu_ns();
  double longest_ns_ = 0;
  std::size_t calls_ = 0;
};

/// Collects figures.
class Bench {
 public:
  struct Options {
    std::size_t rounds = 15;  ///< Runs of each side; at least 7.
    std::string filter = {};  ///< A part of the wanted names; empty: all.
    bool with_google =
        false;  ///< Run each side under Google Benchmark instead, printing its own table.
  };
  explicit Bench(Options options) : options_(std::move(options)) {}

  /// Whether one of the names is asked for; if not, the group need not prepare its data.
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
  [[nodiscard]] bool wanted(std::string_view name) const;
  void add(const Goal& goal, double value, double own_ns, double base_ns);
  /// The nanoseconds of all sides, a round after the other.
  using Rounds = std::vector<std::vector<double>>;
  [[nodiscard]] Rounds run(const std::string& name,
                           const std::vector<std::pair<const char*, Run>>& sides) const;
  /// Adds the median of what `value` and the other two compute from a round; nothing if there are
  /// none.
  using OfRound = std::function<double(const std::vector<double>&)>;
  void add_medians(const Goal& goal, const Rounds& rounds, const OfRound& value,
                   const OfRound& own_ns, const OfRound& base_ns);

  Options options_;
  std::vector<Figure> figures_;
};

// The groups of rows; each measures those that are wanted.
void lookup_rows(Bench& bench);
void edit_rows(Bench& bench);
void iterate_rows(Bench& bench);
void change_rows(Bench& bench);
void capture_rows(Bench& bench);
void table_rows(Bench& bench);
void memory_rows(Bench& bench);
void encode_rows(Bench& bench);
void file_rows(Bench& bench);
void autosave_rows(Bench& bench);
void archive_rows(Bench& bench);
void pause_rows(Bench& bench);
void sort_rows(Bench& bench);
void inspect_rows(Bench& bench);
void article_rows(Bench& bench);
void entt_rows(Bench& bench);  // where EnTT is found

}  // namespace hdb::bench
