// A load of a file whose table had other policies: handles stay valid or stale, and stale ones are
// never issued again; or the load is refused.
#include <algorithm>
#include <functional>

#include <cereal/types/vector.hpp>

#include "format/forge.hpp"
#include "format/frame/catalog.hpp"
#include "hdb/byte_io.hpp"
#include "policy_world.hpp"

namespace hdb::test::policies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<TableOptions> all_options() {
  std::vector<TableOptions> all;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList list : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
      for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
        for (const Overflow overflow : {Overflow::retire, Overflow::wrap}) {
          TableOptions options;
          options.storage = storage;
          options.free_list = list;
          options.generations = generations;
          options.overflow = overflow;
          all.push_back(options);
        }
      }
    }
  }
  return all;
}

bool changes_state(const TableOptions& a, const TableOptions& b) {
  return a.storage != b.storage || a.free_list != b.free_list || a.generations != b.generations ||
         a.overflow != b.overflow;
}

// PC1 and PC2 for each pair of policies, and an exact future where nothing changed.
TEST(PolicyChanges, EveryPolicyLoadsInEveryOther) {
  std::uint64_t seed = 0;
  for (const TableOptions& stored : all_options()) {
    Game<> from(stored);
    Random random(++seed);
    from.churn(random, 400, 40);
    const Bytes file = saved(from.db);
    for (const TableOptions& own : all_options()) {
      Game<> to(own);
      const auto report = load(to.db, file, {.threads = 2, .verify_state_hash = true});
      ASSERT_TRUE(report) << report.error().message();
      const TableLoadReport& table = report->tables.at(0);
      const bool changed = changes_state(stored, own);
      EXPECT_EQ(table.policy_changes.empty(), !changed);
      EXPECT_EQ(table.promise, changed ? HandlePromise::handles_valid : HandlePromise::exact);
      EXPECT_EQ(to.db.state_hash() == from.db.state_hash(), !changed);
      expect_sound(to.db);
      expect_handles(from, to, own.overflow == Overflow::retire);
      EXPECT_EQ(to.db.check_invariants(), nullptr);
    }
  }
}

// Generations of six bits: slots retire, counters end, generations wrap.
TEST(PolicyChanges, EveryPolicyOfShortGenerationsLoadsOrIsRefused) {
  using Short = Layout<10, 6>;
  std::uint64_t seed = 100;
  int loads = 0;
  int refusals = 0;
  for (const TableOptions& stored : all_options()) {
    for (const int steps : {40, 4000}) {
      Game<Short> from(stored);
      Random random(++seed);
      from.churn(random, steps, 6);
      const Bytes file = saved(from.db);
      for (const TableOptions& own : all_options()) {
        Game<Short> to(own);
        const auto report = load(to.db, file);
        if (!report) {
          EXPECT_EQ(report.error().code, ErrorCode::storage_mismatch);
          EXPECT_THAT(report.error().message(),
                      HasSubstr("generation 63, the last of the handles"));
          EXPECT_EQ(steps, 4000);
          ++refusals;
          continue;
        }
        ++loads;
        expect_sound(to.db);
        const bool promised =
            own.overflow == Overflow::retire && stored.overflow == Overflow::retire;
        expect_handles(from, to, promised || (steps == 40 && own.overflow == Overflow::retire));
        EXPECT_EQ(to.db.check_invariants(), nullptr);
      }
      // More generations: nothing is refused, and nothing is issued again even after a wrap.
      for (const TableOptions& own : all_options()) {
        Game<Layout<10, 20>> wide(own);
        const auto report = load(wide.db, file);
        ASSERT_TRUE(report) << report.error().message();
        expect_sound(wide.db);
        expect_handles(from, wide, own.overflow == Overflow::retire);
        EXPECT_EQ(wide.db.check_invariants(), nullptr);
      }
    }
  }
  EXPECT_GT(loads, 24 * 24);
  EXPECT_GT(refusals, 24);
}

std::vector<std::uint32_t> next_slots(Table<Thing>& things, int count) {
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < count; ++i) slots.push_back(things.insert({}).index());
  return slots;
}

// What was freed first is used first under FIFO, last under LIFO.
TEST(PolicyChanges, FreeSlotsKeepTheOrderInWhichTheyWereFreed) {
  const auto slots_of = [](FreeList stored, FreeList own) {
    Game<> from({.free_list = stored});
    std::vector<Handle<Thing>> handles;
    for (int i = 0; i < 5; ++i) handles.push_back(from.things.insert({}));
    for (const int i : {3, 0, 4}) from.things.erase(handles[static_cast<std::size_t>(i)]);
    Game<> to({.free_list = own});
    EXPECT_TRUE(load(to.db, saved(from.db)));
    return next_slots(to.things, 4);
  };
  EXPECT_THAT(slots_of(FreeList::lifo, FreeList::lifo), ElementsAre(4, 0, 3, 5));
  EXPECT_THAT(slots_of(FreeList::lifo, FreeList::fifo), ElementsAre(3, 0, 4, 5));
  EXPECT_THAT(slots_of(FreeList::fifo, FreeList::lifo), ElementsAre(4, 0, 3, 5));
  EXPECT_THAT(slots_of(FreeList::lifo, FreeList::lowest), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(slots_of(FreeList::lowest, FreeList::fifo), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(slots_of(FreeList::lowest, FreeList::lifo), ElementsAre(0, 3, 4, 5));
}

TEST(PolicyChanges, AStableTableBecomesDenseInTheOrderOfItsSlots) {
  Game<> from({.storage = Storage::stable});
  Random random(5);
  for (int i = 0; i < 150'000; ++i) from.insert();
  std::vector<std::uint64_t> gone;
  for (const auto& [bits, value] : from.live) {
    if (random.one_in(5)) gone.push_back(bits);
  }
  for (const std::uint64_t bits : gone) from.erase(bits);
  const Bytes file = saved(from.db);
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(reader);
  ASSERT_GE((*reader)->tables().at(0).group_count(), 3U) << "what the groups before have adds up";
  Game<> to({.storage = Storage::dense});
  ASSERT_TRUE(load(to.db, file, {.threads = 4}));
  std::uint32_t last = 0;
  for (auto at = to.things.begin(); at != to.things.end(); ++at) {
    EXPECT_TRUE(at == to.things.begin() || at.handle().index() > last);
    last = at.handle().index();
  }
  expect_sound(to.db);
  expect_handles(from, to, true);
}

TEST(PolicyChanges, ADenseTableThatBecomesStableForgetsAnUnfinishedSort) {
  Game<> from;
  for (int i = 0; i < 5000; ++i) from.things.insert({static_cast<std::uint64_t>(i * 7919 % 5000)});
  const auto by_value = [](const Thing& a, const Thing& b) { return a.value < b.value; };
  ASSERT_FALSE(from.things.sort_step(by_value, 100));
  Game<> to({.storage = Storage::stable});
  const auto report = load(to.db, saved(from.db));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->tables.at(0).dropped_extensions, ElementsAre(DroppedExtension{1, ""}));
  expect_sound(to.db);
}

// The file with an edited descriptor of its table.
Bytes with_descriptor(const Bytes& file, const std::function<void(TableDescriptor&)>& edit) {
  ForgedFile forged(file);
  const auto reader = Reader::open(std::make_unique<MemorySource>(file)).value();
  std::vector<TableDescriptor> tables = reader->tables();
  edit(tables.at(0));
  for (ForgedBlock& block : forged.blocks) {
    if (block.head.info.type != format::type_number(format::BlockType::catalog)) continue;
    block.payload = format::encode_catalog(reader->schemas(), tables, reader->database());
    block.head.info.raw_bytes = block.payload.size();
  }
  return forged.sealed();
}

// A slot of the layout's last generation retires; with more generations it is used again.
TEST(PolicyChanges, RetiredSlotsAreUsedAgainIfTheHandlesHaveMoreGenerations) {
  Game<Layout<10, 2>> from;
  for (int i = 0; i < 30; ++i) {
    from.insert();
    from.erase(from.live.begin()->first);
  }
  const Bytes file = saved(from.db);
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->tables().at(0).retired_count, 10u);
  Game<Layout<10, 20>> to;
  ASSERT_TRUE(load(to.db, file));
  const auto next = to.things.insert({});
  EXPECT_EQ(next.index(), 0u);
  EXPECT_EQ(next.generation(), 4u) << "3 was the last of two bits";
  to.things.erase(next);
  expect_handles(from, to, true);
}

// FORMAT.md, section 4.4: a retired slot has the last generation even if none was issued, as after
// a repair.
TEST(PolicyChanges, FreedSlotsRaiseTheHighestGeneration) {
  Game<Layout<10, 2>> from;
  for (int i = 0; i < 3; ++i) {
    from.insert();
    from.erase(from.live.begin()->first);
  }
  const Bytes file =
      with_descriptor(saved(from.db), [](TableDescriptor& table) { table.highest_generation = 1; });
  Game<Layout<10, 20>> to;
  const auto report = load(to.db, file);
  ASSERT_TRUE(report) << report.error().message();
  expect_sound(to.db);
  const auto next = to.things.insert({});
  EXPECT_EQ(next.index(), 0u);
  EXPECT_EQ(next.generation(), 4u) << "3 was the last of two bits";
}

TEST(PolicyChanges, ATableCounterBeginsAboveAllGenerationsOfTheSlots) {
  Game<> from;
  for (int i = 0; i < 9; ++i) {
    from.insert();
    from.erase(from.live.begin()->first);
  }
  from.insert();  // slot 0, generation 10
  Game<> to({.generations = Generations::table_counter});
  ASSERT_TRUE(load(to.db, saved(from.db)));
  const auto next = to.things.insert({});
  EXPECT_EQ(next.index(), 1u);
  EXPECT_EQ(next.generation(), 11u);
}

// FORMAT.md, section 4.4: the counter of slots may be above the highest generation.
TEST(PolicyChanges, ACounterOfSlotsAboveAllGenerationsBecomesATableCounter) {
  Game<> from;
  from.insert();
  const Bytes file =
      with_descriptor(saved(from.db), [](TableDescriptor& table) { table.counter = 7; });
  Game<> to({.generations = Generations::table_counter});
  const auto report = load(to.db, file);
  ASSERT_TRUE(report) << report.error().message();
  expect_sound(to.db);
  EXPECT_EQ(to.things.insert({}).generation(), 8u);
  expect_sound(to.db);
}

TEST(PolicyChanges, AForkStartsAboveWhatTheProcessIssuedUnderTheNewPolicies) {
  Game<> from;
  for (int i = 0; i < 3; ++i) from.insert();
  const Bytes file = saved(from.db);
  Game<> to({.storage = Storage::stable, .free_list = FreeList::fifo});
  std::set<std::uint64_t> issued;
  for (int i = 0; i < 40; ++i) {
    const auto handle = to.things.insert({});
    issued.insert(handle.bits());
    if (i % 2 == 0) to.things.erase(handle);
  }
  const auto report = load(to.db, file, {.mode = TimelineMode::fork});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->tables.at(0).promise, HandlePromise::handles_valid);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(issued.contains(to.things.insert({}).bits()));
  EXPECT_EQ(to.db.check_invariants(), nullptr);
  Game<> wraps({.overflow = Overflow::wrap});
  const auto refused = load(wraps.db, file, {.mode = TimelineMode::fork});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::fork_under_wrap);
}

TEST(PolicyChanges, AProgramMayRefuseThem) {
  Game<> from;
  from.insert();
  const Bytes file = saved(from.db);
  const auto refusal = [&](auto& to) {
    const Hash128 before = to.db.state_hash();
    const auto report = load(to.db, file, {.allow_policy_changes = false});
    EXPECT_FALSE(report);
    EXPECT_EQ(to.db.state_hash(), before);
    return report.error();
  };
  Game<> fifo({.free_list = FreeList::fifo});
  EXPECT_EQ(refusal(fifo).code, ErrorCode::storage_mismatch);
  EXPECT_THAT(refusal(fifo).message(), HasSubstr("free list lifo -> fifo"));
  EXPECT_THAT(refusal(fifo).message(), HasSubstr("table 'things'"));
  Game<Layout<16, 16>> narrow;
  EXPECT_EQ(refusal(narrow).code, ErrorCode::layout_mismatch);
  Game<> same;
  EXPECT_TRUE(load(same.db, file, {.allow_policy_changes = false}));
}

TEST(PolicyChanges, TheReportSaysWhatChanged) {
  Game<Layout<16, 16>> from({.generations = Generations::table_counter});
  from.insert();
  Game<> to(
      {.storage = Storage::stable, .free_list = FreeList::lowest, .overflow = Overflow::wrap});
  const auto report = load(to.db, saved(from.db));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->summary(),
            "things: 1 record, handles valid (handles <16,16> -> <32,31>, storage dense -> stable, "
            "free list lifo -> lowest, generations table_counter -> per_slot, overflow retire -> "
            "wrap)");
}

// --- files that lie about their slots

Bytes bytes_of_list(const std::vector<std::uint32_t>& list) {
  Bytes bytes;
  ByteWriter out(bytes);
  for (const std::uint32_t each : list) out.u32(each);
  return bytes;
}

TEST(PolicyChanges, SlotsThatContradictThemselvesAreRefused) {
  Game<Layout<10, 2>> from;  // slots 0 and 1 retired, 2 to 4 free, 5 and 6 live
  std::vector<Handle<Thing, Layout<10, 2>>> handles;
  for (int i = 0; i < 7; ++i) handles.push_back(from.things.insert({}));
  for (const std::uint32_t slot : {0u, 1u}) {
    for (int i = 0; i < 3; ++i) {
      from.things.erase(handles[slot]);
      if (i != 2) handles[slot] = from.things.insert({});
    }
  }
  for (const std::uint32_t slot : {2u, 3u, 4u}) from.things.erase(handles[slot]);
  MemorySink sink;
  ASSERT_TRUE(save(from.db.capture(), sink, {.write = {.packs = false}}));
  const ForgedFile sound(sink.bytes());
  const auto load_forged = [](const ForgedFile& file) {
    Game<Layout<10, 20>> to({.storage = Storage::stable, .free_list = FreeList::fifo});
    to.insert();
    const Hash128 before = to.db.state_hash();
    const auto report = load(to.db, file.sealed());
    if (!report) {
      EXPECT_EQ(to.db.state_hash(), before);
    }
    return report ? ErrorCode{} : report.error().code;
  };
  ASSERT_EQ(load_forged(sound), ErrorCode{});
  const std::size_t list = sound.find(format::BlockType::free_list);
  const std::uint32_t column = sound.chunks(list).at(0).entry.info.column;
  const auto with_list = [&](const std::vector<std::uint32_t>& entries) {
    ForgedFile file = sound;
    file.set_column(list, column, bytes_of_list(entries));
    return load_forged(file);
  };
  EXPECT_EQ(with_list({2, 3, 4}), ErrorCode{});
  EXPECT_EQ(with_list({2, 3, 3}), ErrorCode::bad_free_list) << "twice";
  EXPECT_EQ(with_list({2, 3, 5}), ErrorCode::bad_free_list) << "a live slot";
  EXPECT_EQ(with_list({2, 3, 0}), ErrorCode::bad_free_list) << "retired in the file, free here";
  EXPECT_EQ(with_list({2, 3, 9}), ErrorCode::bad_free_list) << "no slot";
  const std::size_t rows = sound.find(format::BlockType::rows);
  const auto with_positions = [&](const std::vector<std::uint32_t>& positions) {
    ForgedFile file = sound;
    file.set_column(rows, 2, bytes_of_list(positions));
    return load_forged(file);
  };
  EXPECT_EQ(with_positions({1, 0}), ErrorCode{});
  EXPECT_EQ(with_positions({0, 0}), ErrorCode::bad_dense_order) << "unused, but wrong";
  EXPECT_EQ(with_positions({0, 2}), ErrorCode::bad_dense_order);
}

// --- names

struct Named {
  explicit Named(RecordNames names) : things(db.create_table<Thing>("things", {.names = names})) {}
  Database db;
  Table<Thing>& things;
};

TEST(PolicyChanges, NamesStayWhereTheProgramHasThem) {
  Named exact(RecordNames::exact);
  const auto imp = exact.things.insert_named("Imp", {1});
  exact.things.insert_named("", {2});
  const Bytes file = saved(exact.db);
  Named merged(RecordNames::ignore_case);
  ASSERT_TRUE(load(merged.db, file));
  EXPECT_EQ(merged.things.find_named("iMP"), imp);
  Named back(RecordNames::exact);
  ASSERT_TRUE(load(back.db, saved(merged.db)));
  EXPECT_EQ(back.things.find_named("Imp"), imp);
  EXPECT_FALSE(back.things.find_named("imp"));
  Named none(RecordNames::none);
  const auto report = load(none.db, file);
  ASSERT_TRUE(report);
  EXPECT_TRUE(none.things.contains(imp));
  EXPECT_EQ(report->summary(),
            "things: 2 records, handles valid (names exact -> none), @name dropped (x1)");
  Named named(RecordNames::exact);
  ASSERT_TRUE(load(named.db, saved(none.db)));
  EXPECT_EQ(named.things.name(imp), "");
  named.things.rename(imp, "Imp");
  EXPECT_EQ(named.things.find_named("Imp"), imp);
  expect_sound(named.db);
}

TEST(PolicyChanges, NamesThatBecomeEqualAreRefused) {
  Named exact(RecordNames::exact);
  exact.things.insert_named("Imp", {1});
  exact.things.insert_named("imp", {2});
  Named merged(RecordNames::ignore_case);
  const auto report = load(merged.db, saved(exact.db));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::duplicate_name);
  EXPECT_THAT(report.error().message(), HasSubstr("slots 0 and 1 have the same name if upper"));
  EXPECT_EQ(merged.things.size(), 0u);
}

}  // namespace
}  // namespace hdb::test::policies
