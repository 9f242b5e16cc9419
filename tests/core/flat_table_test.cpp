// Flat tables: which pointers stay valid, records of unusual sizes, memory of snapshots that are
// kept, and what happens where addresses cannot be reserved.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include "base/sanitizers.hpp"
#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Unit;

// --- pointers

TEST(FlatTable, AConstPointerOfAStableTableShowsTheCurrentValue) {
  Table<Unit> table({.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 100; ++i) handles.push_back(table.insert({i}));
  const Unit* const kept = table.find(handles[7]);
  const auto expect_kept = [&](std::uint64_t value) {
    EXPECT_EQ(table.find(handles[7]), kept);
    EXPECT_EQ(kept->value, value);
  };
  const FrozenTable first = detail::core_of(table).freeze();
  table.edit(handles[8])->value = 1;
  expect_kept(7);
  table.edit(handles[7])->value = 70;
  expect_kept(70);
  const FrozenTable second = detail::core_of(table).freeze();
  table.erase(handles[6]);
  for (std::uint64_t i = 0; i < 300'000; ++i) table.insert({i});
  expect_kept(70);
  detail::core_of(table).thaw(first);
  expect_kept(7);
  detail::core_of(table).thaw(second);
  expect_kept(70);
}

TEST(FlatTable, InsertsAndCapturesMoveNoRecordOfADenseTable) {
  Table<Unit> table;
  const Handle<Unit> first = table.insert({1});
  const Unit* const kept = table.find(first);
  std::vector<FrozenTable> captures;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    table.insert({i});
    if (i % 100'000 == 0) captures.push_back(detail::core_of(table).freeze());
  }
  table.edit(first)->value = 2;
  EXPECT_EQ(table.find(first), kept);
  EXPECT_EQ(kept->value, 2u);
}

TEST(FlatTable, NamesStayWhereTheyAreWhileTheTableGrows) {
  Table<Unit> table({.names = RecordNames::exact});
  const Handle<Unit> first = table.insert_named("one", {1});
  const std::string_view name = table.name(first);
  for (std::uint64_t i = 0; i < 20'000; ++i) table.insert_named(std::to_string(i), {i});
  EXPECT_EQ(table.name(first).data(), name.data());
  EXPECT_EQ(name, "one");
}

// --- all records as one span

TEST(FlatTable, TheRecordsOfADenseTableAreOneSpanInDenseOrder) {
  Table<Unit> table;
  EXPECT_TRUE(table.records().empty());
  EXPECT_TRUE(table.edit_records().empty());
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 10'000; ++i) handles.push_back(table.insert({i}));
  for (std::size_t i = 0; i < 10'000; i += 3) table.erase(handles[i]);
  const std::span<const Unit> records = table.records();
  ASSERT_EQ(records.size(), table.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    ASSERT_EQ(&records[i], table.find(table.handle_at(i)));
}

TEST(FlatTable, WritingToAllRecordsLeavesACaptureAsItWas) {
  Table<Unit> table;
  for (std::uint64_t i = 0; i < 10'000; ++i) table.insert({i});
  const FrozenTable frozen = detail::core_of(table).freeze();
  for (Unit& unit : table.edit_records()) unit.value += 1'000'000;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(table.records()[i].value, i + 1'000'000);
    ASSERT_EQ(frozen.records.as<Unit>(i).value, i);
  }
}

TEST(FlatTableDeathTest, AStableTableHasNoSpanOfAllRecords) {
  Table<Unit> table({.storage = Storage::stable});
  EXPECT_DEATH(static_cast<void>(table.records()), "only dense tables");
  EXPECT_DEATH(static_cast<void>(table.edit_records()), "only dense tables");
}

// --- records of unusual sizes

struct Byte {
  std::uint8_t value = 0;
};
struct Mebibyte {
  std::uint64_t value = 0;
  std::array<std::byte, (std::size_t{1} << 20) - 8> rest = {};
};
struct alignas(64) Aligned {
  std::uint64_t value = 0;
};

template <class Record>
class UnusualRecordTest : public testing::Test {};
using UnusualRecords = testing::Types<Byte, Mebibyte, Aligned>;
TYPED_TEST_SUITE(UnusualRecordTest, UnusualRecords);

TYPED_TEST(UnusualRecordTest, IsKeptByTablesAndCaptures) {
  const std::uint64_t count = sizeof(TypeParam) > 1000 ? 20 : 5000;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<TypeParam> table({.storage = storage});
    std::vector<typename Table<TypeParam>::HandleType> handles;
    const auto value = [](std::uint64_t i) { return static_cast<std::uint8_t>(i); };
    for (std::uint64_t i = 0; i < count; ++i) {
      handles.push_back(table.emplace());
      table.edit(handles.back())->value = value(i);
    }
    const FrozenTable frozen = detail::core_of(table).freeze();
    for (std::uint64_t i = 0; i < count; i += 2) table.erase(handles[i]);
    for (std::uint64_t i = 1; i < count; i += 4) table.edit(handles[i])->value = 0;
    ASSERT_STREQ(table.check_invariants(), nullptr);
    for (std::uint64_t i = 1; i < count; i += 2) {
      const TypeParam* const record = table.find(handles[i]);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(record) % alignof(TypeParam), 0u);
      ASSERT_EQ(record->value, i % 4 == 1 ? 0 : value(i));
    }
    detail::core_of(table).thaw(frozen);
    ASSERT_STREQ(table.check_invariants(), nullptr);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(table.at(handles[i]).value, value(i));
  }
}

// --- memory

TEST(FlatTable, ASnapshotKeptForEverCostsAtMostOneCopyOfEachBlock) {
  const auto pool = std::make_shared<PagePool>();
  Table<Unit> table({.storage = Storage::stable}, std::make_shared<UndoLog>(pool));
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 50'000; ++i) handles.push_back(table.insert({i}));
  const std::size_t before = pool->memory_bytes();
  const FrozenTable kept = detail::core_of(table).freeze();
  std::mt19937_64 random(1);
  for (int frame = 0; frame < 200; ++frame) {
    const FrozenTable dropped = detail::core_of(table).freeze();
    for (int i = 0; i < 2000; ++i) {
      auto& handle = handles[random() % handles.size()];
      table.erase(handle);
      handle = table.insert({random()});
    }
  }
  // The log takes half as much again as the blocks, and has some twice.
  EXPECT_LT(detail::core_of(table).log()->logged_bytes(), 3 * before);
  EXPECT_LT(pool->memory_bytes(), 8 * before);
  for (std::uint64_t slot = 0; slot < 50'000; ++slot)
    ASSERT_EQ(test::captured<Unit>(kept, slot).value, slot);
}

TEST(FlatTable, ThousandsOfTablesHaveRoom) {
  std::vector<std::unique_ptr<Table<Unit>>> tables;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    tables.push_back(std::make_unique<Table<Unit>>());
    tables.back()->insert({i});
  }
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(tables[i]->begin()->value, i);
}

// Under the sanitizers the program itself needs more addresses than a limit would allow.
#if defined(__linux__) && !HDB_HAS_ASAN && !HDB_HAS_TSAN

// Ends the program with 0 if a table works although the system refuses to reserve addresses.
[[noreturn]] void use_a_table_with_few_addresses() {
  constexpr std::size_t kLimit = std::size_t{600} << 20;
  const rlimit limit{kLimit, kLimit};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(1);
  Table<Unit> first;
  first.insert({1});
  // The rest of the program needs them more than a table that may grow.
  if (mmap(nullptr, kLimit / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    std::exit(5);
  std::vector<std::unique_ptr<Table<Unit>>> tables;
  std::vector<std::vector<Handle<Unit>>> handles(4);
  std::vector<FrozenTable> captures;
  for (std::uint64_t t = 0; t < 4; ++t) {
    tables.push_back(std::make_unique<Table<Unit>>());
    for (std::uint64_t i = 0; i < 400'000; ++i) {
      handles[t].push_back(tables[t]->insert({i + t}));
      if (i == 1000) captures.push_back(detail::core_of(*tables[t]).freeze());
    }
  }
  for (std::uint64_t t = 0; t < 4; ++t) {
    if (tables[t]->check_invariants() != nullptr) std::exit(2);
    for (std::uint64_t i = 0; i < 400'000; ++i) {
      if (tables[t]->at(handles[t][i]).value != i + t) std::exit(3);
    }
    for (std::uint64_t i = 0; i < 1000; ++i) {
      if (captures[t].records.as<Unit>(i).value != i + t) std::exit(4);
    }
  }
  std::exit(0);
}

// Under the leak sanitizer: it does not report a table that lives until the program ends, nor what
// its records own.
TEST(FlatTable, OneThatLivesUntilTheEndOfTheProgramIsNoLeak) {
  static auto* const table = new Table<std::string>;
  for (std::size_t i = 0; i < 65'536; i += sizeof(std::string))
    table->insert(std::string(100, 'x'));
  EXPECT_EQ(table->begin()->size(), 100u);
}

TEST(FlatTableDeathTest, TablesGrowByCopyingWhereAddressesAreRefused) {
  EXPECT_EXIT(use_a_table_with_few_addresses(), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace hdb
