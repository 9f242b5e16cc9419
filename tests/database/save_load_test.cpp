// Save and load: exactly back from memory and from files, reports, refusals that change nothing,
// saves in the background.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/folder.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_load_test {
namespace {

namespace fs = std::filesystem;

struct Text {
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(text));
  }
};

struct World {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units", {.storage = Storage::stable});
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.free_list = FreeList::fifo});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");

  void fill(int count) {
    Random random(5);
    std::vector<Handle<Unit>> handles;
    for (int i = 0; i < count; ++i) {
      handles.push_back(units.insert({.hp = i, .x = i / 2.0}));
      if (i % 7 == 0)
        heroes.insert(
            {.name = "n" + std::to_string(i), .items = {i}, .mana = 2.5F, .pet = handles.back()});
      if (random.one_in(4)) units.erase(handles[random.below(handles.size())]);
    }
    clock.edit().tick = static_cast<std::uint64_t>(count);
  }
};

TEST(Save, RowGroupsOfLargeRecordsHoldFewOfThem) {
  Database db;
  auto& heroes = db.create_table<Hero>("heroes");
  auto& small = db.create_table<Text>("small");
  for (int i = 0; i < 2000; ++i) {
    heroes.insert({.name = std::string(20'000, static_cast<char>('a' + i % 26))});
    small.insert({std::to_string(i)});
  }
  SaveOptions options;
  options.write.limits.max_column_bytes = 4 << 20;  // of one group: 2,000 names have 40 MB
  MemorySink sink;
  const auto report = save(db.capture(), sink, options);
  ASSERT_TRUE(report) << report.error().message();
  const auto reader = Reader::open(std::make_unique<MemorySource>(sink.bytes()));
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->tables()[0].group_shift, 6);
  EXPECT_EQ((*reader)->tables()[1].group_shift, 16);
  LoadOptions load;
  load.limits.max_column_bytes = 4 << 20;
  load.verify_state_hash = true;
  const Hash128 hash = db.state_hash();
  heroes.clear();
  ASSERT_TRUE(db.load(std::make_unique<MemorySource>(sink.take()), load));
  EXPECT_EQ(db.state_hash(), hash);
}

TEST(Save, ARefusalForItsSizeSaysWhatIsAllowedAndWhichOptionAllowsMore) {
  Database db;
  db.create_table<Text>("texts").insert({std::string(200, 'x')});
  const auto refusal_of = [&](auto change) {
    SaveOptions options;
    options.thumbnail = Bytes(100);
    change(options.write.limits);
    MemorySink sink;
    const auto saved = save(db.capture(), sink, options);
    return saved ? "saved" : saved.error().what;
  };
  EXPECT_EQ(refusal_of([](ReadLimits& limits) { limits.max_thumbnail_bytes = 99; }),
            "the thumbnail has 100 bytes; at most 99 are allowed "
            "(ReadLimits::max_thumbnail_bytes)");
  EXPECT_EQ(refusal_of([](ReadLimits& limits) { limits.max_column_bytes = 150; }),
            "a column has 200 bytes; at most 150 are allowed (ReadLimits::max_column_bytes)");
  EXPECT_THAT(refusal_of([](ReadLimits& limits) { limits.max_directory_bytes = 10; }),
              testing::MatchesRegex("the directory would have [0-9]+ bytes; at most 10 are allowed "
                                    ".ReadLimits::max_directory_bytes."));
  EXPECT_EQ(refusal_of([](ReadLimits&) {}), "saved");
}

TEST(Save, TheProgramIsAskedBeforeADamagedFileIsReplacedToo) {
  const Folder folder;
  const std::string path = folder / "slot.hdb";
  std::ofstream(path) << "no save";
  SaveOptions options;
  options.file.before_replace = [](ByteSource*) -> Result<OldFile> {
    return fail(ErrorCode::cancelled, "keep it");
  };
  Database db;
  db.create_table<Text>("texts");
  const auto saved = save(db.capture(), path, options);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().what, "keep it");
  EXPECT_EQ(fs::file_size(path), 7U);
}

TEST(Save, LoadedWorldIsTheSavedOneAndHasTheSameFuture) {  // S1, G19
  World world;
  world.fill(3000);
  const Folder folder;
  SaveOptions options;
  options.metadata.title = "before the boss";
  options.metadata.sequence = 12;
  const auto saved = save(world.db.capture(), folder / "slot1.hdb", options);
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->outcome, SaveOutcome::durable);
  EXPECT_EQ(saved->bytes, fs::file_size(folder / "slot1.hdb"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"slot1.hdb"});

  World other;
  other.fill(10);
  const auto loaded =
      other.db.load(folder / "slot1.hdb", {.threads = 2, .verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->info.metadata, options.metadata);
  EXPECT_EQ(loaded->info.state_hash, saved->state_hash);
  EXPECT_EQ(other.db.state_hash(), world.db.state_hash());
  EXPECT_EQ(other.db.check_invariants(), nullptr);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(other.units.insert({.hp = i}), world.units.insert({.hp = i})) << "insert #" << i;
    ASSERT_EQ(other.heroes.insert({.name = "x"}), world.heroes.insert({.name = "x"}))
        << "insert #" << i;
  }
  EXPECT_EQ(other.db.state_hash(), world.db.state_hash());

  const auto info = read_info(folder / "slot1.hdb");
  ASSERT_TRUE(info) << info.error().message();
  EXPECT_EQ(info->metadata.title, "before the boss");
  EXPECT_EQ(info->state_hash, saved->state_hash);
}

TEST(Save, SameStateGivesTheSameBytesWhateverThreads) {  // F14, F15
  const auto bytes_of = [](unsigned threads, bool detour) {
    Database db;
    auto& units = db.create_table<Unit>("units", {});
    auto& heroes = db.create_table<Hero>("heroes", {});
    for (int i = 0; i < 2000; ++i) {
      units.insert({.hp = i});
      heroes.insert({.name = std::to_string(i), .items = {1, 2, i}});
    }
    if (detour) {  // another way to the same state
      const Snapshot before = db.capture();
      units.clear();
      heroes.clear();
      EXPECT_TRUE(db.restore(before));
    }
    MemorySink sink;
    SaveOptions options;
    options.write.threads = threads;
    options.write.file_id = Hash128{1, 2};
    EXPECT_TRUE(save(db.capture(), sink, options));
    return sink.take();
  };
  const Bytes reference = bytes_of(1, false);
  EXPECT_EQ(bytes_of(2, false), reference);
  EXPECT_EQ(bytes_of(4, true), reference);
}

TEST(Load, ReportsMissingAndUnknownTablesAndEmptiesTheMissing) {
  World world;
  world.fill(100);
  MemorySink sink;
  ASSERT_TRUE(save(world.db.capture(), sink));
  Database db;
  auto& heroes = db.create_table<Hero>("heroes", {.free_list = FreeList::fifo});
  auto& tiles = db.create_table<Tile>("tiles");
  tiles.emplace();
  auto& settings = db.singleton<std::pair<int, int>>("settings");
  settings.edit().second = 5;
  const auto loaded = db.load(std::make_unique<MemorySource>(sink.bytes()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->missing_tables, (std::vector<std::string>{"settings", "tiles"}));
  EXPECT_EQ(loaded->unknown_tables, (std::vector<std::string>{"clock", "units"}));
  EXPECT_EQ(heroes.size(), world.heroes.size());
  EXPECT_TRUE(tiles.empty());
  EXPECT_EQ(settings->second, 0);
  tiles.emplace();
  const Hash128 hash = db.state_hash();
  EXPECT_EQ(db.load(std::make_unique<MemorySource>(sink.bytes()), {.allow_missing_tables = false})
                .error()
                .code,
            ErrorCode::missing_table);
  EXPECT_EQ(db.load(std::make_unique<MemorySource>(sink.bytes()), {.allow_unknown_tables = false})
                .error()
                .code,
            ErrorCode::unknown_table);
  EXPECT_EQ(db.state_hash(), hash);
}

// Loads `bytes` into `db`, expects `code`, and expects that nothing changed.
void expect_refused(Database& db, const Bytes& bytes, ErrorCode code) {
  const Hash128 hash = db.state_hash();
  const auto loaded = db.load(std::make_unique<MemorySource>(bytes));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, code) << loaded.error().message();
  EXPECT_EQ(db.state_hash(), hash);
}

TEST(Load, RefusesLayoutsAndForeignGamesThatDoNotFit) {
  World world;
  world.fill(100);
  MemorySink sink;
  ASSERT_TRUE(save(world.db.capture(), sink));
  {
    Database db;  // Unit::target keeps the layout that the table had
    db.create_table<Unit, Layout<16, 16>>("units", {.storage = Storage::stable}).emplace();
    expect_refused(db, sink.bytes(), ErrorCode::layout_mismatch);
  }
  {
    Database db;
    db.create_table<Hero>("units", {.storage = Storage::stable}).emplace();
    expect_refused(db, sink.bytes(), ErrorCode::type_mismatch);
  }
  {
    Database db;
    db.create_table<Hero>("other game").emplace();
    expect_refused(db, sink.bytes(), ErrorCode::unknown_table);
  }
}

TEST(Load, RefusesAOneRecordTableWithoutItsRecord) {
  World world;
  world.db.find_table<Clock>("clock")->clear();
  MemorySink sink;
  const auto saved = save(world.db.capture(), sink);
  ASSERT_FALSE(saved) << "nothing is written that cannot be read";
  EXPECT_EQ(saved.error().code, ErrorCode::storage_mismatch);
  EXPECT_EQ(sink.bytes().size(), 0u);
  // A file that another program made.
  ASSERT_TRUE(write_image(*world.db.capture().image({}), sink));
  World other;
  other.clock.edit().tick = 5;
  const auto loaded = other.db.load(std::make_unique<MemorySource>(sink.bytes()));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::storage_mismatch);
  EXPECT_EQ(other.clock->tick, 5u);
}

TEST(Load, ForkGivesHandlesAboveAllIssued) {
  World world;
  world.fill(500);
  MemorySink sink;
  ASSERT_TRUE(save(world.db.capture(), sink));
  std::vector<Handle<Unit>> ghosts;
  for (int i = 0; i < 400; ++i) ghosts.push_back(world.units.insert({.hp = -1}));
  ASSERT_TRUE(
      world.db.load(std::make_unique<MemorySource>(sink.bytes()), {.mode = TimelineMode::fork}));
  for (int i = 0; i < 1000; ++i) world.units.insert({.hp = i});
  for (const Handle<Unit> ghost : ghosts) EXPECT_FALSE(world.units.contains(ghost));
}

TEST(Load, AdoptsTheFilesTypeIds) {
  Database db;
  using Typed = Layout<32, 16, 15>;
  auto& a = db.create_table<Hero, Typed>("a", {.type_id = 7});
  const auto handle = a.insert({.name = "seven"});
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  Database other;
  auto& b = other.create_table<Hero, Typed>("a");
  EXPECT_EQ(b.options().type_id, 1);
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(sink.bytes())));
  ASSERT_NE(b.find(handle), nullptr);
  EXPECT_EQ(b.find(handle)->name, "seven");
}

TEST(Load, OfMissingFoldersAndDirectoriesIsAnErrorThatNamesTheFile) {
  const Folder folder;
  World world;
  for (const std::string& path :
       {folder / "none.hdb", folder / "no/such/folder.hdb", folder / ""}) {
    const auto loaded = world.db.load(path);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().file, path);
    EXPECT_EQ(category_of(loaded.error().code), ErrorCategory::io) << loaded.error().message();
  }
}

TEST(Load, MessageBeginsWithTheFile) {
  const Folder folder;
  World world;
  const std::string path = folder / "slot1.hdb";
  ASSERT_TRUE(save(world.db.capture(), path));
  std::filesystem::resize_file(path, 100);
  const auto loaded = world.db.load(path);
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().message().starts_with(path + ": corrupt: "))
      << loaded.error().message();
}

TEST(Save, EveryFailureNamesTheFile) {
  const Folder folder;
  World world;
  const std::string path = folder / "slot1.hdb";
  SaveOptions options;
  options.write.level = 99;
  EXPECT_EQ(save(Snapshot(), path).error().file, path);
  EXPECT_EQ(save(world.db.capture(), path, options).error().file, path);
  EXPECT_EQ(save(world.db.capture(), folder / "").error().file, folder / "");
}

TEST(SaveAsync, GoesOnWhileTheGamePlaysAndKeepsItsResult) {
  World world;
  world.fill(5000);
  const Folder folder;
  const Snapshot snapshot = world.db.capture();
  const Hash128 hash = snapshot.state_hash();
  std::atomic<int> told{0};
  SaveOptions options;
  options.write.on_progress = [&](const Progress& progress) {
    EXPECT_LE(progress.groups_done, progress.groups_total);
    ++told;
  };
  Saving saving = save_async(snapshot, folder / "auto.hdb", options);
  for (int i = 0; i < 200; ++i) world.units.edit_each([](auto, Unit& unit) { ++unit.hp; });
  ASSERT_TRUE(saving.result()) << saving.result().error().message();
  EXPECT_TRUE(saving.done());
  EXPECT_EQ(saving.result()->state_hash, hash);
  EXPECT_GT(told, 0);
  EXPECT_EQ(saving.progress().groups_done, saving.progress().groups_total);
}

TEST(SaveAsyncDeathTest, AnEmptySavingSaysWhatIsMissing) {
  Saving saving;
  EXPECT_FALSE(saving);
  EXPECT_DEATH(static_cast<void>(saving.done()), "assign what save_async returned");
  EXPECT_DEATH(static_cast<void>(saving.progress()), "assign what save_async returned");
  EXPECT_DEATH(saving.cancel(), "assign what save_async returned");
  EXPECT_DEATH(static_cast<void>(saving.result()), "assign what save_async returned");
}

TEST(SaveAsync, TheLastCopyWaitsForTheEnd) {
  World world;
  const Folder folder;
  std::promise<void> open;
  SaveOptions options;
  options.write.on_progress = [gate = open.get_future().share()](const Progress&) { gate.wait(); };
  std::thread later;
  {
    Saving saving = save_async(world.db.capture(), folder / "auto.hdb", options);
    const Saving copy = saving;
    saving = {};  // waits for nothing: there is a copy
    later = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      open.set_value();
    });
  }
  EXPECT_TRUE(read_info(folder / "auto.hdb"));
  later.join();
}

TEST(SaveAsync, CancelledLeavesTheOldSaveAndNoOtherFile) {
  World world;
  world.fill(500);
  const Folder folder;
  ASSERT_TRUE(save(world.db.capture(), folder / "auto.hdb"));
  const auto old = read_info(folder / "auto.hdb");
  std::atomic<bool> cancel{true};
  world.fill(500);
  SaveOptions options;
  options.write.cancel = &cancel;
  Saving saving = save_async(world.db.capture(), folder / "auto.hdb", options);
  saving.cancel();
  ASSERT_FALSE(saving.result());
  EXPECT_EQ(saving.result().error().code, ErrorCode::cancelled);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"auto.hdb"});
  EXPECT_EQ(read_info(folder / "auto.hdb")->state_hash, old->state_hash);
}

TEST(Load, AFileWithMoreRecordsThanTheTableMayHoldIsRefused) {
  const Folder folder;
  for (const std::uint64_t most : {9u, 10u}) {
    Database db;
    auto& units = db.create_table<Unit>("units");
    for (int i = 0; i < 10; ++i) units.insert({.hp = i});
    ASSERT_TRUE(save(db.capture(), folder / "ten.hdb"));
    Database limited;
    auto& few = limited.create_table<Unit>("units", {.max_records = most});
    const auto kept = few.insert({.hp = 77});
    const auto loaded = limited.load(folder / "ten.hdb");
    ASSERT_EQ(loaded.has_value(), most == 10);
    if (loaded) {
      EXPECT_EQ(few.size(), 10u);
      EXPECT_TRUE(few.insert({}).is_null()) << "the limit is the program's, before and after";
      EXPECT_EQ(limited.state_hash(), db.state_hash()) << "and no part of the state";
    } else {
      EXPECT_EQ(loaded.error().code, ErrorCode::table_full);
      EXPECT_NE(
          loaded.error().message().find("10 records, but the program's table holds at most 9"),
          std::string::npos)
          << loaded.error().message();
      EXPECT_EQ(few.at(kept).hp, 77) << "nothing has changed";
    }
  }
}

TEST(SaveAsync, RunsOnTheEnginesExecutorAndTellsOfFailures) {
  World world;
  world.fill(50);
  int ran = 0;
  SaveOptions options;
  options.background = [&](std::function<void()> run) {
    ++ran;
    run();
  };
  Saving saving = save_async(world.db.capture(), "/no/such/folder/x.hdb", options);
  EXPECT_EQ(ran, 1);
  ASSERT_TRUE(saving.done());
  ASSERT_FALSE(saving.result());
  EXPECT_EQ(category_of(saving.result().error().code), ErrorCategory::io);
}

}  // namespace
}  // namespace hdb::test::save_load_test
