// Names of records: unique, owned, kept in step with the records through everything that happens to
// a table.
#include "core/names/name_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/tables/frozen_table.hpp"
#include "hdb/table.hpp"
#include "support/fill_slot.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

struct Thing {
  int value = 0;
};

using Things = Table<Thing>;

TEST(Names, ARecordIsFoundByItsNameUntilItIsErased) {
  Things things({.names = RecordNames::exact});
  const auto imp = things.insert_named("imp", {.value = 1});
  EXPECT_EQ(things.find_named("imp"), imp);
  EXPECT_EQ(things.name(imp), "imp");
  EXPECT_FALSE(things.find_named("Imp")) << "exact";
  EXPECT_FALSE(things.insert_named("imp", {.value = 2})) << "the name is used";
  EXPECT_EQ(things.size(), 1u);
  EXPECT_TRUE(things.erase(imp));
  EXPECT_FALSE(things.find_named("imp"));
  EXPECT_EQ(things.name(imp), "");
  const auto other = things.insert_named("imp", {.value = 3});
  EXPECT_NE(other, imp);
  EXPECT_EQ(things.find_named("imp"), other);
  EXPECT_EQ(things.check_invariants(), nullptr);
}

TEST(Names, TheCaseOfAsciiLettersIsIgnoredOnRequest) {
  Things things({.names = RecordNames::ignore_case});
  const auto wall = things.insert_named("Brick-\xc3\x84", {});
  EXPECT_EQ(things.find_named("bRICK-\xc3\x84"), wall);
  EXPECT_FALSE(things.find_named("brick-\xc3\xa4")) << "other letters keep their case";
  EXPECT_FALSE(things.insert_named("BRICK-\xc3\x84", {}));
  EXPECT_EQ(things.name(wall), "Brick-\xc3\x84") << "kept as it was given";
  EXPECT_TRUE(things.rename(wall, "BRICK-\xc3\x84")) << "its own name in another case";
  EXPECT_EQ(things.name(wall), "BRICK-\xc3\x84");
  EXPECT_EQ(things.find_named("brick-\xc3\x84"), wall);
  EXPECT_EQ(things.check_invariants(), nullptr);
}

TEST(Names, AnyBytesOfAnyLengthAreAName) {
  for (const RecordNames rule : {RecordNames::exact, RecordNames::ignore_case}) {
    Things things({.names = rule});
    std::vector<std::string> names = {std::string("\0", 1), std::string("a\0b", 3), "\xff\xfe",
                                      "\n\x1b[31m", "../../etc/passwd"};
    for (std::size_t size : {15u, 16u, 247u, 248u, 249u, 496u, 497u, 100'000u}) {
      names.emplace_back(size, 'n');
      names.push_back(std::string(size - 1, 'n') + 'm');
    }
    std::vector<Handle<Thing>> handles;
    for (const std::string& name : names) {
      handles.push_back(things.insert_named(name, {}));
      ASSERT_TRUE(handles.back()) << name.size();
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(things.find_named(names[i]), handles[i]);
      EXPECT_EQ(things.name(handles[i]), names[i]);
    }
    EXPECT_EQ(things.check_invariants(), nullptr);
  }
}

TEST(Names, TheEmptyNameIsNoNameAndManyHaveIt) {
  Things things({.names = RecordNames::exact});
  const auto a = things.insert({1});
  const auto b = things.insert_named("", {2});
  EXPECT_TRUE(a);
  EXPECT_TRUE(b);
  EXPECT_FALSE(things.find_named(""));
  EXPECT_TRUE(things.rename(a, "a"));
  EXPECT_TRUE(things.rename(a, ""));
  EXPECT_FALSE(things.find_named("a"));
  EXPECT_EQ(things.check_invariants(), nullptr);
}

TEST(Names, RenamingIsRefusedWhereAnotherHasTheName) {
  Things things({.names = RecordNames::exact});
  const auto a = things.insert_named("a", {});
  const auto b = things.insert_named("b", {});
  EXPECT_FALSE(things.rename(a, "b"));
  EXPECT_EQ(things.name(a), "a");
  EXPECT_TRUE(things.rename(a, "a"));
  things.erase(b);
  EXPECT_FALSE(things.rename(b, "c")) << "stale";
  EXPECT_TRUE(things.rename(a, "b"));
  EXPECT_FALSE(things.find_named("a"));
  EXPECT_EQ(things.check_invariants(), nullptr);
}

TEST(Names, FillingTwoRecordsWithOneNameIsTold) {
  for (const bool twice : {false, true}) {
    Things things({.storage = Storage::stable, .names = RecordNames::ignore_case});
    TableCore& core = detail::core_of(things);
    SlotCounters counters;
    counters.slot_count = counters.live_count = 3;
    counters.highest_generation = 1;
    core.begin_fill(counters);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      ::new (core.edit_at(slot)) Thing{static_cast<int>(slot)};
      fill_slot(core, slot, SlotState::live, 1);
      core.fill_name(
          slot, slot == 1 ? "" : (twice ? (slot == 0 ? "Same" : "sAME") : std::to_string(slot)));
    }
    const auto twins = core.index_names();
    EXPECT_EQ(twins.has_value(), twice);
    if (twice) {
      EXPECT_EQ(twins->first, 0u);
      EXPECT_EQ(twins->second, 2u);
    } else {
      EXPECT_EQ(core.check_invariants(), nullptr);
      EXPECT_EQ(things.find_named("2").index(), 2u);
    }
  }
}

struct Throws {
  int value = 0;
  Throws() = default;
  explicit Throws(int v) : value(v) {
    if (v < 0) throw v;
  }
};

TEST(Names, AConstructorThatThrowsLeavesNoNameBehind) {
  Table<Throws> things({.names = RecordNames::exact});
  EXPECT_THROW(things.emplace_named("x", -1), int);
  EXPECT_FALSE(things.find_named("x"));
  EXPECT_EQ(things.check_invariants(), nullptr);
  EXPECT_TRUE(things.emplace_named("x", 1));
  EXPECT_TRUE(things.find_named("x"));
}

// A table with names against a map, through random calls, captures and restores.
class NamesModel : public testing::TestWithParam<std::tuple<RecordNames, Storage>> {};

TEST_P(NamesModel, HoldsWhatAMapHolds) {
  const auto [rule, storage] = GetParam();
  TableOptions options;
  options.names = rule;
  options.storage = storage;
  Things things(options);
  using Model = std::map<std::string, std::uint64_t>;
  Model model;
  struct Saved {
    FrozenTable frozen;
    Model model;
  };
  std::vector<Saved> saved;
  std::mt19937 random(5);
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int step = 0; step < 6000; ++step) {
    const std::string name = "name number " + std::to_string(below(400));
    const auto known = model.find(name);
    switch (below(20)) {
      default: {
        const auto handle = things.insert_named(name, {step});
        ASSERT_EQ(bool(handle), known == model.end());
        if (handle) model[name] = handle.bits();
        break;
      }
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6: {
        const auto handle = things.find_named(name);
        ASSERT_EQ(bool(handle), known != model.end());
        if (known == model.end()) break;
        ASSERT_EQ(handle.bits(), known->second);
        ASSERT_TRUE(things.erase(handle));
        model.erase(known);
        break;
      }
      case 7:
      case 8: {
        const std::string other = "name number " + std::to_string(below(400));
        if (known == model.end()) break;
        const bool is_free = other == name || !model.contains(other);
        ASSERT_EQ(things.rename(Handle<Thing>::from_bits(known->second), other), is_free);
        if (!is_free) break;
        const std::uint64_t bits = known->second;
        model.erase(known);
        model[other] = bits;
        break;
      }
      case 9:
        if (below(10) == 0) saved.push_back({detail::core_of(things).freeze(), model});
        break;
      case 10:
        if (saved.empty() || below(10) != 0) break;
        detail::core_of(things).thaw(saved.back().frozen);
        model = saved.back().model;
        if (below(2) == 0) saved.pop_back();
        break;
      case 11:
        if (below(60) != 0) break;
        things.clear();
        model.clear();
        break;
    }
    if (step % 97 == 0) {
      ASSERT_EQ(things.check_invariants(), nullptr) << step;
    }
  }
  ASSERT_EQ(things.size(), model.size());
  for (const auto& [name, bits] : model) {
    ASSERT_EQ(things.find_named(name).bits(), bits);
    ASSERT_EQ(things.name(Handle<Thing>::from_bits(bits)), name);
  }
  ASSERT_EQ(things.check_invariants(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NamesModel,
                         testing::Combine(testing::Values(RecordNames::exact,
                                                          RecordNames::ignore_case),
                                          testing::Values(Storage::dense, Storage::stable)));

}  // namespace
}  // namespace hdb::test
