// find_random_*, find_batch_random: lookups in a random order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"
#include "reference/slot_map.hpp"

namespace hdb::bench {
namespace {

using Own = Bodies<Table<Body>>;
using Bilas = Bodies<reference::BilasTable<Body>>;
using SlotMap = Bodies<reference::SlotMap<Body>>;

// Sums one field of every record that is looked up: a million lookups, in several passes if there
// are fewer handles.
template <class Container>
double find_all(const Bodies<Container>& bodies) {
  const std::size_t passes = kMillion / bodies.handles.size();
  return time_each_ns(passes * bodies.handles.size(), [&] {
    std::uint64_t sum = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      for (const auto handle : bodies.handles) {
        const Body* const body = bodies.container.find(handle);
        if (body != nullptr) sum += body->id;
      }
    }
    benchmark::DoNotOptimize(sum);
  });
}

double find_in_batches(const Own& bodies, std::vector<const Body*>& found) {
  constexpr std::size_t kBatch = 1024;
  const HandlesOf<Body>& handles = bodies.handles;
  return time_each_ns(handles.size(), [&] {
    std::uint64_t sum = 0;
    for (std::size_t begin = 0; begin < handles.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, handles.size() - begin);
      bodies.container.find_batch({handles.data() + begin, count}, found);
      for (std::size_t i = 0; i < count; ++i) {
        if (found[i] != nullptr) sum += found[i]->id;
      }
    }
    benchmark::DoNotOptimize(sum);
  });
}

void single_rows(Bench& bench, const std::string& suffix, const Own& stable, const Own& dense,
                 const Bilas& bilas, const SlotMap& slot_map) {
  bench.compare(
      {.name = "find_random_stable" + suffix, .target = 1.15, .note = "/ Bilas"},
      [&] { return find_all(stable); }, [&] { return find_all(bilas); });
  bench.compare(
      {.name = "find_random_dense" + suffix, .target = 1.15, .note = "/ slot map"},
      [&] { return find_all(dense); }, [&] { return find_all(slot_map); });
}

void small_rows(Bench& bench, std::size_t count, const std::string& suffix) {
  if (!bench.wants({"find_random_stable" + suffix, "find_random_dense" + suffix})) return;
  single_rows(bench, suffix, Own(count, kStable), Own(count), Bilas(count), SlotMap(count));
}

}  // namespace

void lookup_rows(Bench& bench) {
  small_rows(bench, 10'000, "_10k");
  small_rows(bench, 100'000, "_100k");
  if (!bench.wants({"find_random_stable", "find_random_dense", "find_batch_random",
                    "find_batch_random_stable", "find_random_bilas_vector",
                    "find_random_slot_map_vector", "find_random_dense_vector"})) {
    return;
  }
  const Own stable(kMillion, kStable);
  const Own dense(kMillion);
  const Bilas bilas(kMillion);
  const SlotMap slot_map(kMillion);
  single_rows(bench, "", stable, dense, bilas, slot_map);

  const std::vector<Body> vector = make_bodies(kMillion);
  const auto indices = shuffled(kMillion);
  std::vector<const Body*> found(kMillion);
  const Run find_dense = [&] { return find_all(dense); };
  const Run find_vector = [&] {
    return time_each_ns(kMillion, [&] {
      std::uint64_t sum = 0;
      for (const std::uint32_t i : indices) sum += vector[i].id;
      benchmark::DoNotOptimize(sum);
    });
  };
  bench.compare(
      {.name = "find_batch_random", .target = 0.7, .note = "dense, / single finds"},
      [&] { return find_in_batches(dense, found); }, find_dense);
  bench.compare(
      {.name = "find_batch_random_stable", .note = "/ single finds"},
      [&] { return find_in_batches(stable, found); }, [&] { return find_all(stable); });
  bench.compare({.name = "find_random_dense_vector", .note = "single finds / bare vector"},
                find_dense, find_vector);
  bench.compare(
      {.name = "find_random_bilas_vector", .note = "reference / bare vector"},
      [&] { return find_all(bilas); }, find_vector);
  bench.compare(
      {.name = "find_random_slot_map_vector", .note = "reference / bare vector"},
      [&] { return find_all(slot_map); }, find_vector);
}

}  // namespace hdb::bench
