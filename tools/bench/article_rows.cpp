// article_*: the table that the handle map article prints, at its 100,000 items: this library
// beside the article's design, both in this run, and the article's own milliseconds as told.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench.hpp"
#include "create.hpp"
#include "records.hpp"
#include "reference/handle_map.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kItems = 100'000;
// Its defragmentation is quadratic: run on few items, the time of all follows.
constexpr std::size_t kFewItems = 4'000;
constexpr double kGrowth = static_cast<double>(kItems / kFewItems * (kItems / kFewItems));

Goal goal(const std::string& name, double printed_ms, const std::string& more = {}) {
  return {.name = name,
          .target = 1,
          .note = fmt::format("/ handle map; article: {} ms{}", printed_ms, more),
          .in_ms = true};
}

template <class Make>
double create_items(const Make& make) {
  return create_cold(make, kItems);
}

template <class Container, class HandleType>
double look_up(const Container& container, const std::vector<HandleType>& handles) {
  return time_ns([&] {
    std::uint64_t sum = 0;
    for (const HandleType handle : handles) sum += container.find(handle)->id;
    benchmark::DoNotOptimize(sum);
  });
}

template <class Container>
auto fill_shuffled(Container& container) {
  auto handles = fill(container, kItems, make_content);
  const auto order = shuffled(kItems);
  for (std::size_t i = 0; i < kItems; ++i) std::swap(handles[i], handles[order[i]]);
  return handles;
}

template <class Container>
double fill_and_clear(Container& container) {
  container.clear();
  fill(container, kItems, make_content);
  return time_ns([&] { container.clear(); });
}

// In the order that takes longest: the last shall be first.
template <class Container>
void fill_backwards(Container& container, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) container.insert(make_content(count - i));
}

}  // namespace

void article_rows(Bench& bench) {
  if (!bench.wants({"article_create", "article_iterate", "article_lookup", "article_clear",
                    "article_defragment"})) {
    return;
  }
  using Map = reference::HandleMap<Body>;
  bench.compare(
      goal("article_create", 4.75), [] { return create_items([] { return Table<Body>(); }); },
      [] { return create_items([] { return Map(); }); });

  Table<Body> table;
  const auto handles = fill_shuffled(table);
  Map map;
  const auto keys = fill_shuffled(map);
  bench.compare(
      goal("article_iterate", 0.26),
      [&] {
        return time_ns([&] {
          std::uint64_t sum = 0;
          table.for_each_span([&](const auto& span) { sum += sum_of(span); });
          benchmark::DoNotOptimize(sum);
        });
      },
      [&] { return time_ns([&] { benchmark::DoNotOptimize(sum_of(map.records())); }); });
  bench.compare(
      goal("article_lookup", 0.65, ", random order"), [&] { return look_up(table, handles); },
      [&] { return look_up(map, keys); });
  bench.compare(
      goal("article_clear", 0.38), [&] { return fill_and_clear(table); },
      [&] { return fill_and_clear(map); });

  const auto precedes = [](const Body& a, const Body& b) { return a.id < b.id; };
  bench.compare(
      goal("article_defragment", 32538,
           fmt::format(", worst order; reference run on {} items, times {:.0f}: it is quadratic",
                       kFewItems, kGrowth)),
      [&] {
        table.clear();
        fill_backwards(table, kItems);
        return time_ns([&] { table.sort(precedes); });
      },
      [&] {
        Map few;
        fill_backwards(few, kFewItems);
        return kGrowth * time_ns([&] { few.defragment(precedes, 0); });
      });
}

}  // namespace hdb::bench
