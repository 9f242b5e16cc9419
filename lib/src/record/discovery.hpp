// What is found out about a record type once, when its codec is made.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "hdb/detail/record/serialize_functions.hpp"
#include "record/plain.hpp"

namespace hdb::detail::record {

class RuntimeRecords;

/// The result of visiting default objects of a type.
struct Discovery {
  std::optional<Error> refusal;  ///< Why the type cannot be a record.
  Described described;
  Plan plan;                          ///< Of the schema, with the program's side.
  std::vector<std::string> warnings;  ///< As DescribeArchive::warnings.
  bool is_plain = false;
  PlainLayout layout;  ///< When plain.
  /// Records of a type that exists only at run time; null: those of a C++ type.
  std::shared_ptr<const RuntimeRecords> runtime = {};
};

/// Visits the type. It is plain when its fields lie at the same places in the default object and in
/// objects filled with small numbers and byte patterns, and when loading through its serialize
/// changes the same bytes as copying does.
[[nodiscard]] Discovery discover(const SerializeFunctions& ops);

/// Fills in the table names of handle fields.
void bind_tables(Field& field, const Described& described, const TableNamer& namer);

}  // namespace hdb::detail::record
