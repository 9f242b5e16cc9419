// Metadata and catalog, out and in.
#include "format/frame/catalog.hpp"

#include <algorithm>
#include <bit>

#include "format/frame/frame.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::format {
namespace {

std::size_t count_fields(const Field& field) {
  std::size_t total = 1;
  for (const Field& child : field.children) total += count_fields(child);
  return total;
}

template <class Write>
void write_sized(ByteWriter& out, const Write& write) {
  Bytes bytes;
  ByteWriter item(bytes);
  write(item);
  out.u32(static_cast<std::uint32_t>(bytes.size()));
  out.raw(bytes);
}

Error too_many(std::uint64_t count, const char* what, std::uint64_t limit, std::uint64_t offset) {
  std::string text = "the catalog has " + std::to_string(count) + ' ' + what + at_most(limit);
  text += limit < kMaxTables ? " (ReadLimits::max_tables)"
                             : " of a file: keep records of one type in one table";
  return {ErrorCode::limit_exceeded, std::move(text), offset, "catalog", {}};
}

// Reads the parts of a catalog. What needs a newer reader comes first, whatever is wrong with the
// parts before it.
class CatalogReader {
 public:
  CatalogReader(std::span<const std::byte> bytes, std::uint64_t offset, const ReadLimits& limits)
      : in_(bytes, offset, ErrorCode::bad_schema),
        max_count_(std::min<std::uint64_t>(limits.max_tables, kMaxTables)) {}

  [[nodiscard]] std::uint64_t offset() const noexcept { return in_.offset(); }
  [[nodiscard]] ByteReader& in() noexcept { return in_; }

  /// Reads `count u32, count * (size u32, item)`: each item has its own error code, fills its size,
  /// and goes to `keep`, which says what is wrong with it.
  template <class Read, class Keep>
  Status read(ErrorCode code, const std::string& one, const Read& read_item, const Keep& keep) {
    const std::uint64_t begin = in_.offset();
    const std::uint32_t count = in_.u32();
    if (count > max_count_) {
      Error error = too_many(count, (one + "s").c_str(), max_count_, begin);
      if (count > kMaxTables) error.code = code;  // not only more than this reader accepts
      return end(std::move(error));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string where = one + ' ' + std::to_string(i) + " of catalog";
      const std::uint32_t size = in_.u32();
      const std::uint64_t at = in_.offset();
      ByteReader item(in_.raw(size), at, code);
      if (!in_.ok()) return end(in_.error(where));
      auto read = read_item(item);
      item.expect_end();
      Status status = item.ok() ? Status() : Status(fail(item.error(where)));
      if (status && fault_) status = keep(std::move(read));
      if (status) continue;
      if (category_of(status.error().code) == ErrorCategory::newer) return status;
      if (fault_) fault_ = std::move(status);
    }
    return {};
  }
  /// The first thing that is wrong with an item.
  [[nodiscard]] Status fault() const { return fault_; }

 private:
  // No later item can be read.
  Status end(Error error) const { return fault_ ? Status(fail(std::move(error))) : fault_; }

  ByteReader in_;
  std::uint64_t max_count_;
  Status fault_;
};

}  // namespace

Bytes encode_metadata(const Metadata& metadata) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u64(metadata.sequence);
  out.u64(metadata.play_time_ms);
  out.u64(std::bit_cast<std::uint64_t>(metadata.date_unix_ms));
  out.text(metadata.title);
  out.varint(metadata.values.size());
  for (const auto& [key, value] : metadata.values) {
    out.text(key);
    out.text(value);
  }
  return bytes;
}

Result<Metadata> decode_metadata(std::span<const std::byte> bytes, std::uint64_t offset) {
  ByteReader in(bytes, offset, ErrorCode::bad_metadata);
  Metadata metadata;
  metadata.sequence = in.u64();
  metadata.play_time_ms = in.u64();
  metadata.date_unix_ms = std::bit_cast<std::int64_t>(in.u64());
  metadata.title = in.text(bytes.size());
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t at = in.offset();
    std::string key = in.text(bytes.size());
    std::string value = in.text(bytes.size());
    if (!metadata.values.empty() && metadata.values.rbegin()->first >= key) {
      in.fail_at(at, "the keys are not in rising order");
    }
    if (in.ok())
      metadata.values.emplace_hint(metadata.values.end(), std::move(key), std::move(value));
  }
  in.expect_end();
  if (!in.ok()) return fail(in.error("metadata"));
  return metadata;
}

Bytes encode_catalog(const std::vector<Field>& schemas, const std::vector<TableDescriptor>& tables,
                     const DatabaseDescriptor& database) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u32(static_cast<std::uint32_t>(schemas.size()));
  for (const Field& schema : schemas) {
    write_sized(out, [&](ByteWriter& item) { write_schema(schema, item); });
  }
  out.u32(static_cast<std::uint32_t>(tables.size()));
  for (const TableDescriptor& table : tables) {
    write_sized(out, [&](ByteWriter& item) { write_table_descriptor(table, item); });
  }
  out.u16(database.highest_type_id);
  if (!database.extensions.empty()) write_extensions(database.extensions, out);
  return bytes;
}

Result<Catalog> decode_catalog(std::span<const std::byte> bytes, std::uint64_t offset,
                               const ReadLimits& limits) {
  static_assert(kMaxSchemas == kMaxTables);
  CatalogReader reader(bytes, offset, limits);
  Catalog catalog;
  std::size_t fields = 0;
  const auto keep_schema = [&](Field schema) -> Status {
    fields += count_fields(schema);
    catalog.schemas.push_back(std::move(schema));
    if (fields <= kMaxFieldsPerFile) return {};
    return fail(ErrorCode::bad_schema,
                "the schemas together have too many fields" + at_most(kMaxFieldsPerFile), "catalog",
                reader.offset());
  };
  const auto keep_table = [&](TableDescriptor table) -> Status {
    catalog.tables.push_back(std::move(table));
    return {};
  };
  Status status = reader.read(ErrorCode::bad_schema, "schema", read_schema, keep_schema);
  const std::uint64_t tables_at = reader.offset();
  if (status)
    status = reader.read(ErrorCode::bad_table, "table", read_table_descriptor, keep_table);
  if (!status) return fail(std::move(status.error()));
  ByteReader& in = reader.in();
  const std::uint64_t highest_at = in.offset();
  catalog.database.highest_type_id = in.u16();
  if (in.remaining() != 0) {
    catalog.database.extensions =
        read_extensions(in, kKnownCatalogExtensions, kMaxCatalogExtensionBytes);
    if (catalog.database.extensions.empty())
      in.fail_at(highest_at + 2, "the catalog ends in an empty list of extensions");
  }
  in.expect_end();
  const bool is_newer = !in.ok() && category_of(in.error().code) == ErrorCategory::newer;
  status = reader.fault();
  if (!status && !is_newer) return fail(std::move(status.error()));
  if (!in.ok()) return fail(in.error("catalog"));
  status = check_catalog(catalog.schemas, catalog.tables, catalog.database, limits);
  if (!status) {
    Error error = std::move(status.error());
    error.offset = error.code == ErrorCode::bad_table ? tables_at : offset;
    return fail(std::move(error));
  }
  return catalog;
}

Result<Catalog> decode_catalog(std::span<const std::byte> bytes, const BlockInfo& block,
                               const ReadLimits& limits) {
  const std::uint64_t payload = content_offset(block);
  auto catalog = decode_catalog(bytes, payload, limits);
  if (!catalog && content_bytes(block) != block.raw_bytes) catalog.error().offset = payload;
  return catalog;
}

Status check_catalog(const std::vector<Field>& schemas, const std::vector<TableDescriptor>& tables,
                     const DatabaseDescriptor& database, const ReadLimits& limits) {
  const auto refuse = [](ErrorCode code, std::string what) -> Status {
    return fail(code, std::move(what), "catalog");
  };
  const std::uint64_t max_count = std::min<std::uint64_t>(limits.max_tables, kMaxTables);
  if (schemas.size() > max_count)
    return fail(too_many(schemas.size(), "schemas", max_count, kNoOffset));
  if (tables.size() > max_count)
    return fail(too_many(tables.size(), "tables", max_count, kNoOffset));
  for (const Field& schema : schemas) {
    const std::size_t fields = count_fields(schema);
    if (fields > limits.max_schema_fields) {
      return refuse(ErrorCode::limit_exceeded, "a schema has " + std::to_string(fields) +
                                                   " fields" + at_most(limits.max_schema_fields));
    }
  }
  std::vector<bool> used(schemas.size(), false);
  std::vector<bool> type_ids(std::size_t{1} << 16, false);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableDescriptor& table = tables[i];
    const std::string name = "table '" + table.name + "'";
    if (i != 0 && tables[i - 1].name >= table.name) {
      return refuse(ErrorCode::bad_table, name + " is out of order: tables are sorted by name");
    }
    if (table.scope > Scope::unhashed)
      return refuse(ErrorCode::bad_table, name + " has a scope that files cannot hold");
    if (table.schema >= schemas.size())
      return refuse(ErrorCode::bad_table, name + " names a schema that does not exist");
    used[table.schema] = true;
    if (std::string fault = find_prefix_fault(table, schemas[table.schema]); !fault.empty()) {
      return refuse(ErrorCode::bad_table, name + ": " + fault);
    }
    if (std::string fault = find_owner_fault(table, tables); !fault.empty())
      return refuse(ErrorCode::bad_table, name + ": " + fault);
    if (table.type_id > database.highest_type_id)
      return refuse(ErrorCode::bad_table,
                    name + " has a type id above the highest one recorded in the catalog");
    if (table.type_id != 0 && type_ids[table.type_id]) {
      return refuse(ErrorCode::bad_table, name + " has the type id of another table");
    }
    type_ids[table.type_id] = true;
    if (table.slot_count > limits.max_slots_per_table) {
      return refuse(ErrorCode::limit_exceeded, name + " has " + std::to_string(table.slot_count) +
                                                   " slots" + at_most(limits.max_slots_per_table));
    }
  }
  if (std::find(used.begin(), used.end(), false) != used.end()) {
    return refuse(ErrorCode::bad_schema, "a schema belongs to no table");
  }
  if (std::string fault = find_dropped_handles_fault(database); !fault.empty())
    return refuse(ErrorCode::bad_table, std::move(fault));
  return {};
}

}  // namespace hdb::format
