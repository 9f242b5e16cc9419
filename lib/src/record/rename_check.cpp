// Compares the declared renames of a structure with its fields and with each other.
#include "record/rename_check.hpp"

#include <algorithm>
#include <string_view>

namespace hdb::detail::record {
namespace {

bool has_field(const Described& structure, std::string_view name) {
  return std::any_of(structure.children.begin(), structure.children.end(),
                     [&](const Described& child) { return child.field.name == name; });
}

std::string field_text(std::string_view name) { return "field '" + std::string(name) + "'"; }

std::string fault_of(const Described& structure, const Rename& rename) {
  const std::string_view old_name = rename.old_name;
  if (!has_field(structure, rename.new_name)) {
    return "hdb::Renames says that " + field_text(old_name) + " is now " +
           field_text(rename.new_name) + ", but the type has no field of that name";
  }
  if (has_field(structure, old_name)) {
    return "hdb::Renames says that " + field_text(old_name) + " is now " +
           field_text(rename.new_name) + ", but the type still has a field of the old name";
  }
  for (const Rename& other : structure.renames) {
    if (old_name != other.old_name || std::string_view(rename.new_name) == other.new_name) continue;
    return "hdb::Renames says that " + field_text(old_name) + " is now both " +
           field_text(rename.new_name) + " and " + field_text(other.new_name);
  }
  return {};
}

std::string fault_of(const Described& structure, const Retarget& retarget) {
  if (has_field(structure, retarget.field)) return {};
  return "hdb::Retargets names " + field_text(retarget.field) + ", which the type does not have";
}

std::optional<Error> find_fault(const Described& node, const std::string& path) {
  const auto fault = [&](std::string what) {
    return Error{ErrorCode::rename_conflict, std::move(what), kNoOffset,
                 path.empty() ? "the record" : field_text(path)};
  };
  for (const Rename& rename : node.renames) {
    if (std::string what = fault_of(node, rename); !what.empty()) return fault(std::move(what));
  }
  for (const Retarget& retarget : node.retargets) {
    if (std::string what = fault_of(node, retarget); !what.empty()) return fault(std::move(what));
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

}  // namespace hdb::detail::record
