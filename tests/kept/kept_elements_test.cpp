// Kept fields of elements of lists and maps are found again after a program changed the container.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/box.hpp"
#include "hdb/hdb.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_elements_test {
namespace {

using kept_test::kKeep;
using kept_test::load;
using kept_test::saved;

namespace newer {
struct Potion {
  int heal = 0;
  int quality = 0;
};
}  // namespace newer
namespace older {
struct Potion {
  int heal = 0;
};
}  // namespace older
using NewPotion = newer::Potion;
using OldPotion = older::Potion;
struct Food {
  int taste = 0;
};

template <class Potion>
struct Bags {
  std::vector<std::variant<Potion, Food>> variants;
  std::vector<std::optional<Potion>> optionals;
  std::vector<Box<Potion>> boxes;
  std::vector<std::array<Potion, 2>> arrays;
  std::vector<std::vector<Potion>> lists;
  std::vector<std::map<int, Potion>> maps;
  std::vector<std::pair<std::string, std::vector<std::optional<Potion>>>> deep;
  std::multimap<int, Potion> equal_keys;
  std::vector<Potion> potions;
};
using NewBags = Bags<NewPotion>;
using OldBags = Bags<OldPotion>;

NewBags make_bags() {
  NewBags bags;
  for (int i = 1; i <= 4; ++i) {
    const NewPotion potion{i, 10 * i};
    bags.variants.emplace_back(potion);
    bags.optionals.emplace_back(potion);
    bags.boxes.emplace_back(potion);
    bags.arrays.push_back({potion, {i + 4, 10 * i + 40}});
    bags.lists.push_back({potion});
    bags.maps.push_back({{i, potion}});
    bags.deep.push_back({"same", {potion, std::nullopt}});
    bags.equal_keys.emplace(1, potion);
    bags.potions.push_back(potion);
  }
  bags.variants.insert(bags.variants.begin() + 1, Food{7});
  bags.optionals.insert(bags.optionals.begin() + 1, std::nullopt);
  bags.boxes.insert(bags.boxes.begin() + 1, Box<NewPotion>());
  bags.lists.insert(bags.lists.begin() + 1, std::vector<NewPotion>());
  return bags;
}

// The newer program's record after the older one has changed it by `change`.
template <class Change>
NewBags after(const NewBags& bags, const Change& change) {
  Database now;
  const auto handle = now.create_table<NewBags>("bags").insert(bags);
  Database old;
  auto& table = old.create_table<OldBags>("bags");
  EXPECT_TRUE(load(old, saved(now.capture()), kKeep));
  change(*table.edit(Handle<OldBags>::from_bits(handle.bits())));
  const auto back = load(now, saved(old.capture()));
  EXPECT_TRUE(back) << back.error().message();
  return now.find_table<NewBags>("bags")->at(handle);
}

void expect_whole(const NewPotion& potion) { EXPECT_EQ(potion.quality, 10 * potion.heal); }

// Every potion still has the quality that it came with.
void expect_whole(const NewBags& bags) {
  for (const auto& each : bags.variants) {
    if (const auto* potion = std::get_if<NewPotion>(&each)) expect_whole(*potion);
  }
  for (const auto& each : bags.optionals) {
    if (each) expect_whole(*each);
  }
  for (const auto& each : bags.boxes) {
    if (each) expect_whole(*each);
  }
  for (const auto& each : bags.arrays) {
    for (const NewPotion& potion : each) expect_whole(potion);
  }
  for (const auto& each : bags.lists) {
    for (const NewPotion& potion : each) expect_whole(potion);
  }
  for (const auto& each : bags.maps) {
    for (const auto& [key, potion] : each) expect_whole(potion);
  }
  for (const auto& [name, potions] : bags.deep) {
    for (const auto& potion : potions) {
      if (potion) expect_whole(*potion);
    }
  }
  for (const auto& [key, potion] : bags.equal_keys) expect_whole(potion);
  for (const NewPotion& potion : bags.potions) expect_whole(potion);
}

// Calls `change` for each container.
template <class Change>
auto for_each_list(const Change& change) {
  return [change](OldBags& bags) {
    change(bags.variants);
    change(bags.optionals);
    change(bags.boxes);
    change(bags.arrays);
    change(bags.lists);
    change(bags.maps);
    change(bags.deep);
    change(bags.equal_keys);
    change(bags.potions);
  };
}

TEST(KeptElements, ErasedElementsTakeOnlyTheirOwnAway) {
  const NewBags bags = make_bags();
  for (const std::ptrdiff_t place : {0, 1, 2, 3}) {
    const NewBags left =
        after(bags, for_each_list([&](auto& list) { list.erase(std::next(list.begin(), place)); }));
    EXPECT_EQ(left.potions.size(), 3u);
    EXPECT_EQ(left.equal_keys.size(), 3u);
    expect_whole(left);
  }
}

TEST(KeptElements, MovedElementsTakeTheirOwnAlong) {
  const NewBags moved = after(make_bags(), [](OldBags& bags) {
    std::swap(bags.variants[0], bags.variants[2]);
    std::swap(bags.optionals[0], bags.optionals[3]);
    std::swap(bags.boxes[0], bags.boxes[1]);
    std::swap(bags.arrays[0], bags.arrays[3]);
    std::swap(bags.lists[1], bags.lists[2]);
    std::swap(bags.maps[2], bags.maps[3]);
    std::swap(bags.deep[0], bags.deep[2]);
    std::swap(bags.potions[0], bags.potions[3]);
    bags.equal_keys.erase(bags.equal_keys.begin());
    bags.equal_keys.erase(std::next(bags.equal_keys.begin()));
  });
  EXPECT_EQ(std::get<NewPotion>(moved.variants[0]).heal, 2);
  EXPECT_FALSE(moved.boxes[0]);
  expect_whole(moved);
}

TEST(KeptElements, NewElementsHaveNone) {
  const NewBags grown = after(make_bags(), [](OldBags& bags) {
    bags.optionals.insert(bags.optionals.begin(), OldPotion{9});
    bags.lists.insert(bags.lists.begin() + 2, {OldPotion{9}});
    bags.equal_keys.emplace(1, OldPotion{9});
    bags.deep[0].second.push_back(OldPotion{9});
  });
  EXPECT_EQ(grown.optionals[0]->quality, 0);
  EXPECT_EQ(grown.lists[2][0].quality, 0);
  EXPECT_EQ(std::prev(grown.equal_keys.end())->second.quality, 0);
  EXPECT_EQ(grown.deep[0].second[2]->quality, 0);
  expect_whole(*grown.optionals[1]);
  expect_whole(grown.lists[3][0]);
  expect_whole(*grown.deep[0].second[0]);
  expect_whole(*grown.deep[3].second[0]);
}

}  // namespace
}  // namespace hdb::test::kept_elements_test
