// memory_*: bytes of memory for each live record beyond the record itself.
#include <cstddef>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "bench.hpp"
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

// A full table, and the memory that was in use before it.
class Measured {
 public:
  explicit Measured(Storage storage)
      : table_(database_.create_table<Body>("bodies", {.storage = storage})) {
    for (std::size_t i = 0; i < kMillion; ++i) handles_[i] = table_.insert(make_content(i));
  }
  void erase_random_half() {
    const auto order = shuffled(kMillion);
    for (std::size_t i = 0; i < kMillion / 2; ++i) table_.erase(handles_[order[i]]);
  }
  // Ten captures, one after the other. While each is open, a record of every page changes.
  void take_captures() {
    for (int i = 0; i < 10; ++i) {
      const Snapshot snapshot = database_.capture();
      for (std::size_t at = 0; at < kMillion; at += 100) ++table_.edit(handles_[at])->state;
    }
  }
  // Bytes for each live record beyond the record itself, as the database counts its memory. The
  // note has the kernel's count, which also holds the unused rest of huge pages.
  void report(Bench& bench, Goal goal) const {
    goal.unit = "bytes";
    goal.note += fmt::format("; {:.4g} as the kernel counts", beyond(memory_in_use() - before_));
    bench.report(goal, beyond(static_cast<double>(database_.memory_bytes())));
  }

 private:
  [[nodiscard]] double beyond(double bytes) const {
    return bytes / static_cast<double>(table_.size()) - static_cast<double>(sizeof(Body));
  }

  HandlesOf<Body> handles_ = HandlesOf<Body>(kMillion);  // in use before the table is
  double before_ = memory_in_use();
  Database database_;
  Table<Body>& table_;
};

void rows_of(Bench& bench, Storage storage, const std::string& name, double target) {
  if (!bench.wants({name, name + "_half", name + "_captures"})) return;
  Measured halved(storage);
  halved.report(bench, {.name = name, .target = target, .note = "full"});
  halved.erase_random_half();
  halved.report(bench, {.name = name + "_half", .note = "half erased at random"});
  Measured captured(storage);
  captured.take_captures();
  captured.report(bench,
                  {.name = name + "_captures", .note = "after ten captures taken and dropped"});
}

}  // namespace

void memory_rows(Bench& bench) {
  rows_of(bench, Storage::dense, "memory_dense", 12);
  rows_of(bench, Storage::stable, "memory_stable", 4.3);
}

}  // namespace hdb::bench
