// memory_*: bytes of memory for each live record beyond the record itself, and what a save takes.
#include <fstream>

#include <fmt/format.h>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

// The bytes of memory that this program uses for data, as the kernel counts them, whoever allocated
// them. Address space that is only reserved does not count.
double memory_in_use() {
  make_memory_cold();
  std::ifstream rollup("/proc/self/smaps_rollup");
  double kib = 0;
  for (std::string line; std::getline(rollup, line);) {
    for (const std::string label : {"Pss_Anon:", "Pss_Shmem:"})
      if (line.starts_with(label)) kib += std::stod(line.substr(label.size()));
  }
  return kib * 1024;
}

// Bytes for each live record beyond the record itself, as the database counts its memory. The note
// has the kernel's count, which also holds the unused rest of huge pages.
void rows_of(Bench& bench, Storage storage, const std::string& name, double target) {
  if (!bench.wants({name, name + "_half", name + "_captures"})) return;
  HandlesOf<Body> handles(kMillion);  // in use before the tables are
  const auto with_table = [&](const auto& use) {
    const double before = memory_in_use();
    Database database;
    auto& table = database.create_table<Body>("bodies", {.storage = storage});
    for (std::size_t i = 0; i < kMillion; ++i) handles[i] = table.insert(make_body(i));
    use(database, table, [&](const Goal& goal) {
      const auto beyond = [&](double bytes) {
        return bytes / static_cast<double>(table.size()) - static_cast<double>(sizeof(Body));
      };
      const double in_use = beyond(memory_in_use() - before);
      bench.report({goal.name, goal.target, "bytes",
                    fmt::format("{}; {:.4g} as the kernel counts", goal.note, in_use)},
                   beyond(static_cast<double>(database.memory_bytes())));
    });
  };
  with_table([&](Database&, Table<Body>& table, const auto& report) {
    report({name, target, "", "full"});
    const auto order = shuffled(kMillion);
    for (std::size_t i = 0; i < kMillion / 2; ++i) table.erase(handles[order[i]]);
    report({name + "_half", {}, "", "half erased at random"});
  });
  with_table([&](Database& database, Table<Body>& table, const auto& report) {
    // While each capture is open, a record of every page changes.
    for (int i = 0; i < 10; ++i) {
      const Snapshot snapshot = database.capture();
      for (std::size_t at = 0; at < kMillion; at += 100) ++table.edit(handles[at])->state;
    }
    report({name + "_captures", {}, "", "after ten captures taken and dropped"});
  });
}

void memory_save(Bench& bench) {
  if (!bench.wants({"memory_save"})) return;
  Game game(false);
  const Snapshot snapshot = game.database.capture();
  NullSink sink;
  start_counting_memory();
  const bool saved = save(snapshot, sink).has_value();
  const std::int64_t bytes = most_memory_counted();
  if (!saved || bytes < 0) return;
  bench.report({"memory_save", 16, "MiB", "extra while saving, 1 thread, no cache"},
               static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

void memory_rows(Bench& bench) {
  rows_of(bench, Storage::dense, "memory_dense", 12);
  rows_of(bench, Storage::stable, "memory_stable", 4.3);
  memory_save(bench);
}

}  // namespace hdb::bench
