// Handles of any layout in records: strong ones keep what they name, changes and references are
// those of their tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/references.hpp"
#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::layouts_test {
namespace {

using testing::ElementsAre;

template <class L>
struct Picture {
  std::int32_t width = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width));
  }
};

// Neighbours of the handle show when it is read too wide; with a string the record is encoded,
// without one gathered.
template <class L, bool kHasText>
struct Holder {
  std::uint16_t before = 0xffff;
  Strong<Picture<L>, L> owned[3];
  std::uint16_t behind = 0xffff;
  Handle<Picture<L>, L> seen;
  std::conditional_t<kHasText, std::string, std::int32_t> more{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(before), CEREAL_NVP(owned), CEREAL_NVP(behind), CEREAL_NVP(seen),
      CEREAL_NVP(more));
  }
};

template <class L>
class LayoutsInRecords : public testing::Test {
 protected:
  using H = Handle<Picture<L>, L>;
  using ResourcesType = ResourceTable<Picture<L>, L>;
  static constexpr std::uint16_t kTypeId = L::type_bits == 0 ? 0 : 3;

  template <bool kHasText>
  void check_strong() {
    using HolderType = Holder<L, kHasText>;
    Database db;
    auto& pictures = db.create_resource_table<Picture<L>, L>("pictures", {.type_id = kTypeId});
    auto& holders = db.create_table<HolderType>("holders");
    std::vector<H> made;
    for (std::int32_t i = 0; i < 40; ++i) {
      auto picture = pictures.insert(std::to_string(i), {i});
      ASSERT_TRUE(picture);
      made.push_back(picture.handle());
    }
    HolderType holder;
    holder.owned[0] = made[7];
    holder.owned[2] = made[33];
    holder.seen = made[9];
    holders.insert(holder);
    ASSERT_EQ(pictures.flush().value().destroyed, 38u);
    EXPECT_TRUE(pictures.table().contains(made[7]));
    EXPECT_TRUE(pictures.table().contains(made[33]));
    EXPECT_FALSE(pictures.table().contains(made[9])) << "weak";

    MemorySink file;
    ASSERT_TRUE(save(db.capture(), file));
    const auto reader = Reader::open(std::make_unique<MemorySource>(file.bytes()));
    ASSERT_TRUE(reader);
    const auto counts = count_references(**reader);
    ASSERT_TRUE(counts);
    ASSERT_EQ(counts->size(), 2u);
    EXPECT_EQ(counts->at(0).live, 2u);
    EXPECT_EQ(counts->at(0).null, 1u);
    EXPECT_EQ(counts->at(1).stale, 1u);
    EXPECT_EQ(counts->at(0).foreign + counts->at(1).foreign, 0u);
  }
};
using Layouts = testing::Types<Layout<10, 6>, Layout<24, 8>, Layout<22, 8>, Layout<40, 23>,
                               Layout<20, 31>, Layout<9, 4, 3>, Layout<33, 15, 16>>;
TYPED_TEST_SUITE(LayoutsInRecords, Layouts);

TYPED_TEST(LayoutsInRecords, StrongOnesKeepWhatTheyName) {
  this->template check_strong<false>();
  this->template check_strong<true>();
}

TYPED_TEST(LayoutsInRecords, ChangesNameTheHandlesThatTheTableIssued) {
  using R = Picture<TypeParam>;
  Database db;
  auto& table = db.create_table<R, TypeParam>("pictures", {.type_id = TestFixture::kTypeId});
  const auto kept = table.insert({1});
  const auto gone = table.insert({2});
  const Snapshot before = db.capture();
  table.erase(gone);
  table.edit(kept)->width = 5;
  const auto made = table.insert({3});
  const auto later = table.insert({4});
  const auto changes = changes_between(before, db.capture());
  const auto& own = changes.of("pictures");
  EXPECT_THAT(handles_as<typename TestFixture::H>(own.created),
              testing::UnorderedElementsAre(made, later));
  EXPECT_THAT(handles_as<typename TestFixture::H>(own.erased), ElementsAre(gone));
  EXPECT_THAT(handles_as<typename TestFixture::H>(own.changed), ElementsAre(kept));
}

// The same three parts in TypedLayout: no table of another layout issued that handle.
TEST(Layouts, AnAnyHandleNamesRecordsOfTypedLayoutOnly) {
  using R = Picture<DefaultLayout>;
  Database db;
  auto& other = db.create_table<R, Layout<20, 8, 4>>("other", {.type_id = 3});
  auto& typed = db.create_table<R, TypedLayout>("typed", {.type_id = 4});
  const auto in_other = other.insert({1});
  const auto in_typed = typed.insert({2});
  EXPECT_EQ(in_other.type_id(), 3u);
  EXPECT_TRUE(db.contains(any_handle(in_typed)));
  const auto foreign = AnyHandle::from_bits(
      pack_handle(TypedLayout::value, in_other.index(), in_other.generation(), 3));
  EXPECT_FALSE(db.contains(foreign));
  EXPECT_EQ(db.find<R>(foreign), nullptr);
  EXPECT_EQ(db.table_of(foreign), "");
  EXPECT_FALSE(db.erase(foreign));
  EXPECT_TRUE(other.contains(in_other));
}

TEST(Layouts, ATypeIdThatDoesNotFitIsRefused) {
  using R = Picture<DefaultLayout>;
  Database db;
  EXPECT_TRUE((db.try_create_table<R, Layout<9, 4, 3>>("a", {.type_id = 7})));
  const auto high = db.try_create_table<R, Layout<9, 4, 3>>("b", {.type_id = 8});
  ASSERT_FALSE(high);
  EXPECT_EQ(high.error().code, ErrorCode::bad_options);
  const auto next = db.try_create_table<R, Layout<9, 4, 3>>("c");
  ASSERT_FALSE(next) << "type id 8 comes next, and has 4 bits";
  EXPECT_TRUE((db.try_create_table<R, Layout<9, 7, 16>>("d", {.type_id = 65535})));
  EXPECT_FALSE((db.try_create_table<R, Layout<9, 7, 16>>("e"))) << "no type id is left";
}

}  // namespace
}  // namespace hdb::test::layouts_test
