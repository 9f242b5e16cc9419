// *_1000_tables: what a database of many small tables costs: levels that are made and dropped at
// run time.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kTables = 1000;
constexpr std::size_t kRecords = 4;  // of each table

using LevelTable = Table<Body, TypedLayout>;

std::string level_name(std::size_t i) { return "level_" + std::to_string(i) + "/bodies"; }

void create_levels(Database& database, std::size_t records = kRecords) {
  for (std::size_t i = 0; i < kTables; ++i) {
    LevelTable& table = database.create_table<Body, TypedLayout>(level_name(i));
    for (std::size_t k = 0; k < records; ++k) table.insert(make_content(k));
  }
}

// One record of every hundredth table.
void change_some(Database& database) {
  for (std::size_t i = 0; i < kTables; i += 100) {
    LevelTable& table = *database.find_table<Body, TypedLayout>(level_name(i));
    ++table.edit(table.begin().handle())->state;
  }
}

void rows_in_memory(Bench& bench) {
  if (!bench.wants({"capture_1000_tables", "restore_1000_tables", "record_1000_tables"})) return;
  Database database;
  create_levels(database);
  bench.measure({.name = "capture_1000_tables", .target = 300, .unit = "us"}, [&] {
    Snapshot snapshot;
    return time_ns([&] { snapshot = database.capture(); });
  });
  bench.measure(
      {.name = "restore_1000_tables",
       .target = 500,
       .unit = "us",
       .note = "after a record of every hundredth table changed"},
      [&] {
        const Snapshot before = database.capture();
        change_some(database);
        return time_ns([&] { benchmark::DoNotOptimize(database.restore(before).has_value()); });
      });
  History history(database, {.frames = 8});
  std::uint64_t frame = 0;
  bench.measure({.name = "record_1000_tables", .unit = "us", .note = "History::record"}, [&] {
    return time_ns([&] { benchmark::DoNotOptimize(history.record(++frame)); });
  });
}

void rows_of_files(Bench& bench) {
  if (!bench.wants({"create_1000_tables", "fill_1000_tables", "load_1000_tables"})) return;
  bench.measure({.name = "create_1000_tables", .target = 2, .unit = "ms", .note = "of one type"},
                [&] {
                  Database database;
                  return time_ns([&] { create_levels(database, 0); });
                });
  bench.measure({.name = "fill_1000_tables", .unit = "ms", .note = "created, 4 records in each"},
                [&] {
                  Database database;
                  return time_ns([&] { create_levels(database); });
                });
  Database database;
  create_levels(database);
  MemorySink file;
  benchmark::DoNotOptimize(save(database.capture(), file).has_value());
  bench.measure(
      {.name = "load_1000_tables", .unit = "ms", .note = "from memory, into tables of families"},
      [&] {
        Database loaded;
        loaded.register_family<Body, TypedLayout>("level_");
        return time_ns([&] {
          benchmark::DoNotOptimize(
              loaded.load(std::make_unique<MemorySource>(MemorySource::borrowing(file.bytes())))
                  .has_value());
        });
      });
}

}  // namespace

void table_rows(Bench& bench) {
  rows_in_memory(bench);
  rows_of_files(bench);
}

}  // namespace hdb::bench
