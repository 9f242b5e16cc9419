// Equal keys of maps and equal elements of lists, which a std::map or std::set of the game refuses.
#pragma once

#include <map>
#include <string>

#include "hdb/inspect/values.hpp"

namespace hdb::inspect {

/// Fields that are maps or lists, by their paths ("skills", "parties[].members"), and whether each
/// is a map.
using EntriesPaths = std::map<std::string, bool>;

/// Adds the paths of all maps in `value` with equal keys and of all lists with equal elements.
/// Keys are compared as operator< of the game's types does: -0 is equal to 0. Lists of bool are
/// left out, and NaN is equal to nothing.
void add_equal_keys(const Value& value, EntriesPaths& paths);

/// Whether a field, or any field inside it, is a map or a list.
[[nodiscard]] bool has_entries(const Field& field);

}  // namespace hdb::inspect
