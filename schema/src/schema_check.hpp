// Checks the rules of FORMAT.md "Schema", and reports the first rule that is broken.
#pragma once

#include <string>
#include <string_view>

#include "hdb/inspect/schema.hpp"

namespace hdb {

/// What is wrong with a schema, with the path of the field; empty when nothing is.
[[nodiscard]] std::string find_schema_fault(const Field& root);

/// What is wrong with the extension "enum names" of a field; empty when nothing is, or if it has
/// none. Requires: an `enumeration` has one integer as its child.
[[nodiscard]] std::string find_enumerators_fault(const Field& field);

}  // namespace hdb
