// Paths of filters: to the values of keys of maps, and through handles to other records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sample.hpp"
#include "hdb/any_handle.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/world.hpp"

namespace hdb::test::filter_paths_test {

struct Weapon {
  std::string name;
  std::int32_t hp = 0;
};
// Wide, so that a table has several row groups.
struct Fighter {
  std::string name;
  std::int32_t hp = 0;
  Handle<Fighter> target;
  std::optional<Handle<Fighter>> leader;
  std::vector<Handle<Fighter>> party;
  TypedHandle<Weapon> weapon;
  AnyHandle thing;
  std::vector<std::int32_t> cells;
};
struct Door {
  std::int32_t hp = 0;
  bool open = false;
};

namespace {

using testing::HasSubstr;

// Keys of each kind, of one record with a pair in each map.
TEST(FilterPaths, KeysOfMapsAreNamedByTheirText) {
  Field mood = node(FieldKind::enumeration, "", {leaf(FieldKind::i8)});
  set_enumerators(mood, {{0, "calm"}, {255, "angry"}});
  const Field root =
      record({node(FieldKind::map, "ints", {leaf(FieldKind::i8), leaf(FieldKind::u8)}),
              node(FieldKind::map, "bools", {leaf(FieldKind::boolean), leaf(FieldKind::u8)}),
              node(FieldKind::map, "moods", {mood, leaf(FieldKind::u8)}),
              node(FieldKind::map, "letters", {leaf(FieldKind::char8), leaf(FieldKind::u8)})});
  std::vector<Bytes> columns;
  for (const unsigned key : {254U, 1U, 255U, 97U}) {
    for (const unsigned byte : {1U, key, 5U}) columns.push_back({static_cast<std::byte>(byte)});
  }
  const auto holds = [&](const std::string& text) {
    const auto filter = RecordFilter::bind(*FilterExpression::parse(text), root, {});
    if (!filter) return filter.error().what;
    RowDecoder decoder(root, filter->columns());
    decoder.begin(columns);
    Value row;
    EXPECT_TRUE(decoder.next(row));
    return std::string(filter->matches(row, 0, 1) ? "yes" : "no");
  };
  for (const char* const key :
       {"ints['-2']", "bools['true']", "moods['angry']", "moods[\"-1\"]", "letters['a']"})
    EXPECT_EQ(holds(std::string(key) + " == 5"), "yes") << key;
  for (const char* const key : {"ints['2']", "bools['false']", "moods['calm']", "letters['b']"}) {
    EXPECT_EQ(holds(std::string(key) + " == 5"), "no") << key;
    EXPECT_EQ(holds(std::string(key) + " != 5"), "no") << key;
    EXPECT_EQ(holds(std::string(key) + " is null"), "yes") << key;
  }
  EXPECT_THAT(holds("ints['x'] == 5"), HasSubstr("'ints[*].key' is an i8, which 'x' is not"));
  EXPECT_THAT(holds("ints['300'] == 5"), HasSubstr("never true"));
  EXPECT_THAT(holds("bools['1'] == 5"), HasSubstr("which '1' is not"));
  EXPECT_THAT(holds("moods['angy'] == 5"), HasSubstr("did you mean 'angry'?"));
  EXPECT_THAT(holds("letters['ab'] == 5"), HasSubstr("one character"));
  EXPECT_THAT(holds("moods[*].key == angry"), "yes");
  EXPECT_THAT(holds("moods[*].key in {calm, angry}"), "yes");
  EXPECT_THAT(holds("angry != moods[*].key"), "no");
  EXPECT_THAT(holds("moods[*].key == angy"), HasSubstr("did you mean 'angry'?"));
  EXPECT_THAT(holds("ints[*].key in {angry}"), HasSubstr("put texts in quotes"));
}

// Fighters that name each other, live, stale and null, across row groups.
struct Arena {
  explicit Arena(std::uint64_t seed) : random(seed) {
    for (int i = 0; i < 300; ++i) handles.push_back(fighters.insert({}));
    for (int i = 0; i < 20; ++i) {
      arms.push_back(weapons.insert({.name = "arm " + std::to_string(i % 3), .hp = i}));
      doors.push_back(gates.insert({.hp = i, .open = i % 2 == 0}));
    }
    for (const auto& handle : handles) fill(*fighters.edit(handle));
    for (std::size_t i = 0; i < handles.size(); i += 5) fighters.erase(handles[i]);
    for (std::size_t i = 0; i < arms.size(); i += 4) weapons.erase(arms[i]);
    for (int i = 0; i < 20; ++i) fill(*fighters.edit(handles.emplace_back(fighters.insert({}))));
    file = saved(db.capture());
    reader = Reader::open(std::make_unique<MemorySource>(file)).value();
    while (reader->tables()[table].name != "fighters") ++table;
  }

  void fill(Fighter& fighter) {
    const auto any = [&] { return handles[random.below(handles.size())]; };
    fighter.hp = static_cast<std::int32_t>(random.below(10));
    fighter.name = "fighter " + std::to_string(random.below(10));
    if (!random.one_in(4)) fighter.target = any();
    if (random.one_in(2)) fighter.leader = any();
    for (std::uint64_t n = random.below(4); n != 0; --n) fighter.party.push_back(any());
    if (!random.one_in(4)) fighter.weapon = arms[random.below(arms.size())];
    if (random.one_in(3)) fighter.thing = any_handle(arms[random.below(arms.size())]);
    if (random.one_in(2)) fighter.thing = any_handle(doors[random.below(doors.size())]);
    fighter.cells.resize(4000);
  }

  // The slots that a filter means.
  std::vector<std::uint64_t> meant(const std::string& text) {
    const auto filter = RecordFilter::bind(*FilterExpression::parse(text), *reader, table);
    EXPECT_TRUE(filter) << text << ": " << filter.error().message();
    std::vector<std::uint64_t> slots;
    if (!filter) return slots;
    EXPECT_TRUE(filter->follows_handles()) << text;
    for_each_row(filter->columns(), [&](const Value& row, std::uint64_t slot, std::uint32_t gen) {
      if (filter->matches(row, slot, gen)) slots.push_back(slot);
    });
    return slots;
  }

  // Of each record the text of a value; empty if it has none.
  std::vector<std::string> values(const std::string& path) {
    const auto value = RecordValue::bind(path, *reader, table);
    EXPECT_TRUE(value) << path << ": " << value.error().message();
    std::vector<std::string> texts;
    if (!value) return texts;
    for_each_row(value->columns(), [&](const Value& row, std::uint64_t slot, std::uint32_t gen) {
      const auto found = value->find(row, slot, gen);
      texts.push_back(found ? value_text(*found, HandleNamer(reader->tables())) : "");
      EXPECT_TRUE(!found || found->field->kind == value->field().kind) << path;
    });
    return texts;
  }

  template <class Use>
  void for_each_row(const std::vector<std::uint32_t>& columns, const Use& use) {
    const TableDescriptor& fighter = reader->tables()[table];
    EXPECT_GT(fighter.group_count(), 1U);
    RowDecoder decoder(reader->schemas()[fighter.schema], columns);
    RowGroup group;
    Value row;
    for (std::uint64_t number = 0; number < fighter.group_count(); ++number) {
      EXPECT_TRUE(reader->read_columns(table, number, decoder.needed_columns(), group));
      decoder.begin(group.columns);
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
        EXPECT_TRUE(decoder.next(row));
        use(row, group.first_slot + i, group.generations[i]);
      }
    }
  }

  std::string fault(const std::string& text) {
    const auto bound = RecordFilter::bind(*FilterExpression::parse(text), *reader, table);
    EXPECT_FALSE(bound) << text;
    return bound ? "" : std::to_string(bound.error().offset) + ": " + bound.error().what;
  }

  Random random;
  Database db;
  Table<Fighter>& fighters = db.create_table<Fighter>("fighters");
  Table<Weapon, TypedLayout>& weapons = db.create_table<Weapon, TypedLayout>("weapons");
  Table<Door, TypedLayout>& gates = db.create_table<Door, TypedLayout>("gates");
  std::vector<Handle<Fighter>> handles;
  std::vector<TypedHandle<Weapon>> arms;
  std::vector<TypedHandle<Door>> doors;
  Bytes file;
  std::unique_ptr<Reader> reader;
  std::size_t table = 0;
};

TEST(FilterPaths, ThroughHandlesMeansWhatTheGameFinds) {
  std::size_t cases = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Arena arena(seed);
    const auto& all = arena.fighters;
    const auto& arms = arena.weapons;
    const std::map<std::string, std::function<bool(const Fighter&)>> filters{
        {"target.hp < 4",
         [&](const Fighter& f) { return all.find(f.target) && all.find(f.target)->hp < 4; }},
        {"target.name ~ '*3'",
         [&](const Fighter& f) {
           return all.find(f.target) && all.find(f.target)->name.ends_with('3');
         }},
        {"size(target.party) > 1 and target.hp > hp",
         [&](const Fighter& f) {
           const Fighter* const target = all.find(f.target);
           return target && target->party.size() > 1 && target->hp > f.hp;
         }},
        {"target.target.hp == 2",
         [&](const Fighter& f) {
           const Fighter* const next = all.find(f.target) ? all.find(f.target) : nullptr;
           const Fighter* const last = next ? all.find(next->target) : nullptr;
           return last && last->hp == 2;
         }},
        {"party[*].hp == 5",
         [&](const Fighter& f) {
           return std::any_of(f.party.begin(), f.party.end(), [&](const auto& each) {
             return all.find(each) && all.find(each)->hp == 5;
           });
         }},
        {"party[0].party[*].name == 'fighter 7'",
         [&](const Fighter& f) {
           const Fighter* const first = f.party.empty() ? nullptr : all.find(f.party[0]);
           return first &&
                  std::any_of(first->party.begin(), first->party.end(), [&](const auto& each) {
                    const Fighter* const found = all.find(each);
                    return found && found->name == "fighter 7";
                  });
         }},
        {"leader.hp >= 5",
         [&](const Fighter& f) {
           return f.leader && all.find(*f.leader) && all.find(*f.leader)->hp >= 5;
         }},
        {"weapon.name == 'arm 1'",
         [&](const Fighter& f) {
           return arms.find(f.weapon) && arms.find(f.weapon)->name == "arm 1";
         }},
        {"thing.hp > 9",
         [&](const Fighter& f) {
           const Weapon* const weapon = arena.db.find<Weapon>(f.thing);
           const Door* const door = arena.db.find<Door>(f.thing);
           return (weapon && weapon->hp > 9) || (door && door->hp > 9);
         }},
        {"thing.open",
         [&](const Fighter& f) {
           const Door* const door = arena.db.find<Door>(f.thing);
           return door && door->open;
         }},
        {"target is stale", [&](const Fighter& f) { return f.target && !all.contains(f.target); }},
        {"party[*] is stale or thing is stale",
         [&](const Fighter& f) {
           return std::any_of(f.party.begin(), f.party.end(),
                              [&](const auto& each) { return !all.contains(each); }) ||
                  (f.thing && !arena.db.contains(f.thing));
         }},
        {"target.target is stale",
         [&](const Fighter& f) {
           const Fighter* const next = all.find(f.target);
           return next && next->target && !all.contains(next->target);
         }},
        {"target.target is null",
         [&](const Fighter& f) {
           const Fighter* const next = all.find(f.target);
           return !next || !next->target;
         }},
    };
    for (const auto& [text, means] : filters) {
      std::vector<std::uint64_t> expected;
      for (const auto& handle : arena.handles) {
        const Fighter* const fighter = all.find(handle);
        if (fighter && means(*fighter)) expected.push_back(handle.index());
      }
      std::sort(expected.begin(), expected.end());
      EXPECT_FALSE(expected.empty()) << text;
      EXPECT_EQ(arena.meant(text), expected) << text;
      cases += arena.handles.size();
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(FilterPaths, TheValueOfAnOperandIsTheOneInTheGame) {
  Arena arena(5);
  const auto& all = arena.fighters;
  const std::map<std::string, std::function<std::string(const Fighter&)>> operands{
      {"hp", [](const Fighter& f) { return std::to_string(f.hp); }},
      {"target.hp",
       [&](const Fighter& f) {
         return all.find(f.target) ? std::to_string(all.find(f.target)->hp) : "";
       }},
      {"leader.name",
       [&](const Fighter& f) {
         const Fighter* const leader = f.leader ? all.find(*f.leader) : nullptr;
         return leader ? '"' + leader->name + '"' : "";
       }},
      {"size(party)", [](const Fighter& f) { return std::to_string(f.party.size()); }},
      {"party[1].hp",
       [&](const Fighter& f) {
         const Fighter* const second = f.party.size() > 1 ? all.find(f.party[1]) : nullptr;
         return second ? std::to_string(second->hp) : "";
       }},
  };
  for (const auto& [path, means] : operands) {
    std::map<std::uint64_t, std::string> expected;
    for (const auto& handle : arena.handles) {
      if (const Fighter* const each = all.find(handle)) expected[handle.index()] = means(*each);
    }
    std::vector<std::string> texts;
    std::vector<std::string> slots;
    for (const auto& [slot, text] : expected) {
      texts.push_back(text);
      slots.push_back(std::to_string(slot));
    }
    EXPECT_EQ(arena.values(path), texts) << path;
    EXPECT_EQ(arena.values("@slot"), slots);
  }
  for (const char* const path : {"", "hp < 3", "3", "party[*].hp", "size(hp)", "target.hpp"})
    EXPECT_FALSE(RecordValue::bind(path, *arena.reader, arena.table)) << path;
}

TEST(FilterPaths, FaultsBehindHandlesAreTold) {
  Arena arena(4);
  EXPECT_THAT(arena.fault("target.hpp < 3"),
              HasSubstr("0: no field 'target.hpp'; did you mean 'target.hp'?"));
  EXPECT_THAT(arena.fault("hp == 1 and target.hp == 'x'"), HasSubstr("25: 'target.hp' is an i32"));
  EXPECT_THAT(arena.fault("hp is stale"), HasSubstr("only handles can be stale"));
  EXPECT_THAT(arena.fault("thing.open == 1"), HasSubstr("'thing.open' is a bool"));
  EXPECT_THAT(arena.fault("thing.shut"), HasSubstr("no field 'thing.shut'"));
  EXPECT_THAT(arena.fault("target.target.target.target.target.hp == 1"),
              HasSubstr("at most 4 handles"));
  const auto expression = FilterExpression::parse("target.name == 'x'");
  const auto bound = RecordFilter::bind(*expression, *arena.reader, arena.table, 4000);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::memory_budget);
  const auto& tables = arena.reader->tables();
  const auto alone =
      RecordFilter::bind(*expression, arena.reader->schemas()[tables[arena.table].schema], tables);
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().what, HasSubstr("cannot be looked up here"));
}

}  // namespace
}  // namespace hdb::test::filter_paths_test
