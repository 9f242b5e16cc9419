// Lines out.
#include "exact/lines.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {
namespace {

std::string hex_json(std::span<const std::byte> bytes) { return '"' + hex_text(bytes) + '"'; }

}  // namespace

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
  JsonObject object(line_type::kHeader);
  object.raw("metadata", metadata.str())
      .number("thumbnail_bytes", header.thumbnail_bytes)
      .number("schemas", header.schemas)
      .number("tables", header.tables)
      .number("blocks", header.blocks)
      .number("highest_type_id", header.database.highest_type_id);
  add_extensions(header.database.extensions, object);
  return object.str();
}

std::string thumbnail_line(std::uint64_t first, std::span<const std::byte> bytes) {
  return JsonObject(line_type::kThumbnail).number("first", first).raw("hex", hex_json(bytes)).str();
}

std::string schema_line(std::size_t index, const Field& root) {
  return JsonObject(line_type::kSchema)
      .number("schema", std::uint64_t{index})
      .raw("record", field_json(root))
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
  if (table.policy.is_component) object.number("holes", table.hole_count);
  object.number("counter", table.counter)
      .number("highest_generation", table.highest_generation)
      .number("flush_cursor", table.flush_cursor)
      .number("group_slots", std::uint64_t{1} << table.group_shift);
  add_extensions(table.extensions, object);
  return object.str();
}

std::string block_line(const AncillaryBlock& block) {
  JsonObject object(line_type::kBlock);
  object.number("block_type", block.type)
      .number("flags", block.flags)
      .number("group", block.group)
      .number("part", block.part)
      .number("raw_bytes", block.raw_bytes);
  add_extensions(block.extensions, object);
  return object.raw("hex", hex_json(block.payload)).str();
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
