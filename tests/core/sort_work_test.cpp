// The state of sorting in steps as data: its flat form, its bounds, and steps that go on from any
// sound state.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/sort_records.hpp"
#include "hdb/table.hpp"
#include "support/sees_detail.hpp"

namespace hdb {
namespace {

using test::by_key;
using test::Keyed;

// Any sound state at all: most of them can come from no table.
SortWork random_work(std::uint32_t live, std::mt19937_64& random) {
  const auto up_to = [&random](std::uint64_t last) {
    const std::uint64_t any = random() % 4 == 0 ? last : random() % (last + 1);
    return static_cast<std::uint32_t>(any);
  };
  SortWork work = SortWork::idle(random() % 2 == 0);
  if (live < 2 || random() % 16 == 0) return work;
  work.count = 2 + up_to(live - 2);
  work.next = up_to(work.count);
  if (random() % 4 == 0) return work;
  constexpr std::array<std::uint32_t, 6> kWidths = {1, 3, 128, 256, 0x8000'0000u, 0xffff'ffffu};
  work.width = kWidths[random() % kWidths.size()];
  if (random() % 2 == 0) {
    work.rotation.middle = 1 + up_to(work.count - 2);
    work.rotation.left = 1 + up_to(work.rotation.middle - 1);
    work.rotation.right = 1 + up_to(work.count - work.rotation.middle - 1);
    work.rotation.swapped = up_to(std::min(work.rotation.left, work.rotation.right) - 1);
  }
  std::uint32_t bound = work.count;
  for (std::size_t wanted = random() % (SortWork::kMaxDepth + 1); work.depth < wanted;) {
    const std::uint32_t end = bound - up_to(bound) / 4;
    const auto most = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(end, std::uint64_t{1} << (32 - work.depth)));
    const std::uint32_t first = end - up_to(most) / (random() % 2 == 0 ? 1 : 8);
    work.push({first, first + up_to(end - first), end});
    bound = first;
  }
  return work;
}

TEST(SortWork, StepsFromAnySoundStateStayWithinTheTableAndEnd) {
  std::mt19937_64 random(21);
  std::size_t rounds = 0;
  std::size_t deep = 0;
  constexpr std::size_t kCases = 3000;
  for (std::size_t trial = 0; trial < kCases; ++trial) {
    Table<Keyed> table({.page_bytes = 256});
    std::vector<Handle<Keyed>> handles;
    const auto live = static_cast<std::uint32_t>(random() % (trial % 10 == 0 ? 3000 : 300));
    for (std::uint32_t i = 0; i < live; ++i) handles.push_back(table.insert({random() % 1000, i}));
    const SortWork work = random_work(live, random);
    ASSERT_TRUE(work.is_sound(live));
    ASSERT_EQ(SortWork::from_bytes(work.to_bytes()), work);
    detail::core_of(table).set_sort_work(work);
    rounds += work.count != 0 ? 1 : 0;
    deep += work.depth > 20 ? 1 : 0;
    if (trial % 2 == 0) {
      for (std::size_t i = random() % (live + 1); i < live; ++i) {
        ASSERT_TRUE(table.erase(handles[i]));
        ASSERT_TRUE(detail::core_of(table).sort_work().is_sound(table.size()));
      }
      for (std::uint32_t i = 0; i < random() % 50; ++i) table.insert({random() % 1000, live + i});
    }
    auto before = test::pairs_of(table);
    if (detail::core_of(table).sort_work().is_finished()) table.restart_sort();
    bool touched = detail::core_of(table).sort_work().touched;
    std::size_t steps = 0;
    const std::uint64_t budget = random() % 2 == 0 ? 1 + random() % 500 : 1'000'000;
    while (!table.sort_step(by_key<Keyed>, budget)) {
      ASSERT_STREQ(table.check_invariants(), nullptr);
      ASSERT_LT(++steps, 200'000u);
    }
    const auto after = test::pairs_of(table);
    // A state that claims an untouched round is believed; else another round makes sure.
    if (touched) {
      ASSERT_TRUE(std::is_sorted(after.begin(), after.end(), [](const auto& a, const auto& b) {
        return by_key(a.second, b.second);
      }));
    }
    const auto by_handle = [](auto pairs) {
      std::sort(pairs.begin(), pairs.end(),
                [](const auto& a, const auto& b) { return a.first.bits() < b.first.bits(); });
      return pairs;
    };
    ASSERT_TRUE(by_handle(before) == by_handle(after));
  }
  EXPECT_GT(rounds, kCases / 2);
  EXPECT_GT(deep, kCases / 20);
  std::printf("O1: cases=%zu failures=0\n", kCases);
}

TEST(SortWork, TheStoredFormIsShortAndReadsBackOnlyAsItWasWritten) {
  EXPECT_TRUE(SortWork{}.to_bytes().empty());
  EXPECT_EQ(SortWork::from_bytes({}), SortWork{});
  EXPECT_EQ(SortWork::idle(false).to_bytes(), (Bytes{SortWork::kAlgorithm, std::byte{0}}));
  EXPECT_FALSE(SortWork::from_bytes(Bytes{std::byte{2}, std::byte{0}})) << "another algorithm";
  std::mt19937_64 random(22);
  std::size_t refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const SortWork work = random_work(1000, random);
    Bytes bytes = work.to_bytes();
    ASSERT_LE(bytes.size(), 1 + 5 * (8 + 3 * SortWork::kMaxDepth));
    // Whatever bytes are read at all are written again as they were.
    switch (random() % 4) {
      case 0: bytes.push_back(std::byte(random() % 10)); break;
      case 1: bytes.insert(bytes.end(), 3 * (1 + random() % 30), std::byte{0}); break;
      case 2:
        if (!bytes.empty()) bytes.resize(random() % bytes.size());
        break;
      default:
        if (!bytes.empty()) bytes[random() % bytes.size()] = std::byte(random());
    }
    const auto read = SortWork::from_bytes(bytes);
    if (!read) {
      ++refused;
      continue;
    }
    ASSERT_EQ(read->to_bytes(), bytes);
  }
  EXPECT_GT(refused, 200u);
}

TEST(SortWork, EveryNumberThatLeadsOutOfTheTableIsUnsound) {
  SortWork sound = SortWork::idle(true);
  sound.count = 1000;
  sound.width = 256;
  sound.next = 1000;
  sound.rotation = {500, 100, 200, 99};
  sound.push({600, 700, 1000});
  sound.push({100, 300, 600});
  ASSERT_TRUE(sound.is_sound(1000));
  ASSERT_TRUE(sound.is_sound(0xffff'ffffu));
  EXPECT_FALSE(sound.is_sound(999));
  EXPECT_FALSE(sound.is_sound(0));
  const auto broken = [&sound](auto&& change) {
    SortWork work = sound;
    change(work);
    return !work.is_sound(1000);
  };
  EXPECT_TRUE(broken([](SortWork& work) { work.count = 0; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.count = 1; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.next = 1001; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.width = 0; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.middle = 801; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.middle = 0xffff'ffffu; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.left = 501; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.left = 0; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.right = 501; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.right = 0; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation.swapped = 100; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.rotation = {0, 0, 0, 1}; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.stack[0].end = 1001; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.stack[0].middle = 1001; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.stack[0].middle = 599; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.stack[1].end = 601; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.stack[2].end = 1; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.depth = 1; }));
  EXPECT_TRUE(broken([](SortWork& work) { work.depth = SortWork::kMaxDepth + 1; }));
  // O2: a range too long for its depth.
  SortWork deep = SortWork::idle(true);
  deep.count = 1000;
  deep.width = 128;
  while (deep.depth < SortWork::kMaxDepth) deep.push({700, 800, 828});
  EXPECT_FALSE(deep.is_sound(1000)) << "ranges overlap";
  for (std::uint32_t i = 0; i < SortWork::kMaxDepth; ++i) deep.stack[i] = {828, 828, 828};
  deep.stack[25] = {700, 750, 828};
  EXPECT_TRUE(deep.is_sound(1000)) << "128 at depth 25";
  deep.stack[25].first = 699;
  EXPECT_FALSE(deep.is_sound(1000)) << "129 at depth 25";
}

}  // namespace
}  // namespace hdb
