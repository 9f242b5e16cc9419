// capture_*, restore_*, cow_tax*: captures in memory, and what the first writes after one cost.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

// 1 % of a million records: 39 runs of 256 neighbours at random places.
constexpr std::size_t kClusters = 39;
constexpr std::size_t kClusterSize = 256;

void change_clusters(Table<Body>& table, const HandlesOf<Body>& handles, std::mt19937_64& random) {
  for (std::size_t cluster = 0; cluster < kClusters; ++cluster) {
    const std::size_t begin = static_cast<std::size_t>(random() % (handles.size() - kClusterSize));
    for (std::size_t i = 0; i < kClusterSize; ++i) ++table.edit(handles[begin + i])->state;
  }
}

double capture(Database& database) {
  Snapshot snapshot;
  return time_ns([&] { snapshot = database.capture(); });
}

// Writes one record of every page.
template <class Record, class Write>
double write_to_every_page(Table<Record>& table, const HandlesOf<Record>& handles,
                           const Write& write) {
  const std::size_t step = hdb::detail::core_of(table).records().per_page();
  return time_ns([&] {
    for (std::size_t i = 0; i < handles.size(); i += step) write(*table.edit(handles[i]));
  });
}

// The writes after a capture, which goes afterwards; its pages are back in the pool before the next
// run.
template <class Record, class Write>
double write_after_capture(Table<Record>& table, const HandlesOf<Record>& handles,
                           const Write& write) {
  std::optional<FrozenTable> frozen = hdb::detail::core_of(table).freeze();
  const double ns = write_to_every_page(table, handles, write);
  frozen.reset();
  table.reserve(1);  // lets go of the displaced pages
  return ns;
}

void rows_of_a_million(Bench& bench) {
  if (!bench.wants({"capture_1m", "restore_1m"})) return;
  Database database;
  Table<Body>& table = database.create_table<Body>("bodies");
  const auto handles = fill(table, kMillion, make_body);
  std::mt19937_64 random(kSeed);
  bench.measure({.name = "capture_1m", .target = 20, .unit = "us"},
                [&] { return capture(database); });
  bench.measure(
      {.name = "restore_1m", .target = 200, .unit = "us", .note = "after 1 % changed, clusters"},
      [&] {
        const Snapshot before = database.capture();
        change_clusters(table, handles, random);
        return time_ns([&] { benchmark::DoNotOptimize(database.restore(before).has_value()); });
      });
}

void cow_rows(Bench& bench) {
  if (!bench.wants({"cow_tax", "cow_tax_cold"})) return;
  const auto pool = std::make_shared<PagePool>();
  Table<Body> table({}, pool);
  const auto handles = fill(table, kMillion, make_body);

  const auto write = [](Body& body) { ++body.state; };
  WarmCopy copy(kMillion * sizeof(Body));
  const Run plain = [&] { return write_to_every_page(table, handles, write); };
  bench.compare_difference(
      {.name = "cow_tax_cold", .note = "pool empty: fresh memory, / warm memcpy"},
      [&] {
        pool->trim();
        make_memory_cold();
        return write_after_capture(table, handles, write);
      },
      plain, std::ref(copy));
  pool->reserve(hdb::detail::core_of(table).records().geometry().page_bytes,
                hdb::detail::core_of(table).records().page_count() + 8);
  bench.compare_difference(
      {.name = "cow_tax", .target = 1.2, .note = "pages from a warm pool, / memcpy"},
      [&] { return write_after_capture(table, handles, write); }, plain, std::ref(copy));
}

void rows_of_ten_million(Bench& bench) {
  if (!bench.wants({"capture_10m"})) return;
  Database database;
  Table<Body>& table = database.create_table<Body>("bodies");
  table.reserve(10 * kMillion);
  for (std::size_t i = 0; i < 10 * kMillion; ++i) table.insert(make_body(i));
  bench.measure({.name = "capture_10m", .target = 200, .unit = "us"},
                [&] { return capture(database); });
}

void nested_rows(Bench& bench) {
  if (!bench.wants({"cow_tax_nested", "restore_nested"})) return;
  constexpr std::size_t kCount = 200'000;
  Table<Person> table;
  const auto handles = fill(table, kCount, make_person);
  std::vector<Person> vector;
  for (std::size_t i = 0; i < kCount; ++i) vector.push_back(make_person(i));
  const auto write = [](Person& person) { ++person.items[0]; };
  const Run copy = [&] {
    std::optional<std::vector<Person>> copied;
    return time_ns([&] { copied = vector; });
  };
  bench.compare_difference(
      {.name = "cow_tax_nested", .target = 1.2, .note = "/ copying a vector of them"},
      [&] { return write_after_capture(table, handles, write); },
      [&] { return write_to_every_page(table, handles, write); }, copy);
  bench.compare(
      {.name = "restore_nested",
       .target = 0.1,
       .note = "after 1 % changed, / copying a vector of them"},
      [&] {
        const FrozenTable frozen = hdb::detail::core_of(table).freeze();
        for (std::size_t i = 0; i < kCount / 100; ++i) ++table.edit(handles[5000 + i])->items[0];
        return time_ns([&] { hdb::detail::core_of(table).thaw(frozen); });
      },
      copy);
}

}  // namespace

void capture_rows(Bench& bench) {
  rows_of_a_million(bench);
  cow_rows(bench);
  rows_of_ten_million(bench);
  nested_rows(bench);
}

}  // namespace hdb::bench
