// Two schemas of one table: fields added, removed, and of another type.
#pragma once

#include <string>
#include <vector>

#include "hdb/schema/field.hpp"

namespace hdb::inspect {

struct SchemaChange {
  char mark = '~';         ///< '+', '-' or '~'.
  std::string path;        ///< "stamina", "pos.x"; empty: the record as a whole.
  std::string old_type;    ///< Empty: not there before.
  std::string new_type;    ///< Empty: not there any more.
  bool compared = true;    ///< false: of such a different type that values are not compared.
  std::string value = {};  ///< An added field that is the same in all records: its value.
};

/// What differs, in the order of the old schema, then of the new one. Fields are matched by name.
[[nodiscard]] std::vector<SchemaChange> schema_changes(const Field& a, const Field& b);

}  // namespace hdb::inspect
