// sort_100k: records of a dense table put in order, against the same records in a vector.
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {

void sort_rows(Bench& bench) {
  if (!bench.wants({"sort_100k"})) return;
  constexpr std::size_t kCount = 100'000;
  const auto by_place = [](const Body& a, const Body& b) { return a.position.x < b.position.x; };
  std::mt19937_64 random(kSeed);
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < kCount; ++i) bodies.push_back(make_mixed_body(i, random));
  Table<Body> table;
  fill(table, kCount, [&](std::size_t i) { return bodies[i]; });
  std::vector<Body> vector;
  bench.compare(
      {.name = "sort_100k", .target = 2, .note = "/ std::stable_sort of a vector"},
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

}  // namespace hdb::bench
