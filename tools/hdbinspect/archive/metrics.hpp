// Counters of an archive for monitoring systems.
#pragma once

#include <string>

#include "archive/place.hpp"

namespace hdb::inspect {

/// What the lists of an archive say, as text in the format of Prometheus or as JSON lines; with
/// `per_world`, also of each world that fits. A damaged save is counted and sets `is_damaged`.
/// Errors: those of Archive::list and of the store.
[[nodiscard]] Result<std::string> archive_metrics(Archive& archive, const WorldFilter& fits,
                                                  bool per_world, bool json, bool& is_damaged);

}  // namespace hdb::inspect
