// The program's side of a fit, what a fit counts, and fields that need no fit.
#include <algorithm>
#include <utility>

#include "database/load/record_fit.hpp"
#include "database/load/record_loader.hpp"
#include "hdb/assert.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {

bool FitSchema::Node::takes_handles_to(const std::string& table) const {
  const std::string& own_table = field->table;
  return table.empty() || own_table.empty() || table == own_table ||
         std::find(old_tables.begin(), old_tables.end(), table) != old_tables.end();
}

FitSchema::FitSchema(const TableSchema& own, std::vector<Bytes> defaults)
    : plan(evolve::plan_of(own)), default_columns_(std::move(defaults)) {
  root = node_of(own, own.record, {}, {});
  RowDecoder decoder(own.record);
  decoder.begin(default_columns_);
  const Status read = decoder.next(default_row);
  HDB_REQUIRE(read.has_value(), "a freshly made record does not keep its schema");
}

FitSchema::Node FitSchema::node_of(const TableSchema& own, const Field& field,
                                   const std::string& path, const std::string& structure) {
  Node node;
  node.field = &field;
  node.id = static_cast<std::uint32_t>(paths.size());
  node.path = path;
  node.is_packed = repeats(field.kind) && fixed_width(field.children.front()) != 0;
  paths.push_back(path);
  for (const FieldRename& each : own.renames) {
    if (each.structure == structure && each.new_name == field.name)
      node.old_names.push_back(each.old_name);
  }
  for (const FieldRetarget& each : own.retargets) {
    if (each.structure == structure && each.field == field.name)
      node.old_tables.push_back(each.old_table);
  }
  if (field.kind == FieldKind::enumeration) {
    node.enumerators = enumerators_of(field);
    for (const FieldRename& each : own.renames) {
      if (each.structure == path)
        node.renames.push_back({each.old_name.c_str(), each.new_name.c_str()});
    }
    return node;
  }
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    const Field& child = field.children[i];
    std::string part = "[]";
    if (field.kind == FieldKind::structure) {
      part = child.name;
    } else if (field.kind == FieldKind::map) {
      part = i == 0 ? "[].key" : "[].value";
    } else if (field.kind == FieldKind::optional) {
      part = "?";
    } else if (field.kind == FieldKind::variant) {
      part = "<" + std::to_string(i) + ">";
    }
    // What is declared for a field counts for the elements in it, too: they have no name.
    node.children.push_back(node_of(own, child, joined_path(path, part), path));
    if (field.kind == FieldKind::structure) continue;
    node.children.back().old_tables = node.old_tables;
  }
  return node;
}

FitCounts& FitCounts::operator+=(const FitCounts& other) {
  for (const auto& [id, count] : other.defaulted) defaulted[id] += count;
  for (const auto& [id, count] : other.renumbered) renumbered[id] += count;
  for (const auto& [id, count] : other.unknown) unknown[id] += count;
  for (const auto& [path, count] : other.dropped) dropped[path] += count;
  return *this;
}

std::vector<LoadChange> FitCounts::changes(const FitSchema& schema) const {
  std::vector<LoadChange> changes;
  for (const auto& [id, count] : defaulted)
    changes.push_back({LoadChange::Kind::defaulted, schema.paths[id], {}, {}, count});
  for (const auto& [id, count] : renumbered)
    changes.push_back({LoadChange::Kind::renumbered, schema.paths[id], {}, {}, count});
  for (const auto& [id, count] : unknown)
    changes.push_back({LoadChange::Kind::unknown, schema.paths[id], {}, {}, count});
  for (const auto& [path, count] : dropped)
    changes.push_back({LoadChange::Kind::dropped, path, {}, {}, count});
  return changes;
}

bool is_same_form(const FitSchema::Node& own, const Field& stored) {
  const Field& field = *own.field;
  if (field.kind != stored.kind || field.count != stored.count ||
      version_of(field) != version_of(stored) || (field.utf8_checked && !stored.utf8_checked) ||
      field.children.size() != stored.children.size()) {
    return false;
  }
  if (field.kind == FieldKind::handle)
    return field.layout == stored.layout && own.takes_handles_to(stored.table);
  if (field.kind == FieldKind::enumeration) {
    const std::vector<Enumerator> names = enumerators_of(stored);
    const FieldKind integer = leaf_of(field);
    return integer == leaf_of(stored) &&
           (names.empty() || own.enumerators.empty() ||
            evolve::EnumMap({integer, names}, {integer, own.enumerators}, own.renames)
                .is_identity());
  }
  for (std::size_t i = 0; i < own.children.size(); ++i) {
    if (own.children[i].field->name != stored.children[i].name ||
        !is_same_form(own.children[i], stored.children[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace hdb
