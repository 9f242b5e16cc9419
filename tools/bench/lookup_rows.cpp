// find_*, iterate_*, entries_loop: lookups in a random order, and visits of every live record.
#include <algorithm>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"
#include "reference/slot_map.hpp"

namespace hdb::bench {
namespace {

using reference::BilasTable, reference::SlotMap;

// A million lookups, in several passes if there are fewer handles.
template <class Container>
double find_all(const Bodies<Container>& bodies) {
  const std::size_t passes = kMillion / bodies.handles.size();
  return time_each_ns(passes * bodies.handles.size(), [&] {
    std::uint64_t sum = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) sum += sum_found(bodies);
    return sum;
  });
}

double find_in_batches(const Bodies<Table<Body>>& bodies, std::vector<const Body*>& found) {
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
    return sum;
  });
}

void find_rows(Bench& bench, std::size_t count, const std::string& suffix) {
  Lazy stable([=] { return Bodies<Table<Body>>(count, kStable); });
  Lazy dense([=] { return Bodies<Table<Body>>(count); });
  Lazy bilas([=] { return Bodies<BilasTable<Body>>(count); });
  Lazy slot_map([=] { return Bodies<SlotMap<Body>>(count); });
  const Run find_dense = [&] { return find_all(*dense); };
  const Run find_bilas = [&] { return find_all(*bilas); };
  const Run find_slot_map = [&] { return find_all(*slot_map); };
  bench.compare(
      {"find_random_stable" + suffix, 1.15, "", "/ Bilas"}, [&] { return find_all(*stable); },
      find_bilas);
  bench.compare({"find_random_dense" + suffix, 1.15, "", "/ slot map"}, find_dense, find_slot_map);
  if (count != kMillion) return;

  Lazy vector(make_bodies);
  Lazy indices([] { return shuffled(kMillion); });
  std::vector<const Body*> found(kMillion);
  const Run find_vector = [&] {
    const std::vector<Body>& bodies = *vector;
    const std::vector<std::uint32_t>& order = *indices;
    return time_each_ns(kMillion, [&] {
      std::uint64_t sum = 0;
      for (const std::uint32_t i : order) sum += bodies[i].id;
      return sum;
    });
  };
  bench.compare(
      {"find_batch_random", 0.7, "", "dense, / single finds"},
      [&] { return find_in_batches(*dense, found); }, find_dense);
  bench.compare({"find_random_dense_vector", {}, "", "single finds / bare vector"}, find_dense,
                find_vector);
  bench.compare({"find_random_bilas_vector", {}, "", "reference / bare vector"}, find_bilas,
                find_vector);
  bench.compare({"find_random_slot_map_vector", {}, "", "reference / bare vector"}, find_slot_map,
                find_vector);
}

double iterate(const auto& records) {
  return time_each_ns(records.size(), [&] { return sum_of(records); });
}

// A million bodies, of which all but the first handles are erased.
template <class Container>
struct Erased : Bodies<Container> {
  template <class... Options>
  explicit Erased(std::size_t left, const Options&... options)
      : Bodies<Container>(kMillion, options...) {
    for (std::size_t i = left; i < kMillion; ++i) this->container.erase(this->handles[i]);
  }
};

void iterate_rows(Bench& bench) {
  Lazy vector(make_bodies);
  Lazy dense([] { return Bodies<Table<Body>>(kMillion); });
  Lazy stable([] { return Bodies<Table<Body>>(kMillion, kStable); });
  const Run over_vector = [&] { return iterate(*vector); };
  bench.compare(
      {"iterate_dense", 1.05, "", "spans / vector"},
      [&] { return iterate(dense->container.records()); }, over_vector);
  bench.compare(
      {"iterate_stable", 1.2, "", "full table / vector"},
      [&] { return time_each_ns(kMillion, [&] { return sum_of_all(stable->container); }); },
      over_vector);

  // 10,000 records, a hundred passes: the loops that a game writes, reading and editing.
  Lazy few([] { return Bodies<Table<Body>>(10'000, kStable); });
  Lazy few_in_vector(
      [&] { return std::vector<Body>(few->container.begin(), few->container.end()); });
  const auto passes = [](auto& records, const auto& pass) {
    return time_each_ns(kMillion, [&] {
      for (std::size_t i = 0; i < 100; ++i, benchmark::ClobberMemory()) pass(records);
    });
  };
  const auto read = [](const auto& records) { benchmark::DoNotOptimize(sum_of(records)); };
  bench.compare(
      {"iterate_loop", 1.5, "", "range for, stable, 10,000, / vector"},
      [&] { return passes(few->container, read); }, [&] { return passes(*few_in_vector, read); });
  bench.compare(
      {"entries_loop", 1.5, "", "entries() and edit, stable, 10,000, / vector"},
      [&] {
        return passes(few->container, [](Table<Body>& table) {
          for (const auto& [handle, body] : table.entries()) table.edit(handle)->age += body.speed;
        });
      },
      [&] {
        return passes(*few_in_vector, [](std::vector<Body>& bodies) {
          for (Body& body : bodies) body.age += body.speed;
        });
      });

  Lazy halved([] { return Erased<Table<Body>>(kMillion / 2); });
  Lazy survivors(
      [&] { return std::vector<Body>(halved->container.begin(), halved->container.end()); });
  bench.compare(
      {"iterate_dense_after_erase", 1.10, "", "/ vector of the survivors"},
      [&] { return iterate(halved->container.records()); }, [&] { return iterate(*survivors); });
  // One slot in 200 is live: the cost is that of the records, and of a bit a slot.
  constexpr std::size_t kFew = kMillion / 200;
  Lazy sparse([] { return Erased<Table<Body>>(kFew, kStable); });
  Lazy bilas([] { return Erased<BilasTable<Body>>(kFew); });
  bench.compare(
      {"iterate_stable_sparse", {}, "", "range for, 1 slot of 200 live / Bilas"},
      [&] { return iterate(sparse->container); },
      [&] { return time_each_ns(kFew, [&] { return sum_of_all(bilas->container); }); });
}

}  // namespace

void lookup_rows(Bench& bench) {
  find_rows(bench, 10'000, "_10k");
  find_rows(bench, 100'000, "_100k");
  find_rows(bench, kMillion, "");
  iterate_rows(bench);
}

}  // namespace hdb::bench
