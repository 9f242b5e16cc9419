// find_random_*, find_batch_random: one million lookups in a random order.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"
#include "reference/slot_map.hpp"

namespace hdb::bench {
namespace {

// Sums one field of every record looked up.
template <class Container, class HandleType>
double find_all(const Container& container, const std::vector<HandleType>& handles) {
  return time_each_ns(handles.size(), [&] {
    std::uint64_t sum = 0;
    for (const HandleType handle : handles) {
      const Body* const body = container.find(handle);
      if (body != nullptr) sum += body->id;
    }
    benchmark::DoNotOptimize(sum);
  });
}

double find_in_batches(const Table<Body>& table, const HandlesOf<Body>& handles,
                       std::vector<const Body*>& found) {
  constexpr std::size_t kBatch = 1024;
  return time_each_ns(handles.size(), [&] {
    std::uint64_t sum = 0;
    for (std::size_t begin = 0; begin < handles.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, handles.size() - begin);
      table.find_batch({handles.data() + begin, count}, found);
      for (std::size_t i = 0; i < count; ++i) {
        if (found[i] != nullptr) sum += found[i]->id;
      }
    }
    benchmark::DoNotOptimize(sum);
  });
}

template <class HandleType>
std::vector<HandleType> in_random_order(const std::vector<HandleType>& handles) {
  std::vector<HandleType> out;
  out.reserve(handles.size());
  for (const std::uint32_t i : shuffled(handles.size())) out.push_back(handles[i]);
  return out;
}

}  // namespace

void lookup_rows(Bench& bench) {
  if (!bench.wants({"find_random_stable", "find_random_dense", "find_batch_random",
                    "find_batch_random_stable", "find_random_bilas_vector",
                    "find_random_slot_map_vector", "find_random_dense_vector"})) {
    return;
  }
  Table<Body> stable({.storage = Storage::stable});
  const auto stable_handles = in_random_order(fill(stable, kMillion, make_body));
  Table<Body> dense;
  const auto dense_handles = in_random_order(fill(dense, kMillion, make_body));
  reference::BilasTable<Body> bilas;
  const auto bilas_keys = in_random_order(fill(bilas, kMillion, make_body));
  reference::SlotMap<Body> slot_map;
  const auto slot_map_keys = in_random_order(fill(slot_map, kMillion, make_body));
  const std::vector<Body> vector = make_bodies(kMillion);
  const auto indices = shuffled(kMillion);
  std::vector<const Body*> found(kMillion);

  const Run find_stable = [&] { return find_all(stable, stable_handles); };
  const Run find_dense = [&] { return find_all(dense, dense_handles); };
  const Run find_bilas = [&] { return find_all(bilas, bilas_keys); };
  const Run find_slot_map = [&] { return find_all(slot_map, slot_map_keys); };
  const Run find_vector = [&] {
    return time_each_ns(kMillion, [&] {
      std::uint64_t sum = 0;
      for (const std::uint32_t i : indices) sum += vector[i].id;
      benchmark::DoNotOptimize(sum);
    });
  };
  bench.compare({.name = "find_random_stable", .target = 1.25, .note = "/ Bilas"}, find_stable,
                find_bilas);
  bench.compare({.name = "find_random_dense", .target = 1.0, .note = "/ slot map"}, find_dense,
                find_slot_map);
  bench.compare(
      {.name = "find_batch_random", .target = 0.7, .note = "dense, / single finds"},
      [&] { return find_in_batches(dense, dense_handles, found); }, find_dense);
  bench.compare(
      {.name = "find_batch_random_stable", .note = "/ single finds"},
      [&] { return find_in_batches(stable, stable_handles, found); }, find_stable);
  bench.compare({.name = "find_random_dense_vector", .note = "single finds / bare vector"},
                find_dense, find_vector);
  bench.compare({.name = "find_random_bilas_vector", .note = "reference / bare vector"}, find_bilas,
                find_vector);
  bench.compare({.name = "find_random_slot_map_vector", .note = "reference / bare vector"},
                find_slot_map, find_vector);
}

}  // namespace hdb::bench
