// Lines in.
#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "exact/lines.hpp"
#include "exact/schema_members.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAny32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kAny16 = std::numeric_limits<std::uint16_t>::max();

Metadata take_metadata(const JsonDocument& line, Members& header) {
  Metadata metadata;
  const JsonNode* const node = header.need("metadata");
  if (node == nullptr) return metadata;
  Members members(line, *node);
  metadata.title = members.text("title");
  metadata.play_time_ms = members.number("play_time_ms", kAny);
  metadata.date_unix_ms = members.signed_number("date_unix_ms");
  metadata.sequence = members.number("sequence", kAny);
  for (const JsonNode* const element : members.elements("values")) {
    Members pair(line, *element);
    std::string key(pair.text("key"));
    std::string value(pair.text("value"));
    if (auto read = pair.finish(); !read) {
      members.fault("values", read.error().what);
    } else if (!metadata.values.emplace(std::move(key), std::move(value)).second) {
      members.fault("values", "a key is there twice");
    }
  }
  if (auto read = members.finish(); !read) header.fault("metadata", read.error().what);
  return metadata;
}

template <class Item>
Result<Item> finished(Members& members, Item item) {
  if (auto read = members.finish(); !read) return fail(std::move(read.error()));
  return item;
}

}  // namespace

Result<ExactHeader> read_header(const JsonDocument& line, Members& members) {
  ExactHeader header;
  header.metadata = take_metadata(line, members);
  header.thumbnail_bytes = members.number("thumbnail_bytes", format::kMaxThumbnailBytes);
  header.schemas = members.number("schemas", format::kMaxSchemas);
  header.tables = members.number("tables", format::kMaxTables);
  header.blocks = members.number("blocks", kAny32);
  header.database.highest_type_id =
      static_cast<std::uint16_t>(members.number("highest_type_id", kAny16));
  header.database.extensions = read_extension_members(line, members);
  return finished(members, std::move(header));
}

Result<Field> read_schema_line(const JsonDocument& line, Members& members, std::size_t index) {
  const std::uint64_t number = members.number("schema", kAny32);
  const JsonNode* const node = members.need("record");
  if (auto read = members.finish(); !read) return fail(std::move(read.error()));
  if (number != index)
    return fail(ErrorCode::bad_exact_dump,
                fmt::format("schema {} is expected here, not {}", index, number));
  Field root;
  if (auto read = read_field(line, *node, root); !read) return fail(std::move(read.error()));
  if (auto checked = check_schema(root); !checked)
    return fail(ErrorCode::bad_exact_dump, checked.error().what, "schema " + std::to_string(index));
  return root;
}

Result<TableDescriptor> read_table_line(const JsonDocument& line, Members& members,
                                        const std::vector<Field>& schemas) {
  TableDescriptor table;
  table.name = members.text("table");
  table.schema = static_cast<std::uint32_t>(members.number("schema", kAny32));
  read_policies(members, table);
  table.type_id = static_cast<std::uint16_t>(members.number("type_id", kAny16));
  table.singleton = members.boolean("singleton");
  table.scope = members.boolean("hashed") ? Scope::full : Scope::unhashed;
  table.slot_count = members.number("slots", kAny32);
  table.live_count = members.number("live", kAny32);
  table.free_count = members.number("free", kAny32);
  table.retired_count = members.number("retired", kAny32);
  if (table.policy.is_component) table.hole_count = members.number("holes", kAny32);
  table.counter = static_cast<std::uint32_t>(members.number("counter", kAny32));
  table.highest_generation =
      static_cast<std::uint32_t>(members.number("highest_generation", kAny32));
  table.flush_cursor = static_cast<std::uint32_t>(members.number("flush_cursor", kAny32));
  const std::uint64_t group_slots = members.number("group_slots", kAny32);
  table.extensions = read_extension_members(line, members);
  if (auto read = members.finish(); !read) return fail(std::move(read.error()));
  if (table.schema >= schemas.size()) {
    return fail(ErrorCode::bad_exact_dump,
                fmt::format("'schema': there is no schema {}", table.schema));
  }
  const Field& root = schemas[table.schema];
  if (!std::has_single_bit(group_slots)) {
    return fail(ErrorCode::bad_exact_dump,
                fmt::format("'group_slots': {} is not a power of two", group_slots));
  }
  table.group_shift = static_cast<std::uint8_t>(std::countr_zero(group_slots));
  // Reading the stored form back is the whole check of a descriptor.
  Bytes bytes;
  ByteWriter out(bytes);
  write_table_descriptor(table, out);
  ByteReader in(bytes);
  static_cast<void>(read_table_descriptor(in));
  if (!in.ok()) return fail(ErrorCode::bad_exact_dump, in.error().what);
  if (std::string fault = find_prefix_fault(table, root); !fault.empty())
    return fail(ErrorCode::bad_exact_dump, fault);
  return table;
}

Result<AncillaryBlock> read_block_line(const JsonDocument& line, Members& members) {
  AncillaryBlock block;
  block.type = static_cast<std::uint8_t>(members.number("block_type", 255));
  block.flags = static_cast<std::uint8_t>(members.number("flags", 255));
  block.group = members.number("group", kAny);
  block.part = static_cast<std::uint32_t>(members.number("part", kAny32));
  block.raw_bytes = members.number("raw_bytes", kAny);
  block.extensions = read_extension_members(line, members);
  std::string payload;
  if (!decode_hex(members.text("hex"), payload))
    members.fault("hex", "hexadecimal digits are needed, two per byte");
  const auto bytes = bytes_of(payload);
  block.payload.assign(bytes.begin(), bytes.end());
  return finished(members, std::move(block));
}

namespace {

Hash128 read_hash(Members& members, const char* name) {
  Hash128 hash;
  std::string bytes;
  if (!decode_hex(members.text(name), bytes) || bytes.size() != 16) {
    members.fault(name, "32 hexadecimal digits are needed");
    return hash;
  }
  for (std::size_t i = 0; i < 16; ++i) {
    std::uint64_t& half = i < 8 ? hash.high : hash.low;
    half = half << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return hash;
}

}  // namespace

Result<ExactEnd> read_end(Members& members) {
  ExactEnd end;
  end.slots = members.number("slots", kAny);
  end.records = members.number("records", kAny);
  if (members.has("state_hash"))
    end.file = DumpedFile{read_hash(members, "state_hash"), read_hash(members, "file_id")};
  return finished(members, std::move(end));
}

}  // namespace hdb::inspect
