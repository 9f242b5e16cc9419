// article_*: the table that the handle map article prints, at its 100,000 items: this library
// beside the article's design, both in this run, and the article's own milliseconds.

#include <fmt/format.h>

#include "bench.hpp"
#include "records.hpp"
#include "reference/handle_map.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kItems = 100'000;
// Its defragmentation is quadratic: run on few items, the time of all follows.
constexpr std::size_t kFewItems = 4'000;
constexpr double kGrowth = static_cast<double>(kItems / kFewItems * (kItems / kFewItems));

Goal goal(const std::string& name, double printed_ms, const std::string& more = {}) {
  return {name, 1, "", fmt::format("/ handle map; article: {} ms{}", printed_ms, more), true};
}

double fill_and_clear(auto& container) {
  container.clear();
  fill(container, kItems, make_body);
  return time_ns([&] { container.clear(); });
}

// In the order that takes longest: the last shall be first.
void fill_backwards(auto& container, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) container.insert(make_body(count - i));
}

}  // namespace

void article_rows(Bench& bench) {
  if (!bench.wants({"article_create", "article_iterate", "article_lookup", "article_clear",
                    "article_defragment"})) {
    return;
  }
  using Map = reference::HandleMap<Body>;
  bench.compare(
      goal("article_create", 4.75), [] { return create_cold<Table<Body>>(kItems); },
      [] { return create_cold<Map>(kItems); });

  Bodies<Table<Body>> own(kItems);
  Bodies<Map> base(kItems);
  Table<Body>& table = own.container;
  bench.compare(
      goal("article_iterate", 0.26), [&] { return sum_of_all(table); },
      [&] { return sum_of(base.container.records()); });
  bench.compare(
      goal("article_lookup", 0.65, ", random order"), [&] { return sum_found(own); },
      [&] { return sum_found(base); });
  bench.compare(
      goal("article_clear", 0.38), [&] { return fill_and_clear(table); },
      [&] { return fill_and_clear(base.container); });

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
