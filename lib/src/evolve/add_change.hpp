// Merges equal changes of a load report: their counts are added.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hdb/load_change.hpp"

namespace hdb::detail::evolve {

/// Adds a change to a report. Complexity: O(changes).
inline void add_change(std::vector<LoadChange>& to, LoadChange change) {
  const auto same = std::find_if(to.begin(), to.end(), [&](const LoadChange& other) {
    return other.kind == change.kind && other.field == change.field && other.from == change.from &&
           other.to == change.to;
  });
  if (same != to.end()) {
    same->count += change.count;
  } else {
    to.push_back(std::move(change));
  }
}

}  // namespace hdb::detail::evolve
