// The names of the objects of an SQL database.
#pragma once

#include <string_view>
#include <vector>

#include "archive/sql/sql_pool.hpp"

namespace hdb::archive {

/// Appends all chunks of a database.
[[nodiscard]] Status list_chunks(SqlPool& database, std::vector<ListedObject>& objects);
/// Appends the saves of one world, or all; their sizes are 0. Reads no manifest.
[[nodiscard]] Status list_saves(SqlPool& database, std::string_view world,
                                std::vector<ListedObject>& objects);
/// Appends the saves of which a readable column is not that of the manifest.
[[nodiscard]] Status check_columns(SqlPool& database, std::vector<Error>& faults);

}  // namespace hdb::archive
