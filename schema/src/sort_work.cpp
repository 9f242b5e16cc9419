// Bounds, clamping and the flat form of the state of sorting in steps.
#include "hdb/detail/schema/sort_work.hpp"

#include <algorithm>

namespace hdb::detail {
namespace {

constexpr std::size_t kHeadNumbers = 8;
constexpr std::size_t kRangeNumbers = 3;

bool is_sound_rotation(const SortWork::Rotation& rotation, std::uint32_t count) noexcept {
  if (rotation == SortWork::Rotation{}) return true;
  return rotation.left != 0 && rotation.right != 0 && rotation.left <= rotation.middle &&
         rotation.middle <= count && rotation.right <= count - rotation.middle &&
         rotation.swapped < std::min(rotation.left, rotation.right);
}

}  // namespace

void SortWork::clamp(std::uint32_t live_count) noexcept {
  if (count <= live_count) return;
  if (live_count < 2) {
    *this = SortWork{};
    return;
  }
  count = live_count;
  next = std::min(next, count);
  rotation = {};
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < depth; ++i) {
    const Range range{stack[i].first, std::min(stack[i].middle, count),
                      std::min(stack[i].end, count)};
    if (range.first < range.middle && range.middle < range.end) stack[kept++] = range;
  }
  while (depth > kept) pop();
}

bool SortWork::is_sound(std::uint64_t live_count) const noexcept {
  if (count == 0) return *this == idle(touched);
  if (count < 2 || count > live_count || next > count || depth > kMaxDepth) return false;
  if (width == 0 && (depth != 0 || rotation != Rotation{})) return false;
  if (!is_sound_rotation(rotation, count)) return false;
  std::uint32_t bound = count;  // ranges are in falling order
  for (std::uint32_t i = 0; i < kMaxDepth; ++i) {
    const Range& range = stack[i];
    if (i >= depth) {
      if (range != Range{}) return false;
      continue;
    }
    if (range.first > range.middle || range.middle > range.end || range.end > bound) return false;
    if (range.end - range.first > std::uint64_t{1} << (32 - i)) return false;
    bound = range.first;
  }
  return true;
}

std::vector<std::uint64_t> SortWork::numbers() const {
  std::vector<std::uint64_t> numbers;
  if (*this == SortWork{}) return numbers;
  numbers.push_back(touched ? 1 : 0);
  if (count == 0) return numbers;
  numbers.reserve(kHeadNumbers + kRangeNumbers * depth);
  for (const std::uint32_t number :
       {count, width, next, rotation.middle, rotation.left, rotation.right, rotation.swapped}) {
    numbers.push_back(number);
  }
  for (std::uint32_t i = 0; i < depth; ++i) {
    for (const std::uint32_t number : {stack[i].first, stack[i].middle, stack[i].end}) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::optional<SortWork> SortWork::from_numbers(std::span<const std::uint64_t> numbers) noexcept {
  if (numbers.empty()) return SortWork{};
  if (numbers[0] > 1) return std::nullopt;
  if (numbers.size() == 1) {
    if (numbers[0] == 1) return std::nullopt;  // nothing known: that is the empty list
    return idle(false);
  }
  if (numbers.size() < kHeadNumbers || (numbers.size() - kHeadNumbers) % kRangeNumbers != 0)
    return std::nullopt;
  const std::size_t ranges = (numbers.size() - kHeadNumbers) / kRangeNumbers;
  if (ranges > kMaxDepth) return std::nullopt;
  const bool fit = std::all_of(numbers.begin(), numbers.end(),
                               [](std::uint64_t number) { return number <= 0xffff'ffffu; });
  if (!fit || numbers[1] == 0) return std::nullopt;
  const auto at = [numbers](std::size_t i) { return static_cast<std::uint32_t>(numbers[i]); };
  SortWork work;
  work.touched = numbers[0] == 1;
  work.count = at(1);
  work.width = at(2);
  work.next = at(3);
  work.rotation = {at(4), at(5), at(6), at(7)};
  for (std::size_t i = 0; i < ranges; ++i) {
    const std::size_t first = kHeadNumbers + kRangeNumbers * i;
    work.push({at(first), at(first + 1), at(first + 2)});
  }
  return work;
}

}  // namespace hdb::detail
