// Component tables in files that are damaged or contradict themselves: refused, found, repaired.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/forge.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/salvage.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/migration.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::component_files_test {
namespace {

using Component = ComponentTable<Clock, Tile>;

// Owners of three row groups; components in order, with holes, and in slots of their own.
struct World {
  Database db;
  Table<Tile>& tiles = db.create_table<Tile>("tiles");
  Component& ages = db.create_component_table<Clock>("age", tiles);
  Component& heats =
      db.create_component_table<Clock>("heat", tiles, {.removal = Removal::in_place});
  ComponentTable<Hero, Tile>& keepers =
      db.create_component_table<Hero>("keeper", tiles, {.storage = Storage::stable});

  void fill() {
    std::vector<Handle<Tile>> handles;
    for (int i = 0; i < 150; ++i) handles.push_back(tiles.emplace());
    for (std::size_t i = handles.size(); i-- > 0;) {
      if (i % 2 == 0) ages.insert(handles[i], {i, 1});
      if (i % 3 == 0) heats.insert(handles[i], {i, 2});
      if (i % 5 == 0) keepers.insert(handles[i], {.name = "keeper " + std::to_string(i)});
    }
    for (const std::size_t i : {9U, 141U, 60U, 30U}) heats.erase(handles[i]);
    for (const std::size_t i : {0U, 12U, 77U}) tiles.erase(handles[i]);
  }
};

Bytes saved(Database& db, bool packs = false) {
  MemorySink sink;
  SaveOptions options;
  options.write.packs = packs;
  const auto result = save(db.capture(), sink, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().message());
  return sink.take();
}

std::size_t table_of(const Bytes& file, const std::string& name) {
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  const auto& tables = (*reader)->tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const TableDescriptor& each) { return each.name == name; });
  return static_cast<std::size_t>(found - tables.begin());
}

RowGroup group_of(const Bytes& file, std::size_t table, std::uint64_t group) {
  RowGroup rows;
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  EXPECT_TRUE((*reader)->read_group(table, group, rows));
  return rows;
}

Bytes as_bytes_of(const std::vector<std::uint32_t>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

// A component of a generation that its record does not have: everything but that is right.
Bytes with_an_orphan(const Bytes& file, const std::string& name) {
  const std::size_t table = table_of(file, name);
  RowGroup rows = group_of(file, table, 0);
  const auto live = std::find(rows.states.begin(), rows.states.end(), std::uint8_t{1});
  // The owner's slot 12 was used again, so that generation 2 exists.
  rows.generations[static_cast<std::size_t>(live - rows.states.begin())] = 2;
  ForgedFile forged(file);
  const std::size_t block =
      forged.find(format::BlockType::rows, static_cast<std::uint32_t>(table), 0);
  forged.set_column(block, 1, as_bytes_of(rows.generations));
  return forged.sealed();
}

class ComponentFiles : public testing::Test {
 protected:
  ComponentFiles() {
    world.fill();
    world.tiles.emplace();  // generation 2 somewhere
    file = saved(world.db);
  }
  World world;
  Bytes file;
};

TEST_F(ComponentFiles, ALoadRefusesAComponentWithoutARecord) {
  for (const char* const name : {"age", "heat", "keeper"}) {
    World other;
    other.fill();
    const Hash128 before = other.db.state_hash();
    const auto loaded = other.db.load(std::make_unique<MemorySource>(with_an_orphan(file, name)));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_components);
    EXPECT_NE(loaded.error().message().find(std::string("tiles:")), std::string::npos);
    EXPECT_NE(loaded.error().message().find(std::string("@2.") + name), std::string::npos)
        << loaded.error().message();
    EXPECT_EQ(other.db.state_hash(), before);
    const auto imported =
        other.db.import_records(std::make_unique<MemorySource>(with_an_orphan(file, name)));
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().code, ErrorCode::bad_components);
    EXPECT_EQ(other.db.state_hash(), before);
  }
}

TEST_F(ComponentFiles, ValidationFindsAComponentWithoutARecord) {
  ValidationOptions full;
  full.level = ValidationLevel::full;
  EXPECT_TRUE(validate(std::make_unique<MemorySource>(file), full).is_valid());
  const Validation found =
      validate(std::make_unique<MemorySource>(with_an_orphan(file, "heat")), full);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].error.code, ErrorCode::bad_components);
  EXPECT_EQ(found.findings[0].error.where, "table 'heat'");
  EXPECT_NE(found.findings[0].error.offset, kNoOffset);
}

TEST_F(ComponentFiles, TheWriterRefusesAComponentWithoutARecord) {
  auto reader = Reader::open(std::make_unique<MemorySource>(with_an_orphan(file, "age")));
  ASSERT_TRUE(reader);
  const auto image = image_of(std::shared_ptr<const Reader>(*std::move(reader)));
  MemorySink sink;
  const auto written = write_image(*image, sink);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::bad_components);
}

TEST_F(ComponentFiles, HolesAreTheOtherPositions) {
  const auto heat = static_cast<std::uint32_t>(table_of(file, "heat"));
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  std::vector<std::uint32_t> holes = (*reader)->read_free_list(heat).value();
  ASSERT_EQ(holes.size(), world.heats.hole_count());
  ASSERT_GT(holes.size(), 3u);
  const auto refused = [&](std::vector<std::uint32_t> list) {
    ForgedFile forged(file);
    forged.set_column(forged.find(format::BlockType::free_list, heat), 0, as_bytes_of(list));
    const Bytes bytes = forged.sealed();
    const bool valid =
        validate(std::make_unique<MemorySource>(bytes), {.level = ValidationLevel::full})
            .is_valid();
    World other;
    const auto loaded =
        other.db.load(std::make_unique<MemorySource>(bytes), {.verify_state_hash = false});
    EXPECT_EQ(valid, loaded.has_value());
    if (!loaded) {
      EXPECT_EQ(loaded.error().code, ErrorCode::bad_free_list);
    }
    return !valid;
  };
  EXPECT_FALSE(refused(holes));
  std::vector<std::uint32_t> other_order = holes;
  std::reverse(other_order.begin(), other_order.end());
  EXPECT_FALSE(refused(other_order)) << "the order is state, but any order is possible";
  std::vector<std::uint32_t> twice = holes;
  twice[0] = twice[1];
  EXPECT_TRUE(refused(twice));
  std::vector<std::uint32_t> taken = holes;
  taken[0] = world.heats.position(world.heats.handle_at(1) ? world.heats.handle_at(1)
                                                           : world.heats.handle_at(2));
  EXPECT_TRUE(refused(taken));
  std::vector<std::uint32_t> beyond = holes;
  beyond[0] = 1000;
  EXPECT_TRUE(refused(beyond));
}

// Any damage of one block: the repaired file passes a deep validation and loads; a component is
// lost exactly where its group or its record is.
TEST_F(ComponentFiles, ARepairLosesComponentsWithTheirRecords) {
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(reader);
  std::size_t damaged_blocks = 0;
  for (const BlockInfo& block : (*reader)->blocks()) {
    const auto type = static_cast<format::BlockType>(block.type);
    if (type != format::BlockType::rows && type != format::BlockType::free_list) continue;
    ++damaged_blocks;
    Bytes damaged = file;
    const std::uint64_t end = block.offset + std::min<std::uint64_t>(block.total_bytes, 272);
    for (std::uint64_t at = block.offset + 72; at < end; at += 3)
      damaged[static_cast<std::size_t>(at)] ^= std::byte{0x55};
    std::map<std::string, std::size_t> lost;
    SalvageOptions options;
    options.on_lost_slot = [&](const LostSlot& slot) {
      if (slot.cause == LossCause::lost_owner) ++lost[std::string(slot.table_name)];
    };
    auto salvaged = salvage(std::make_unique<MemorySource>(damaged), options);
    ASSERT_TRUE(salvaged) << salvaged.error().message();
    MemorySink sink;
    const auto written = write_image(*salvaged->image, sink);
    ASSERT_TRUE(written) << written.error().message();
    const Bytes repaired = sink.take();
    const Validation valid =
        validate(std::make_unique<MemorySource>(repaired), {.level = ValidationLevel::deep});
    ASSERT_TRUE(valid.is_valid()) << valid.findings.at(0).error.message();
    World other;
    const auto loaded = other.db.load(std::make_unique<MemorySource>(repaired));
    ASSERT_TRUE(loaded) << loaded.error().message();
    ASSERT_STREQ(other.db.check_invariants(), nullptr);
    const std::string hurt = (*reader)->tables()[block.table].name;
    std::map<std::string, std::size_t> orphans;
    for (const auto& [handle, tile] : world.tiles.entries()) {
      const bool lives = other.tiles.contains(handle);
      EXPECT_TRUE(lives || hurt == "tiles");
      if (world.ages.contains(handle)) {
        if (!lives) ++orphans["age"];
        EXPECT_TRUE(other.ages.contains(handle) == lives || hurt == "age");
      }
      if (world.heats.contains(handle)) {
        if (!lives) ++orphans["heat"];
        EXPECT_TRUE(other.heats.contains(handle) == lives || hurt == "heat");
        if (other.heats.contains(handle)) {
          EXPECT_EQ(other.heats.position(handle), world.heats.position(handle))
              << "in place: nothing moves";
        }
      }
      if (world.keepers.contains(handle)) {
        if (!lives) ++orphans["keeper"];
        EXPECT_TRUE(other.keepers.contains(handle) == lives || hurt == "keeper");
      }
    }
    EXPECT_EQ(lost, orphans);
    EXPECT_EQ(other.heats.size() + other.heats.hole_count(),
              world.heats.size() + world.heats.hole_count());
    // The holes that were there are used first, in their order.
    const auto holes_of = [](const Bytes& bytes) {
      const auto opened = Reader::open(std::make_unique<MemorySource>(bytes));
      return (*opened)->read_free_list(table_of(bytes, "heat")).value();
    };
    if (type == format::BlockType::rows) {
      const auto before = holes_of(file);
      const auto after = holes_of(repaired);
      ASSERT_GE(after.size(), before.size());
      EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
      EXPECT_TRUE(
          std::is_sorted(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end()));
    }
  }
  EXPECT_GE(damaged_blocks, 8u);
}

TEST_F(ComponentFiles, ASoundFileIsRepairedToItself) {
  auto salvaged = salvage(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(salvaged);
  EXPECT_TRUE(salvaged->is_sound());
  MemorySink sink;
  const auto written = write_image(*salvaged->image, sink);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->state_hash, world.db.state_hash());
}

TEST_F(ComponentFiles, PacksHoldThemToo) {
  Database small;
  auto& units = small.create_table<Unit>("units");
  auto& clocks =
      small.create_component_table<Clock>("clock", units, {.removal = Removal::in_place});
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 9; ++i) handles.push_back(units.insert({.hp = i}));
  for (const auto handle : handles) clocks.insert(handle, {handle.index(), 0});
  for (const std::size_t i : {3U, 1U, 7U}) clocks.erase(handles[i]);
  const Bytes packed = saved(small, true);
  const Hash128 hash = small.state_hash();
  clocks.clear();
  ASSERT_TRUE(small.load(std::make_unique<MemorySource>(packed)));
  EXPECT_EQ(small.state_hash(), hash);
  EXPECT_EQ(clocks.hole_count(), 3u);
  clocks.insert(handles[3], {});
  EXPECT_EQ(clocks.position(handles[3]), 7u) << "the hole made last is used first";
}

// The program of another age: another owner, other storage, none at all.
TEST_F(ComponentFiles, OtherProgramsAreToldWhatDiffers) {
  const auto load_into = [&](Database& db, bool unknown = true) {
    return db.load(std::make_unique<MemorySource>(file),
                   {.allow_missing_tables = true, .allow_unknown_tables = unknown});
  };
  {
    Database db;
    auto& others = db.create_table<Unit>("units");
    db.create_table<Tile>("tiles");
    db.create_component_table<Clock>("age", others);
    const auto loaded = load_into(db);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::storage_mismatch);
    EXPECT_NE(loaded.error().message().find("'tiles' in the file, of 'units'"), std::string::npos);
  }
  {
    Database db;
    db.create_table<Tile>("tiles");
    db.create_table<Clock>("age");
    EXPECT_EQ(load_into(db).error().code, ErrorCode::storage_mismatch);
  }
  {
    Database db;
    auto& tiles = db.create_table<Tile>("tiles");
    auto& ages = db.create_component_table<Clock>("age", tiles, {.storage = Storage::stable});
    const auto loaded = load_into(db);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(ages.size(), world.ages.size());
    EXPECT_STREQ(db.check_invariants(), nullptr);
  }
  {
    Database db;
    auto& tiles = db.create_table<Tile>("tiles");
    db.create_component_table<Clock>("heat", tiles);
    EXPECT_EQ(load_into(db).error().code, ErrorCode::storage_mismatch);
  }
  {
    Database db;  // the owner has another name now
    auto& tiles = db.create_table<Tile>("grounds");
    auto& ages = db.create_component_table<Clock>("age", tiles);
    auto& news = db.create_component_table<Unit>("new", tiles);
    db.declare_table_rename({.old_name = "tiles", .new_name = "grounds"});
    news.insert(tiles.emplace(), {});
    const auto loaded = load_into(db);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(ages.size(), world.ages.size());
    EXPECT_TRUE(news.empty()) << "the file does not have it";
    EXPECT_STREQ(db.check_invariants(), nullptr);
  }
}

// A migration that drops records drops their components.
struct OldTile {
  int kind = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(kind));
  }
};
struct NewTile {
  int kind = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(kind));
  }
};

}  // namespace
}  // namespace hdb::test::component_files_test

CEREAL_CLASS_VERSION(hdb::test::component_files_test::OldTile, 1)
CEREAL_CLASS_VERSION(hdb::test::component_files_test::NewTile, 2)

namespace hdb::test::component_files_test {
namespace {

TEST(ComponentMigrations, DroppedRecordsTakeTheirComponentsAlong) {
  Database old;
  auto& old_tiles = old.create_table<OldTile>("tiles");
  auto& old_ages = old.create_component_table<Clock>("age", old_tiles);
  std::vector<std::uint64_t> kept;
  for (int i = 0; i < 20; ++i) {
    const auto handle = old_tiles.insert({i});
    old_ages.insert(handle, {static_cast<std::uint64_t>(i), 0});
    if (i % 4 != 0) kept.push_back(handle.bits());
  }
  const Bytes file = saved(old);
  Database db;
  auto& tiles = db.create_table<NewTile>("tiles");
  auto& ages = db.create_component_table<Clock>("age", tiles);
  db.declare_migration({.table = "tiles", .from = 1},
                       [](DynamicValue& tile, MigrationContext& context) {
                         if (tile.at("kind").as<int>() % 4 == 0) context.drop();
                       });
  const auto loaded = db.load(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(ages.size(), kept.size());
  for (const std::uint64_t bits : kept)
    EXPECT_TRUE(ages.contains(Handle<NewTile>::from_bits(bits)));
  EXPECT_STREQ(db.check_invariants(), nullptr);
  for (const auto& table : loaded->tables) EXPECT_EQ(table.live_count, kept.size());
}

// A field becomes a component: of some records, in tables that the file has and that are new.
TEST(ComponentMigrations, AMigrationCreatesComponents) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Database old;
    auto& old_tiles = old.create_table<OldTile>("tiles");
    auto& old_ages = old.create_component_table<Clock>("age", old_tiles, {.storage = storage});
    std::vector<Handle<OldTile>> handles;
    for (int i = 0; i < 20; ++i) handles.push_back(old_tiles.insert({i}));
    old_ages.insert(handles[1], {1, 0});
    old_tiles.erase(handles[7]);
    const Bytes file = saved(old);
    Database db;
    auto& tiles = db.create_table<NewTile>("tiles");
    auto& ages = db.create_component_table<Clock>("age", tiles, {.storage = storage});
    auto& news = db.create_component_table<Clock>("new", tiles, {.storage = storage});
    db.declare_migration({.table = "tiles", .from = 1, .creates = {"age", "new", "tiles"}},
                         [](DynamicValue& tile, MigrationContext& context) {
                           const int kind = tile.at("kind").as<int>();
                           DynamicValue age;
                           age.set("tick", 100 + kind);
                           if (kind % 2 == 0)
                             context.create_component("age", context.handle(), age);
                           if (kind % 5 == 0)
                             context.create_component("new", context.create("tiles", {}), age);
                           if (kind == 4) context.drop();
                         });
    const auto loaded = db.load(std::make_unique<MemorySource>(file));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_STREQ(db.check_invariants(), nullptr);
    EXPECT_EQ(tiles.size(), 19u + 4 - 1);
    EXPECT_EQ(ages.size(), 10u) << "one from the file, ten made, one dropped";
    EXPECT_EQ(news.size(), 4u);
    EXPECT_NE(loaded->summary().find("new: 4 records"), std::string::npos) << loaded->summary();
    for (int i = 0; i < 20; ++i) {
      const auto tile = Handle<NewTile>::from_bits(handles[static_cast<std::size_t>(i)].bits());
      const Clock* const age = ages.find(tile);
      EXPECT_EQ(age != nullptr, i == 1 || (i % 2 == 0 && i != 4)) << i;
      if (age != nullptr && i != 1) {
        EXPECT_EQ(age->tick, 100u + static_cast<unsigned>(i));
      }
      EXPECT_FALSE(news.contains(tile));
    }
    Database again;
    auto& tiles_again = again.create_table<NewTile>("tiles");
    again.create_component_table<Clock>("age", tiles_again, {.storage = storage});
    again.create_component_table<Clock>("new", tiles_again, {.storage = storage});
    ASSERT_TRUE(again.load(std::make_unique<MemorySource>(saved(db))));
    EXPECT_EQ(again.state_hash(), db.state_hash());
  }
}

TEST(ComponentMigrations, ComponentsThatCannotBeCreatedAreRefused) {
  struct Case {
    MigrationFunction step;
    std::string message;
  };
  const Case cases[] = {
      {[](DynamicValue&, MigrationContext& context) { context.create("age", {}); },
       "use MigrationContext::create_component"},
      {[](DynamicValue&, MigrationContext& context) {
         context.create_component("tiles", context.handle(), {});
       },
       "it is not a component table"},
      {[](DynamicValue&, MigrationContext& context) {
         context.create_component("age", context.handle(), {});
         context.create_component("age", context.handle(), {});
       },
       "the record already has a component"},
      {[](DynamicValue&, MigrationContext& context) {
         context.create_component("age", Handle<NewTile>::from_bits(77), {});
       },
       "is not the handle of a record of table 'tiles'"},
      {[](DynamicValue&, MigrationContext& context) { context.create_component("age", 1, {}); },
       "is not the handle of a record of table 'tiles'"},
      {[](DynamicValue&, MigrationContext& context) {
         context.create_component("new", context.handle(), {});
       },
       "Migration::creates does not list it"},
  };
  Database old;
  old.create_table<OldTile>("tiles").insert({1});
  const Bytes file = saved(old);
  for (const Case& each : cases) {
    Database db;
    auto& tiles = db.create_table<NewTile>("tiles");
    db.create_component_table<Clock>("age", tiles);
    db.create_component_table<Clock>("new", tiles);
    db.declare_migration({.table = "tiles", .from = 1, .creates = {"age", "tiles"}}, each.step);
    const Hash128 before = db.state_hash();
    const auto loaded = db.load(std::make_unique<MemorySource>(file));
    ASSERT_FALSE(loaded) << each.message;
    EXPECT_EQ(loaded.error().code, ErrorCode::migration_failed);
    EXPECT_NE(loaded.error().message().find(each.message), std::string::npos)
        << loaded.error().message();
    EXPECT_EQ(db.state_hash(), before);
  }
}

}  // namespace
}  // namespace hdb::test::component_files_test
