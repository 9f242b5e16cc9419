// iterate_*: sums a field of every live record.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"

namespace hdb::bench {
namespace {

double iterate_spans(const Table<Body>& table) {
  return time_each_ns(table.size(), [&] {
    std::uint64_t sum = 0;
    table.for_each_span([&](const auto& span) { sum += sum_of(span.records()); });
    benchmark::DoNotOptimize(sum);
  });
}

// Of a table, or of a vector.
template <class Bodies>
double iterate(const Bodies& bodies) {
  return time_each_ns(bodies.size(), [&] { benchmark::DoNotOptimize(sum_of(bodies)); });
}

template <class Container, class Handles>
void erase_random_half(Container& container, const Handles& handles) {
  const auto order = shuffled(handles.size());
  for (std::size_t i = 0; i < order.size() / 2; ++i) container.erase(handles[order[i]]);
}

}  // namespace

void iterate_rows(Bench& bench) {
  if (!bench.wants({"iterate_dense", "iterate_dense_records", "iterate_dense_after_erase",
                    "iterate_stable", "iterate_stable_records", "iterate_stable_after_erase",
                    "iterate_stable_sparse"})) {
    return;
  }
  const std::vector<Body> vector = make_bodies(kMillion);
  Table<Body> dense;
  const auto dense_handles = fill(dense, kMillion, make_body);
  Table<Body> stable({.storage = Storage::stable});
  const auto stable_handles = fill(stable, kMillion, make_body);
  const Run over_vector = [&] { return iterate(vector); };
  bench.compare(
      {.name = "iterate_dense", .target = 1.10, .note = "page spans / vector"},
      [&] { return iterate_spans(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_dense_records", .note = "range for / vector"},
      [&] { return iterate(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_stable", .target = 1.2, .note = "full table / vector"},
      [&] { return iterate_spans(stable); }, over_vector);
  bench.compare(
      {.name = "iterate_stable_records", .note = "range for, full table / vector"},
      [&] { return iterate(stable); }, over_vector);

  erase_random_half(dense, dense_handles);
  erase_random_half(stable, stable_handles);
  std::vector<Body> survivors;
  for (const Body& body : dense) survivors.push_back(body);
  const Run over_survivors = [&] { return iterate(survivors); };
  bench.compare(
      {.name = "iterate_dense_after_erase", .target = 1.10, .note = "/ vector of the survivors"},
      [&] { return iterate_spans(dense); }, over_survivors);
  reference::BilasTable<Body> bilas;
  const auto keys = fill(bilas, kMillion, make_body);
  erase_random_half(bilas, keys);
  const auto over_bilas = [&bilas](std::size_t live) {
    return [&bilas, live] {
      return time_each_ns(live, [&] {
        std::uint64_t sum = 0;
        bilas.for_each([&](const Body& body) { sum += body.id; });
        benchmark::DoNotOptimize(sum);
      });
    };
  };
  bench.compare(
      {.name = "iterate_stable_after_erase", .note = "/ Bilas"},
      [&] { return iterate_spans(stable); }, over_bilas(kMillion / 2));

  // One record in a hundred is left of a million slots: the cost is that of the records and of a
  // bit a slot.
  for (std::size_t i = 0; i < kMillion; ++i) {
    if (i % 100 == 0) continue;
    stable.erase(stable_handles[i]);
    bilas.erase(keys[i]);
  }
  bench.compare(
      {.name = "iterate_stable_sparse", .note = "range for, at most 1 of 100 live / Bilas"},
      [&] { return iterate(stable); }, over_bilas(stable.size()));
}

}  // namespace hdb::bench
