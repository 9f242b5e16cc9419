// Tables filled so that each filter and codec is chosen somewhere.
#include "inspect/swept_file.hpp"

#include <gtest/gtest.h>

#include "hdb/component_table.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

void declare_swept(Database& db) {
  db.create_table<Tile>("zones", {.storage = Storage::stable});
  db.create_table<Hero>("heroes");
  auto& units =
      db.create_table<Unit, Layout<20, 12>>("units", {.generations = Generations::per_slot});
  db.create_component_table<Clock>("age", units, {.removal = Removal::in_place});
  db.create_component_table<Hero>("rider", units, {.storage = Storage::stable});
  db.singleton<Clock>("clock");
}

Bytes build_swept(const WriteOptions& write) {
  Database db;
  declare_swept(db);
  auto& tiles = *db.find_table<Tile>("zones");
  auto& heroes = *db.find_table<Hero>("heroes");
  auto& units = *db.find_table<Unit, Layout<20, 12>>("units");
  Random random(3);
  for (std::uint32_t i = 0; i < 130; ++i) {
    const auto handle = tiles.emplace();
    if (i % 43 == 0) tiles.edit(handle)->cells[i] = i + 1;
  }
  std::vector<Handle<Hero>> freed_heroes;
  for (int i = 0; i < 40; ++i) {
    const auto handle =
        heroes.insert({.name = "hero " + std::to_string(i % 5), .items = {i, i * i}, .mana = 1.5F});
    if (i % 4 == 1) freed_heroes.push_back(handle);
  }
  heroes.erase_batch(freed_heroes);
  for (int i = 0; i < 4095; ++i) units.erase(units.emplace());  // one slot retired
  std::vector<Handle<Unit, Layout<20, 12>>> freed_units;
  for (int i = 0; i < 50; ++i) {
    const auto handle =
        units.insert({.hp = static_cast<std::int32_t>(random.next()), .x = 0.5 * i});
    if (i % 6 == 0) freed_units.push_back(handle);
  }
  auto& ages = *db.find_component_table<Clock, Unit, Layout<20, 12>>("age");
  auto& riders = *db.find_component_table<Hero, Unit, Layout<20, 12>>("rider");
  for (auto [handle, unit] : units.entries()) {
    if (handle.index() % 3 != 0) ages.insert(handle, {handle.index(), 1});
    if (handle.index() % 5 == 0) riders.insert(handle, {.name = "rider"});
  }
  units.erase_batch(freed_units);  // their components go, and leave holes
  MemorySink sink;
  SaveOptions options;
  options.write = write;
  options.metadata.title = "corruption";
  options.metadata.values["difficulty"] = "nightmare";
  options.thumbnail = Bytes(40, std::byte{7});
  const auto saved = save(db.capture(), sink, options);
  EXPECT_TRUE(saved) << saved.error().message();
  return sink.take();
}

}  // namespace hdb::test
