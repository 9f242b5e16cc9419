// Bounds, clamping and the stored form of the state of sorting in steps.
#include "hdb/detail/core/tables/sort_work.hpp"

#include <algorithm>

namespace hdb::detail {
namespace {

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

// The algorithm, then varints: touched; unless no round is under way, the other numbers; then three
// for each range.
Bytes SortWork::to_bytes() const {
  Bytes bytes;
  if (*this == SortWork{}) return bytes;
  ByteWriter out(bytes);
  out.u8(std::to_integer<std::uint8_t>(kAlgorithm));
  out.varint(touched ? 1 : 0);
  if (count == 0) return bytes;
  for (const std::uint32_t number :
       {count, width, next, rotation.middle, rotation.left, rotation.right, rotation.swapped}) {
    out.varint(number);
  }
  for (std::uint32_t i = 0; i < depth; ++i) {
    for (const std::uint32_t number : {stack[i].first, stack[i].middle, stack[i].end})
      out.varint(number);
  }
  return bytes;
}

std::optional<SortWork> SortWork::from_bytes(std::span<const std::byte> bytes) {
  if (bytes.empty()) return SortWork{};
  ByteReader in(bytes);
  if (std::byte{in.u8()} != kAlgorithm) return std::nullopt;
  bool fits = true;
  const auto next_number = [&] {
    const std::uint64_t number = in.varint();
    fits = fits && number <= 0xffff'ffffu;
    return static_cast<std::uint32_t>(number);
  };
  const std::uint32_t touched = next_number();
  SortWork work = idle(touched != 0);
  if (!in.ok() || touched > 1) return std::nullopt;
  // Without a round, a touched table has nothing to store: its state is the empty byte string.
  if (in.at_end()) return touched == 0 ? std::optional(work) : std::nullopt;
  work.count = next_number();
  work.width = next_number();
  work.next = next_number();
  work.rotation.middle = next_number();
  work.rotation.left = next_number();
  work.rotation.right = next_number();
  work.rotation.swapped = next_number();
  while (in.ok() && !in.at_end()) {
    if (work.depth == kMaxDepth) return std::nullopt;
    Range range;
    range.first = next_number();
    range.middle = next_number();
    range.end = next_number();
    work.push(range);
  }
  if (!in.ok() || !fits || work.count == 0) return std::nullopt;
  return work;
}

}  // namespace hdb::detail
