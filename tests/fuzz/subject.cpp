// Fills the declared tables with few records of many forms, and saves them.
#include "subject.hpp"

#include "hdb/blob_table.hpp"
#include "hdb/component_table.hpp"
#include "require.hpp"
#include "sound_files.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {
namespace {

using test::Hero;
using test::Tile;
using test::Unit;
using UnitLayout = Layout<20, 12>;

void fill_things(Table<Thing>& things) {
  std::vector<Handle<Thing>> erased;
  for (std::int32_t i = 0; i < 24; ++i) {
    Thing thing;
    thing.flag = i % 2 == 0;
    thing.large = 1ULL << i;
    thing.unit = Handle<Unit, UnitLayout>::from_bits(static_cast<std::uint32_t>(i) << 20);
    thing.text = i % 3 == 0 ? "h\xc3\xa9" : "plain";
    thing.pair[1].label = "second";
    thing.rows = {{i, i + 1}, {}, {3}};
    thing.parts.resize(static_cast<std::size_t>(i % 3));
    if (i % 2 == 0) thing.maybe = 0.5 * i;
    if (i % 3 == 1) thing.either = std::string("text");
    if (i % 3 == 2) thing.either = Part{7, "inner"};
    thing.by_name["a"].label = "x";
    thing.flags = {{i, true}, {i + 5, false}};
    const auto handle = things.insert(thing);
    if (i % 5 == 2) erased.push_back(handle);
  }
  things.erase_batch(erased);
}

// `retires`: one slot of the units goes through all its generations.
void fill(Database& db, bool retires) {
  auto& wide = *db.find_table<Wide>("wide");
  std::vector<Handle<Wide>> narrow;
  for (std::uint32_t i = 0; i < 150; ++i) {
    const auto handle = wide.emplace();
    if (i % 64 != 10) {  // one a row group stays
      narrow.push_back(handle);
      continue;
    }
    Wide& record = *wide.edit(handle);
    record.name = "wide " + std::to_string(i);
    for (std::uint32_t k = 0; k < 40; ++k) record.ids.push_back(70000 + 3 * k);
    record.pad[i] = i;
  }
  wide.erase_batch(narrow);
  fill_things(*db.find_table<Thing>("things"));
  auto& heroes = *db.find_table<Hero>("heroes");
  for (std::int32_t i = 0; i < 10; ++i) {
    const auto handle = heroes.insert({.name = "hero", .items = {i, i * i}, .mana = 1.5F});
    if (i % 4 == 1) heroes.erase(handle);
  }
  // Leaves slots that no record ever had.
  const auto far = Handle<Tile>::from_bits(pack_handle(DefaultLayout::value, 31, 5, 0));
  require(db.find_table<Tile>("zones")->insert_as(far, Tile{}), "a free handle can be inserted");
  auto& units = *db.find_table<Unit, UnitLayout>("units");
  for (int i = 0; i < 4095 && retires; ++i) units.erase(units.emplace());
  auto& ages = *db.find_component_table<test::Clock, Unit, UnitLayout>("age");
  auto& riders = *db.find_component_table<Named, Unit, UnitLayout>("rider");
  std::vector<Handle<Unit, UnitLayout>> erased;
  for (std::int32_t i = 0; i < 70; ++i) {
    const auto handle = units.insert({.hp = i * 1'000'003, .x = 0.25 * i});
    if (i % 6 == 1) erased.push_back(handle);
    if (i % 2 == 1) ages.insert(handle, {static_cast<std::uint64_t>(i), 1});
    if (i % 3 == 1) riders.insert(handle, {i});
  }
  units.erase_batch(erased);  // with their components, which leaves holes
}

// Names, blobs, unfinished work.
void fill_extras(Database& db) {
  auto& named = *db.find_table<Named>("named");
  auto& typed = *db.find_table<Named, TypedLayout>("typed");
  auto& packed = *db.find_blob_table<Part>("packed");
  for (std::int32_t i = 0; i < 300; ++i) {
    const auto handle =
        named.insert_named(i % 5 == 0 ? "" : "name " + std::to_string(i), {i * 7919 % 300});
    if (i % 7 == 3) named.erase(handle);
  }
  named.sort_step([](const Named& a, const Named& b) { return a.value < b.value; }, 700);
  detail::core_of(named).set_flush_cursor(5);
  const auto gone = packed.insert({3, "label"}, 100);
  for (std::uint64_t i = 0; i < 8; ++i)
    require(packed.insert({7, {}}, Bytes(9 * i, std::byte{5})).has_value(), "a block fits");
  packed.erase(*gone);
  typed.erase(typed.insert({1}));
  typed.insert({2});
}

Bytes saved(Database& db, const WriteOptions& write) {
  SaveOptions options;
  options.write = write;
  options.metadata.title = "sound";
  options.metadata.sequence = 4;
  options.metadata.values = {{"map", "E1M1"}, {"skill", "4"}};
  options.thumbnail = Bytes(24, std::byte{7});
  MemorySink sink;
  const auto report = save(db.capture(), sink, options);
  require(report.has_value(), "a sound database can be saved");
  return sink.take();
}

Bytes filled_and_saved(const WriteOptions& write, bool retires) {
  Database db;
  declare(db);
  fill(db, retires);
  fill_extras(db);
  return saved(db, write);
}

}  // namespace

void declare(Database& db) {
  db.create_table<Tile>("zones", {.storage = Storage::stable, .free_list = FreeList::fifo});
  db.create_table<Hero>("heroes", {.generations = Generations::table_counter});
  auto& units = db.create_table<Unit, UnitLayout>("units");
  db.create_component_table<test::Clock>("age", units, {.removal = Removal::in_place});
  db.create_component_table<Named>("rider", units, {.storage = Storage::stable});
  db.create_table<Thing>("things", {.storage = Storage::stable});
  db.create_table<Wide>("wide");
  db.singleton<test::Clock>("clock");
  db.create_table<Named>("named", {.names = RecordNames::ignore_case});
  db.create_blob_table<Part>("packed", {.capacity_bytes = 4096});
  struct Loose;
  db.create_blob_table<Part, DefaultLayout, Loose>("loose", {.capacity_bytes = 8192,
                                                             .alignment = 64,
                                                             .compaction = Compaction::on_demand,
                                                             .names = RecordNames::exact});
  db.create_table<Named, TypedLayout>("typed");
}

ReadLimits small_limits() {
  ReadLimits limits;
  limits.max_file_bytes = 1 << 20;
  limits.max_slots_per_table = 1 << 14;
  limits.max_tables = 16;
  limits.max_schema_fields = 256;
  limits.max_blocks = 256;
  limits.max_metadata_bytes = 1 << 12;
  limits.max_thumbnail_bytes = 1 << 12;
  limits.max_directory_bytes = 1 << 16;
  limits.max_column_bytes = 1 << 21;
  limits.max_memory_bytes = 1 << 25;
  return limits;
}

ReadLimits limits_for(std::span<const std::byte> file) {
  return file.size() / 8 % 4 == 0 ? ReadLimits{} : small_limits();
}

const std::vector<Bytes>& sound_files() {
  static const std::vector<Bytes> files = {filled_and_saved({.packs = false}, true),
                                           filled_and_saved({.codec = Codec::none}, false),
                                           small_file(), every_kind_file()};
  return files;
}

}  // namespace hdb::fuzz
