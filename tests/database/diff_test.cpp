// diff: of snapshots as of their files, field by field, without a look at what is shared.
#include "hdb/inspect/snapshot_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// All that a comparison tells, in lines; but for what only files have.
std::vector<std::string> lines_of(const StateDiff& diff) {
  std::vector<std::string> lines;
  for (const TableDiff& table : diff.tables) {
    const auto count = [](const std::optional<std::uint64_t>& live) {
      return live ? std::to_string(*live) : "-";
    };
    lines.push_back(table.name + ' ' + count(table.old_live) + ' ' + count(table.new_live) + " +" +
                    std::to_string(table.added) + " -" + std::to_string(table.removed) + " ~" +
                    std::to_string(table.changed) + " R" + std::to_string(table.reused));
    for (const SchemaChange& change : table.schema) {
      lines.push_back(std::string(1, change.mark) + change.path + change.old_type +
                      change.new_type);
    }
    for (const TableNote& note : table.notes) {
      lines.push_back(note.what + '|' + note.old_value + '|' + note.new_value + '|' + note.detail);
    }
    for (const RecordDiff& record : table.details) {
      lines.push_back(std::string(1, static_cast<char>(record.mark)) + record.handle() + '/' +
                      std::to_string(record.old_generation));
      for (const FieldChange& field : record.fields) {
        lines.push_back(field.path + '|' + field.old_value.value_or("-") + '|' +
                        field.new_value.value_or("-") + '|' + field.change + '|' + field.note);
      }
    }
  }
  return lines;
}

DiffOptions everything() {
  DiffOptions options;
  options.max_details = std::numeric_limits<std::uint64_t>::max();
  options.added_values = false;
  return options;
}

Result<StateDiff> diff_of_files(const Snapshot& a, const Snapshot& b, const DiffOptions& options) {
  const Bytes file_a = saved(a);
  const Bytes file_b = saved(b);
  const auto reader_a = Reader::open(std::make_unique<MemorySource>(file_a));
  const auto reader_b = Reader::open(std::make_unique<MemorySource>(file_b));
  return diff(**reader_a, **reader_b, options);
}

class DiffModel : public testing::TestWithParam<std::tuple<Compaction, Storage>> {};

TEST_P(DiffModel, SnapshotsDifferAsTheirFilesDo) {
  World world(std::get<0>(GetParam()), std::get<1>(GetParam()));
  std::vector<Snapshot> moments{Snapshot(), world.db.capture()};
  for (std::uint64_t round = 0; round < 5; ++round) {
    world.churn(round % 2 == 0 ? 120 : 3, round);
    if (round == 3) world.heroes.clear();
    moments.push_back(world.db.capture());
    // Records alone, so that no slot and no name tells that something changed.
    const auto& [handle, unit] = *world.units.entries().begin();
    world.units.edit(handle)->hp = unit.hp + 1;
    moments.push_back(world.db.capture());
  }
  std::size_t cases = 0;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    for (std::size_t k = 1; k < moments.size(); ++k) {
      const auto in_memory = diff(moments[i], moments[k], everything());
      const auto of_files = diff_of_files(moments[i], moments[k], everything());
      ASSERT_TRUE(in_memory) << in_memory.error().message();
      ASSERT_TRUE(of_files) << of_files.error().message();
      ASSERT_EQ(lines_of(*in_memory), lines_of(*of_files)) << i << " and " << k;
      ASSERT_EQ(in_memory->differs(), moments[i].state_hash() != moments[k].state_hash());
      ++cases;
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST_P(DiffModel, SnapshotsOfTwoDatabasesDifferAsTheirFilesDo) {
  World one(std::get<0>(GetParam()), std::get<1>(GetParam()));
  World two(std::get<0>(GetParam()), std::get<1>(GetParam()));
  one.churn(100, 1);
  two.churn(100, 1);
  EXPECT_FALSE(diff(one.db.capture(), two.db.capture())->differs());
  two.churn(20, 2);
  const auto in_memory = diff(one.db.capture(), two.db.capture(), everything());
  const auto of_files = diff_of_files(one.db.capture(), two.db.capture(), everything());
  EXPECT_TRUE(in_memory->differs());
  EXPECT_EQ(lines_of(*in_memory), lines_of(*of_files));
}

INSTANTIATE_TEST_SUITE_P(All, DiffModel,
                         testing::Combine(testing::Values(Compaction::at_release,
                                                          Compaction::on_demand),
                                          testing::Values(Storage::dense, Storage::stable)));

struct Squad {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units");
  Handle<Unit> first = units.insert({.hp = 40});
  Handle<Unit> second = units.insert({.hp = 7, .target = first});
};

TEST(Diff, NamesTableHandleFieldAndBothValues) {
  Squad squad;
  const Snapshot before = squad.db.capture();
  squad.units.edit(squad.first)->hp = 38;
  squad.units.edit(squad.second)->target = {};
  const auto found = diff(before, squad.db.capture());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first(), "units:0@1.hp: 40 -> 38");
  EXPECT_EQ(found->records(), 2u);
  ASSERT_EQ(found->tables.size(), 1u);
  const std::vector<RecordDiff>& details = found->tables[0].details;
  ASSERT_EQ(details.size(), 2u);
  EXPECT_EQ(details[0].fields[0].change, "-2");
  EXPECT_EQ(details[1].handle(), "units:1@1");
  EXPECT_EQ(details[1].fields[0].path, "target");
  EXPECT_EQ(details[1].fields[0].old_value, "units:0@1");
  EXPECT_EQ(details[1].fields[0].new_value, "null");
}

TEST(Diff, TellsErasedAddedAndReusedSlots) {
  Squad squad;
  const Snapshot before = squad.db.capture();
  squad.units.erase(squad.first);
  EXPECT_EQ(diff(before, squad.db.capture())->first(), "units:0@1 was removed");
  squad.units.insert({});
  EXPECT_EQ(diff(before, squad.db.capture())->first(),
            "units:0@2: slot re-used; it held generation @1");
  const Snapshot later = squad.db.capture();
  squad.units.insert({});
  EXPECT_EQ(diff(later, squad.db.capture())->first(), "units:2@1 was added");
  EXPECT_EQ(diff(Snapshot(), later)->first(), "table 'units' is new");
  EXPECT_EQ(diff(later, Snapshot())->first(), "table 'units' was removed");
}

TEST(Diff, TellsWhatDiffersOutsideOfRecords) {
  Squad squad;
  const Handle<Unit> third = squad.units.insert({});
  const Handle<Unit> fourth = squad.units.insert({});
  const Snapshot start = squad.db.capture();
  squad.units.erase(third);
  squad.units.erase(fourth);
  const Snapshot one = squad.db.capture();
  ASSERT_TRUE(squad.db.restore(start));
  squad.units.erase(fourth);
  squad.units.erase(third);
  const auto found = diff(one, squad.db.capture());
  EXPECT_EQ(found->records(), 0u);
  EXPECT_TRUE(found->differs());
  EXPECT_EQ(found->first(),
            "table 'units': free list 2 -> 2; first difference at entry 0: slot 3 -> slot 2");
}

// How often records of this type were read by `serialize`.
std::size_t reads = 0;

struct Counted {
  std::string text;
  template <class A>
  void serialize(A& a) {
    ++reads;
    a(CEREAL_NVP(text));
  }
};

TEST(Diff, LooksOnlyAtPagesThatAreNotShared) {
  Database db;
  auto& table = db.create_table<Counted>("counted");
  std::vector<Handle<Counted>> handles;
  for (int i = 0; i < 10000; ++i) handles.push_back(table.insert({std::to_string(i)}));
  const Snapshot before = db.capture();
  table.edit(handles[5000])->text = "changed";
  const Snapshot after = db.capture();
  reads = 0;
  const auto found = diff(before, after);
  EXPECT_EQ(found->first(), "counted:5000@1.text: \"5000\" -> \"changed\"");
  EXPECT_GT(reads, 1u);
  EXPECT_LT(reads, 1000u) << "one page of 10,000 records, twice";
  reads = 0;
  EXPECT_FALSE(diff(after, db.capture())->differs());
  EXPECT_EQ(reads, 0u);
}

TEST(Diff, KeepsAsManyDetailsAsAskedFor) {
  Squad squad;
  for (int i = 0; i < 10; ++i) squad.units.insert({});
  const Snapshot before = squad.db.capture();
  squad.units.edit_each([](Handle<Unit>, Unit& unit) { unit.hp += 1; });
  DiffOptions options;
  options.max_details = 3;
  const Snapshot after = squad.db.capture();
  auto found = diff(before, after, options);
  EXPECT_EQ(found->records(), 12u);
  EXPECT_EQ(found->tables[0].details.size(), 3u);
  options.fields = false;
  found = diff(before, after, options);
  EXPECT_THAT(found->tables[0].details[0].fields, IsEmpty());
  options.records = false;
  found = diff(before, after, options);
  EXPECT_EQ(found->tables[0].changed, 12u);
  EXPECT_THAT(found->tables[0].details, IsEmpty());
}

TEST(Diff, GivesRecordsToTheCallerAndStopsWhenAsked) {
  Squad squad;
  const Snapshot before = squad.db.capture();
  squad.db.create_table<Hero>("heroes").insert({});
  squad.db.create_table<Clock>("allies").insert({});
  squad.units.edit(squad.second)->kind = 3;
  squad.units.edit(squad.first)->kind = 4;
  const Snapshot after = squad.db.capture();
  std::vector<std::string> told;
  DiffOptions options;
  options.on_record = [&](const RecordDiff& record) { told.push_back(record.handle()); };
  options.on_table = [&](const TableDiff& table) { told.push_back(table.name); };
  ASSERT_TRUE(diff(before, after, options));
  EXPECT_THAT(told, ElementsAre("allies", "heroes", "units:0@1", "units:1@1", "units"));
  told.clear();
  options.tables = {"units", "allies"};
  options.stop = [&] { return !told.empty(); };
  ASSERT_TRUE(diff(before, after, options));
  EXPECT_THAT(told, ElementsAre("allies"));
}

TEST(Diff, EscapesWhatComesFromRecords) {
  Database db;
  auto& heroes = db.create_table<Hero>("heroes");
  const auto hero = heroes.insert({.name = "\x1b[31mred"});
  const Snapshot before = db.capture();
  heroes.edit(hero)->name = "a\nb";
  EXPECT_EQ(diff(before, db.capture())->first(),
            "heroes:0@1.name: \"\\u{1b}[31mred\" -> \"a\\nb\"");
}

}  // namespace
}  // namespace hdb::test
