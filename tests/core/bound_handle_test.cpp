// Handles bound to tables, and how much a lookup checks.
#include "hdb/any_handle.hpp"

#include <gtest/gtest.h>

#include "hdb/bound_handle.hpp"
#include "hdb/table.hpp"

namespace hdb::test {
namespace {

struct Imp {
  int hp = 60;
};

TEST(BoundHandle, ReadsThroughTheArrowAndWritesThroughEdit) {
  Table<Imp> imps;
  BoundHandle imp(imps, imps.insert({}));
  EXPECT_EQ(imp->hp, 60);
  static_assert(std::is_same_v<decltype((imp->hp)), const int&>, "the arrow is for reading");
  imp.edit()->hp = 40;
  EXPECT_EQ((*imp).hp, 40);
  const BoundHandle copy = imp;
  EXPECT_EQ(copy, imp);
  imps.erase(imp.handle());
  EXPECT_FALSE(imp);
  EXPECT_EQ(imp.get(), nullptr);
  EXPECT_FALSE(BoundHandle<Table<Imp>>());
}

TEST(BoundHandleDeathTest, AStaleOneEndsTheProgramWithAMessage) {
  Table<Imp> imps;
  const BoundHandle imp(imps, imps.insert({}));
  imps.erase(imp.handle());
  EXPECT_DEATH(static_cast<void>(imp->hp), "stale");
  EXPECT_DEATH(static_cast<void>(imp.edit()), "stale");
  EXPECT_DEATH(static_cast<void>(BoundHandle<Table<Imp>>()->hp), "not bound to a table");
}

TEST(BoundHandle, GoesThroughTheTableThatIsBoundForItsType) {
  Table<Imp> imps;
  const TableBinding binding(imps);
  const BoundHandle<Table<Imp>> imp(imps.insert({.hp = 5}));
  EXPECT_EQ(imp->hp, 5);
  imp.edit()->hp = 6;
  EXPECT_EQ(imps[imp.handle()].hp, 6);
  EXPECT_DEATH(TableBinding<Table<Imp>>{imps}, "another table is already bound");
}

TEST(BoundHandleDeathTest, WithoutATableOfItsTypeItEndsTheProgramWithAMessage) {
  EXPECT_DEATH(static_cast<void>(BoundHandle<Table<Imp>>(Handle<Imp>())), "no table is bound");
}

template <HandleCheck A, class L = DefaultLayout>
using ImpsWith = Table<Imp, L, Imp, A>;

TEST(HandleCheck, UncheckedAndAssertedFindWhatCheckedFinds) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    ImpsWith<HandleCheck::unchecked> fast({.storage = storage});
    ImpsWith<HandleCheck::asserted> asserted({.storage = storage});
    for (int i = 0; i < 5000; ++i) {
      const auto a = fast.insert({i});
      const auto b = asserted.insert({i});
      if (i % 3 == 0) {
        fast.erase(a);
        asserted.erase(b);
        continue;
      }
      ASSERT_EQ(fast.find(a)->hp, i);
      ASSERT_EQ(asserted.find(b)->hp, i);
      fast.edit(a)->hp = asserted.edit(b)->hp = -i;
      ASSERT_EQ(fast.at(a).hp, -i);
      ASSERT_EQ(asserted[b].hp, -i);
    }
    EXPECT_FALSE(fast.contains({})) << "contains checks always";
    EXPECT_FALSE(fast.erase({}));
  }
}

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
TEST(HandleCheckDeathTest, AssertedStopsAtAStaleHandleWhereAssertionsAreOn) {
  ImpsWith<HandleCheck::asserted> imps;
  const auto imp = imps.insert({});
  imps.erase(imp);
  EXPECT_DEATH(static_cast<void>(imps.find(imp)), "stale");
  EXPECT_DEATH(static_cast<void>(imps.edit(imp)), "stale");
}
#endif

TEST(AnyHandle, KeepsTheBitsAndTellsTheTypeIdAlone) {
  Table<Imp, TypedLayout> imps({.type_id = 7});
  const TypedHandle<Imp> imp = imps.insert({});
  const AnyHandle any = any_handle(imp);
  EXPECT_EQ(any.type_id(), 7u);
  EXPECT_EQ(any.bits(), imp.bits());
  EXPECT_EQ(handle_as<Imp>(any), imp);
}

}  // namespace
}  // namespace hdb::test
