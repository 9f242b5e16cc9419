// capture_*, restore_*, cow_tax*, fill_1000_tables: captures in memory, what the first writes after
// one cost, and databases of many small tables.

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
  return time_ns([&] { return database.restore(before).has_value(); });
}

template <class Record, class Write>
double write_to_all(Table<Record>& table, const HandlesOf<Record>& handles, const Write& write) {
  return time_ns([&] {
    for (const auto handle : handles) write(*table.edit(handle));
  });
}

// `write` to every record after a capture, without the same writes after none, / `copy`.
template <class Record, class Write>
void cow_row(Bench& bench, const Goal& goal, Database& database, Table<Record>& table,
             const Write& write, const Run& copy) {
  if (!bench.wants({goal.name})) return;
  HandlesOf<Record> handles;
  for (const auto& [handle, record] : table.entries()) handles.push_back(handle);
  bench.compare_difference(
      goal,
      [&] {
        Snapshot open = database.capture();
        const double ns = write_to_all(table, handles, write);
        open = {};
        table.reserve(1);  // the table lets go of what the snapshot shared with it
        return ns;
      },
      [&] { return write_to_all(table, handles, write); }, copy);
}

void rows_of_a_million(Bench& bench) {
  if (!bench.wants({"capture_1m", "restore_1m", "restore_all", "cow_tax"})) return;
  Game game(false);
  game.database.reserve_copies();
  WarmCopy copy(kMillionBytes);
  bench.measure({"capture_1m", 0.1, "us"}, [&] { return capture(game.database); });
  bench.measure({"restore_1m", 100, "us", "after 1 % changed, clusters"},
                [&] { return restore_after(game.database, [&] { game.move_clusters(); }); });
  bench.compare(
      {"restore_all", 1.3, "", "after all changed, / memcpy"},
      [&] { return restore_after(game.database, [&] { game.move_all(); }); }, std::ref(copy));
  cow_row(
      bench, {"cow_tax", 1.5, "", "a write to every record, warm pool, / memcpy"}, game.database,
      game.bodies, [](Body& body) { ++body.state; }, std::ref(copy));
}

void nested_capture_rows(Bench& bench) {
  if (!bench.wants({"cow_tax_nested", "restore_nested"})) return;
  People people(make_person);
  people.database.reserve_copies();
  const Run copy = [&] {
    std::optional<std::vector<Person>> copied;
    return time_ns([&] { copied = people.vector; });
  };
  const auto write = [](Person& person) { ++person.items[0]; };
  cow_row(bench, {"cow_tax_nested", 1.2, "", "/ copying a vector of them"}, people.database,
          people.table, write, copy);
  bench.compare(
      {"restore_nested", 0.1, "", "after 1 % changed, / copying a vector of them"},
      [&] {
        return restore_after(people.database, [&] {
          for (std::size_t i = 0; i < People::kCount / 100; ++i)
            write(*people.table.edit(people.handles[5000 + i]));
        });
      },
      copy);
}

// A thousand levels that are made at run time, a table of 50 bodies each.
void create_levels(Database& database) {
  for (std::size_t i = 0; i < 1000; ++i) {
    auto& table =
        database.create_table<Body, TypedLayout>("level_" + std::to_string(i) + "/bodies");
    fill(table, 50, make_body);
  }
}

void rows_of_small_tables(Bench& bench) {
  if (bench.wants({"capture_1000_tables"})) {
    Database database;
    create_levels(database);
    bench.measure({"capture_1000_tables", 0.1, "us"}, [&] { return capture(database); });
  }
  bench.measure({"fill_1000_tables", 10, "ms", "created, 50 records in each"}, [&] {
    Database database;
    return time_ns([&] { create_levels(database); });
  });
}

}  // namespace

void capture_rows(Bench& bench) {
  rows_of_a_million(bench);
  nested_capture_rows(bench);
  rows_of_small_tables(bench);
}

}  // namespace hdb::bench
