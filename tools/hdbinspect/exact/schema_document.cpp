// Reads a document of schemas.
#include "exact/schema_document.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "exact/json_members.hpp"
#include "exact/schema_members.hpp"
#include "hdb/inspect/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

tl::unexpected<Error> refuse(std::string what, std::string where = {}) {
  return fail(ErrorCode::bad_schema_document, std::move(what), std::move(where));
}

// The parts are read by functions that exact dumps use too.
tl::unexpected<Error> refuse(Error error) {
  if (error.code == ErrorCode::bad_exact_dump) error.code = ErrorCode::bad_schema_document;
  return fail(std::move(error));
}

// Calls `read` with the members of each object of a list that may be absent.
template <class Read>
void read_list(const JsonDocument& line, Members& table, std::string_view name, const Read& read) {
  if (!table.has(name)) return;
  for (const JsonNode* const element : table.elements(name)) {
    Members members(line, *element);
    read(members);
    if (const Status status = members.finish(); !status) table.fault(name, status.error().what);
  }
}

void read_declarations(const JsonDocument& line, Members& table, TableSchema& schema) {
  read_list(line, table, "old_names",
            [&](Members& members) { schema.old_names.emplace_back(members.text("name")); });
  read_list(line, table, "renames", [&](Members& members) {
    FieldRename& rename = schema.renames.emplace_back();
    rename.structure = members.text("structure");
    rename.old_name = members.text("old_name");
    rename.new_name = members.text("new_name");
  });
  read_list(line, table, "plain_structures", [&](Members& members) {
    schema.plain_structures.emplace_back(members.text("structure"));
  });
  read_list(line, table, "keys", [&](Members& members) {
    FieldKeys& keys = schema.keys.emplace_back();
    keys.field = members.text("field");
    keys.rule = read_word(members, "rule",
                          std::array{KeyRule::repeat, KeyRule::distinct, KeyRule::compared},
                          &key_rule_name);
  });
  read_list(line, table, "old_alternatives", [&](Members& members) {
    FieldAlternatives& old = schema.old_alternatives.emplace_back();
    old.field = members.text("field");
    read_list(line, members, "alternatives", [&](Members& alternative) {
      const bool is_there = alternative.has("now");
      old.numbers.push_back(
          is_there ? static_cast<std::int16_t>(alternative.number("now", format::kMaxAlternatives))
                   : std::int16_t{-1});
    });
  });
}

Result<TableSchema> read_table(const JsonDocument& line, const JsonNode& node, std::size_t index) {
  Members members(line, node);
  TableSchema schema;
  TableDescriptor& table = schema.table;
  table.name = members.text("table");
  const bool has_name = !table.name.empty() && table.name.size() <= format::kMaxNameBytes;
  const std::string where =
      has_name ? "table '" + table.name + "'" : fmt::format("table {} of the list", index);
  read_policies(members, table);
  table.singleton = members.boolean("singleton");
  table.scope = members.boolean("hashed") ? Scope::full : Scope::unhashed;
  if (members.has("max_records")) schema.max_records = members.number("max_records", kNoLimit);
  read_declarations(line, members, schema);
  const JsonNode* const record = members.need("record");
  if (Status read = members.finish(); !read) return refuse(std::move(read.error()).in(where));
  if (Status read = read_field(line, *record, schema.record); !read)
    return refuse(std::move(read.error()).in(where));
  if (Status checked = check_table_schema(schema); !checked)
    return fail(std::move(checked.error()));
  return schema;
}

Result<std::vector<TableSchema>> read_tables(const JsonDocument& line) {
  Members members(line, line.root());
  const std::string_view type = members.text("type");
  if (type == "schema") {
    return refuse(
        "this is the output of hdbinspect schema --json, which lacks the options of the "
        "tables; give the output of hdbinspect schema --format=json");
  }
  const std::uint64_t version = members.number("v", kNoLimit);
  const std::vector<const JsonNode*> elements = members.elements("tables");
  if (Status read = members.finish(); !read) return refuse(std::move(read.error()));
  if (type != "schemas") return refuse("the type is not 'schemas'");
  if (version != 1) return refuse(fmt::format("version {} of the document is not known", version));
  if (elements.size() > format::kMaxTables) return refuse("the document has too many tables");
  std::vector<TableSchema> tables;
  for (const JsonNode* const element : elements) {
    auto table = read_table(line, *element, tables.size());
    if (!table) return fail(std::move(table.error()));
    tables.push_back(*std::move(table));
  }
  return tables;
}

}  // namespace

Result<std::vector<TableSchema>> read_schema_document(std::string text) {
  JsonDocument line;
  if (Status parsed = line.parse(text.data(), text.size(), "text", ErrorCode::bad_exact_dump);
      !parsed)
    return refuse(std::move(parsed.error()));
  auto tables = read_tables(line);
  if (!tables) return tables;
  std::sort(tables->begin(), tables->end(),
            [](const TableSchema& a, const TableSchema& b) { return a.table.name < b.table.name; });
  const auto twin = std::adjacent_find(
      tables->begin(), tables->end(),
      [](const TableSchema& a, const TableSchema& b) { return a.table.name == b.table.name; });
  if (twin != tables->end()) return refuse("two tables are named '" + twin->table.name + "'");
  return tables;
}

}  // namespace hdb::inspect
