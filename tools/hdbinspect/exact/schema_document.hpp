// The JSON document of schemas that a game commits: the inverse of schema_json.
#pragma once

#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb::inspect {

/// The most bytes in a document.
inline constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{64} << 20;

/// Reads a document, trusting nothing. The tables are in ascending order of names; a singleton has
/// its record.
/// Errors: bad_schema_document, with the table and the field; limit_exceeded for a document with
/// too many values.
[[nodiscard]] Result<std::vector<TableSchema>> read_schema_document(std::string text);

}  // namespace hdb::inspect
