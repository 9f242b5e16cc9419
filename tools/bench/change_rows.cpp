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

namespace hdb::bench {
namespace {

Table<Body> make_table(Storage storage) { return Table<Body>({.storage = storage}); }

template <class Make>
double create(const Make& make) {
  return create_cold(make, kMillion) / static_cast<double>(kMillion);
}

// One full container for all runs: each run erases a random half and inserts as many again, and
// times one of the two. The halves are drawn anew each time, so that positions and free list are as
// random as after a long game; the handles to erase lie in a row, so that only the container's own
// cache misses are counted.
template <class Container>
class Churn {
 public:
  explicit Churn(Container& container)
      : container_(container), handles_(fill(container, kMillion, make_body)) {}
  double erase() {
    const double ns = timed_erase();
    timed_insert();
    return ns;
  }
  double reinsert() {
    timed_erase();
    return timed_insert();
  }

 private:
  static constexpr std::size_t kHalf = kMillion / 2;

  double timed_erase() {
    std::mt19937_64 random(++seed_);
    std::shuffle(handles_.begin(), handles_.end(), random);
    return time_each_ns(kHalf, [&] {
      std::size_t erased = 0;
      for (std::size_t i = 0; i < kHalf; ++i) erased += container_.erase(handles_[i]) ? 1 : 0;
      benchmark::DoNotOptimize(erased);
    });
  }
  double timed_insert() {
    return time_each_ns(kHalf, [&] {
      for (std::size_t i = 0; i < kHalf; ++i) handles_[i] = container_.insert(make_body(i));
    });
  }

  Container& container_;
  decltype(fill(std::declval<Container&>(), 0, make_body)) handles_;
  std::uint64_t seed_ = kSeed;
};

}  // namespace

void change_rows(Bench& bench) {
  const auto create_map = [] { return create([] { return reference::HandleMap<Body>(); }); };
  const auto create_vector = [] {
    make_memory_cold();
    std::vector<Body> vector;
    return time_each_ns(kMillion, [&] {
      for (std::size_t i = 0; i < kMillion; ++i) vector.push_back(make_body(i));
    });
  };
  bench.compare(
      {.name = "create", .target = 0.6, .note = "dense, cold, / handle map"},
      [] { return create([] { return make_table(Storage::dense); }); }, create_map);
  bench.compare(
      {.name = "create_stable", .note = "cold, / handle map"},
      [] { return create([] { return make_table(Storage::stable); }); }, create_map);
  bench.compare({.name = "create_handle_map_vector", .note = "reference / bare vector, cold"},
                create_map, create_vector);
  if (!bench.wants(
          {"erase_random_stable", "erase_random_dense", "reinsert_half", "reinsert_half_dense"}))
    return;

  Table<Body> stable({.storage = Storage::stable});
  Churn churn_stable(stable);
  Table<Body> dense;
  Churn churn_dense(dense);
  reference::HandleMap<Body> map;
  Churn churn_map(map);
  reference::BilasTable<Body> bilas;
  Churn churn_bilas(bilas);
  bench.compare(
      {.name = "erase_random_stable", .target = 0.3, .note = "/ handle map"},
      [&] { return churn_stable.erase(); }, [&] { return churn_map.erase(); });
  bench.compare(
      {.name = "erase_random_dense", .target = 0.8, .note = "/ handle map"},
      [&] { return churn_dense.erase(); }, [&] { return churn_map.erase(); });
  bench.compare(
      {.name = "reinsert_half", .target = 1.2, .note = "stable, / Bilas"},
      [&] { return churn_stable.reinsert(); }, [&] { return churn_bilas.reinsert(); });
  bench.compare(
      {.name = "reinsert_half_dense", .note = "/ Bilas"}, [&] { return churn_dense.reinsert(); },
      [&] { return churn_bilas.reinsert(); });
}

}  // namespace hdb::bench
