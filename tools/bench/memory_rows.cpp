// memory_*: bytes a live record beyond the record itself, full, after erasing half, and after
// captures came and went.
#include <cstddef>
#include <memory>
#include <string>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

void rows_of(Bench& bench, Storage storage, const std::string& name, double target) {
  if (!bench.wants({name, name + "_half", name + "_captures"})) return;
  const auto pool = std::make_shared<PagePool>();
  Table<Body> table({.storage = storage}, pool);
  const auto handles = fill(table, kMillion, make_body);
  const auto beyond = [&] {
    const double bytes = static_cast<double>(pool->memory_bytes());
    return bytes / static_cast<double>(table.size()) - static_cast<double>(sizeof(Body));
  };
  bench.tell({.name = name, .target = target, .unit = "bytes", .note = "full"}, beyond());
  for (int i = 0; i < 10; ++i) {
    const FrozenTable frozen = hdb::detail::core_of(table).freeze();
    for (std::size_t at = 0; at < kMillion; at += 100) ++table.edit(handles[at])->state;
  }
  bench.tell(
      {.name = name + "_captures", .unit = "bytes", .note = "after ten captures taken and dropped"},
      beyond());
  pool->trim();
  const auto order = shuffled(kMillion);
  for (std::size_t i = 0; i < kMillion / 2; ++i) table.erase(handles[order[i]]);
  pool->trim();
  bench.tell(
      {.name = name + "_half", .unit = "bytes", .note = "half erased at random, pool trimmed"},
      beyond());
}

}  // namespace

void memory_rows(Bench& bench) {
  rows_of(bench, Storage::dense, "memory_dense", 16);
  rows_of(bench, Storage::stable, "memory_stable", 8);
}

}  // namespace hdb::bench
