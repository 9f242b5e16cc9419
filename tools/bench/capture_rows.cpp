// capture_*, restore_*, cow_tax*: captures in memory, and what the first writes after one cost.
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

double capture(Database& database) {
  Snapshot snapshot;
  return time_ns([&] { snapshot = database.capture(); });
}

// The way back to a capture after `change`.
template <class Change>
double restore_after(Database& database, const Change& change) {
  const Snapshot before = database.capture();
  change();
  return time_ns([&] { benchmark::DoNotOptimize(database.restore(before).has_value()); });
}

template <class Record, class Write>
double write_to_all(Table<Record>& table, const HandlesOf<Record>& handles, const Write& write) {
  return time_ns([&] {
    for (const auto handle : handles) write(*table.edit(handle));
  });
}

// The same while a capture is open.
template <class Record, class Write>
double write_after_capture(Database& database, Table<Record>& table,
                           const HandlesOf<Record>& handles, const Write& write) {
  Snapshot open = database.capture();
  const double ns = write_to_all(table, handles, write);
  open = {};
  table.reserve(1);  // the table lets go of what the snapshot shared with it
  return ns;
}

void write(Body& body) { ++body.state; }

double write_after_capture(Game& game) {
  return write_after_capture(game.database, game.bodies, one_of_each_page(game.bodies), write);
}

void rows_of_a_million(Bench& bench) {
  if (!bench.wants({"capture_1m", "restore_1m", "restore_all", "cow_tax", "cow_tax_cold"})) return;
  Game game(false);
  game.database.reserve_copies();
  WarmCopy copy(game.record_bytes().size());
  bench.measure({.name = "capture_1m", .target = 5, .unit = "us"},
                [&] { return capture(game.database); });
  bench.measure(
      {.name = "restore_1m", .target = 100, .unit = "us", .note = "after 1 % changed, clusters"},
      [&] { return restore_after(game.database, [&] { game.move_clusters(); }); });
  bench.compare(
      {.name = "restore_all", .target = 1.3, .note = "after all changed, / memcpy"},
      [&] { return restore_after(game.database, [&] { game.move_all(); }); }, std::ref(copy));

  const auto handles = one_of_each_page(game.bodies);
  const Run plain = [&] { return write_to_all(game.bodies, handles, write); };
  bench.compare_difference(
      {.name = "cow_tax", .target = 1.2, .note = "a write to every page, warm pool, / memcpy"},
      [&] { return write_after_capture(game); }, plain, std::ref(copy));
  bench.compare_difference(
      {.name = "cow_tax_cold", .note = "no spare pages: fresh memory, / warm memcpy"},
      [&] {
        Game cold(false);
        make_memory_cold();
        return write_after_capture(cold);
      },
      plain, std::ref(copy));
}

void rows_of_ten_million(Bench& bench) {
  if (!bench.wants({"capture_10m"})) return;
  Database database;
  Table<Body>& table = database.create_table<Body>("bodies");
  table.reserve(10 * kMillion);
  for (std::size_t i = 0; i < 10 * kMillion; ++i) table.insert(make_content(i));
  bench.measure({.name = "capture_10m", .target = 20, .unit = "us"},
                [&] { return capture(database); });
}

void nested_capture_rows(Bench& bench) {
  if (!bench.wants({"cow_tax_nested", "restore_nested"})) return;
  constexpr std::size_t kCount = 200'000;
  Database database;
  Table<Person>& table = database.create_table<Person>("people");
  const auto handles = fill(table, kCount, make_person);
  database.reserve_copies();
  std::vector<Person> vector;
  for (std::size_t i = 0; i < kCount; ++i) vector.push_back(make_person(i));
  const Run copy = [&] {
    std::optional<std::vector<Person>> copied;
    return time_ns([&] { copied = vector; });
  };

  const auto of_each_page = one_of_each_page(table);
  const auto write = [](Person& person) { ++person.items[0]; };
  bench.compare_difference(
      {.name = "cow_tax_nested", .target = 1.2, .note = "/ copying a vector of them"},
      [&] { return write_after_capture(database, table, of_each_page, write); },
      [&] { return write_to_all(table, of_each_page, write); }, copy);
  bench.compare(
      {.name = "restore_nested",
       .target = 0.1,
       .note = "after 1 % changed, / copying a vector of them"},
      [&] {
        return restore_after(database, [&] {
          for (std::size_t i = 0; i < kCount / 100; ++i) write(*table.edit(handles[5000 + i]));
        });
      },
      copy);
}

}  // namespace

void capture_rows(Bench& bench) {
  rows_of_a_million(bench);
  rows_of_ten_million(bench);
  nested_capture_rows(bench);
}

}  // namespace hdb::bench
