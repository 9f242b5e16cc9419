// Compares the declared renames of a structure with its fields and with each other.
#include "evolve/rename_check.hpp"

#include <algorithm>
#include <string_view>
#include "hdb/inspect/schema.hpp"

namespace hdb::detail::evolve {
namespace {

bool has_field(const Described& structure, std::string_view name) {
  return std::any_of(structure.children.begin(), structure.children.end(),
                     [&](const Described& child) { return child.field.name == name; });
}

// What the names of a node are names of: fields of a structure, or values of an enumeration.
bool is_enum(const Described& node) { return node.field.kind == FieldKind::enumeration; }

bool has_name(const Described& node, std::string_view name) {
  if (!is_enum(node)) return has_field(node, name);
  const std::vector<Enumerator> named = enumerators_of(field_of(node));
  return std::any_of(named.begin(), named.end(),
                     [&](const Enumerator& each) { return each.name == name; });
}

std::string field_text(std::string_view name) { return "field '" + std::string(name) + "'"; }

std::string fault_of(const Described& node, const Rename& rename) {
  const std::string_view old_name = rename.old_name;
  const std::string kind = is_enum(node) ? "enumerator" : "field";
  const auto text = [&](std::string_view name) { return kind + " '" + std::string(name) + "'"; };
  const std::string says =
      "hdb::Renames says that " + text(old_name) + " is now " + text(rename.new_name);
  if (!has_name(node, rename.new_name)) {
    return says + ", but the type has no " + kind + " of that name" +
           (is_enum(node) ? "; list it in hdb::EnumNames" : "");
  }
  if (has_name(node, old_name))
    return says + ", but the type still has " + (is_enum(node) ? "an " : "a ") + kind +
           " of the old name";
  for (const Rename& other : node.renames) {
    if (old_name != other.old_name || std::string_view(rename.new_name) == other.new_name) continue;
    return "hdb::Renames says that " + text(old_name) + " is now both " + text(rename.new_name) +
           " and " + text(other.new_name);
  }
  return {};
}

std::optional<Error> find_fault(const Described& node, const std::string& path) {
  const auto fault = [&](std::string what) {
    return Error{ErrorCode::rename_conflict, std::move(what), kNoOffset,
                 path.empty() ? "the record" : field_text(path)};
  };
  for (const Rename& rename : node.renames) {
    if (std::string what = fault_of(node, rename); !what.empty()) return fault(std::move(what));
  }
  for (const Described& child : node.children) {
    const std::string& name = child.field.name;
    auto found = find_fault(child, name.empty()   ? path + "[]"
                                   : path.empty() ? name
                                                  : path + "." + name);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> find_rename_fault(const Described& root) { return find_fault(root, ""); }

}  // namespace hdb::detail::evolve
