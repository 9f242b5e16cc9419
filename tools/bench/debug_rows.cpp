// *_debug: what loops and lookups cost in a game that is built without optimisation. This file is
// compiled so, the others and the library are not.
#include "bench.hpp"
#include "hdb/table.hpp"

namespace hdb::bench {
namespace {

// A type of this file alone: so its table and vector are compiled here alone.
struct Thing {
  std::uint64_t id = 0;
  float position[6] = {};
  std::uint64_t state = 0, target = 0;
  double age = 0, speed = 1;
};
static_assert(sizeof(Thing) == 64);

constexpr std::size_t kCount = 10'000;

struct Things {
  Things() {
    for (std::size_t i = 0; i < kCount; ++i) {
      vector[i].id = i;
      handles.push_back(table.insert(vector[i]));
    }
    for (const std::uint32_t i : shuffled(kCount)) {
      order.push_back(i);
      handles_in_order.push_back(handles[i]);
    }
  }

  Table<Thing> table{TableOptions{.storage = Storage::stable}};
  std::vector<Handle<Thing>> handles;
  std::vector<Handle<Thing>> handles_in_order;
  std::vector<Thing> vector = std::vector<Thing>(kCount);
  std::vector<std::uint32_t> order;
};

std::uint64_t sum_of(const auto& things) {
  std::uint64_t sum = 0;
  for (const Thing& thing : things) sum += thing.id;
  return sum;
}

Run each(auto work) {
  return [work] { return time_each_ns(kCount, work); };
}

}  // namespace

void debug_rows(Bench& bench) {
  if (!bench.wants(
          {"iterate_loop_debug", "entries_loop_debug", "find_random_debug", "edit_random_debug"}))
    return;
  Things things;
  Table<Thing>& table = things.table;
  std::vector<Thing>& vector = things.vector;
  bench.compare({"iterate_loop_debug", 3, "", "range for, stable, 10,000, -O0, / vector"},
                each([&] { return sum_of(table); }), each([&] { return sum_of(vector); }));
  bench.compare({"entries_loop_debug", {}, "", "entries() and edit, -O0, / vector"}, each([&] {
                  for (const auto& [handle, thing] : table.entries())
                    table.edit(handle)->age += thing.speed;
                }),
                each([&] {
                  for (Thing& thing : vector) thing.age += thing.speed;
                }));
  bench.compare({"find_random_debug", {}, "", "-O0, / an element of a vector"}, each([&] {
                  std::uint64_t sum = 0;
                  for (const auto handle : things.handles_in_order) {
                    const Thing* const thing = table.find(handle);
                    if (thing != nullptr) sum += thing->id;
                  }
                  return sum;
                }),
                each([&] {
                  std::uint64_t sum = 0;
                  for (const std::uint32_t i : things.order) sum += vector[i].id;
                  return sum;
                }));
  bench.compare({"edit_random_debug", {}, "", "no snapshot open, -O0, / an element of a vector"},
                each([&] {
                  for (const auto handle : things.handles_in_order) table.edit(handle)->age += 1;
                }),
                each([&] {
                  for (const std::uint32_t i : things.order) vector[i].age += 1;
                }));
}

}  // namespace hdb::bench
