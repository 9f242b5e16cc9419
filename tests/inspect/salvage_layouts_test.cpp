// A repair makes handles of lost records null in columns of 2, 4 and 8 bytes, and nothing beside
// them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/salvage_tools.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::salvage_layouts_test {
namespace {

template <class L>
struct Cell {
  std::uint32_t number = 0;
  Handle<Cell, L> next;
  Strong<Cell, L> owned;
  std::uint16_t mark = 0xabcd;
  std::uint32_t pad[4096] = {};  // 64 slots are a row group
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number), CEREAL_NVP(next), CEREAL_NVP(owned), CEREAL_NVP(mark), CEREAL_NVP(pad));
  }
};

template <class L>
class SalvageLayouts : public testing::Test {};
using Layouts = testing::Types<Layout<10, 6>, Layout<24, 8>, Layout<40, 23>, Layout<8, 5, 3>,
                               Layout<40, 20, 4>>;
TYPED_TEST_SUITE(SalvageLayouts, Layouts);

TYPED_TEST(SalvageLayouts, OnlyHandlesOfLostRecordsBecomeNull) {
  using R = Cell<TypeParam>;
  const TableOptions options{.type_id =
                                 static_cast<std::uint16_t>(TypeParam::type_bits == 0 ? 0 : 5)};
  Database db;
  auto& cells = db.create_table<R, TypeParam>("cells", options);
  std::vector<Handle<R, TypeParam>> handles;
  for (std::uint32_t i = 0; i < 192; ++i) {
    R cell;
    cell.number = i;
    handles.push_back(cells.insert(cell));
  }
  for (std::uint32_t i = 0; i < 192; ++i) {
    R* const cell = cells.edit(handles[i]);
    cell->next = handles[(i + 32) % 192];
    cell->owned = handles[(i + 96) % 192];
  }
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  Bytes damaged = sink.bytes();
  for (const BlockInfo& block : blocks_of(sink.bytes())) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::rows && block.group == 1)
      damaged[static_cast<std::size_t>(block.offset + format::kBlockHeadBytes) + 3] ^= std::byte{1};
  }
  const Repaired result = repair(damaged);
  ASSERT_EQ(result.fault, "");
  Database other;
  auto& loaded = other.create_table<R, TypeParam>("cells", options);
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(result.bytes)));
  const auto lost = [](std::uint32_t i) { return i / 64 == 1; };
  std::size_t nulled = 0;
  for (std::uint32_t i = 0; i < 192; ++i) {
    const R* const cell = loaded.find(handles[i]);
    ASSERT_EQ(cell == nullptr, lost(i)) << i;
    if (cell == nullptr) continue;
    EXPECT_EQ(cell->number, i);
    EXPECT_EQ(cell->mark, 0xabcd);
    EXPECT_EQ(cell->next.is_null(), lost((i + 32) % 192)) << i;
    EXPECT_EQ(cell->owned.is_null(), lost((i + 96) % 192)) << i;
    EXPECT_TRUE(cell->next.is_null() || cell->next == handles[(i + 32) % 192]) << i;
    EXPECT_TRUE(cell->owned.is_null() || cell->owned.handle() == handles[(i + 96) % 192]) << i;
    nulled += cell->next.is_null() + cell->owned.is_null();
  }
  EXPECT_EQ(nulled, result.table("cells").references_nulled);
  EXPECT_EQ(nulled, 96u);
}

}  // namespace
}  // namespace hdb::test::salvage_layouts_test
