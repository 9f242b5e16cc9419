// Longer explanations that several commands refer to.
#pragma once

#include <string_view>

namespace hdb::inspect {

/// How -w is written and what it means.
extern const std::string_view kFiltersHelp;
/// How -t, -f, --ignore, --abs and --rel name tables and fields.
extern const std::string_view kGlobsHelp;

}  // namespace hdb::inspect
