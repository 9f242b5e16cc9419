// hdb/core.hpp in a program without exceptions and RTTI: insert, find, capture, restore, iterate;
// names, orders, blobs, values beside records.
#include "hdb/core.hpp"

#include <cstddef>
#include <cstdio>

#include "core/tables/frozen_table.hpp"

namespace {

struct Unit {
  int hp = 0;
  double x = 0;
};

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

template <class Layout>
void churn(hdb::Storage storage, hdb::FreeList free_list) {
  hdb::TableOptions options;
  options.storage = storage;
  options.free_list = free_list;
  hdb::Table<Unit, Layout> units(options);
  hdb::Handle<Unit, Layout> handles[1000];
  for (int i = 0; i < 1000; ++i) handles[i] = units.insert({i, 0.5 * i});
  for (int i = 0; i < 1000; i += 3) expect(units.erase(handles[i]), "erase");
  const hdb::Handle<Unit, Layout> next = units.next_handle();
  expect(units.insert({7, 7}) == next, "the next handle is the one foretold");
  long sum = 0;
  for (const Unit& unit : units) sum += unit.hp;
  for (int i = 0; i < 1000; ++i) {
    const Unit* const unit = units.find(handles[i]);
    expect((unit == nullptr) == (i % 3 == 0), "find");
    if (unit != nullptr) sum -= unit->hp;
  }
  expect(sum == 7, "iteration visits every record once");

  units.erase(next);
  expect(units.revive(next, {7, 7}) && units.at(next).hp == 7, "an erase is undone");

  const hdb::detail::FrozenTable frozen = hdb::detail::core_of(units).freeze();
  const hdb::Handle<Unit, Layout> kept = units.next_handle();
  units.clear();
  expect(!units.contains(next), "clear makes handles stale");
  hdb::detail::core_of(units).prepare_thaw(frozen);
  hdb::detail::core_of(units).thaw(frozen);
  expect(units.at(next).hp == 7 && units.next_handle() == kept, "a capture brings everything back");
  expect(units.check_invariants() == nullptr, "invariants");
}

void name_and_sort() {
  hdb::Table<Unit> units({.storage = hdb::Storage::dense, .names = hdb::RecordNames::ignore_case});
  for (int i = 0; i < 200; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "unit%d", i);
    expect(units.insert_named(name, Unit{(i * 37) % 200, 0}).bits() != 0, "insert by name");
  }
  const auto wanted = units.find_named("UNIT7");
  expect(units.at(wanted).hp == 59 && units.name(wanted) == "unit7", "find by name");
  expect(units.rename(wanted, "other") && units.find_named("unit7").is_null(), "rename");
  const auto by_hp = [](const Unit& a, const Unit& b) { return a.hp < b.hp; };
  expect(!units.sort_step(by_hp, 10), "a step of a sort is not all of it");
  int steps = 0;
  while (!units.sort_step(by_hp, 100)) ++steps;
  expect(steps > 0, "steps end");
  int last = -1;
  for (const Unit& unit : units) {
    expect(unit.hp >= last, "sorted");
    last = unit.hp;
  }
  units.sort([](const Unit& a, const Unit& b) { return a.hp > b.hp; });
  expect(units.at(wanted).hp == 59 && units.begin()->hp == 199, "sorted at once, handles stay");
  expect(units.check_invariants() == nullptr, "invariants of a table with names");
}

void fill_blobs() {
  hdb::BlobTable<Unit> blobs({.capacity_bytes = 1024, .alignment = 16});
  const std::byte bytes[100] = {std::byte{1}, std::byte{2}};
  const auto first = blobs.insert({1, 1}, bytes);
  const auto second = blobs.insert({2, 2}, bytes);
  expect(first && second, "insert a block");
  const auto full = blobs.insert({3, 3}, std::uint64_t{1000});
  expect(!full && full.error().code == hdb::ErrorCode::blob_full,
         "a full buffer is an error value");
  expect(blobs.erase(*first) && blobs.offset(*second) == 0, "compaction at release");
  expect(blobs.find(*second)[1] == std::byte{2} && blobs.meta(*second)->hp == 2,
         "blocks move whole");
  expect(blobs.check_invariants() == nullptr, "invariants of a blob table");
}

void keep_values_beside() {
  hdb::Table<Unit> units;
  hdb::Sidecar<double, hdb::Table<Unit>> values(units);
  const auto one = units.insert({1, 0});
  const auto two = units.insert({2, 0});
  values.set(one, 1.5);
  values.set(two, 2.5);
  units.erase(one);
  expect(values.find(one) == nullptr && *values.find(two) == 2.5, "values go with their records");
}

}  // namespace

int main() {
#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this program proves that core needs neither exceptions nor RTTI"
#endif
  for (const auto storage : {hdb::Storage::dense, hdb::Storage::stable}) {
    for (const auto free_list : {hdb::FreeList::lifo, hdb::FreeList::fifo, hdb::FreeList::lowest}) {
      churn<hdb::DefaultLayout>(storage, free_list);
      churn<hdb::Layout<16, 16>>(storage, free_list);
      churn<hdb::Layout<20, 12>>(storage, free_list);
    }
  }
  name_and_sort();
  fill_blobs();
  keep_values_beside();
  std::printf("core without exceptions: cases=15 failures=%d\n", failures);
  return failures == 0 ? 0 : 1;
}
