// Members that are not saved, in records that LiveTable changes.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "hdb/live_table.hpp"

namespace hdb::test::live_left_out {

struct Sprite {
  std::int32_t id = 1;
  std::int32_t texture = -1;  // not saved
};
struct Soldier {
  std::int32_t hp = 100;
  std::string name = "imp";
  std::vector<Sprite> parts = {};
  std::optional<Sprite> cloak = {};
  std::map<std::int32_t, Sprite> by_number = {};
  std::variant<std::int32_t, Sprite> extra = 0;
  Sprite body = {};
};
/// Its load goes through values of its own: a field that it does not find becomes theirs.
struct Converted {
  std::int32_t hp = 1;
  std::int32_t mana = 2;
  std::vector<std::int32_t> items = {};
  template <class A>
  void save(A& a) const {
    a(CEREAL_NVP(hp), CEREAL_NVP(mana), CEREAL_NVP(items));
  }
  template <class A>
  void load(A& a) {
    std::int32_t read_hp = -7;
    std::int32_t read_mana = -7;
    a(cereal::make_nvp("hp", read_hp), cereal::make_nvp("mana", read_mana), CEREAL_NVP(items));
    hp = read_hp;
    mana = read_mana;
  }
};

}  // namespace hdb::test::live_left_out

template <>
struct hdb::LeavesOut<hdb::test::live_left_out::Sprite> {
  static constexpr std::tuple members{&hdb::test::live_left_out::Sprite::texture};
};

namespace hdb::test::live_left_out {
namespace {

class LiveLeftOut : public testing::Test {
 protected:
  Database db_;
  Table<Soldier>& soldiers_ = db_.create_table<Soldier>("soldiers");
  Handle<Soldier> soldier_ = soldiers_.insert({.parts = {{1, 11}, {2, 12}},
                                               .cloak = Sprite{3, 13},
                                               .by_number = {{4, {4, 14}}},
                                               .extra = Sprite{5, 15},
                                               .body = {6, 16}});
  LiveTable live_ = LiveTable::find(db_, "soldiers").value();

  [[nodiscard]] std::vector<std::int32_t> textures() const {
    const Soldier& soldier = soldiers_[soldier_];
    std::vector<std::int32_t> found;
    for (const Sprite& part : soldier.parts) found.push_back(part.texture);
    found.push_back(soldier.cloak->texture);
    found.push_back(soldier.by_number.at(4).texture);
    found.push_back(std::get<Sprite>(soldier.extra).texture);
    found.push_back(soldier.body.texture);
    return found;
  }
};
using Textures = std::vector<std::int32_t>;

TEST_F(LiveLeftOut, TheyStayInFieldsThatAreNotSet) {
  EXPECT_TRUE(live_.set(soldier_.bits(), "hp", 70));
  EXPECT_TRUE(live_.set_json(soldier_.bits(), "name", "\"orc\""));
  EXPECT_TRUE(live_.edit(soldier_.bits(), [](DynamicValue& record) {
    record.set("hp", record.at("hp").as<int>() + 1);
    record.set("parts", DynamicValue(record.at("parts")));  // as it was
  }));
  EXPECT_EQ(soldiers_[soldier_].hp, 71);
  EXPECT_EQ(soldiers_[soldier_].name, "orc");
  EXPECT_EQ(textures(), (Textures{11, 12, 13, 14, 15, 16}));
}

TEST_F(LiveLeftOut, TheyAreMadeAgainWhereAContainerIsSet) {
  EXPECT_TRUE(live_.set(soldier_.bits(), "parts[1].id", 20));
  EXPECT_TRUE(live_.set_json(soldier_.bits(), "cloak.id", "30"));
  EXPECT_TRUE(live_.set(soldier_.bits(), "body.id", 60));
  EXPECT_EQ(soldiers_[soldier_].parts[1].id, 20);
  EXPECT_EQ(soldiers_[soldier_].cloak->id, 30);
  EXPECT_EQ(soldiers_[soldier_].body.id, 60);
  EXPECT_EQ(textures(), (Textures{-1, -1, -1, 14, 15, 16}));
}

TEST_F(LiveLeftOut, AnEditThatChangesNothingIsOne) {
  const Hash128 before = db_.state_hash();
  EXPECT_TRUE(live_.edit(soldier_.bits(), [](DynamicValue&) {}));
  EXPECT_EQ(db_.state_hash(), before);
  EXPECT_EQ(textures(), (Textures{11, 12, 13, 14, 15, 16}));
}

TEST_F(LiveLeftOut, AFunctionThatLoadsSeesAllFields) {
  auto& table = db_.create_table<Converted>("converted");
  const auto handle = table.insert({});
  LiveTable live = LiveTable::find(db_, "converted").value();
  EXPECT_TRUE(live.set(handle.bits(), "hp", 5));
  EXPECT_TRUE(live.set_json(handle.bits(), "items", "[1, 2]"));
  EXPECT_EQ(table[handle].hp, 5);
  EXPECT_EQ(table[handle].mana, 2);
  EXPECT_EQ(table[handle].items, (std::vector<std::int32_t>{1, 2}));
}

}  // namespace
}  // namespace hdb::test::live_left_out
