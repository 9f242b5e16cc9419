// Schemas of tables as JSON, and the check of schemas that come from a text.
#include <algorithm>
#include <tuple>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

// The named values of an enumeration.
std::string values_json(const Field& field, const std::vector<Enumerator>& enumerators) {
  JsonArray array;
  for (const Enumerator& each : enumerators) {
    const std::string number = enumerator_number(each.bits, field.children.front().kind);
    JsonObject object;
    if (number.front() == '-') {
      object.signed_number("number", std::stoll(number));
    } else {
      object.number("number", std::stoull(number));
    }
    array.raw(object.text("name", each.name).str());
  }
  return array.str();
}

// `breaks_lines`: each field of a structure is on a line of its own.
std::string field_text(const Field& field, bool breaks_lines, std::size_t depth) {
  JsonObject object;
  add_field(field, object);
  if (field.kind == FieldKind::handle) object.text("layout", layout_text(field.layout));
  if (field.children.empty() && field.kind != FieldKind::structure) return object.str();
  std::string children;
  for (const Field& child : field.children) {
    if (!children.empty()) children += ',';
    if (breaks_lines && field.kind == FieldKind::structure)
      children += '\n' + std::string(depth, ' ');
    children += field_text(child, breaks_lines, depth + 1);
  }
  return object.raw("children", "[" + children + "]").str();
}

void add_declarations(TableSchema schema, JsonObject& object) {
  std::sort(schema.old_names.begin(), schema.old_names.end());
  // Of two old names of one field, the first is looked for first: their order stays.
  std::stable_sort(schema.renames.begin(), schema.renames.end(), [](const auto& a, const auto& b) {
    return std::tie(a.structure, a.new_name) < std::tie(b.structure, b.new_name);
  });
  JsonArray old_names;
  for (const std::string& name : schema.old_names)
    old_names.raw(JsonObject().text("name", name).str());
  JsonArray renames;
  for (const FieldRename& each : schema.renames) {
    renames.raw(JsonObject()
                    .text("structure", each.structure)
                    .text("old_name", each.old_name)
                    .text("new_name", each.new_name)
                    .str());
  }
  std::sort(schema.plain_structures.begin(), schema.plain_structures.end());
  JsonArray plain_structures;
  for (const std::string& path : schema.plain_structures)
    plain_structures.raw(JsonObject().text("structure", path).str());
  std::sort(schema.keys.begin(), schema.keys.end(),
            [](const auto& a, const auto& b) { return a.field < b.field; });
  JsonArray keys;
  for (const FieldKeys& each : schema.keys) {
    keys.raw(JsonObject().text("field", each.field).text("rule", key_rule_name(each.rule)).str());
  }
  std::stable_sort(schema.old_alternatives.begin(), schema.old_alternatives.end(),
                   [](const auto& a, const auto& b) { return a.field < b.field; });
  JsonArray old_alternatives;
  for (const FieldAlternatives& each : schema.old_alternatives) {
    JsonArray numbers;
    for (const std::int16_t number : each.numbers) {
      JsonObject alternative;
      if (number >= 0) alternative.number("now", static_cast<std::uint64_t>(number));
      numbers.raw(alternative.str());
    }
    old_alternatives.raw(
        JsonObject().text("field", each.field).raw("alternatives", numbers.str()).str());
  }
  if (!schema.old_names.empty()) object.raw("old_names", old_names.str());
  if (!schema.renames.empty()) object.raw("renames", renames.str());
  if (!schema.plain_structures.empty()) object.raw("plain_structures", plain_structures.str());
  if (!schema.keys.empty()) object.raw("keys", keys.str());
  if (!schema.old_alternatives.empty()) object.raw("old_alternatives", old_alternatives.str());
}

std::string table_json(const TableSchema& schema) {
  JsonObject object;
  object.text("table", schema.table.name);
  add_policies(schema.table, object);
  object.boolean("singleton", schema.table.singleton).boolean("hashed", schema.table.is_hashed());
  if (schema.max_records != kNoLimit) object.number("max_records", schema.max_records);
  add_declarations(schema, object);
  return object.raw("record", field_text(schema.record, true, 1)).str();
}

}  // namespace

TableSchema table_schema(const TableDescriptor& table, Field stored) {
  TableSchema schema;
  schema.table = table;
  schema.has_counts = true;
  const auto prefix = static_cast<std::ptrdiff_t>(row_prefix(table).size());
  stored.children.erase(stored.children.begin(), stored.children.begin() + prefix);
  schema.record = std::move(stored);
  return schema;
}

Status check_table_schema(const TableSchema& schema) {
  if (schema.table.name.size() > format::kMaxNameBytes)  // it would fill the message
    return fail(
        ErrorCode::bad_schema_document,
        "the name of a table is longer than " + std::to_string(format::kMaxNameBytes) + " bytes");
  const std::string where = "table '" + schema.table.name + "'";
  Field root = schema.record;
  const std::vector<Field> prefix = row_prefix(schema.table);
  root.children.insert(root.children.begin(), prefix.begin(), prefix.end());
  if (const Status checked = check_schema(root); !checked)
    return fail(ErrorCode::bad_schema_document, checked.error().what, where);
  if (std::string fault = find_prefix_fault(schema.table, root); !fault.empty())
    return fail(ErrorCode::bad_schema_document, std::move(fault), where);
  // Reading the stored form back is the whole check of a descriptor.
  TableDescriptor table = schema.table;
  table.group_shift = group_shift_for(root);
  Bytes bytes;
  ByteWriter out(bytes);
  write_table_descriptor(table, out);
  ByteReader in(bytes);
  static_cast<void>(read_table_descriptor(in));
  if (!in.ok()) return fail(ErrorCode::bad_schema_document, in.error().what);
  return {};
}

std::string schema_json(std::vector<TableSchema> tables) {
  std::sort(tables.begin(), tables.end(),
            [](const auto& a, const auto& b) { return a.table.name < b.table.name; });
  std::string list;
  for (const TableSchema& table : tables) list += (list.empty() ? "\n" : ",\n") + table_json(table);
  return JsonObject("schemas").raw("tables", "[" + list + "\n]").str() + '\n';
}

void add_field(const Field& field, JsonObject& object) {
  if (!field.name.empty()) object.text("name", field.name);
  object.text("kind", kind_name(field.kind));
  if (field.kind == FieldKind::array) object.number("count", field.count);
  if (field.versioned) object.number("class_version", field.class_version);
  if (field.kind == FieldKind::string) object.boolean("utf8", field.utf8_checked);
  if (field.kind == FieldKind::handle)
    object.text("handle_table", field.table).boolean("strong", field.strong);
  if (const std::string_view type = type_name_of(field); !type.empty())
    object.text("type_name", type);
  std::vector<Extension> others = field.extensions;
  std::erase_if(others,
                [](const Extension& each) { return each.tag == format::kExtensionTypeName; });
  if (const std::vector<Enumerator> enumerators = enumerators_of(field); !enumerators.empty()) {
    object.raw("values", values_json(field, enumerators));
    std::erase_if(others,
                  [](const Extension& each) { return each.tag == format::kExtensionEnumNames; });
  }
  add_extensions(others, object);
}

void add_extensions(const std::vector<Extension>& extensions, JsonObject& object) {
  if (extensions.empty()) return;
  JsonArray array;
  for (const Extension& extension : extensions) {
    array.raw(JsonObject()
                  .number("tag", std::uint64_t{extension.tag})
                  .number("flags", std::uint64_t{extension.flags})
                  .text("bytes", hex_text(extension.bytes))
                  .str());
  }
  object.raw("extensions", array.str());
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
  if (table.policy.is_component)
    object.text("owner", table.owner).text("removal", removal_name(table.policy.removal));
}

std::string field_json(const Field& field) { return field_text(field, false, 0); }

}  // namespace hdb
