// Few components of many records: the slots that were never touched have no component, whatever
// handle asks for one, and the state is the same as if each had been written.
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "database/component_world.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"

namespace hdb::test::sparse_components_test {
namespace {

using component_world::Entity;
using component_world::Place;
using H = Handle<Entity>;

class SparseComponents : public testing::TestWithParam<Storage> {
 protected:
  static constexpr std::uint64_t kRecords = 20'000;  // their slots are beyond one small block

  SparseComponents() { add_records(kRecords); }

  void add_records(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      records_.push_back(entities_.insert({static_cast<std::int32_t>(i)}));
  }
  // Also asks for what no record has: generation 0, and one that will come.
  static void compare(const ComponentTable<Place, Entity>& places, const std::vector<H>& records,
                      const std::map<std::uint64_t, std::int32_t>& model) {
    ASSERT_STREQ(places.check_invariants(), nullptr);
    ASSERT_EQ(places.size(), model.size());
    for (const H record : records) {
      const auto found = model.find(record.bits());
      const Place* const place = places.find(record);
      ASSERT_EQ(place != nullptr, found != model.end());
      if (place != nullptr) {
        ASSERT_EQ(place->x, found->second);
      }
      const H never = H::from_bits(record.index());
      ASSERT_EQ(never.generation(), 0u);
      ASSERT_EQ(places.find(never), nullptr);
      ASSERT_FALSE(places.contains(never));
      const H later = H::from_bits(record.bits() + (std::uint64_t{1} << 32));
      ASSERT_EQ(places.find(later), nullptr);
    }
  }
  void compare() const { compare(places_, records_, model_); }
  void insert(H record, std::int32_t x) {
    ASSERT_NE(places_.insert(record, {x, 1}), nullptr);
    ASSERT_EQ(places_.insert(record, {x, 1}), nullptr);
    model_[record.bits()] = x;
  }
  Hash128 state_hash() { return db_.capture().state_hash(); }

  Database db_;
  Table<Entity>& entities_ = db_.create_table<Entity>("entities");
  ComponentTable<Place, Entity>& places_ =
      db_.create_component_table<Place>("places", entities_, {.storage = GetParam()});
  std::vector<H> records_;
  std::map<std::uint64_t, std::int32_t> model_;
};

INSTANTIATE_TEST_SUITE_P(Storages, SparseComponents,
                         testing::Values(Storage::dense, Storage::stable));

TEST_P(SparseComponents, OnlyTheLastRecordHasOne) {  // H1, H9
  insert(records_.back(), 7);
  compare();
  const H null;
  EXPECT_EQ(places_.edit(null), nullptr);
  EXPECT_FALSE(places_.erase(null));
  EXPECT_FALSE(places_.erase(H::from_bits(records_.back().index())));
  insert(records_.front(), 8);
  compare();
  EXPECT_TRUE(places_.erase(records_.back()));
  model_.erase(records_.back().bits());
  compare();
}

TEST_P(SparseComponents, ARestoreLeavesNothingInTheSlotsThatAreAddedAgain) {  // S1
  insert(records_[100], 1);
  const Snapshot before = db_.capture();
  const auto model = model_;
  add_records(kRecords);
  for (std::size_t i = kRecords; i < records_.size(); i += 3) insert(records_[i], 3);
  compare();
  ASSERT_TRUE(db_.restore(before));
  records_.resize(kRecords);
  model_ = model;
  compare();
  add_records(kRecords);  // the same handles again
  insert(records_.back(), 4);
  compare();
}

TEST_P(SparseComponents, TheStateIsThatOfATableWhoseSlotsWereAllTouched) {
  insert(records_[kRecords - 10], 1);
  const Hash128 sparse = state_hash();
  for (const H record : records_) {
    if (!places_.contains(record)) places_.insert(record, {2, 1});
  }
  for (const H record : records_) {
    if (record != records_[kRecords - 10]) places_.erase(record);
  }
  compare();
  // The dense order is the same, too: one component.
  EXPECT_EQ(state_hash(), sparse);
}

TEST_P(SparseComponents, RandomCallsDoWhatTheModelDoes) {
  std::mt19937_64 random(4);
  const auto any = [&] { return records_[static_cast<std::size_t>(random() % records_.size())]; };
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    for (int i = 0; i < 30; ++i) {
      const H record = any();
      if (!places_.contains(record) && entities_.contains(record)) insert(record, i);
      const H victim = any();
      EXPECT_EQ(places_.erase(victim), model_.erase(victim.bits()) != 0);
    }
    if (round % 4 == 1) add_records(3000);
    if (round % 5 == 2) {
      places_.clear();
      model_.clear();
    }
    if (round % 6 == 3) {
      const Snapshot now = db_.capture();
      const auto model = model_;
      insert(entities_.insert({9}), 9);
      places_.clear();
      ASSERT_TRUE(db_.restore(now));
      model_ = model;
    }
    compare();
  }
}

}  // namespace
}  // namespace hdb::test::sparse_components_test
