// Running out of memory: the n-th page that a call needs cannot be had, and nothing has changed
// (T3, G4).
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/component_table.hpp"
#include "hdb/table.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::make_record;

using test::MeagreSource;

template <class Record>
class OutOfMemoryTest : public testing::Test {};
using Records = testing::Types<test::Unit, test::Wide, test::Rich>;
TYPED_TEST_SUITE(OutOfMemoryTest, Records);

// Everything that can be seen of a table.
template <class Record>
struct Picture {
  SlotCounters counters;
  std::vector<std::uint32_t> free_list;
  std::vector<Handle<Record>> handles;
  std::vector<Record> records;
  friend bool operator==(const Picture&, const Picture&) = default;

  explicit Picture(const Table<Record>& table) : counters(table.counters()) {
    free_list.resize(static_cast<std::size_t>(counters.free_count));
    detail::core_of(table).slots().read_free_list(0, free_list);
    for (const auto& [handle, record] : table.entries()) {
      handles.push_back(handle);
      records.push_back(record);
    }
  }
};

TYPED_TEST(OutOfMemoryTest, ACallThatRunsOutOfMemoryChangesNothing) {  // T3
  using TableType = Table<TypeParam>;
  using H = typename TableType::HandleType;
  std::size_t cases = 0;
  std::size_t refused = 0;
  const std::function<void(TableType&, const std::vector<H>&, const FrozenTable&)> calls[] = {
      [](TableType& table, const auto&, const auto&) { table.insert(make_record<TypeParam>(1)); },
      [](TableType& table, const auto& handles, const auto&) { table.erase(handles[1]); },
      [](TableType& table, const auto& handles, const auto&) {
        static_cast<void>(table.edit(handles[1]));
      },
      [](TableType& table, const auto& handles, const auto&) {
        table.revive(handles[0], make_record<TypeParam>(1));
      },
      [](TableType& table, const auto&, const auto&) { table.clear(); },
      [](TableType& table, const auto&, const auto&) { table.reserve(100'000); },
      [](TableType& table, const auto&, const auto& frozen) {
        detail::core_of(table).thaw(frozen);
      },
      [](TableType& table, const auto&, const auto&) { table.reset(); },
  };
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList order : {FreeList::lifo, FreeList::fifo}) {
      for (std::size_t call = 0; call < std::size(calls); ++call) {
        for (long n = 0; n < 12; ++n) {
          const auto source = std::make_shared<MeagreSource>();
          {
            TableType table({.storage = storage, .free_list = order},
                            std::make_shared<UndoLog>(std::make_shared<PagePool>(source)));
            std::vector<H> handles;
            for (std::uint64_t i = 0; i < 64; ++i)
              handles.push_back(table.insert(make_record<TypeParam>(i)));
            for (std::size_t i = 0; i < 64; i += 4) table.erase(handles[i]);
            for (std::size_t i = 0; i < 16; ++i) table.insert(make_record<TypeParam>(100 + i));
            for (std::size_t i = 0; i < 64; i += 3) table.erase(handles[i]);
            for (std::size_t i = 0; i < 8; ++i) table.revive(handles[24 + 3 * i], TypeParam{});
            const FrozenTable frozen = detail::core_of(table).freeze();
            const Picture before(table);
            source->left = n;
            bool failed = false;
            try {
              calls[call](table, handles, frozen);
            } catch (const std::bad_alloc&) {
              failed = true;
            }
            source->left = -1;
            ++cases;
            ASSERT_STREQ(table.check_invariants(), nullptr) << "call " << call << ", piece " << n;
            if (failed) {
              ++refused;
              ASSERT_EQ(Picture(table), before) << "call " << call << ", piece " << n;
            }
            // Memory is back: the table works.
            ASSERT_TRUE(table.insert(make_record<TypeParam>(7)));
            ASSERT_STREQ(table.check_invariants(), nullptr);
          }
          ASSERT_EQ(source->given, 0) << "a page leaked";
        }
      }
    }
  }
  EXPECT_GT(refused, 30u);
  std::printf("cases=%zu failures=0 (%zu ran out of memory)\n", cases, refused);
}

TEST(OutOfMemory, AnInsertIntoATableWithoutAnyMemoryThrowsBadAlloc) {
  const auto source = std::make_shared<MeagreSource>();
  source->left = 0;
  Table<test::Unit> table({}, std::make_shared<UndoLog>(std::make_shared<PagePool>(source)));
  EXPECT_THROW(table.insert({}), std::bad_alloc);
  EXPECT_EQ(table.size(), 0u);
  source->left = -1;
  EXPECT_TRUE(table.insert({}));
}

// The records move when the table grows, as they always do in memory of the program.
TEST(OutOfMemory, NoRecordThatIsInsertedAgainIsReadAfterTheTableMoved) {
  using test::Rich;
  const auto source = std::make_shared<MeagreSource>();
  const Rich original = make_record<Rich>(11);
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    const auto log = std::make_shared<UndoLog>(std::make_shared<PagePool>(source));
    Table<Rich> table({.storage = storage, .names = RecordNames::exact}, log);
    ComponentTable<Rich, Rich> components(table, {.storage = storage}, log);
    const auto first = table.insert(original);
    const auto erased = table.insert(original);
    components.insert(first, original);
    for (int i = 0; i < 3000; ++i) {
      const auto& record = *table.find(first);
      switch (i % 4) {
        case 0: ASSERT_EQ(table.at(table.insert(record)), original) << i; break;
        case 1: ASSERT_EQ(table.at(table.emplace(record)), original) << i; break;
        case 2: {
          const std::string name = std::to_string(i);
          ASSERT_EQ(table.at(table.insert_named(name, record)), original) << i;
          break;
        }
        default: {
          if (storage != Storage::stable) break;
          const auto chosen = Handle<Rich>::from_bits(std::uint64_t{1} << 32 |
                                                      static_cast<std::uint32_t>(5 * i + 10'000));
          ASSERT_TRUE(table.insert_as(chosen, record)) << i;
          ASSERT_EQ(table.at(chosen), original) << i;
        }
      }
      const auto owner = table.insert(*table.find(first));
      ASSERT_EQ(*components.insert(owner, *components.find(first)), original) << i;
    }
    table.erase(erased);
    ASSERT_TRUE(table.revive(erased, *table.find(first)));
    ASSERT_EQ(table.at(erased), original);
    ASSERT_STREQ(table.check_invariants(), nullptr);
    ASSERT_STREQ(components.check_invariants(), nullptr);
  }
}

}  // namespace
}  // namespace hdb
