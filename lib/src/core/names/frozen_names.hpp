// What captures see of the names of a table.
#pragma once

#include <cstddef>
#include <memory>

#include "core/arrays/frozen_array.hpp"

namespace hdb::detail {

/// The names of a table at one moment, immutable.
struct FrozenNames {
  FrozenArray names;
  FrozenArray index;
  std::size_t buckets = 0;
  std::size_t used = 0;
  std::size_t named = 0;

  /// See FrozenArray::see.
  void see(const std::shared_ptr<const Moment>& moment, bool is_now) {
    names.see(moment, is_now);
    index.see(moment, is_now);
  }
  /// Whether all is equal but for the content of the arrays, which are the same.
  [[nodiscard]] bool is_same_state(const FrozenNames& other) const noexcept {
    return buckets == other.buckets && used == other.used && named == other.named &&
           names.is_same_array(other.names) && index.is_same_array(other.index);
  }
};

}  // namespace hdb::detail
