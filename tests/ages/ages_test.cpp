// Each golden file of an age loads into the newest program with every value and handle, and into
// the programs between; an older program loads newer files as long as their values fit.
#include "ages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "hdb/translate_handle.hpp"
#include "support/source_folder.hpp"

namespace hdb::test::ages {
namespace {

using testing::ElementsAreArray;

Bytes golden(int age, const std::string& version = "v0") {
  const std::string name = file_name(age, version == "v0");
  std::ifstream in(in_sources("fixtures/" + version + '/') + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Result<LoadReport> load(Game& game, int age, const std::string& version = "v0") {
  return game.db.load(std::make_unique<MemorySource>(golden(age, version)),
                      {.verify_state_hash = true});
}

TEST(Ages, TheGoldenFilesAreWhatTheProgramsWrite) {
  for (int age = 1; age <= 5; ++age) EXPECT_EQ(golden(age, "v0.10"), file_of(age)) << "age " << age;
}

// What the newest program has after loading a file of each age: the records of all tables by slot
// and generation, and all handles, with a star where one is stale.
const std::array<std::vector<std::string>, 5> kNewest{{
    {"items:0@1 gold 50 1.5", "items:2@1 crown 1048576 1.5", "weapons:0@1 claw 2.5",
     "monsters:0@1 imp 1 10 0.5 1.5 -2 5 1@1* [ 0@1 ] [ 0@1 1@1* 2@1 ]",
     "monsters:1@3 ogre 1 3276 0.5 0 0 1638 2@1* [ ] [ ]", "doors:0@1 200 0 1 2 3 8 [ 0@1 ]",
     "doors:2@1 9 0 7 0 65535 8 [ null ]", "zones:0@1 Gate 0.5 drums 0@1", "zones:2@1 Hall 2  2@1",
     "world Cave 72 9.500000"},
    {"items:0@2 gold 60 0.25", "weapons:0@1 fang 2.5",
     "monsters:0@1 imp 1 9 0.5 4 0 4 1@1* [ 0@1 ] [ ]",
     "monsters:2@1 ogre 2 4000 0.5 0 0 2000 3@1* [ ] [ 0@2 ]", "doors:1@1 300 1 1 2 3 8 [ 2@1 ]",
     "zones:1@1 Gate 0.25 drums 1@1", "quests:0@1 Open the gate 500 0 0 1@1",
     "quests:1@2 Find the ruins 10 1 0 0@1*", "world Cave 96 9.500000"},
    {"items:0@2 key 1 0", "weapons:0@1 claw 2.5", "weapons:1@1 club 2.5", "weapons:2@1 fist 2.5",
     "monsters:0@1 imp 1 8 0.5 0.5 0 4 null [ 0@1 ] [ 0@1* 0@2 ]",
     "monsters:2@1 ogre 1 5000 2 0 0 2500 1@1* [ 1@1 2@1 ] [ ]",
     "doors:0@1 5 0 0 0 0 8 [ 0@1 2@1 1@1* ]", "zones:0@1 Gate 1  0@1",
     "quests:0@2 Enter the gate 40 0 0 0@1", "quests:1@3 Leave the hall 10 1 0 1@1*",
     "world Cave 100 9.500000"},
    {"items:0@1 gold 80 1.5", "weapons:0@1 claw 2.5", "weapons:1@1 fang 2.5",
     "monsters:0@2 ogre 1 6000 0.5 0 0 -1 1@1 [ ] [ ]",
     "monsters:1@1 imp 1 7 0.5 1 -1 3 null [ 0@1 1@1 ] [ 1@1* 0@1 ]",
     "doors:0@1 7 1 0 0 0 8 [ 0@2 ]", "zones:0@1 Cellar 1 none 0@1", "quests:0@1 Rest 10 0 12 0@1",
     "quests:1@2 Leave 0 1 0 1@1*", "world Cave 240 9.500000"},
    {"items:0@2 gem 0.25 1.5", "weapons:1@1 claw 7",
     "monsters:1@1 rat 2 10 0.5 0 0 0 0@1* [ ] [ 0@2 ]",
     "monsters:0@2 bat 1 1 0.5 3 4 0 0@1* [ 1@1 ] [ ]", "doors:0@1 1 1 1 2 3 4 [ 1@1 ]",
     "zones:0@1 Gate 1 horns 0@1", "quests:0@1 Flee 10 2 3 0@1", "world Cave 7 9.500000"},
}};

TEST(Ages, EachLoadsIntoTheNewestWithEveryValueAndHandle) {
  for (int age = 1; age <= 5; ++age) {
    for (const char* const version : {"v0", "v0.10"}) {
      const auto newest = opened(5);
      const auto loaded = load(*newest, age, version);
      ASSERT_TRUE(loaded) << "age " << age << ": " << loaded.error().message();
      EXPECT_THAT(lines_of(*newest),
                  ElementsAreArray(kNewest.at(static_cast<std::size_t>(age - 1))))
          << "age " << age << ": " << loaded->summary();
      EXPECT_EQ(newest->db.check_invariants(), nullptr);
    }
  }
}

// A detour through a program between changes nothing that both can hold.
TEST(Ages, APlayerMaySaveInEachAge) {
  const auto detour = opened(4);
  ASSERT_TRUE(load(*detour, 2));
  MemorySink sink;
  ASSERT_TRUE(save(detour->db.capture(), sink));
  const auto newest = opened(5);
  const auto loaded = newest->db.load(std::make_unique<MemorySource>(sink.take()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(lines_of(*newest), ElementsAreArray(kNewest[1]));
}

const TableAccess* find(const Game& game, const std::string& name) {
  const auto found = std::find_if(game.tables.begin(), game.tables.end(),
                                  [&](const TableAccess& table) { return table.name == name; });
  return found == game.tables.end() ? nullptr : &*found;
}

// Every handle that a table of the old program could have issued, and as many that it could not.
template <class Visit>
void for_each_handle(const TableAccess& old, const TableAccess& own, const Visit& visit) {
  for (std::uint32_t index = 0; index < 6; ++index) {
    for (std::uint32_t generation = 0; generation < 6; ++generation) {
      const std::uint64_t bits = pack_handle(old.layout, index, generation, 0);
      visit(bits, translate_handle(old.layout, own.layout, bits));
    }
  }
}

TEST(Ages, EveryHandleMeansTheSameInEveryLaterAge) {
  for (int from = 1; from <= 5; ++from) {
    for (int to = from; to <= 5; ++to) {
      const auto old = played(from);
      const auto own = opened(to);
      const auto loaded = load(*own, from);
      ASSERT_TRUE(loaded) << from << " in " << to << ": " << loaded.error().message();
      for (const TableLoadReport& report : loaded->tables) {
        const std::string& name = report.old_name.empty() ? report.name : report.old_name;
        const TableAccess* const before = find(*old, name);
        const TableAccess* const after = find(*own, report.name);
        if (before == nullptr || after == nullptr) continue;  // made by migrations; the singleton
        const bool drops = report.migration && report.migration->dropped != 0;
        std::size_t live = 0;
        for_each_handle(*before, *after, [&](std::uint64_t old_bits, std::uint64_t bits) {
          const bool is_live = after->contains(bits);
          live += is_live ? 1 : 0;
          if (is_live || !drops) {
            EXPECT_EQ(is_live, before->contains(old_bits)) << name << ' ' << old_bits;
          }
        });
        EXPECT_EQ(live, report.live_count) << name;
        // The future: that of the old game where the report says so; else at least new handles.
        const bool same_policy = report.policy_changes.empty() && !drops;
        EXPECT_EQ(report.promise == HandlePromise::exact, same_policy) << name;
        for (int i = 0; i < 4; ++i) {
          const std::uint64_t next = after->insert();
          const std::uint64_t back = translate_handle(after->layout, before->layout, next);
          EXPECT_FALSE(before->contains(back)) << name;
          if (same_policy) {
            EXPECT_EQ(before->insert(), back) << name;
          }
        }
      }
      EXPECT_EQ(own->db.check_invariants(), nullptr);
    }
  }
}

// Older programs: what they do not know is dropped; what they would get wrong is refused.
TEST(Ages, AnOlderProgramLoadsANewerFileOrSaysWhyNot) {
  const std::array<std::array<std::optional<ErrorCode>, 5>, 5> expected{{
      // by age 1, 2, 3, 4 and 5
      {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt},
      {ErrorCode::value_out_of_range, std::nullopt, std::nullopt, std::nullopt, std::nullopt},
      {std::nullopt, ErrorCode::type_mismatch, std::nullopt, std::nullopt, std::nullopt},
      {std::nullopt, ErrorCode::type_mismatch, std::nullopt, std::nullopt, std::nullopt},
      {ErrorCode::value_out_of_range, ErrorCode::type_mismatch, ErrorCode::value_out_of_range,
       ErrorCode::migration_missing, std::nullopt},
  }};
  for (int age = 1; age <= 5; ++age) {
    for (int program = 1; program <= 5; ++program) {
      const auto game = opened(program);
      const Hash128 before = game->db.state_hash();
      const auto loaded = load(*game, age);
      const auto code = loaded ? std::nullopt : std::optional(loaded.error().code);
      EXPECT_EQ(
          code,
          expected.at(static_cast<std::size_t>(age - 1)).at(static_cast<std::size_t>(program - 1)))
          << "file of age " << age << " in the program of age " << program << ": "
          << (loaded ? "loaded" : loaded.error().message());
      if (!loaded) {
        EXPECT_EQ(game->db.state_hash(), before);
      }
    }
  }
}

}  // namespace
}  // namespace hdb::test::ages
