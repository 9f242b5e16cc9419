// Any trace of operations, with captures, restores, saves and loads in it: handles and states are
// those of a plain model.
#include <cstddef>
#include <cstdint>
#include <string>

#include "trace.hpp"

namespace {

using hdb::Layout;
using hdb::test::Hero;
using hdb::test::Unit;

Unit make_unit(std::uint8_t number) {
  return {.hp = number, .kind = number, .x = 0.5 * number, .target = {}};
}

Hero make_hero(std::uint8_t number) {
  Hero hero;
  hero.name = std::string(number % 40, 'h');
  hero.items.assign(number % 5, number);
  if (number % 2 == 0) hero.mana = 1.0F;
  if (number % 3 == 0) hero.skills["skill"] = number;
  return hero;
}

template <class L>
void run(const hdb::TableOptions& options, FuzzedDataProvider& in) {
  const bool is_warm = L::generation_bits == 12 && in.ConsumeBool();
  if (in.ConsumeBool()) {
    hdb::fuzz::Trace<Unit, L, Unit (*)(std::uint8_t)> trace(options, in, make_unit);
    if (is_warm) trace.warm_up();
    trace.run();
  } else {
    hdb::fuzz::Trace<Hero, L, Hero (*)(std::uint8_t)> trace(options, in, make_hero);
    if (is_warm) trace.warm_up();
    trace.run();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  hdb::TableOptions options;
  options.storage = in.ConsumeBool() ? hdb::Storage::dense : hdb::Storage::stable;
  options.free_list =
      in.PickValueInArray({hdb::FreeList::lifo, hdb::FreeList::fifo, hdb::FreeList::lowest});
  options.generations =
      in.ConsumeBool() ? hdb::Generations::per_slot : hdb::Generations::table_counter;
  options.overflow = in.ConsumeBool() ? hdb::Overflow::retire : hdb::Overflow::wrap;
  switch (in.ConsumeIntegralInRange(0, 3)) {
    case 0: run<hdb::DefaultLayout>(options, in); break;
    case 1: run<Layout<16, 16>>(options, in); break;
    case 2: run<Layout<32, 16, 15>>(options, in); break;
    default: run<Layout<20, 12>>(options, in); break;
  }
  return 0;
}
