// create, erase_random_*, reinsert_half*, edit_random*, frame_mix, sort_100k: changes of the
// records and of their set, while no snapshot is open.
#include <algorithm>
#include <random>
#include <span>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"
#include "reference/handle_map.hpp"
#include "reference/slot_map.hpp"

namespace hdb::bench {
namespace {

using reference::BilasTable, reference::HandleMap, reference::SlotMap;

template <class Container>
double create() {
  return create_cold<Container>(kMillion) / static_cast<double>(kMillion);
}

double create_vector() {
  make_memory_cold();
  std::vector<Body> vector;
  return time_each_ns(kMillion, [&] {
    for (std::size_t i = 0; i < kMillion; ++i) vector.push_back(make_body(i));
  });
}

// Nanoseconds of an erase, or of an insert after the erases. One full container serves all runs:
// each pass erases a random half and inserts as many records again. Each pass draws another half,
// so that positions and free list are as random as after a long game. The handles to erase are
// adjacent in memory, so that only the cache misses of the container count.
template <bool kErases>
constexpr auto churn = [](auto& bodies, std::mt19937_64& random) {
  auto& container = bodies.container;
  auto& handles = bodies.handles;
  const std::size_t half = handles.size() / 2;
  const std::size_t passes = kMillion / handles.size();
  double erase_ns = 0;
  double insert_ns = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::shuffle(handles.begin(), handles.end(), random);
    erase_ns += time_each_ns(half * passes, [&] {
      for (std::size_t i = 0; i < half; ++i) benchmark::DoNotOptimize(container.erase(handles[i]));
    });
    insert_ns += time_each_ns(half * passes, [&] {
      for (std::size_t i = 0; i < half; ++i) handles[i] = container.insert(make_body(i));
    });
  }
  return kErases ? erase_ns : insert_ns;
};

constexpr auto edit_all = [](auto& bodies, std::mt19937_64&) {
  return time_each_ns(bodies.handles.size(), [&] {
    for (const auto handle : bodies.handles) {
      Body* const body = bodies.container.edit(handle);
      if (body != nullptr) ++body->state;
    }
  });
};

// A frame of a game: it erases 1 % of the records and creates as many, finds and edits 20 %, and
// visits all. The handles are in a random order, so a run of them names records anywhere.
constexpr auto frame_mix = [](auto& bodies, std::mt19937_64& random) {
  auto& container = bodies.container;
  const std::size_t count = bodies.handles.size();
  const std::size_t replaced = count / 100;
  const std::size_t edited = count / 5;
  const auto handles =
      std::span(bodies.handles)
          .subspan(static_cast<std::size_t>(random() % (count - replaced - edited)));
  return time_each_ns(count, [&] {
    for (std::size_t i = 0; i < replaced; ++i) container.erase(handles[i]);
    for (std::size_t i = 0; i < replaced; ++i) handles[i] = container.insert(make_body(i));
    for (std::size_t i = replaced; i < replaced + edited; ++i) {
      const Body* const seen = container.find(handles[i]);
      if (seen != nullptr && seen->health >= 0) container.edit(handles[i])->position.x += 1;
    }
    return sum_of_all(container);
  });
};

// `time` of `count` bodies in a table with `options` and in a reference container, both with the
// same random numbers.
template <class Base>
void row(Bench& bench, const Goal& goal, std::size_t count, const TableOptions& options,
         const auto& time) {
  Lazy own([&] { return Bodies<Table<Body>>(count, options); });
  Lazy base([&] { return Bodies<Base>(count); });
  std::mt19937_64 own_random(kSeed);
  std::mt19937_64 base_random(kSeed);
  bench.compare(
      goal, [&] { return time(*own, own_random); }, [&] { return time(*base, base_random); });
}

void sort_row(Bench& bench) {
  constexpr std::size_t kCount = 100'000;
  const auto by_place = [](const Body& a, const Body& b) { return a.position.x < b.position.x; };
  std::mt19937_64 random(kSeed);
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < kCount; ++i) bodies.push_back(make_mixed_body(i, random));
  Table<Body> table;
  fill(table, kCount, [&](std::size_t i) { return bodies[i]; });
  std::vector<Body> vector;
  bench.compare(
      {"sort_100k", 2, "", "/ std::stable_sort of a vector"},
      [&] {
        // The same disorder again, written in place.
        std::size_t next = 0;
        table.edit_each_span([&](const auto& span) {
          for (Body& body : span.records()) body = bodies[next++];
        });
        return time_each_ns(kCount, [&] { table.sort(by_place); });
      },
      [&] {
        vector = bodies;
        return time_each_ns(kCount,
                            [&] { std::stable_sort(vector.begin(), vector.end(), by_place); });
      });
}

}  // namespace

void change_rows(Bench& bench) {
  bench.compare({"create", 0.6, "", "dense, cold, / handle map"}, create<Table<Body>>,
                create<HandleMap<Body>>);
  bench.compare({"create_handle_map_vector", {}, "", "reference / bare vector, cold"},
                create<HandleMap<Body>>, create_vector);

  using Bilas = BilasTable<Body>;
  row<Bilas>(bench, {"edit_random", 1.45, "", "stable, no snapshot open, / Bilas"}, kMillion,
             kStable, edit_all);
  row<SlotMap<Body>>(bench, {"edit_random_dense", 1.45, "", "/ slot map"}, kMillion, {}, edit_all);
  row<Bilas>(bench, {"frame_mix", 1.2, "", "stable, / Bilas; ns a record"}, kMillion, kStable,
             frame_mix);
  row<Bilas>(bench, {"frame_mix_10k", 1.2, "", "the same in cache"}, 10'000, kStable, frame_mix);
  row<HandleMap<Body>>(bench, {"erase_random_stable", 0.3, "", "/ handle map"}, kMillion, kStable,
                       churn<true>);
  row<Bilas>(bench, {"erase_random_stable_10k", 1.5, "", "in cache, / Bilas"}, 10'000, kStable,
             churn<true>);
  row<SlotMap<Body>>(bench, {"erase_random_dense", 1.1, "", "/ slot map"}, kMillion, {},
                     churn<true>);
  row<Bilas>(bench, {"reinsert_half", 0.8, "", "stable, / Bilas"}, kMillion, kStable, churn<false>);
  row<Bilas>(bench, {"reinsert_half_10k", 1.2, "", "stable, / Bilas"}, 10'000, kStable,
             churn<false>);
  sort_row(bench);
}

}  // namespace hdb::bench
