// The fields that are printed, with the columns they are read from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect::dumping {

/// A field of a schema, prepared for printing. Which fields are printed for which columns is what
/// RowDecoder reads for them.
struct PrintField {
  const Field* field = nullptr;
  FieldKind kind = FieldKind::structure;  ///< An enumeration is its integer.
  std::uint8_t width = 0;                 ///< Of values.
  bool wanted = false;
  std::uint32_t column = 0;        ///< The first of its own.
  std::string key = {};            ///< JSON: the name and a colon.
  std::string handle_prefix = {};  ///< JSON: `"weapons:` where the field tells the table.
  std::uint16_t type_id = 0;       ///< Of that table.
  std::vector<PrintField> children = {};
};

[[nodiscard]] PrintField print_field(const Field& root, std::span<const std::uint32_t> columns,
                                     bool all, const std::vector<TableDescriptor>& tables);

/// The columns that printing needs, rising.
[[nodiscard]] std::vector<std::uint32_t> columns_of_print(const PrintField& root);

}  // namespace hdb::inspect::dumping
