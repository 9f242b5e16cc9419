// Whether the values of a save file fit the narrower numbers of a program.
#pragma once

#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::inspect {

/// Reads the columns of each finding number_narrowed. If all values fit, the finding becomes
/// readable; else it says how many do not fit.
/// Errors: those of Reader::read_group.
[[nodiscard]] Status check_values(const Reader& reader, CompatReport& report);

}  // namespace hdb::inspect
