// What a migration reads but does not change is what the file says it is.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hdb/migration.hpp"
#include "migration_world.hpp"

namespace hdb::test::migrated_places_test {

using migrations_test::load;
using migrations_test::saved;

struct Potion {
  int heal = 0;
};
struct Food {
  int heal = 0;
};
/// Fields that have only a place, in an order that changes.
struct OldBag {
  std::tuple<Potion, Food> items;
  std::string weight;
};
struct Bag {
  std::tuple<Food, Potion> items;
  int weight = 0;
};
struct OldHero {
  OldBag bag;
  int level = 0;
};
struct Hero {
  Bag bag;
  int level = 0;
};
/// The first field becomes another type, the others keep their order.
struct Number {
  int value = 0;
};
struct Text {
  std::string value;
};
struct OldLabel {
  std::tuple<Number, Potion, Food> parts;
  int number = 0;
};
struct Label {
  std::tuple<Text, Potion, Food> parts;
  int number = 0;
};
/// Values whose types in the file say more than they do.
struct OldShapes {
  std::optional<std::vector<int>> scores;
  std::array<std::vector<int>, 2> grid;
  int number = 0;
};
struct Shapes {
  std::vector<int> scores{7};
  std::vector<std::array<std::vector<int>, 2>> grid;
  int number = 0;
};

/// Texts that become numbers.
struct Texts {
  std::vector<std::string> names;
  std::optional<std::string> nick;
  int number = 0;
};
struct Numbers {
  std::vector<int> names;
  std::optional<int> nick;
  int number = 0;
};

}  // namespace hdb::test::migrated_places_test

CEREAL_CLASS_VERSION(hdb::test::migrated_places_test::Hero, 1)
CEREAL_CLASS_VERSION(hdb::test::migrated_places_test::Label, 1)
CEREAL_CLASS_VERSION(hdb::test::migrated_places_test::Shapes, 1)
CEREAL_CLASS_VERSION(hdb::test::migrated_places_test::Numbers, 1)

namespace hdb::test::migrated_places_test {
namespace {

template <class Old>
Bytes file_of(const std::vector<Old>& records) {
  Database db;
  auto& table = db.create_table<Old>("records");
  for (const Old& record : records) table.insert(record);
  return saved(db);
}

template <class New, class Step>
std::vector<New> migrated(const Bytes& file, Step step) {
  Database db;
  auto& table = db.create_table<New>("records");
  db.declare_migration({.table = "records", .from = 0},
                       [&](DynamicValue& record, MigrationContext&) { step(record); });
  const auto report = load(db, file);
  EXPECT_TRUE(report) << report.error().message();
  return {table.begin(), table.end()};
}

class MigratedPlaces : public testing::TestWithParam<int> {};

// In every record, in none, or in some of them.
TEST_P(MigratedPlaces, FieldsWithoutNamesAreFoundByTheirTypesAfterTheyWereRead) {
  const Bytes file = file_of<OldHero>(std::vector<OldHero>(6, {{{{1}, {2}}, "30"}, 4}));
  int number = 0;
  const auto heroes = migrated<Hero>(file, [&](DynamicValue& hero) {
    hero.set("bag.weight", std::stoi(std::string(hero.at("bag.weight").text())));
    if (number++ % 3 < GetParam())
      hero.set("level", hero.at("bag.items.#0.heal").as<int>() + hero.at("level").as<int>());
  });
  ASSERT_EQ(heroes.size(), 6u);
  for (std::size_t i = 0; i < heroes.size(); ++i) {
    EXPECT_EQ(std::get<Potion>(heroes[i].bag.items).heal, 1) << i;
    EXPECT_EQ(std::get<Food>(heroes[i].bag.items).heal, 2) << i;
    EXPECT_EQ(heroes[i].bag.weight, 30) << i;
    EXPECT_EQ(heroes[i].level, static_cast<int>(i) % 3 < GetParam() ? 5 : 4) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Read, MigratedPlaces, testing::Values(0, 1, 3));

TEST(MigratedShapes, AMigrationThatSetsAPlaceMeansThePlaceOfTheProgram) {
  const Bytes file = file_of<OldLabel>({{{{5}, {1}, {2}}, 0}, {{{6}, {1}, {2}}, 1}});
  const auto labels = migrated<Label>(file, [](DynamicValue& label) {
    DynamicValue text;
    text.set("value", std::to_string(label.at("parts.#0.value").as<int>()));
    label.set("parts.#0", text);
  });
  ASSERT_EQ(labels.size(), 2u);
  for (const Label& label : labels) {
    EXPECT_EQ(std::get<Text>(label.parts).value, std::to_string(5 + label.number));
    EXPECT_EQ(std::get<Potion>(label.parts).heal, 1);
    EXPECT_EQ(std::get<Food>(label.parts).heal, 2);
  }
}

TEST(MigratedShapes, ValuesKeepTheirShapesAfterTheyWereRead) {
  const Bytes file = file_of<OldShapes>({{{}, {{{1}, {2, 3}}}, 0}, {{{4, 5}}, {{{}, {6}}}, 1}});
  const auto shapes = migrated<Shapes>(file, [](DynamicValue& record) {
    const bool has_scores = record.at("scores").has_value();
    record.set("number", has_scores ? record.at("scores[0]").as<int>() : -1);
    EXPECT_EQ(record.at("grid").size(), 2u);
  });
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].scores, std::vector<int>{7}) << "the default stays";
  EXPECT_EQ(shapes[0].number, -1);
  EXPECT_EQ(shapes[1].scores, (std::vector<int>{4, 5}));
  EXPECT_EQ(shapes[1].number, 4);
  const std::vector<std::array<std::vector<int>, 2>> first{{{{1}, {2, 3}}}};
  const std::vector<std::array<std::vector<int>, 2>> second{{{{}, {6}}}};
  EXPECT_EQ(shapes[0].grid, first);
  EXPECT_EQ(shapes[1].grid, second);
}

// What the values are after the migration counts, also where the file's types would not fit.
TEST(MigratedShapes, ListsWithoutElementsAreListsOfWhatTheMigrationMakes) {
  const Bytes file = file_of<Texts>({{{}, {}, 0}, {{"12", "3"}, "4", 1}, {{}, {}, 2}});
  const auto numbers = migrated<Numbers>(file, [](DynamicValue& record) {
    DynamicValue& names = record.at("names");
    for (std::size_t i = 0; i < names.size(); ++i)
      names.element(i) = std::stoi(std::string(names.element(i).text()));
    if (record.at("nick").has_value())
      record.at("nick").value() = std::stoi(std::string(record.at("nick").value().text()));
  });
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[1].names, (std::vector<int>{12, 3}));
  EXPECT_EQ(numbers[1].nick, 4);
  EXPECT_TRUE(numbers[0].names.empty() && numbers[2].names.empty());
  EXPECT_FALSE(numbers[0].nick || numbers[2].nick);
}

}  // namespace
}  // namespace hdb::test::migrated_places_test
