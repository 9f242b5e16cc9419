// Bases that are visited once an object.
#include "hdb/detail/record/visit.hpp"

namespace hdb::detail::record {

bool VirtualBases::enter(TypeKey type, const void* object) {
  for (const Base& base : visited_) {
    if (base.type == type && base.object == object) return false;
  }
  visited_.push_back({type, object});
  return true;
}

void VirtualBases::forget_from(std::size_t size) noexcept {
  visited_.erase(visited_.begin() + static_cast<std::ptrdiff_t>(size), visited_.end());
}

}  // namespace hdb::detail::record
