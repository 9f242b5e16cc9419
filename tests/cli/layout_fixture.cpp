// Tables of many layouts.
#include "layout_fixture.hpp"

#include "support/using_detail.hpp"

#include <vector>

#include <cereal/types/vector.hpp>

namespace hdb::test {
namespace layout_fixture {

struct Ember {
  std::int32_t heat = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heat));
  }
};

// One tag for each table.
struct Tiny;
struct Once;
struct Packed;
struct Spare;
struct Far;
struct Long;
struct Room;

using TinyHandle = Handle<Tiny, Layout<10, 6>>;
using OnceHandle = Handle<Once, Layout<4, 1>>;
using PackedHandle = Handle<Packed, Layout<24, 8>>;
using SpareHandle = Handle<Spare, Layout<22, 8>>;
using FarHandle = Handle<Far, Layout<40, 23>>;
using LongHandle = Handle<Long, Layout<20, 31>>;
using RoomHandle = Handle<Room, Layout<33, 15, 16>>;  // names a record of any table of rooms
using DoorHandle = Handle<Ember, Layout<9, 4, 2>>;

struct Holder {
  TinyHandle tiny;
  Strong<Tiny, Layout<10, 6>> owned;
  OnceHandle once;
  PackedHandle packed;
  std::vector<SpareHandle> spares;
  FarHandle far;
  LongHandle longest;
  RoomHandle room;
  DoorHandle door;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(tiny), CEREAL_NVP(owned), CEREAL_NVP(once), CEREAL_NVP(packed), CEREAL_NVP(spares),
      CEREAL_NVP(far), CEREAL_NVP(longest), CEREAL_NVP(room), CEREAL_NVP(door));
  }
};

template <class Tag, class L>
Table<Ember, L, Tag>& make_embers(Database& db, std::string_view name,
                                  const TableOptions& options = {}) {
  auto& table = db.create_table<Ember, L, Tag>(name, options);
  std::vector<Handle<Tag, L>> handles;
  for (std::int32_t i = 0; i < 5; ++i) handles.push_back(table.insert({i * 10}));
  for (const std::size_t i : {1U, 3U}) table.erase(handles[i]);
  return table;
}

}  // namespace layout_fixture

void fill_layouts(Database& db) {
  using namespace layout_fixture;
  auto& tiny = make_embers<Tiny, Layout<10, 6>>(db, "tiny", {.storage = Storage::stable});
  auto& once = make_embers<Once, Layout<4, 1>>(db, "once");
  auto& packed = make_embers<Packed, Layout<24, 8>>(db, "packed", {.free_list = FreeList::fifo});
  auto& spare = make_embers<Spare, Layout<22, 8>>(
      db, "spare", {.generations = Generations::table_counter, .overflow = Overflow::wrap});
  auto& far = make_embers<Far, Layout<40, 23>>(db, "far");
  auto& longest = make_embers<Long, Layout<20, 31>>(
      db, "longest", {.storage = Storage::stable, .free_list = FreeList::lowest});
  auto& attic = make_embers<Room, Layout<33, 15, 16>>(db, "attic", {.type_id = 40'000});
  auto& cellar = make_embers<Room, Layout<33, 15, 16>>(db, "cellar", {.type_id = 2});
  auto& doors = make_embers<Ember, Layout<9, 4, 2>>(db, "doors", {.type_id = 3});
  // Slots 5 to 7 stay unissued.
  longest.insert_as(LongHandle::from_bits(8 | std::uint64_t{5} << 20), Ember{80});
  for (int i = 0; i < 62; ++i) tiny.erase(tiny.insert({}));  // a slot retires
  for (int i = 0; i < 300; ++i) spare.erase(spare.insert({}));

  auto& holders = db.create_table<Holder>("holders");
  Holder live;
  live.tiny = (*tiny.entries().begin()).first;
  live.owned = live.tiny;
  live.once = (*once.entries().begin()).first;
  live.packed = (*packed.entries().begin()).first;
  for (const auto& [handle, ember] : spare.entries()) live.spares.push_back(handle);
  live.far = (*far.entries().begin()).first;
  live.longest = (*longest.entries().begin()).first;
  live.room = (*attic.entries().begin()).first;
  live.door = (*doors.entries().begin()).first;
  holders.insert(live);
  Holder stale;
  stale.tiny = TinyHandle::from_bits(1 | 1 << 10);
  stale.once = OnceHandle::from_bits(1 | 1 << 4);
  stale.packed = PackedHandle::from_bits(0xffffffffU);
  stale.spares = {{}, SpareHandle::from_bits(1 | 1 << 22)};
  stale.far = FarHandle::from_bits(1 | std::uint64_t{1} << 40);
  stale.longest = LongHandle::from_bits(1 | std::uint64_t{0x7fffffff} << 20);
  stale.room = RoomHandle::from_bits(cellar.next_handle().bits() & ~std::uint64_t{7});
  holders.insert(stale);
  holders.insert({});
  // Bits above the layout's, an index of 2^32, a type id of no table.
  Holder foreign;
  foreign.once = OnceHandle::from_bits(0x8010);
  foreign.spares = {SpareHandle::from_bits(1U << 31 | 1 << 22)};
  foreign.far = FarHandle::from_bits(std::uint64_t{1} << 32 | std::uint64_t{1} << 40);
  foreign.longest = LongHandle::from_bits(std::uint64_t{1} << 63 | 1 << 20);
  foreign.room = RoomHandle::from_bits(~std::uint64_t{0});
  foreign.door = DoorHandle::from_bits(1 << 9);
  holders.insert(foreign);
}

}  // namespace hdb::test
