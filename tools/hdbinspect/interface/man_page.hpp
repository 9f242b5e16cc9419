// The manual page, hdbinspect(1).
#pragma once

#include <string>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// The page as roff, for the `man` macros.
[[nodiscard]] std::string man_page(const Interface& all);

}  // namespace hdb::inspect
