// iterate_*: sums a field of every live record.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"

namespace hdb::bench {
namespace {

double iterate_dense(const Table<Body>& table) {
  return time_each_ns(table.size(), [&] { benchmark::DoNotOptimize(sum_of_dense(table)); });
}

double iterate_spans(const Table<Body>& table) {
  return time_each_ns(table.size(), [&] { benchmark::DoNotOptimize(sum_of_all(table)); });
}

// A table or a vector, by a range for.
template <class Range>
double iterate(const Range& bodies) {
  return time_each_ns(bodies.size(), [&] { benchmark::DoNotOptimize(sum_of(bodies)); });
}

}  // namespace

void iterate_rows(Bench& bench) {
  if (!bench.wants({"iterate_dense", "iterate_dense_records", "iterate_dense_after_erase",
                    "iterate_stable", "iterate_stable_records", "iterate_stable_after_erase",
                    "iterate_stable_sparse"})) {
    return;
  }
  const std::vector<Body> vector = make_bodies(kMillion);
  Bodies<Table<Body>> dense_bodies(kMillion);
  const Table<Body>& dense = dense_bodies.container;
  Bodies<Table<Body>> stable_bodies(kMillion, kStable);
  const Table<Body>& stable = stable_bodies.container;
  const Run over_vector = [&] { return iterate(vector); };
  bench.compare(
      {.name = "iterate_dense", .target = 1.05, .note = "spans / vector"},
      [&] { return iterate_dense(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_dense_records", .note = "range for / vector"},
      [&] { return iterate(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_stable", .target = 1.2, .note = "full table / vector"},
      [&] { return iterate_spans(stable); }, over_vector);
  bench.compare(
      {.name = "iterate_stable_records", .note = "range for, full table / vector"},
      [&] { return iterate(stable); }, over_vector);

  erase_half(dense_bodies);
  erase_half(stable_bodies);
  std::vector<Body> survivors;
  for (const Body& body : dense) survivors.push_back(body);
  const Run over_survivors = [&] { return iterate(survivors); };
  bench.compare(
      {.name = "iterate_dense_after_erase", .target = 1.10, .note = "/ vector of the survivors"},
      [&] { return iterate_dense(dense); }, over_survivors);
  Bodies<reference::BilasTable<Body>> bilas(kMillion);
  erase_half(bilas);
  const auto over_bilas = [&bilas](std::size_t live) {
    return [&bilas, live] {
      return time_each_ns(live, [&] { benchmark::DoNotOptimize(sum_of_all(bilas.container)); });
    };
  };
  bench.compare(
      {.name = "iterate_stable_after_erase", .note = "/ Bilas"},
      [&] { return iterate_spans(stable); }, over_bilas(kMillion / 2));

  // One slot in 200 is live: the cost is that of the records, and of a bit a slot.
  for (std::size_t i = kMillion / 2 + kMillion / 200; i < kMillion; ++i) {
    stable_bodies.container.erase(stable_bodies.handles[i]);
    bilas.container.erase(bilas.handles[i]);
  }
  bench.compare(
      {.name = "iterate_stable_sparse", .note = "range for, 1 slot of 200 live / Bilas"},
      [&] { return iterate(stable); }, over_bilas(stable.size()));
}

}  // namespace hdb::bench
