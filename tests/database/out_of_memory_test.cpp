// G4 for databases: every allocation of a call fails once; then nothing has changed, and calling
// again works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/load_as.hpp"
#include "hdb/resource_table.hpp"
#include "out_of_memory_world.hpp"
#include "support/allocation_watch.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::out_of_memory_test {
namespace {

TEST(OutOfMemory, ATableIsMadeWholeOrNotAtAll) {
  sweep([](World& world) { world.db.create_table<Level>("made"); });
  sweep([](World& world) { must(world.db.try_create_table<Level, TypedLayout>("made")); });
  sweep([](World& world) { world.db.singleton<Level>("made"); });
  sweep([](World& world) { world.db.create_resource_table<Level>("made"); });
  sweep([](World& world) { world.db.create_blob_table<Level>("made", {.capacity_bytes = 4096}); });
  sweep([](World& world) {
    must(world.db.try_create_blob_table<Level>("made", {.capacity_bytes = 4096}));
  });
  sweep([](World& world) {
    world.db.register_family<Level, TypedLayout>("a family of a long name/");
  });
}

TEST(OutOfMemory, ATableIsDroppedOrNot) {
  Snapshot kept;
  const auto drop = [](const char* name) {
    return [name](World& world) { world.db.drop_table(name); };
  };
  for (const char* const name : {"units", "heroes", "menu", "clock"}) {
    sweep(
        drop(name), [&](World& world) { kept = world.db.capture(); }, 0);
    kept = {};
  }
  sweep(drop("tiles"), [&](World& world) { kept = world.db.capture(); });  // copies captured bytes
  kept = {};
}

TEST(OutOfMemory, CapturesAndWhatLooksAtThemChangeNothing) {
  sweep([](World& world) { static_cast<void>(world.db.capture()); });
  sweep([](World& world) { static_cast<void>(world.db.state_hash()); });
  Snapshot earlier;
  sweep([&](World& world) { EXPECT_FALSE(changes_between(earlier, world.db.capture()).empty()); },
        [&](World& world) {
          earlier = world.db.capture();
          world.change();
        });
}

// Between capture and restore, a table goes and others come.
class RestoreOutOfMemory : public testing::TestWithParam<std::tuple<TimelineMode, bool>> {};

TEST_P(RestoreOutOfMemory, ChangesAllOrNothing) {
  const TimelineMode mode = std::get<0>(GetParam());
  const bool with_changes = std::get<1>(GetParam());
  Snapshot earlier;
  const auto prepare = [&](World& world) {
    earlier = world.db.capture();
    world.change();
    world.db.drop_table("menu");
    world.db.create_table<Level, TypedLayout>("new", {.type_id = 12}).insert({});
    world.db.singleton<Level>("new settings").edit().depth = 4;
  };
  const auto restore = [&](World& world) {
    Changes changes;
    const Snapshot before = world.db.capture();
    must(world.db.restore(earlier, {.mode = mode, .changes = with_changes ? &changes : nullptr}));
    fail_allocation(0);
    EXPECT_EQ(world.db.table_names().size(), 7u);
    if (!with_changes) return;
    // The list is made before anything changes, so it is compared with one of what came of it.
    const Changes found = changes_between(before, world.db.capture());
    ASSERT_EQ(changes.tables.size(), found.tables.size());
    for (std::size_t i = 0; i < found.tables.size(); ++i) {
      EXPECT_EQ(changes.tables[i].table, found.tables[i].table);
      EXPECT_EQ(changes.tables[i].created, found.tables[i].created) << found.tables[i].table;
      EXPECT_EQ(changes.tables[i].erased, found.tables[i].erased) << found.tables[i].table;
      EXPECT_EQ(changes.tables[i].changed, found.tables[i].changed) << found.tables[i].table;
    }
    EXPECT_EQ(found.tables.size(), 6u);  // "tiles" alone are equal
  };
  sweep(restore, prepare, 10);
  earlier = {};
}
INSTANTIATE_TEST_SUITE_P(Modes, RestoreOutOfMemory,
                         testing::Combine(testing::Values(TimelineMode::exact, TimelineMode::fork),
                                          testing::Bool()));

Bytes saved(World& world) {
  MemorySink sink;
  must(save(world.db.capture(), sink));
  return sink.take();
}

// A file of a world that goes on, with levels that another world does not have.
Bytes file_with_levels() {
  World world;
  world.change();
  for (int i = 0; i < 3; ++i) {
    auto& level = world.db.create_table<Level, TypedLayout>("level_" + std::to_string(i));
    level.insert({.depth = i, .boss = world.unit});
  }
  world.db.drop_table("level_1");
  return saved(world);
}

class LoadOutOfMemory : public testing::TestWithParam<std::tuple<TimelineMode, bool, unsigned>> {};

TEST_P(LoadOutOfMemory, ChangesAllOrNothing) {
  const TimelineMode mode = std::get<0>(GetParam());
  const bool with_changes = std::get<1>(GetParam());
  const unsigned threads = std::get<2>(GetParam());
  const Bytes file = file_with_levels();
  const auto load = [&](World& world) {
    Changes changes;
    const Snapshot before = world.db.capture();
    must(world.db.load(std::make_unique<MemorySource>(file),
                       {.mode = mode,
                        .threads = threads,
                        .verify_state_hash = true,
                        .changes = with_changes ? &changes : nullptr}));
    fail_allocation(0);
    EXPECT_EQ(world.db.table_names().size(), 8u);  // "extra" is empty
    if (!with_changes) return;
    const Changes found = changes_between(before, world.db.capture());
    ASSERT_EQ(changes.tables.size(), found.tables.size());
    for (std::size_t i = 0; i < found.tables.size(); ++i) {
      EXPECT_EQ(changes.tables[i].created, found.tables[i].created) << found.tables[i].table;
      EXPECT_EQ(changes.tables[i].erased, found.tables[i].erased) << found.tables[i].table;
      EXPECT_EQ(changes.tables[i].changed, found.tables[i].changed) << found.tables[i].table;
    }
    EXPECT_EQ(found.tables.size(), 6u);  // units, heroes, clock, extra, and the levels
  };
  const auto prepare = [](World& world) {
    world.db.register_family<Level, TypedLayout>("level_");
    world.db.singleton<Level>("extra").edit().depth = 7;
  };
  sweep(load, prepare, 100);
}
INSTANTIATE_TEST_SUITE_P(Modes, LoadOutOfMemory,
                         testing::Values(std::tuple(TimelineMode::exact, false, 1u),
                                         std::tuple(TimelineMode::exact, true, 4u),
                                         std::tuple(TimelineMode::fork, true, 1u)));

void set_layout(Field& field, const std::string& table, const HandleLayout& layout) {
  if (field.table == table) field.layout = layout;
  for (Field& child : field.children) set_layout(child, table, layout);
}

// The file as a program saved it whose tables have other policies, and whose units have another
// layout.
Bytes with_other_policies(const Bytes& file) {
  const std::shared_ptr<const Reader> reader =
      Reader::open(std::make_unique<MemorySource>(file)).value();
  std::vector<TableSchema> schemas;
  for (const TableDescriptor& table : reader->tables()) {
    TableSchema& schema =
        schemas.emplace_back(table_schema(table, reader->schemas()[table.schema]));
    set_layout(schema.record, "units", Layout<16, 16>::value);
    TablePolicy& policy = schema.table.policy;
    if (table.name == "units") policy.layout = Layout<16, 16>::value;
    if (table.blobs || table.singleton) continue;
    policy.storage = policy.storage == Storage::dense ? Storage::stable : Storage::dense;
    policy.free_list = FreeList::fifo;
    policy.names = RecordNames::exact;
  }
  const auto loaded = load_as(reader, schemas);
  must(loaded);
  MemorySink sink;
  must(write_image(*loaded->snapshot.image({}), sink));
  return sink.take();
}

TEST(OutOfMemory, ALoadFromOtherPoliciesAndLayoutsChangesAllOrNothing) {
  const Bytes file = with_other_policies(file_with_levels());
  sweep(
      [&](World& world) {
        const auto report = world.db.load(std::make_unique<MemorySource>(file), {.threads = 2});
        must(report);
        fail_allocation(0);
        EXPECT_THAT(report->summary(), testing::HasSubstr("handles <16,16> -> <32,31>"));
      },
      [](World& world) { world.db.register_family<Level, TypedLayout>("level_"); }, 100);
}

class ImportOutOfMemory : public testing::TestWithParam<unsigned> {};

TEST_P(ImportOutOfMemory, ChangesAllOrNothing) {
  const unsigned threads = GetParam();
  const Bytes file = file_with_levels();
  Snapshot kept;  // shares all pages
  const auto import_levels = [&](World& world) {
    const auto live = world.units.size();
    Changes changes;
    const Snapshot before = world.db.capture();
    ImportOptions options{.tables = {"units", "heroes", "menu", "level_0"},
                          .name_clash = NameClash::use_existing,
                          .threads = threads,
                          .changes = &changes};
    must(world.db.import_records(std::make_unique<MemorySource>(file), options));
    fail_allocation(0);
    EXPECT_EQ(world.units.size(), live + 1) << "\"third\"";
    EXPECT_EQ(world.db.find_table<Level>("level_0"), nullptr);
    ASSERT_NE((world.db.find_table<Level, TypedLayout>("level_0")), nullptr);
    const Changes found = changes_between(before, world.db.capture());
    EXPECT_EQ(changes.tables.size(), found.tables.size());
    EXPECT_EQ(changes.of("units").created, found.of("units").created);
  };
  const auto prepare = [&](World& world) {
    world.db.register_family<Level, TypedLayout>("level_");
    kept = world.db.capture();
  };
  sweep(import_levels, prepare, 100);
  kept = {};
}
INSTANTIATE_TEST_SUITE_P(Threads, ImportOutOfMemory, testing::Values(1u, 4u));

// New records take the places of erased ones, whose old content a snapshot needs: more of it than
// one chunk of the log holds, so that the log allocates.
TEST(OutOfMemory, AnImportIntoManyGapsOfAStableTableChangesAllOrNothing) {
  constexpr std::size_t kHeroes = 150;
  const auto fill = [](World& world) {
    std::vector<Handle<Hero>> heroes;
    for (std::size_t i = 0; i < kHeroes; ++i) heroes.push_back(world.heroes.insert({}));
    return heroes;
  };
  World from;
  fill(from);
  const Bytes file = saved(from);
  Snapshot kept;
  const auto prepare = [&](World& world) {
    for (const Handle<Hero> hero : fill(world)) world.heroes.erase(hero);
    kept = world.db.capture();
  };
  const auto import_heroes = [&](World& world) {
    must(world.db.import_records(std::make_unique<MemorySource>(file), {.tables = {"heroes"}}));
    fail_allocation(0);
    EXPECT_EQ(world.heroes.size(), kHeroes + 2);
  };
  sweep(import_heroes, prepare, 100);
  kept = {};
}

// Components of each storage, of records that a snapshot shares.
Snapshot with_components(World& world) {
  auto& ages = world.db.create_component_table<Clock>("age", world.units);
  auto& notes =
      world.db.create_component_table<Level>("note", world.units, {.storage = Storage::stable});
  auto& moods =
      world.db.create_component_table<Hero>("mood", world.units, {.removal = Removal::in_place});
  auto& caches =
      world.db.create_component_table<Level>("cache", world.units, {.scope = Scope::unsaved});
  for (int i = 0; i < 5; ++i) {
    const auto unit = i == 4 ? world.unit : world.units.insert({.hp = i});
    ages.insert(unit, {});
    notes.insert(unit, {.depth = i});
    moods.insert(unit, {.name = "a mood of a name that is longer than a string"});
    caches.insert(unit, {.depth = i});
  }
  moods.erase(moods.handle_at(1));  // a hole
  return world.db.capture();
}

// Calls that need memory because a snapshot shares pages, containers and names with the tables.
TEST(OutOfMemory, EachCallOnRecordsAfterACaptureChangesAllOrNothing) {
  const char* const kLong = "a name that is longer than a string holds within itself";
  Snapshot kept;
  const auto prepare = [&](World& world) { kept = world.db.capture(); };
  const auto hero = [](World& world) { return world.heroes.handle_at(0); };
  const auto block = [](World& world) {
    Handle<Tile> found;
    world.tiles.for_each([&](auto handle, const Tile&, auto) { found = handle; });
    return found;
  };
  const auto each = [&](const Call& call, std::size_t at_least = 1) {
    sweep(call, prepare, at_least);
  };
  each([&](World& world) { world.heroes.insert({.name = kLong, .items = {1, 2}}); });
  each([&](World& world) { world.heroes.edit(hero(world))->mana = 2.5F; });
  each([&](World& world) { EXPECT_TRUE(world.heroes.erase(hero(world))); });
  each([&](World& world) { world.units.insert_named(kLong, {.hp = 5}); }, 2);
  each([&](World& world) { EXPECT_TRUE(world.units.rename(world.unit, kLong)); }, 2);
  each([&](World& world) { EXPECT_TRUE(world.units.erase(world.unit)); }, 2);
  each([&](World& world) { world.units.reserve(5000); });
  each(
      [&](World& world) {
        world.units.sort([](const Unit& a, const Unit& b) { return a.hp < b.hp; });
      },
      0);
  each([&](World& world) { world.menu.insert({.depth = 3}); });
  each([&](World& world) { world.clock.edit().tick = 10; });
  each([&](World& world) { must(world.tiles.insert({}, Bytes(60, std::byte{3}))); });
  each([&](World& world) { must(world.tiles.resize(block(world), 100)); });
  each([&](World& world) { world.tiles.edit(block(world))[0] = std::byte{1}; });
  each([&](World& world) { EXPECT_TRUE(world.tiles.erase(block(world))); });
  kept = {};
}

// A batch ends where the memory does.
TEST(OutOfMemory, BatchesKeepWhatTheyDidBefore) {
  constexpr std::size_t kRecords = 3000;
  for (const bool erases : {false, true}) {
    std::size_t n = 0;
    for (bool failed = true; failed;) {
      ASSERT_LT(++n, 200u);
      World world;
      const std::size_t before = world.units.size();
      const std::vector<Unit> records(kRecords);
      std::vector<Handle<Unit>> handles(kRecords);
      if (erases) {
        ASSERT_EQ(world.units.insert_batch(records, handles), kRecords);
      }
      const Snapshot shared = world.db.capture();
      fail_allocation(n);
      try {
        erases ? world.units.erase_batch(handles) : world.units.insert_batch(records, handles);
        failed = false;
      } catch (const std::bad_alloc&) {
      }
      fail_allocation(0);
      ASSERT_EQ(world.db.check_invariants(), nullptr);
      const std::size_t now = world.units.size() - before;
      if (!failed) {
        ASSERT_EQ(now, erases ? 0 : kRecords);
      }
      for (std::size_t i = 0; i < kRecords; ++i) {
        ASSERT_EQ(world.units.contains(handles[i]), erases ? i >= kRecords - now : i < now)
            << i << ", allocation " << n;
      }
    }
    EXPECT_GT(n, 3u);
  }
}

TEST(OutOfMemory, RecordsAreErasedWithAllComponentsOrNone) {
  Snapshot kept;
  const auto prepare = [&](World& world) { kept = with_components(world); };
  const auto mood = [](World & world) -> auto& {
    return *world.db.find_component_table<Hero, Unit>("mood");
  };
  sweep([](World& world) { EXPECT_TRUE(world.units.erase(world.unit)); }, prepare, 4);
  sweep([](World& world) { EXPECT_TRUE(world.units.erase_keeping_order(world.unit)); }, prepare, 4);
  sweep([](World& world) { world.units.clear(); }, prepare, 0);
  sweep([](World& world) { world.units.reset(); }, prepare, 0);
  sweep([&](World& world) { EXPECT_TRUE(mood(world).erase(world.unit)); }, prepare, 0);
  sweep([&](World& world) { mood(world).compact(); }, prepare, 0);
  sweep([](World& world) { world.db.drop_table("units"); }, prepare, 0);
  sweep(
      [&](World& world) {
        const auto unit = world.units.find_named("first");
        EXPECT_NE(mood(world).insert(unit, {.name = "another"}), nullptr);
      },
      [&](World& world) {
        prepare(world);
        mood(world).erase(world.unit);
        kept = world.db.capture();
      },
      0);
  kept = {};
}

TEST(OutOfMemory, ComponentsAreRestoredLoadedAndImportedAllOrNothing) {
  Bytes file;
  {
    World world;
    static_cast<void>(with_components(world));
    MemorySink sink;
    must(save(world.db.capture(), sink));
    file = sink.take();
  }
  Snapshot kept;
  const auto prepare = [&](World& world) {
    kept = with_components(world);
    world.units.erase(world.unit);
  };
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    sweep([&](World& world) { must(world.db.restore(kept, {.mode = mode})); }, prepare, 4);
    sweep(
        [&](World& world) {
          must(world.db.load(std::make_unique<MemorySource>(file), {.mode = mode}));
        },
        prepare, 50);
  }
  sweep(
      [&](World& world) {
        must(world.db.import_records(
            std::make_unique<MemorySource>(file),
            {.tables = {"age", "mood", "note", "units"}, .name_clash = NameClash::drop_name}));
      },
      prepare, 50);
  kept = {};
}

TEST(OutOfMemory, HistoryRecordsAndRewindsAllOrNothing) {
  std::unique_ptr<History> history;
  const auto prepare = [&](World& world) {
    history = std::make_unique<History>(world.db, HistoryOptions{.frames = 4});
    for (std::uint64_t frame = 1; frame <= 5; ++frame) {
      world.units.edit(world.unit)->hp = static_cast<int>(frame);
      must(history->record(frame));
    }
  };
  sweep(
      [&](World&) {
        ASSERT_EQ(history->newest(), 5u);
        ASSERT_EQ(history->size(), 4u);
        must(history->record(6));
      },
      prepare);
  Changes changes;
  sweep(
      [&](World&) {
        ASSERT_EQ(history->newest(), 5u);
        must(history->rewind(3, {.changes = &changes}));
      },
      prepare);
  sweep([&](World&) { must(history->since(3)); }, prepare);
  history.reset();
}

// What a record's own code throws.
struct Moody {
  std::int32_t value = 0;
  std::string text = "long enough that it is not stored within";
  static inline std::int32_t throws_at = 0;
  template <class A>
  void load(A& a) {
    a(CEREAL_NVP(value), CEREAL_NVP(text));
    if (throws_at != 0 && value == throws_at) throw std::runtime_error("moody");
  }
  template <class A>
  void save(A& a) const {
    a(CEREAL_NVP(value), CEREAL_NVP(text));
  }
};

TEST(OutOfMemory, ARecordThatThrowsWhileItIsLoadedChangesNothing) {
  MemorySink sink;
  {
    Database db;
    db.create_table<Unit>("units").insert({});
    for (int i = 0; i < 3; ++i) {
      auto& level = db.create_table<Moody, TypedLayout>("level_" + std::to_string(i));
      level.insert({.value = i + 1});
    }
    must(save(db.capture(), sink));
  }
  Database db;
  db.create_table<Unit>("units").insert({.hp = 3});
  db.register_family<Moody, TypedLayout>("level_");
  const State before(db);
  Changes changes;
  for (int n = 1; n <= 3; ++n) {
    Moody::throws_at = n;
    bool failed = false;
    try {
      failed = !db.load(std::make_unique<MemorySource>(sink.bytes()), {.changes = &changes});
    } catch (const std::exception&) {
      failed = true;
    }
    Moody::throws_at = 0;
    EXPECT_TRUE(failed) << n;
    EXPECT_EQ(State(db), before) << n;
    EXPECT_TRUE(changes.empty());
  }
  must(db.load(std::make_unique<MemorySource>(sink.bytes()), {.changes = &changes}));
  EXPECT_EQ(db.table_names().size(), 4u);
  EXPECT_EQ(changes.tables.size(), 4u);
}

}  // namespace
}  // namespace hdb::test::out_of_memory_test
