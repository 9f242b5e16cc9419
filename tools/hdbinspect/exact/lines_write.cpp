// Lines out.
#include "exact/lines.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect {
namespace {

std::string hex_json(std::span<const std::byte> bytes) { return '"' + hex_text(bytes) + '"'; }

std::string exact_field_json(const Field& field) {
  JsonObject object;
  add_field(field, object);
  if (field.kind == FieldKind::handle) object.text("layout", layout_text(field.layout));
  if (!field.children.empty() || field.kind == FieldKind::structure) {
    JsonArray children;
    for (const Field& child : field.children) children.raw(exact_field_json(child));
    object.raw("children", children.str());
  }
  return object.str();
}

}  // namespace

void add_field(const Field& field, JsonObject& object) {
  if (!field.name.empty()) object.text("name", field.name);
  object.text("kind", kind_name(field.kind));
  if (field.kind == FieldKind::array) object.number("count", field.count);
  if (field.versioned) object.number("class_version", field.class_version);
  if (field.kind == FieldKind::string) object.boolean("utf8", field.utf8_checked);
  if (field.kind == FieldKind::handle)
    object.text("handle_table", field.table).boolean("strong", field.strong);
}

void add_policies(const TableDescriptor& table, JsonObject& object) {
  object.text("storage", storage_name(table.policy.storage))
      .text("layout", layout_text(table.policy.layout))
      .text("free_list", free_list_name(table.policy.free_list))
      .text("generations", generations_name(table.policy.generations))
      .text("overflow", overflow_name(table.policy.overflow))
      .text("names", names_name(table.policy.names));
  if (table.blobs) {
    object.number("blob_capacity_bytes", table.blobs->capacity_bytes)
        .number("blob_alignment", table.blobs->alignment)
        .text("compaction", compaction_name(table.blobs->compaction));
  }
}

std::string header_line(const ExactHeader& header) {
  JsonArray values;
  for (const auto& [key, value] : header.metadata.values)
    values.raw(JsonObject().text("key", key).text("value", value).str());
  JsonObject metadata;
  metadata.text("title", header.metadata.title)
      .number("play_time_ms", header.metadata.play_time_ms)
      .signed_number("date_unix_ms", header.metadata.date_unix_ms)
      .number("sequence", header.metadata.sequence)
      .raw("values", values.str());
  return JsonObject(line_type::kHeader)
      .raw("metadata", metadata.str())
      .number("thumbnail_bytes", header.thumbnail_bytes)
      .number("schemas", header.schemas)
      .number("tables", header.tables)
      .number("blocks", header.blocks)
      .number("highest_type_id", header.highest_type_id)
      .str();
}

std::string thumbnail_line(std::uint64_t first, std::span<const std::byte> bytes) {
  return JsonObject(line_type::kThumbnail).number("first", first).raw("hex", hex_json(bytes)).str();
}

std::string schema_line(std::size_t index, const Field& root) {
  return JsonObject(line_type::kSchema)
      .number("schema", std::uint64_t{index})
      .raw("record", exact_field_json(root))
      .str();
}

std::string table_line(const TableDescriptor& table) {
  JsonObject object(line_type::kTable);
  object.text("table", table.name).number("schema", table.schema);
  add_policies(table, object);
  object.number("type_id", table.type_id)
      .boolean("singleton", table.singleton)
      .boolean("hashed", table.is_hashed());
  object.number("slots", table.slot_count)
      .number("live", table.live_count)
      .number("free", table.free_count)
      .number("retired", table.retired_count);
  object.number("counter", table.counter)
      .number("highest_generation", table.highest_generation)
      .number("flush_cursor", table.flush_cursor)
      .number("group_slots", std::uint64_t{1} << table.group_shift);
  JsonArray sort_work;
  for (const std::uint64_t number : table.sort_work) sort_work.raw(json_number(number));
  return object.raw("sort_work", sort_work.str()).str();
}

std::string block_line(const AncillaryBlock& block) {
  return JsonObject(line_type::kBlock)
      .number("block_type", block.type)
      .number("flags", block.flags)
      .number("block_table", block.table)
      .number("group", block.group)
      .number("part", block.part)
      .number("raw_bytes", block.raw_bytes)
      .raw("hex", hex_json(block.payload))
      .str();
}

std::string free_list_line(const TableDescriptor& table, std::uint64_t first,
                           std::span<const std::uint32_t> slots) {
  std::string numbers;
  for (const std::uint32_t slot : slots)
    numbers += (numbers.empty() ? "[" : ",") + std::to_string(slot);
  return JsonObject(line_type::kFreeList)
      .text("table", table.name)
      .number("first", first)
      .raw("slots", numbers.empty() ? "[]" : numbers + "]")
      .str();
}

std::string end_line(const ExactEnd& end) {
  JsonObject object(line_type::kEnd);
  object.number("slots", end.slots).number("records", end.records);
  if (end.file) object.hash("state_hash", end.file->state_hash).hash("file_id", end.file->file_id);
  return object.str();
}

}  // namespace hdb::inspect
