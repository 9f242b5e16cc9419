// The rare parts of counting references: growth, and handles of a slot's earlier or later tenants.
#include "hdb/detail/core/tables/ref_counts.hpp"

namespace hdb::detail {
namespace {

std::uint64_t key_of(std::uint64_t slot, std::uint32_t generation) noexcept {
  return std::uint64_t{generation} << 32 | slot;
}

}  // namespace

RefCounts::~RefCounts() = default;

void RefCounts::grow(std::uint32_t slot) { by_slot_.resize(slot + std::size_t{1} + slot / 2); }

void RefCounts::add_other(std::uint32_t slot, std::uint32_t generation) {
  ++others_[key_of(slot, generation)];
}

bool RefCounts::release_other(std::uint64_t slot, std::uint32_t generation) noexcept {
  const auto other = others_.find(key_of(slot, generation));
  if (other == others_.end()) return false;
  if (--other->second == 0) others_.erase(other);
  return true;
}

std::uint32_t RefCounts::count_other(std::uint64_t slot, std::uint32_t generation) const noexcept {
  const auto other = others_.find(key_of(slot, generation));
  return other == others_.end() ? 0 : other->second;
}

}  // namespace hdb::detail
