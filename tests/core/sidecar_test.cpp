// Values beside records: dropped with them, kept through restores where the handle lives on, told
// where not.
#include "hdb/sidecar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/tables/frozen_table.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Body {
  float x = 0;
};
using Bodies = Table<Body>;
using Values = Sidecar<std::unique_ptr<std::string>, Bodies>;

std::unique_ptr<std::string> value(const char* text) { return std::make_unique<std::string>(text); }

TEST(Sidecar, AValueGoesWithItsRecord) {
  Bodies bodies;
  Values values(bodies);
  const auto a = bodies.insert({1});
  const auto b = bodies.insert({2});
  EXPECT_EQ(**values.set(a, value("a")), "a");
  EXPECT_EQ(**values.set(b, value("b")), "b");
  EXPECT_EQ(values.size(), 2u);
  EXPECT_TRUE(bodies.erase(a));
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values.find(a), nullptr);
  EXPECT_EQ(**values.find(b), "b");
  const auto c = bodies.insert({3});  // the slot of a
  EXPECT_EQ(c.index(), a.index());
  EXPECT_EQ(values.find(c), nullptr);
  EXPECT_EQ(values.set(a, value("late")), nullptr) << "stale";
  bodies.clear();
  EXPECT_TRUE(values.empty());
}

TEST(Sidecar, SettingAgainReplacesAndErasingDropsTheValueAlone) {
  Bodies bodies;
  Values values(bodies);
  const auto a = bodies.insert({1});
  values.set(a, value("first"));
  values.set(a, value("second"));
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(**values.find(a), "second");
  EXPECT_TRUE(values.erase(a));
  EXPECT_FALSE(values.erase(a));
  EXPECT_TRUE(bodies.contains(a));
}

TEST(Sidecar, ARestoreTellsWhatAppearedAndWhatVanished) {
  Bodies bodies;
  Values values(bodies);
  const auto stays = bodies.insert({1});
  const auto comes_back = bodies.insert({2});
  values.set(stays, value("stays"));
  values.set(comes_back, value("lost"));
  EXPECT_FALSE(values.take_changes().was_replaced);
  const FrozenTable before = detail::core_of(bodies).freeze();
  bodies.erase(comes_back);
  const auto later = bodies.insert({3});
  values.set(later, value("later"));

  detail::core_of(bodies).thaw(before);
  detail::core_of(bodies).tell_replaced();
  auto changes = values.take_changes();
  EXPECT_TRUE(changes.was_replaced);
  EXPECT_THAT(changes.appeared, ElementsAre(comes_back)) << "a record without a value";
  EXPECT_THAT(changes.vanished, ElementsAre(later));
  EXPECT_EQ(**values.find(stays), "stays");
  EXPECT_EQ(values.size(), 1u);
  changes = values.take_changes();
  EXPECT_FALSE(changes.was_replaced);
  EXPECT_THAT(changes.appeared, IsEmpty());
}

TEST(Sidecar, EitherMayGoFirst) {
  auto bodies = std::make_unique<Bodies>();
  auto values = std::make_unique<Values>(*bodies);
  const auto a = bodies->insert({1});
  values->set(a, value("a"));
  {
    Values second(*bodies);
    second.set(a, value("b"));
  }
  EXPECT_TRUE(bodies->erase(a));
  bodies.reset();
  EXPECT_TRUE(values->empty());
  EXPECT_EQ(values->set(a, value("late")), nullptr);
  EXPECT_FALSE(values->take_changes().was_replaced);
  values.reset();
}

// Erases another record when it is dropped, as a joint that goes with its body.
struct Chain {
  Bodies* bodies = nullptr;
  Handle<Body> next;
  Chain() = default;
  Chain(Bodies& table, Handle<Body> handle) : bodies(&table), next(handle) {}
  Chain(Chain&& other) noexcept : bodies(std::exchange(other.bodies, nullptr)), next(other.next) {}
  Chain& operator=(Chain&& other) noexcept {
    std::swap(bodies, other.bodies);
    std::swap(next, other.next);
    return *this;
  }
  ~Chain() {
    if (bodies != nullptr) bodies->erase(next);
  }
};

TEST(Sidecar, AValueMayEraseOtherRecordsWhenItIsDropped) {
  Bodies bodies;
  Sidecar<Chain, Bodies> chains(bodies);
  std::vector<Handle<Body>> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(bodies.insert({}));
  for (std::size_t i = 0; i + 1 < handles.size(); ++i) {
    chains.set(handles[i], Chain(bodies, handles[i + 1]));
  }
  EXPECT_TRUE(bodies.erase(handles[3]));
  EXPECT_EQ(bodies.size(), 3u) << "all behind it are gone";
  EXPECT_EQ(chains.size(), 3u);
  EXPECT_EQ(bodies.check_invariants(), nullptr);
}

}  // namespace
}  // namespace hdb::test
