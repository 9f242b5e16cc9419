// The map of what dropped tables issued: every version of it stays as it was, however many come
// after.
#include "database/tables/issued_spaces.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/using_detail.hpp"

namespace hdb::test::issued_spaces_test {
namespace {

using Model = std::map<HandleSpace, std::uint32_t>;

HandleSpace space_of(std::uint32_t number) {
  if (number % 3 == 0) return {0, {32, 31, 0}, "kind " + std::to_string(number)};
  return {static_cast<std::uint16_t>(number + 1), {32, 16, 15}, {}};
}
IssuedSpaces::Entry entry_of(const HandleSpace& space, std::uint32_t floor) {
  return {space, Issued(DroppedHandles{space, floor, floor, {}})};
}
void expect_equal(const IssuedSpaces& spaces, const Model& model) {
  ASSERT_TRUE(spaces.check());
  ASSERT_EQ(spaces.empty(), model.empty());
  auto next = model.begin();
  spaces.for_each([&](const IssuedSpaces::Entry& entry) {
    ASSERT_NE(next, model.end());
    EXPECT_FALSE(entry.space < next->first || next->first < entry.space);
    EXPECT_EQ(entry.issued.floor(), next->second);
    ++next;
  });
  EXPECT_EQ(next, model.end());
  for (const auto& [space, floor] : model) {
    ASSERT_NE(spaces.find(space), nullptr);
    EXPECT_EQ(spaces.find(space)->floor(), floor);
  }
  EXPECT_EQ(spaces.find(space_of(999'999)), nullptr);
}

void run(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::pair<IssuedSpaces, Model>> versions(1);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    auto [spaces, model] = versions.back();
    const HandleSpace space = space_of(numbers[i]);
    spaces = spaces.with(entry_of(space, i + 1));
    model[space] = i + 1;
    versions.emplace_back(std::move(spaces), std::move(model));
  }
  for (std::size_t i = 0; i < versions.size(); i += 17)
    expect_equal(versions[i].first, versions[i].second);
  expect_equal(versions.back().first, versions.back().second);
}

TEST(IssuedSpaces, EveryVersionStaysAsItWas) {  // IS1
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 400; ++i) numbers.push_back(i);
  run(numbers);  // rising, as type ids are given
  std::reverse(numbers.begin(), numbers.end());
  run(numbers);
  std::mt19937 random(9);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() % 300);
  run(numbers);  // with spaces that come again
}

TEST(IssuedSpaces, AListInRisingOrderMakesTheSameMap) {  // IS1
  for (const std::uint32_t count : {0u, 1u, 2u, 3u, 7u, 100u, 257u}) {
    Model model;
    for (std::uint32_t i = 0; i < count; ++i) model[space_of(i * 7)] = i + 1;
    std::vector<IssuedSpaces::Entry> entries;
    for (const auto& [space, floor] : model) entries.push_back(entry_of(space, floor));
    expect_equal(IssuedSpaces(std::move(entries)), model);
  }
}

}  // namespace
}  // namespace hdb::test::issued_spaces_test
