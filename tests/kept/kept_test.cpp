// What a load keeps of a file: fields and tables that the program does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cereal/types/set.hpp>
#include <memory>
#include <string>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/history.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/sync_test.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Plain<true> heavy(double weight) {
  Plain<true> plain;
  plain.weight = weight;
  return plain;
}

// A newer database with crates of weight 1, 2, ... and a quest.
struct Newer {
  Database db;
  Table<Plain<true>>& crates = db.create_table<Plain<true>>("crates");
  Table<Quest>& quests = db.create_table<Quest>("quests");
  std::vector<Handle<Plain<true>>> handles;

  explicit Newer(int count = 3) {
    for (int i = 1; i <= count; ++i) handles.push_back(crates.insert(heavy(i)));
    quests.insert({"find the key", {1, 2, 3}});
  }
  Bytes file() { return saved(db.capture()); }
  // The weights of the handles that live in a file; -1 for the others.
  static std::vector<double> weights_in(const Bytes& file, std::size_t count) {
    Database db;
    auto& crates = db.create_table<Plain<true>>("crates");
    db.create_table<Quest>("quests");
    const auto report = load(db, file);
    if (!report) throw std::runtime_error(report.error().message());
    std::vector<double> weights;
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      weights.push_back(-1);
      for (const auto& [handle, crate] : crates.entries()) {
        if (handle.index() == slot) weights.back() = crate.weight;
      }
    }
    return weights;
  }
};

struct Older {
  Database db;
  Table<Plain<false>>& crates = db.create_table<Plain<false>>("crates");
  Handle<Plain<false>> same(Handle<Plain<true>> handle) {
    return Handle<Plain<false>>::from_bits(handle.bits());
  }
};

TEST(Kept, TheReportNamesKeptFieldsAndTables) {
  Newer now;
  Older old;
  const auto report = load(old.db, now.file(), kKeep);
  ASSERT_TRUE(report);
  EXPECT_EQ(
      report->summary(),
      "crates: 3 records, weight kept (x3), flag kept (x3); not in the program, kept: quests");
  EXPECT_THAT(report->kept_tables, ElementsAre("quests"));
  EXPECT_THAT(report->unknown_tables, IsEmpty());

  Older without;
  const auto plain = load(without.db, now.file());
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->summary(),
            "crates: 3 records, weight dropped (x3), flag dropped (x3); not in the program, "
            "skipped: quests");
}

TEST(Kept, ValuesBelongToTheHandleNotToTheSlot) {
  Newer now(4);
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  old.crates.erase(old.same(now.handles[1]));
  EXPECT_EQ(old.crates.insert({}).index(), 1u);  // the slot again
  old.crates.edit(old.same(now.handles[2]))->a = 9;
  old.crates.insert({});
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 5), ElementsAre(1, 0, 3, 4, 0));
}

TEST(Kept, AResetForgetsTheValuesAndARestoreBringsThemBack) {
  Newer now;
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  const Snapshot loaded = old.db.capture();
  const Hash128 hash = loaded.state_hash();
  old.crates.reset();
  EXPECT_EQ(old.crates.insert({}).bits(), now.handles[0].bits());  // the same handle again
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 2), ElementsAre(0, -1));
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    old.crates.clear();
    ASSERT_TRUE(old.db.restore(loaded, {.mode = mode}));
    EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 3), ElementsAre(1, 2, 3));
  }
  EXPECT_EQ(loaded.state_hash(), hash);
}

TEST(Kept, AForkKeepsThemToo) {
  Newer now;
  Older old;
  old.crates.insert({});
  ASSERT_TRUE(load(old.db, now.file(), {.mode = TimelineMode::fork, .keep_unknown = true}));
  old.crates.erase(old.same(now.handles[0]));
  old.crates.insert({});
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 3), ElementsAre(0, 2, 3));
}

TEST(Kept, ALaterLoadReplacesWhatWasKept) {
  Newer now;
  Newer other(1);
  other.crates.edit(other.handles[0])->weight = 50;
  other.db.drop_table("quests");
  Older old;
  const Snapshot empty = old.db.capture();
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  ASSERT_TRUE(load(old.db, other.file(), kKeep));
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 1), ElementsAre(50));
  EXPECT_EQ(old.db.state_hash(), other.db.state_hash());

  ASSERT_TRUE(load(old.db, now.file()));  // without the flag
  Older plain;
  ASSERT_TRUE(load(plain.db, now.file()));
  EXPECT_EQ(old.db.state_hash(), plain.db.state_hash());

  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  ASSERT_TRUE(old.db.restore(empty));
  EXPECT_EQ(old.db.state_hash(), empty.state_hash());
  EXPECT_EQ(old.db.capture().image({})->tables().size(), 1u);
}

TEST(Kept, ARefusedLoadChangesNothing) {
  Newer now;
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  const Hash128 before = old.db.state_hash();
  Bytes bad = now.file();
  bad[bad.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(load(old.db, bad, kKeep));
  const auto refused =
      load(old.db, now.file(), {.allow_unknown_tables = false, .keep_unknown = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unknown_table);
  EXPECT_EQ(old.db.state_hash(), before);
}

// The program's records are as they were, so the load of its own save is exact.
TEST(Kept, ASortGoesOnAfterALoad) {
  Newer now(500);
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  for (std::size_t i = 0; i < now.handles.size(); ++i)
    old.crates.edit(old.same(now.handles[i]))->a = static_cast<std::int32_t>(i * 7919 % 500);
  const auto is_lighter = [](const Plain<false>& x, const Plain<false>& y) { return x.a < y.a; };
  ASSERT_FALSE(old.crates.sort_step(is_lighter, 100));
  Older same;
  const auto report = load(same.db, saved(old.db.capture()), kKeep);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->tables[0].dropped_extensions, IsEmpty());
  for (bool done = false; !done;) {
    ASSERT_EQ(same.db.state_hash(), old.db.state_hash());
    done = old.crates.sort_step(is_lighter, 100);
    ASSERT_EQ(same.crates.sort_step(is_lighter, 100), done);
  }
}

TEST(Kept, MemoryIsChargedToTheBudgetOfTheLoad) {
  Newer now(1000);
  for (int i = 0; i < 1000; ++i) now.quests.insert({std::string(100, 'q'), {}});
  const Bytes file = now.file();
  const auto least = [&](bool keeps) {
    for (std::uint64_t bytes = 1000;; bytes += 1000) {
      Older old;
      if (load(old.db, file, {.keep_unknown = keeps, .limits = {.max_memory_bytes = bytes}}))
        return bytes;
    }
  };
  // Weights, flags and slots of crates; titles of quests.
  EXPECT_GE(least(true), least(false) + 1000 * (9 + 9) + 1000 * 100);
}

TEST(Kept, ATableOfTheProgramTakesThePlaceOfAKeptOne) {
  Newer now;
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  const Snapshot loaded = old.db.capture();
  auto& quests = old.db.create_table<Clock>("quests");
  quests.insert({});
  const auto image = old.db.capture().image({});
  ASSERT_EQ(image->tables().size(), 2u);
  EXPECT_EQ(image->tables()[1].live_count, 1u);
  ASSERT_TRUE(old.db.restore(loaded));  // the program has a table of this name now
  EXPECT_EQ(old.db.capture().image({})->tables().size(), 2u);
  EXPECT_EQ(quests.size(), 0u);
  EXPECT_EQ(loaded.image({})->tables().size(), 2u);  // an earlier snapshot has it still
  ASSERT_TRUE(old.db.drop_table("quests"));
  ASSERT_TRUE(old.db.restore(loaded));
  EXPECT_EQ(old.db.state_hash(), loaded.state_hash());
}

TEST(Kept, TypeIdsOfKeptTablesAreNotGivenAgain) {
  Database now;
  now.create_table<Plain<true>, TypedLayout>("crates");
  now.create_table<Quest, TypedLayout>("quests", {.type_id = 7}).insert({});
  Database old;
  old.create_table<Plain<false>, TypedLayout>("crates");
  old.create_table<Clock, TypedLayout>("clocks", {.type_id = 7});
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  const auto clock = old.find_table<Clock, TypedLayout>("clocks")->insert({});
  EXPECT_EQ(old.table_of(AnyHandle::from_bits(clock.bits())), "clocks");
  const auto taken = old.try_create_table<Unit<false>, TypedLayout>("units", {.type_id = 7});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message(),
              HasSubstr("table 'quests', which the last load kept, has type id 7"));
  const auto& units = old.create_table<Unit<false>, TypedLayout>("units");
  static_cast<void>(units);
  const auto image = old.capture().image({});
  std::vector<int> ids;
  for (const TableDescriptor& table : image->tables()) ids.push_back(table.type_id);
  EXPECT_THAT(ids, ElementsAre(8, 1, 7, 9));  // clocks, crates, quests, units
  EXPECT_TRUE((old.try_create_table<Quest, TypedLayout>("quests", {.type_id = 7})));
}

// --- snapshots

TEST(Kept, ChangesAndDiffsSeeKeptValues) {
  Newer one;
  Newer two;
  two.crates.edit(two.handles[1])->weight = 20;
  two.quests.edit(two.quests.handle_at(0))->title = "lose the key";
  Older old;
  ASSERT_TRUE(load(old.db, one.file(), kKeep));
  const Snapshot before = old.db.capture();
  Changes changes;
  ASSERT_TRUE(load(old.db, two.file(), {.keep_unknown = true, .changes = &changes}));
  const Snapshot after = old.db.capture();
  ASSERT_EQ(changes.tables.size(), 1u);
  EXPECT_THAT(changes.of("crates").changed, ElementsAre(two.handles[1].bits()));
  EXPECT_THAT(changes_between(before, after).of("crates").changed,
              ElementsAre(two.handles[1].bits()));

  DiffOptions details;
  details.max_details = 10;
  const StateDiff found = diff(before, after, details).value();
  ASSERT_EQ(found.tables.size(), 2u);
  ASSERT_EQ(found.tables[0].details.size(), 1u);
  EXPECT_EQ(found.tables[0].details[0].fields[0].path, "weight");
  EXPECT_EQ(found.tables[0].details[0].fields[0].new_value, "20");
  ASSERT_EQ(found.tables[1].details.size(), 1u);
  EXPECT_EQ(found.tables[1].details[0].fields[0].path, "title");
  EXPECT_FALSE(diff(after, after).value().differs());
  EXPECT_FALSE(diff(before,
                    [&] {
                      Older again;
                      EXPECT_TRUE(load(again.db, one.file(), kKeep));
                      return again.db.capture();
                    }())
                   .value()
                   .differs());
}

TEST(Kept, TheFirstLoadThatKeepsChangesNoHandle) {
  Newer now;
  Older old;
  ASSERT_TRUE(load(old.db, now.file()));
  Changes changes;
  ASSERT_TRUE(load(old.db, now.file(), {.keep_unknown = true, .changes = &changes}));
  EXPECT_THAT(changes.of("crates").created, IsEmpty());
  EXPECT_THAT(changes.of("crates").erased, IsEmpty());
  EXPECT_EQ(changes.of("crates").changed.size(), 3u);
}

TEST(Kept, SyncTestAndHistoryGoOn) {
  Newer now(50);
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  const auto frame = [&](std::uint64_t number) {
    old.crates.edit(old.crates.handle_at(number % old.crates.size()))->a += 1;
    if (number % 3 == 0) old.crates.erase(old.crates.handle_at(0));
    if (number % 4 == 0) old.crates.insert({});
  };
  for (const bool through_file : {false, true}) {
    const auto report = sync_test(old.db, frame, 12, {.through_file = through_file});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_FALSE(report->divergence);
  }
  History history(old.db, {});
  const Hash128 hash = old.db.state_hash();
  ASSERT_TRUE(history.record(1));
  frame(3);
  EXPECT_NE(old.db.state_hash(), hash);
  ASSERT_TRUE(history.rewind(1));
  EXPECT_EQ(old.db.state_hash(), hash);
}

TEST(Kept, ACacheKnowsWhichValuesAGroupHas) {
  Newer one;
  Newer two;
  two.crates.edit(two.handles[1])->weight = 20;
  two.quests.edit(two.quests.handle_at(0))->title = "lose the key";
  Older old;
  ChunkCache cache;
  const SaveOptions options{.write = {.packs = false, .cache = &cache}};
  ASSERT_TRUE(load(old.db, one.file(), kKeep));
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture(), options), 3), ElementsAre(1, 2, 3));
  ASSERT_TRUE(load(old.db, two.file(), kKeep));
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture(), options), 3), ElementsAre(1, 20, 3));
  MemorySink sink;
  const auto again = save(old.db.capture(), sink, options);
  ASSERT_TRUE(again);
  EXPECT_GT(again->reused_bytes, 0u);
  Newer back;
  ASSERT_TRUE(load(back.db, sink.bytes()));
  EXPECT_EQ(back.quests.record_at(0)->title, "lose the key");
  EXPECT_THAT(Newer::weights_in(sink.bytes(), 3), ElementsAre(1, 20, 3));
}

TEST(Kept, AnImportKeepsNothing) {
  Newer now;
  Older old;
  ASSERT_TRUE(load(old.db, now.file(), kKeep));
  const auto imported = old.db.import_records(std::make_unique<MemorySource>(now.file()));
  ASSERT_TRUE(imported);
  EXPECT_EQ(old.crates.size(), 6u);
  EXPECT_THAT(Newer::weights_in(saved(old.db.capture()), 6), ElementsAre(1, 2, 3, 0, 0, 0));
}

}  // namespace
}  // namespace hdb::test::kept_test
