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
  return time_ns([&] {
           std::uint64_t sum = 0;
           table.for_each_span([&](const auto& span) {
             for (const Body& body : span.records()) sum += body.id;
           });
           benchmark::DoNotOptimize(sum);
         }) /
         static_cast<double>(table.size());
}

double iterate_records(const Table<Body>& table) {
  return time_ns([&] {
           std::uint64_t sum = 0;
           for (const Body& body : table) sum += body.id;
           benchmark::DoNotOptimize(sum);
         }) /
         static_cast<double>(table.size());
}

double iterate_vector(const std::vector<Body>& vector) {
  return time_ns([&] {
           std::uint64_t sum = 0;
           for (const Body& body : vector) sum += body.id;
           benchmark::DoNotOptimize(sum);
         }) /
         static_cast<double>(vector.size());
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
  std::vector<Body> vector;
  for (std::size_t i = 0; i < kMillion; ++i) vector.push_back(make_body(i));
  Table<Body> dense;
  const auto dense_handles = fill(dense, kMillion, make_body);
  Table<Body> stable({.storage = Storage::stable});
  const auto stable_handles = fill(stable, kMillion, make_body);
  const Run over_vector = [&] { return iterate_vector(vector); };
  bench.compare(
      {.name = "iterate_dense", .target = 1.10, .note = "page spans / vector"},
      [&] { return iterate_spans(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_dense_records", .note = "range for / vector"},
      [&] { return iterate_records(dense); }, over_vector);
  bench.compare(
      {.name = "iterate_stable", .target = 1.2, .note = "full table / vector"},
      [&] { return iterate_spans(stable); }, over_vector);
  bench.compare(
      {.name = "iterate_stable_records", .note = "range for, full table / vector"},
      [&] { return iterate_records(stable); }, over_vector);

  erase_random_half(dense, dense_handles);
  erase_random_half(stable, stable_handles);
  std::vector<Body> survivors;
  for (const Body& body : dense) survivors.push_back(body);
  const Run over_survivors = [&] { return iterate_vector(survivors); };
  bench.compare(
      {.name = "iterate_dense_after_erase", .target = 1.10, .note = "/ vector of the survivors"},
      [&] { return iterate_spans(dense); }, over_survivors);
  reference::BilasTable<Body> bilas;
  std::vector<reference::Key> keys;
  for (std::size_t i = 0; i < kMillion; ++i) keys.push_back(bilas.insert(make_body(i)));
  erase_random_half(bilas, keys);
  const auto over_bilas = [&bilas](std::size_t live) {
    return [&bilas, live] {
      return time_ns([&] {
               std::uint64_t sum = 0;
               bilas.for_each([&](const Body& body) { sum += body.id; });
               benchmark::DoNotOptimize(sum);
             }) /
             static_cast<double>(live);
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
      [&] { return iterate_records(stable); }, over_bilas(stable.size()));
}

}  // namespace hdb::bench
