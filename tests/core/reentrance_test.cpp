// Records whose constructors, copies, moves and destructors call their own table: every build
// refuses that with a message.
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/tables/frozen_table.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::reentrance_test {
namespace {

// Calls `on_...` when that happens to it; the calls are set when the table is filled.
struct Caller {
  inline static std::function<void()> on_construct;
  inline static std::function<void()> on_copy;
  inline static std::function<void()> on_move;
  inline static std::function<void()> on_destroy;
  inline static bool is_calling = false;
  static void call(const std::function<void()>& what) {
    if (!what || is_calling) return;
    is_calling = true;
    what();
    is_calling = false;
  }
  static void be_quiet() { on_construct = on_copy = on_move = on_destroy = nullptr; }

  Caller() { call(on_construct); }
  explicit Caller(int number) : value(number) { call(on_construct); }
  Caller(const Caller& other) : value(other.value) { call(on_copy); }
  Caller(Caller&& other) noexcept : value(other.value) { call(on_move); }
  Caller& operator=(const Caller&) = default;
  ~Caller() { call(on_destroy); }
  int value = 0;
};

// Plain bytes, and a constructor that does something.
struct Plain {
  int value = 0;
  Plain() = default;
  Plain(Table<Plain>& table, int depth) : value(depth) {
    if (depth > 0) table.emplace(table, depth - 1);
  }
};

constexpr auto kRefusal =
    "a table: insert, erase, clear, sort, capture and restore are not allowed inside the "
    "constructor, copy, "
    "move or destructor of one of its records";

class ReentranceDeathTest : public testing::TestWithParam<Storage> {
 protected:
  using TableType = Table<Caller>;
  using H = TableType::HandleType;
  void SetUp() override { Caller::be_quiet(); }
  void TearDown() override { Caller::be_quiet(); }
  static TableOptions options() { return {.storage = GetParam(), .names = RecordNames::exact}; }
  // All structural calls, as a record of `table` may make them.
  static std::vector<std::function<void()>> structural_calls(TableType& table, H live, H stale) {
    return {[&table] { table.emplace(1); },
            [&table] { table.emplace_named("new", 1); },
            [&table] { table.emplace_batch(2, {}, 3); },
            [&table, stale] { table.revive(stale); },
            [&table, live] { table.erase(live); },
            [&table, live] { table.erase_batch(std::span<const H>(&live, 1)); },
            [&table, live] { table.rename(live, "other"); },
            [&table] { table.clear(); },
            [&table] { table.reset(); },
            [&table] { table.reserve(1000); },
            [&table] { static_cast<void>(detail::core_of(table).freeze()); },
            [&table] {
              if (GetParam() == Storage::dense) {
                table.sort([](const Caller& a, const Caller& b) { return a.value < b.value; });
              } else {
                table.clear();
              }
            }};
  }
};

INSTANTIATE_TEST_SUITE_P(Storages, ReentranceDeathTest,
                         testing::Values(Storage::dense, Storage::stable));

TEST_P(ReentranceDeathTest, NoStructuralCallFromAConstructorOrADestructor) {
  TableType table(options());
  std::vector<H> handles;
  for (int i = 0; i < 40; ++i) handles.push_back(table.emplace(40 - i));
  const H stale = table.emplace(99);
  table.erase(stale);
  for (const auto& structural : structural_calls(table, handles[3], stale)) {
    EXPECT_DEATH(
        {
          Caller::on_construct = structural;
          table.emplace(2);
        },
        kRefusal);
    EXPECT_DEATH(
        {
          Caller::on_destroy = structural;
          table.erase(handles[7]);
        },
        kRefusal);
  }
}

// Whatever the table is doing when it copies, moves or destroys a record.
TEST_P(ReentranceDeathTest, NoInsertAmidAnyCallThatCopiesMovesOrDestroysRecords) {
  TableType table(options());
  std::vector<H> handles;
  for (int i = 0; i < 40; ++i) handles.push_back(table.emplace(40 - i));
  const auto insert = [&] { table.emplace(1); };
  const Caller source(5);
  EXPECT_DEATH((Caller::on_copy = insert, table.insert(source)), kRefusal);
  EXPECT_DEATH((Caller::on_move = insert, table.insert(Caller(5))), kRefusal);
  EXPECT_DEATH((Caller::on_copy = insert, table.insert_named("x", source)), kRefusal);
  EXPECT_DEATH((Caller::on_destroy = insert, table.clear()), kRefusal);
  EXPECT_DEATH((Caller::on_destroy = insert, table.reset()), kRefusal);
  if (GetParam() == Storage::dense) {
    EXPECT_DEATH((Caller::on_move = insert, table.erase(handles[1])), kRefusal);
    EXPECT_DEATH(
        {
          Caller::on_move = insert;
          table.sort([](const Caller& a, const Caller& b) { return a.value < b.value; });
        },
        kRefusal);
  }
  EXPECT_DEATH(
      {
        const FrozenTable frozen = detail::core_of(table).freeze();
        Caller::on_copy = insert;
        static_cast<void>(table.edit(handles[1]));  // copies the page
      },
      kRefusal);
  EXPECT_DEATH(
      {
        const FrozenTable frozen = detail::core_of(table).freeze();
        Caller::on_copy = insert;
        table.edit_each([](H, Caller&) {});
      },
      kRefusal);
  EXPECT_DEATH(
      {
        TableType other(options());
        other.emplace(1);
        Caller::on_destroy = [&] { other.emplace(1); };
        other.~TableType();
        std::abort();  // not reached
      },
      kRefusal);
}

TEST_P(ReentranceDeathTest, AConstructorOfPlainBytesIsRefusedToo) {
  Table<Plain> table({.storage = GetParam()});
  for (int i = 0; i < 3; ++i) table.insert({});
  EXPECT_DEATH(table.emplace(table, 1), kRefusal);
  const auto handle = table.insert(Plain(table, 1));  // constructed before the insert begins
  EXPECT_EQ(table.size(), 5u);
  EXPECT_EQ(table.at(handle).value, 1);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(ReentranceDeathTest, ReadingAndEditingOtherRecordsIsAllowed) {
  TableType table(options());
  const H other = table.emplace(1);
  const FrozenTable frozen = detail::core_of(table).freeze();
  Caller::on_construct = Caller::on_destroy = [&] {
    ASSERT_EQ(table.find(other), &table.at(other));
    ++table.edit(other)->value;
    EXPECT_EQ(table.size(), 1u + (table.find_named("new") ? 1 : 0));
  };
  const H made = table.emplace_named("new", 2);
  EXPECT_TRUE(table.erase(made));
  Caller::be_quiet();
  EXPECT_EQ(table.at(other).value, 3);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

// A constructor that throws leaves the table usable.
TEST_P(ReentranceDeathTest, AfterAConstructorThatThrowsTheTableGoesOn) {
  TableType table(options());
  Caller::on_construct = [] {
    Caller::is_calling = false;
    throw std::bad_alloc();
  };
  EXPECT_THROW(table.emplace(1), std::bad_alloc);
  Caller::be_quiet();
  EXPECT_TRUE(table.emplace(1));
}

TEST(ReentranceBlobDeathTest, NoStructuralCallFromMetadata) {
  Caller::be_quiet();
  BlobTable<Caller> blobs({.capacity_bytes = 4096});
  const std::vector<std::byte> bytes(10);
  const auto handle = blobs.insert(Caller(1), bytes).value();
  static_cast<void>(blobs.insert(Caller(2), bytes).value());
  const std::vector<std::function<void()>> calls{
      [&] { static_cast<void>(blobs.insert(Caller(1), 3)); },
      [&] { blobs.erase(handle); },
      [&] { static_cast<void>(blobs.resize(handle, 100)); },
      [&] { blobs.compact(); },
      [&] { blobs.clear(); },
      [&] { blobs.reset(); }};
  for (const auto& structural : calls) {
    EXPECT_DEATH(
        {
          Caller::on_destroy = structural;
          blobs.erase(handle);
        },
        kRefusal);
  }
}

}  // namespace
}  // namespace hdb::test::reentrance_test
