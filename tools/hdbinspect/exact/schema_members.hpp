// Fields and policies as members of JSON objects: the inverses of field_json and add_policies
// (hdb/inspect/table_schema.hpp).
#pragma once

#include "exact/json_line.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect {

/// Reads a field with its children; check_schema must check it afterwards.
/// Errors: bad_exact_dump, with what is wrong.
[[nodiscard]] Status read_field(const JsonLine& line, const JsonNode& node, Field& field);

/// Reads the member `extensions`, which may be absent. `members` keeps the first fault.
[[nodiscard]] std::vector<Extension> read_extension_members(const JsonLine& line, Members& members);

/// Reads the members of a table's policies. `members` keeps the first fault.
void read_policies(Members& members, TableDescriptor& table);

}  // namespace hdb::inspect
