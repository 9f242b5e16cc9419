// The schemas of a save file, or of a document of schemas.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb::inspect {

/// One side of a comparison.
struct SchemaInput {
  std::shared_ptr<const Reader> reader;  ///< Of a save file; null for a document.
  std::vector<TableSchema> tables;
};

/// The schemas of a save file's tables, in the order of the file.
[[nodiscard]] std::vector<TableSchema> schemas_of(const Reader& reader);

/// Opens a save file or a document; `-` is standard input. The first bytes say which of the two it
/// is.
/// Errors: those of open_reader and read_schema_document; each names the file.
[[nodiscard]] Result<SchemaInput> open_schemas(const std::string& path);

}  // namespace hdb::inspect
