// A table that a load leaves out counts as dropped: what it issued is not issued again.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"
#include "support/records.hpp"

namespace hdb::test::passed_tables_test {
namespace {

struct Ghost {
  std::int32_t number = 0;
};
template <class Layout>
struct Hunter {
  std::vector<Handle<Ghost, Layout>> ghosts;
};

template <class Result>
void expect_done(const Result& result) {
  ASSERT_TRUE(result) << result.error().message();
}
Bytes file_of(Database& db) {
  MemorySink sink;
  expect_done(save(db.capture(), sink));
  return sink.take();
}
void load_into(Database& db, const Bytes& file, const LoadOptions& options = {}) {
  expect_done(db.load(std::make_unique<MemorySource>(file), options));
}

/// How the records come to the program that makes the table.
enum class Way {
  loaded,
  saved_again,
  forked,
  saved_and_forked,
  kept,
  restored,
  kept_and_restored,
  saved_and_renamed
};

struct Case {
  Generations generations = Generations::per_slot;
  FreeList free_list = FreeList::lifo;
  int rounds = 1;  // each erases all records and inserts new ones
  std::uint16_t type_id = 0;
  std::string name = "ghosts";
};

template <class Layout>
void expect_new_handles(const Case& each, Way way) {
  SCOPED_TRACE(static_cast<int>(way));
  TableOptions options;
  options.type_id = each.type_id;
  options.free_list = each.free_list;
  options.generations = each.generations;
  // The game that saved.
  Database first;
  auto& ghosts = first.create_table<Ghost, Layout>(each.name, options);
  auto& hunters = first.create_table<Hunter<Layout>>("hunters");
  Hunter<Layout> hunter;
  for (int round = 0; round < each.rounds; ++round) {
    ghosts.clear();
    for (std::int32_t i = 0; i < 5; ++i)
      if (const auto ghost = ghosts.insert({i})) hunter.ghosts.push_back(ghost);
  }
  const auto hunter_handle = hunters.insert(hunter);
  const Bytes file = file_of(first);

  // The game without the table.
  Database second;
  auto& loaded = second.create_table<Hunter<Layout>>("hunters");
  const bool forks = way == Way::forked || way == Way::saved_and_forked;
  load_into(second, file,
            {.mode = forks ? TimelineMode::fork : TimelineMode::exact,
             .keep_unknown = way == Way::kept || way == Way::kept_and_restored});
  const bool is_renamed = way == Way::saved_and_renamed;
  const std::string name = is_renamed ? "spirits" : each.name;
  if (is_renamed)
    second.declare_table_rename({.old_name = each.name.c_str(), .new_name = "spirits"});
  if (way == Way::saved_again || way == Way::saved_and_forked || is_renamed) {
    const Bytes again = file_of(second);
    const Validation found =
        validate(std::make_unique<MemorySource>(again), {.level = ValidationLevel::deep});
    EXPECT_TRUE(found.findings.empty() && !found.trouble);
    EXPECT_EQ(found.state_hash, second.state_hash());
    Database between;
    between.create_table<Hunter<Layout>>("hunters");
    load_into(between, again);
    load_into(second, file_of(between), {.verify_state_hash = true});
  }
  if (way == Way::restored) {
    const Snapshot before = second.capture();
    auto& other = second.create_table<Ghost, Layout>(each.name, options);
    other.insert({1});
    second.drop_table(each.name);
    expect_done(second.restore(before));
  }
  const Snapshot before_it = second.capture();
  auto& made = second.create_table<Ghost, Layout>(name, options);
  if (way == Way::kept_and_restored) expect_done(second.restore(before_it));
  for (std::int32_t i = 0; i < 20; ++i) made.insert({i});
  const auto& found = loaded.at(Handle<Hunter<Layout>>::from_bits(hunter_handle.bits()));
  ASSERT_EQ(found.ghosts.size(), hunter.ghosts.size());
  for (const auto ghost : found.ghosts) EXPECT_EQ(made.find(ghost), nullptr) << ghost.bits();
}

template <class Layout>
void expect_new_handles(const Case& each) {
  for (const Way way : {Way::loaded, Way::saved_again, Way::forked, Way::saved_and_forked,
                        Way::kept, Way::restored, Way::kept_and_restored, Way::saved_and_renamed})
    expect_new_handles<Layout>(each, way);
}

using Small = Layout<12, 4>;  // 15 generations
using Typed = Layout<12, 4, 15>;

TEST(PassedTables, ATableMadeLaterIssuesNoneOfTheirHandles) {
  for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
    for (const FreeList free_list : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
      const Case few{generations, free_list};
      expect_new_handles<DefaultLayout>(few);
      expect_new_handles<Small>(few);
      expect_new_handles<Typed>({generations, free_list, 1, 7});
    }
    // In the second half of the generations each slot is noted by itself.
    const int rounds = generations == Generations::per_slot ? 12 : 2;
    expect_new_handles<Small>({generations, FreeList::lifo, rounds});
    expect_new_handles<Typed>({generations, FreeList::lifo, rounds, 7});
  }
}

TEST(PassedTables, SlotsThatRetiredStayRetired) {
  expect_new_handles<Small>({Generations::per_slot, FreeList::lifo, 17});
}

TEST(PassedTables, TheirNamesMayBeAsLongAsNamesMayBe) {
  expect_new_handles<DefaultLayout>({.name = std::string(255, 'g')});
  std::string umlauts;
  for (int i = 0; i < 127; ++i) umlauts += "\xc3\xbc";
  expect_new_handles<DefaultLayout>({.name = umlauts + "g"});
  expect_new_handles<DefaultLayout>({.name = "g" + umlauts});
}

TEST(PassedTables, TheCatalogSaysWhatTheyIssued) {
  Database first;
  first.create_table<Ghost>("ghosts").insert({1});
  first.create_table<Hunter<DefaultLayout>>("hunters").insert({});
  Database second;
  second.create_table<Hunter<DefaultLayout>>("hunters");
  load_into(second, file_of(first));
  auto reader = Reader::open(std::make_unique<MemorySource>(file_of(second)));
  expect_done(reader);
  const auto dropped = dropped_handles_of((*reader)->database(), format::kExtensionDroppedHandles);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(space_text(dropped.front()), "handles of table 'ghosts' <32,31>");
  EXPECT_EQ(dropped.front().highest, 1u);
}

// Its counter is that of a table that was dropped before, in the second half of the generations.
TEST(PassedTables, ATableWithoutSlotsIssuedNothing) {
  for (const bool is_kept : {false, true}) {
    Database first;
    first.create_table<Hunter<Small>>("hunters");
    const TableOptions options{.generations = Generations::table_counter};
    auto& ghosts = first.create_table<Ghost, Small>("ghosts", options);
    for (int i = 0; i < 12; ++i) ghosts.erase(ghosts.insert({i}));
    first.drop_table("ghosts");
    first.create_table<Ghost, Small>("ghosts", options);
    Database second;
    second.create_table<Hunter<Small>>("hunters");
    load_into(second, file_of(first), {.keep_unknown = is_kept});
    Database third;
    third.create_table<Hunter<Small>>("hunters");
    load_into(third, file_of(second));
    EXPECT_EQ((third.create_table<Ghost, Small>("ghosts", options).insert({1}).generation()), 13u);
  }
}

// No generation is left, so the table cannot be made.
TEST(PassedTables, AKeptTableMayHaveIssuedTheLastGeneration) {
  Database first;
  first.create_table<Hunter<Small>>("hunters");
  const TableOptions options{.generations = Generations::table_counter};
  auto& ghosts = first.create_table<Ghost, Small>("ghosts", options);
  for (int i = 0; i < 15; ++i) ghosts.erase(ghosts.insert({i}));
  for (const bool is_kept : {false, true}) {
    Database second;
    second.create_table<Hunter<Small>>("hunters");
    load_into(second, file_of(first), {.keep_unknown = is_kept});
    const auto made = second.try_create_table<Ghost, Small>("ghosts", options);
    ASSERT_FALSE(made) << is_kept;
    EXPECT_EQ(made.error().code, ErrorCode::fork_exhausted);
  }
}

TEST(PassedTables, ATableOfAnotherLayoutIsAnotherTable) {
  Database first;
  auto& ghosts = first.create_table<Ghost, Small>("ghosts");
  for (int i = 0; i < 9; ++i) {
    ghosts.clear();
    ghosts.insert({i});
  }
  first.create_table<Hunter<Small>>("hunters");
  Database second;
  second.create_table<Hunter<Small>>("hunters");
  load_into(second, file_of(first));
  EXPECT_EQ((second.create_table<Ghost>("ghosts").insert({1}).generation()), 1u);
}

}  // namespace
}  // namespace hdb::test::passed_tables_test
