// hdb/core.hpp in a program without exceptions and RTTI: insert, find, capture, restore, iterate.
#include "hdb/core.hpp"

#include <cstdio>

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

  const hdb::FrozenTable frozen = units.core().freeze();
  const hdb::Handle<Unit, Layout> kept = units.next_handle();
  units.clear();
  expect(!units.contains(next), "clear makes handles stale");
  units.core().prepare_thaw(frozen);
  units.core().thaw(frozen);
  expect(units.at(next).hp == 7 && units.next_handle() == kept, "a capture brings everything back");
  expect(units.check_invariants() == nullptr, "invariants");
}

}  // namespace

int main() {
#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this program proves that core needs neither exceptions nor RTTI"
#endif
  for (const auto storage : {hdb::Storage::dense, hdb::Storage::stable}) {
    for (const auto free_list : {hdb::FreeList::lifo, hdb::FreeList::fifo}) {
      churn<hdb::DefaultLayout>(storage, free_list);
      churn<hdb::Layout<16, 16>>(storage, free_list);
      churn<hdb::Layout<20, 12>>(storage, free_list);
    }
  }
  std::printf("core without exceptions: cases=12 failures=%d\n", failures);
  return failures == 0 ? 0 : 1;
}
