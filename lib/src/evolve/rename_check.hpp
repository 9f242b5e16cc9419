// Finds declared renames of fields that contradict each other or the type.
#pragma once

#include <optional>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/error.hpp"

namespace hdb::detail::evolve {

/// The first fault in the hdb::Renames of a structure, or of one inside it; none if each names
/// fields of its structure and each old name has one meaning.
/// Errors: rename_conflict, with the field's path.
[[nodiscard]] HDB_INSPECT_API std::optional<Error> find_rename_fault(const Described& root);

}  // namespace hdb::detail::evolve
