// Compiles schemas into plans.
#include "hdb/detail/evolve/plan.hpp"

#include <charconv>

#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb::detail::evolve {
namespace {

std::int32_t unnamed_index_of(const std::string& name) {
  if (name.size() < 2 || name[0] != '#') return -1;
  std::int32_t index = -1;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + 1, end, index);
  return parsed.ec == std::errc{} && parsed.ptr == end && std::to_string(index) == name.substr(1)
             ? index
             : -1;
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

class Compiler {
 public:
  explicit Compiler(Plan& plan) : plan_(plan) {}

  std::uint32_t add(const Field& field, const std::string& path) {
    const auto index = static_cast<std::uint32_t>(plan_.nodes.size());
    PlanNode& node = plan_.nodes.emplace_back();
    node.kind = field.kind;
    node.leaf = field.kind;
    node.name = field.name;
    node.path = path;
    node.count = field.count;
    node.class_version = field.class_version;
    node.versioned = field.versioned;
    node.utf8_checked = field.utf8_checked;
    node.layout = field.layout;
    node.enumerators = enumerators_of(field);
    node.strong = field.strong;
    node.type_name = type_name_of(field);
    node.table = field.table;
    node.unnamed_index = unnamed_index_of(field.name);
    node.takes_unnamed = field.name.empty() || node.unnamed_index >= 0;
    node.column = static_cast<std::uint32_t>(plan_.columns.size());
    add_columns(index, field);
    add_children(index, field, path);
    plan_.nodes[index].end = static_cast<std::uint32_t>(plan_.nodes.size());
    return index;
  }

 private:
  void column(std::uint32_t node, ColumnRole role, unsigned width = 0) {
    plan_.columns.push_back({role, node, width, plan_.nodes[node].leaf});
  }

  void add_columns(std::uint32_t index, const Field& field) {
    PlanNode& node = plan_.nodes[index];
    switch (field.kind) {
      case FieldKind::structure:
      case FieldKind::array: break;
      case FieldKind::string:
      case FieldKind::opaque:
        column(index, ColumnRole::lengths);
        column(index, ColumnRole::bytes);
        break;
      case FieldKind::list:
      case FieldKind::map: column(index, ColumnRole::lengths); break;
      case FieldKind::optional: column(index, ColumnRole::presence); break;
      case FieldKind::variant: column(index, ColumnRole::tags); break;
      case FieldKind::handle:
        node.width = static_cast<std::uint8_t>(field.layout.byte_size());
        column(index, ColumnRole::values, node.width);
        break;
      case FieldKind::enumeration:
        node.leaf = field.children.empty() ? FieldKind::u8 : field.children.front().kind;
        [[fallthrough]];
      default:
        node.width = static_cast<std::uint8_t>(leaf_width(node.leaf));
        column(index, ColumnRole::values, node.width);
        break;
    }
  }

  void add_children(std::uint32_t index, const Field& field, const std::string& path) {
    if (field.kind == FieldKind::enumeration) return;
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      const Field& child = field.children[i];
      std::string below;
      switch (field.kind) {
        case FieldKind::structure: below = joined(path, child.name); break;
        case FieldKind::array:
        case FieldKind::list: below = path + "[]"; break;
        case FieldKind::map: below = path + (i == 0 ? "[].key" : "[].value"); break;
        case FieldKind::optional: below = path + "?"; break;
        default: below = path + "<" + std::to_string(i) + ">"; break;
      }
      const std::uint32_t at = add(child, below);
      plan_.nodes[index].children.push_back(at);
    }
  }

  Plan& plan_;
};

void add_program_side(Plan& plan, std::uint32_t index, const Described& described) {
  plan.nodes[index].renames = described.renames;
  plan.nodes[index].type = described.type;
  plan.nodes[index].takes_version = described.takes_version;
  plan.nodes[index].old_alternatives = described.old_alternatives;
  plan.nodes[index].key_rule = described.key_rule;
  plan.nodes[index].handle_key = described.handle_key;
  for (std::size_t i = 0; i < plan.nodes[index].children.size(); ++i) {
    add_program_side(plan, plan.nodes[index].children[i], described.children[i]);
  }
}

}  // namespace

Plan plan_of(const Field& root) {
  Plan plan;
  Compiler(plan).add(root, "");
  return plan;
}

Plan plan_of(const Field& root, const std::vector<FieldKeys>& keys) {
  Plan plan = plan_of(root);
  for (PlanNode& node : plan.nodes) {
    if (node.kind != FieldKind::list && node.kind != FieldKind::map) continue;
    for (const FieldKeys& each : keys) {
      if (each.field == node.path) node.key_rule = each.rule;
    }
  }
  return plan;
}

Plan plan_of(const TableSchema& schema) {
  Plan plan = plan_of(schema.record, schema.keys);
  for (PlanNode& node : plan.nodes) {
    for (const FieldRename& each : schema.renames) {
      if (each.structure == node.path)
        node.renames.push_back({each.old_name.c_str(), each.new_name.c_str()});
    }
    for (const std::string& path : schema.plain_structures) {
      if (path == node.path) node.takes_version = false;
    }
    for (const FieldAlternatives& each : schema.old_alternatives) {
      if (each.field == node.path) node.old_alternatives.push_back(each.numbers);
    }
  }
  return plan;
}

void add_program_side(Plan& plan, const Described& root) { add_program_side(plan, 0, root); }

Field field_of(const Described& root) {
  Field field = root.field;
  for (const Described& child : root.children) field.children.push_back(field_of(child));
  return field;
}

Field field_of(const Plan& plan, std::uint32_t index) {
  const PlanNode& node = plan.nodes[index];
  Field field;
  field.kind = node.kind;
  field.name = node.name;
  field.count = node.count;
  field.versioned = node.versioned;
  field.class_version = node.class_version;
  field.layout = node.layout;
  field.table = node.table;
  set_type_name(field, node.type_name);
  if (node.kind == FieldKind::enumeration) field.children.emplace_back().kind = node.leaf;
  for (const std::uint32_t child : node.children) {
    if (plan.nodes[child].kind != kMissing) field.children.push_back(field_of(plan, child));
  }
  return field;
}

}  // namespace hdb::detail::evolve
