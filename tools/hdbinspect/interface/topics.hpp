// The texts that `hdbinspect help TOPIC` prints.
#pragma once

#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// All topics, in the order in which help and man page list them.
[[nodiscard]] std::vector<Topic> all_topics();

}  // namespace hdb::inspect
