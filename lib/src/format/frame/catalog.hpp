// Payloads of the blocks that are read at once: metadata and catalog (schemas and table
// descriptors).
#pragma once

#include <span>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::format {

struct Catalog {
  std::vector<Field> schemas;
  std::vector<TableDescriptor> tables;
  DatabaseDescriptor database;
};

/// metadata := sequence u64, play time u64, date u64, title text, count varint, count * (key text,
/// value text)
[[nodiscard]] Bytes encode_metadata(const Metadata& metadata);
/// Errors: bad_metadata.
[[nodiscard]] HDB_INSPECT_API Result<Metadata> decode_metadata(std::span<const std::byte> bytes,
                                                               std::uint64_t offset);

/// catalog := count u32, count * (size u32, schema), count u32, count * (size u32, table
/// descriptor), highest type id u16, [extensions]
[[nodiscard]] Bytes encode_catalog(const std::vector<Field>& schemas,
                                   const std::vector<TableDescriptor>& tables,
                                   const DatabaseDescriptor& database);
/// Checks schemas and descriptors each by themselves and together.
/// Errors: bad_schema, bad_table, limit_exceeded.
[[nodiscard]] Result<Catalog> decode_catalog(std::span<const std::byte> bytes, std::uint64_t offset,
                                             const ReadLimits& limits);
/// That of a block, which may be compressed: then every error is at the beginning of its payload.
[[nodiscard]] Result<Catalog> decode_catalog(std::span<const std::byte> bytes,
                                             const BlockInfo& block, const ReadLimits& limits);
/// What decode_catalog checks of tables and schemas together, for those made by a program.
[[nodiscard]] Status check_catalog(const std::vector<Field>& schemas,
                                   const std::vector<TableDescriptor>& tables,
                                   const DatabaseDescriptor& database, const ReadLimits& limits);

}  // namespace hdb::format
