// Which live places come next: the steps of a loop that are not within a run.
#include "hdb/detail/core/tables/table_iteration.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hdb::detail {
namespace {

// How many places a run may have: what is read ahead is read again when the table changes.
constexpr std::uint64_t kMostPlaces = 256;

std::uint64_t word_at(const FlatArray& words, std::uint64_t place) noexcept {
  return words.as<std::uint64_t>(static_cast<std::size_t>(place / 64));
}

// Whether the bits are neighbours.
bool is_row(std::uint64_t bits) noexcept {
  const std::uint64_t row = bits >> std::countr_zero(bits);
  return (row & (row + 1)) == 0;
}

std::uint64_t turned_round(std::uint64_t bits) noexcept {
  for (const auto& [shift, mask] : {std::pair{1u, 0x5555'5555'5555'5555u},
                                    {2u, 0x3333'3333'3333'3333u},
                                    {4u, 0x0f0f'0f0f'0f0f'0f0fu},
                                    {8u, 0x00ff'00ff'00ff'00ffu},
                                    {16u, 0x0000'ffff'0000'ffffu}}) {
    bits = (bits >> shift & mask) | (bits & mask) << shift;
  }
  return bits >> 32 | bits << 32;
}

}  // namespace

LiveRun first_run(const TableCore& core, std::uint64_t place, std::uint64_t end) noexcept {
  place = next_live_place(core, place, end);
  if (place == kNoPlace) return {};
  if (core.is_dense()) {
    if (!core.has_holes()) return {place, end, 0};
    const std::uint64_t most = std::min(end, place + kMostPlaces);
    std::uint64_t limit = place + 1;
    while (limit < most && !core.is_hole(limit)) ++limit;
    return {place, limit, 0};
  }
  const FlatArray& words = core.slots().live_bits();
  const std::uint64_t first = place / 64 * 64;
  std::uint64_t bits = word_at(words, place) >> (place % 64) << (place % 64);
  if (end - first < 64) bits &= ~(~std::uint64_t{0} << (end - first));
  if (!is_row(bits)) return {place, 0, bits & (bits - 1)};
  std::uint64_t limit = first + 64 - static_cast<std::uint64_t>(std::countl_zero(bits));
  const std::uint64_t most = std::min(end, place + kMostPlaces);
  while (limit % 64 == 0 && limit + 64 <= most && word_at(words, limit) == ~std::uint64_t{0})
    limit += 64;
  return {place, limit, 0};
}

LiveRun last_run(const TableCore& core, std::uint64_t end) noexcept {
  if (core.is_dense()) {
    while (end != 0 && core.is_hole(end - 1)) --end;
    if (end == 0) return {};
    if (!core.has_holes()) return {end - 1, 0, 0};
    const std::uint64_t least = end - std::min(end, kMostPlaces);
    std::uint64_t limit = end - 1;
    while (limit > least && !core.is_hole(limit - 1)) --limit;
    return {end - 1, limit, 0};
  }
  const FlatArray& words = core.slots().live_bits();
  std::uint64_t bits = 0;
  for (; end != 0; end = (end - 1) / 64 * 64) {
    bits = word_at(words, end - 1) << (63 - (end - 1) % 64) >> (63 - (end - 1) % 64);
    if (bits != 0) break;
  }
  if (end == 0) return {};
  const std::uint64_t first = (end - 1) / 64 * 64;
  const std::uint64_t place = first + 63 - static_cast<std::uint64_t>(std::countl_zero(bits));
  if (!is_row(bits)) return {place, kNoPlace, turned_round(bits ^ std::bit_floor(bits))};
  std::uint64_t limit = first + static_cast<std::uint64_t>(std::countr_zero(bits));
  const std::uint64_t least = place - std::min(place, kMostPlaces);
  while (limit % 64 == 0 && limit >= least + 64 && word_at(words, limit - 1) == ~std::uint64_t{0})
    limit -= 64;
  return {place, limit, 0};
}

ForwardCursor ForwardCursor::after_changes(ForwardCursor at) noexcept {
  const TableCore& core = *at.core_;
  at.seen_ = *at.changes_;
  const std::uint64_t end = core.end_place();
  const bool stays = core.is_dense() && end < at.end_ && at.shorten(end);
  at.run_ = first_run(core, at.run_.place + (stays ? 0 : 1), std::min(at.end_, end));
  return at;
}

bool ForwardCursor::shorten(std::uint64_t end) noexcept {
  end_ = end;
  const std::uint32_t last_slot = last_slot_;
  if (end != 0) last_slot_ = slot_at(end - 1);
  return run_.place < end && slot_at(run_.place) == last_slot;
}

}  // namespace hdb::detail
