// Spare ranges: one list for each order of magnitude.
#include "core/arrays/spare_ranges.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

namespace hdb::detail {
namespace {

// Of a list, as many are looked at: nearly all ranges have the same size.
constexpr int kMostLookedAt = 16;

}  // namespace

std::size_t SpareRanges::list_of(std::size_t bytes) noexcept {
  return std::min<std::size_t>(std::bit_width(bytes / kUnit), kLists - 1);
}

AddressRange SpareRanges::remove(Node*& node) noexcept {
  Node* const gone = std::exchange(node, node->next);
  AddressRange range = std::move(gone->range);
  std::destroy_at(gone);
  bytes_ -= range.used();
  range.wake();
  return range;
}

AddressRange SpareRanges::take_of(std::size_t list, std::size_t size) noexcept {
  Node** node = &lists_[list];
  for (int i = 0; *node != nullptr && i < kMostLookedAt; ++i, node = &(*node)->next) {
    if ((*node)->range.size() >= size) return remove(*node);
  }
  return {};
}

AddressRange SpareRanges::take(std::size_t bytes, std::size_t wanted) noexcept {
  if (bytes_ == 0) return {};
  const std::size_t size = AddressRange::size_for(bytes, wanted);
  const std::size_t best = list_of(bytes);
  AddressRange range = take_of(best, size);
  if (range.data() == nullptr && best + 1 < kLists) range = take_of(best + 1, size);
  for (std::size_t list = best; range.data() == nullptr && list != 0;) {
    range = take_of(--list, size);
  }
  return range;
}

void SpareRanges::put(AddressRange range) noexcept {
  std::byte* const memory = range.data();
  Node*& first = lists_[list_of(range.used())];
  bytes_ += range.used();
  range.rest(sizeof(Node));
  first = ::new (memory) Node{std::move(range), first};
}

std::size_t SpareRanges::trim(std::size_t most) noexcept {
  const std::size_t before = bytes_;
  for (std::size_t list = kLists; list != 0 && bytes_ > most;) {
    --list;
    while (lists_[list] != nullptr && bytes_ > most) static_cast<void>(remove(lists_[list]));
  }
  return before - bytes_;
}

}  // namespace hdb::detail
