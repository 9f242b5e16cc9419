// create, erase_random_*, reinsert_half: what changes the set of records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bench.hpp"
#include "create.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"
#include "reference/handle_map.hpp"
#include "reference/slot_map.hpp"

namespace hdb::bench {
namespace {

template <class Make>
double create_bodies(const Make& make) {
  return create_cold(make, kMillion) / static_cast<double>(kMillion);
}

// One full container for all runs: each pass erases a random half and inserts as many records
// again. Each pass draws another half, so that positions and free list are as random as after a
// long game. The handles to erase are adjacent in memory, so that only the cache misses of the
// container count.
template <class Container>
class Churn {
 public:
  template <class... Options>
  explicit Churn(std::size_t count, const Options&... options) : bodies_(count, options...) {}

  // Nanoseconds of an erase.
  double erase() { return run().erase_ns; }
  // Nanoseconds of an insert after the erases.
  double reinsert() { return run().insert_ns; }

 private:
  struct Times {
    double erase_ns = 0;
    double insert_ns = 0;
  };

  // At least a million records in several passes.
  Times run() {
    Container& container = bodies_.container;
    auto& handles = bodies_.handles;
    const std::size_t half = handles.size() / 2;
    const std::size_t passes = kMillion / handles.size();
    Times times;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      std::shuffle(handles.begin(), handles.end(), random_);
      times.erase_ns += time_each_ns(half * passes, [&] {
        for (std::size_t i = 0; i < half; ++i)
          benchmark::DoNotOptimize(container.erase(handles[i]));
      });
      times.insert_ns += time_each_ns(half * passes, [&] {
        for (std::size_t i = 0; i < half; ++i) handles[i] = container.insert(make_content(i));
      });
    }
    return times;
  }

  Bodies<Container> bodies_;
  std::mt19937_64 random_{kSeed};
};

// `time` of a table with `options` and of a reference container.
template <class Base, class Time>
void churn_row(Bench& bench, const Goal& goal, std::size_t count, const TableOptions& options,
               const Time& time) {
  if (!bench.wants({goal.name})) return;
  Churn<Table<Body>> own(count, options);
  Churn<Base> base(count);
  bench.compare(
      goal, [&] { return time(own); }, [&] { return time(base); });
}

}  // namespace

void change_rows(Bench& bench) {
  const auto create_map = [] { return create_bodies([] { return reference::HandleMap<Body>(); }); };
  const auto create_vector = [] {
    make_memory_cold();
    std::vector<Body> vector;
    return time_each_ns(kMillion, [&] {
      for (std::size_t i = 0; i < kMillion; ++i) vector.push_back(make_content(i));
    });
  };
  bench.compare(
      {.name = "create", .target = 0.6, .note = "dense, cold, / handle map"},
      [] { return create_bodies([] { return Table<Body>(); }); }, create_map);
  bench.compare(
      {.name = "create_stable", .note = "cold, / handle map"},
      [] { return create_bodies([] { return Table<Body>(kStable); }); }, create_map);
  bench.compare({.name = "create_handle_map_vector", .note = "reference / bare vector, cold"},
                create_map, create_vector);

  using reference::BilasTable, reference::HandleMap, reference::SlotMap;
  const auto erase = [](auto& churn) { return churn.erase(); };
  const auto reinsert = [](auto& churn) { return churn.reinsert(); };
  churn_row<HandleMap<Body>>(bench,
                             {.name = "erase_random_stable", .target = 0.3, .note = "/ handle map"},
                             kMillion, kStable, erase);
  churn_row<SlotMap<Body>>(bench,
                           {.name = "erase_random_dense", .target = 1.1, .note = "/ slot map"},
                           kMillion, {}, erase);
  churn_row<BilasTable<Body>>(bench,
                              {.name = "reinsert_half", .target = 0.8, .note = "stable, / Bilas"},
                              kMillion, kStable, reinsert);
  churn_row<BilasTable<Body>>(
      bench, {.name = "reinsert_half_10k", .target = 1.2, .note = "stable, / Bilas"}, 10'000,
      kStable, reinsert);
  churn_row<BilasTable<Body>>(bench, {.name = "reinsert_half_dense", .note = "/ Bilas"}, kMillion,
                              {}, reinsert);
}

}  // namespace hdb::bench
