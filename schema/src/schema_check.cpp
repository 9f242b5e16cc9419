// Checks of a whole schema: names, nesting, counts of children, sizes.
#include "schema_check.hpp"

#include <algorithm>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

bool is_integer(FieldKind kind) noexcept { return kind >= FieldKind::i8 && kind <= FieldKind::u64; }

std::string find_type_name_fault(const Field& field, bool is_root) {
  const Extension* const name = find_extension(field.extensions, format::kExtensionTypeName);
  if (name == nullptr) return {};
  if (is_root) return "the root has a type name";
  if (name->flags != format::kExtensionSafeToCopy)
    return "its type name has flags " + std::to_string(name->flags);
  std::string fault = find_name_fault(type_name_of(field));
  return fault.empty() ? fault : "its type name: " + fault;
}

bool has_columns(const Field& field) noexcept {
  if (field.kind != FieldKind::structure) return true;
  return std::any_of(field.children.begin(), field.children.end(), has_columns);
}

class SchemaChecker {
 public:
  std::string run(const Field& root) {
    if (root.kind != FieldKind::structure) return "the root is not a struct";
    if (!root.name.empty()) return "the root has a name";
    visit(root, "", 1);
    if (fault_.empty() && fixed_bytes(root) > format::kMaxFixedRowBytes) {
      fault_ = "a record has more than " + std::to_string(format::kMaxFixedRowBytes) +
               " bytes of fixed-width data";
    }
    return fault_;
  }

 private:
  void fault(const std::string& path, const std::string& what) {
    if (fault_.empty())
      fault_ = (path.empty() ? "the record" : "field '" + path + "'") + ": " + what;
  }

  void visit(const Field& field, const std::string& path, std::size_t depth) {
    if (!fault_.empty()) return;
    if (depth > format::kMaxSchemaDepth) return fault(path, "the field is nested too deeply");
    if (++fields_ > format::kMaxSchemaFields) return fault(path, "the schema has too many fields");
    if (kind_name(field.kind) == "unknown") return fault(path, "the field type is unknown");
    check_attributes(field, path);
    check_children(field, path);
    if (!fault_.empty()) return;
    if (const std::string what = find_enumerators_fault(field); !what.empty())
      return fault(path, what);
    if (const std::string what = find_type_name_fault(field, depth == 1); !what.empty())
      return fault(path, what);
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      visit(field.children[i], child_path(field, i, path), depth + 1);
    }
  }

  static std::string child_path(const Field& field, std::size_t i, const std::string& path) {
    if (field.kind == FieldKind::structure) {
      return path.empty() ? field.children[i].name : path + "." + field.children[i].name;
    }
    if (field.kind == FieldKind::variant) return path + "<" + std::to_string(i) + ">";
    if (field.kind == FieldKind::map) return path + (i == 0 ? "[].key" : "[].value");
    return path + (field.kind == FieldKind::optional ? "?" : "[]");
  }

  // What only one kind may carry must be absent from all others, so that equal schemas have equal
  // bytes.
  void check_attributes(const Field& field, const std::string& path) {
    const FieldKind kind = field.kind;
    if (kind != FieldKind::structure && field.versioned) fault(path, "only a struct has a version");
    if (!field.versioned && field.class_version != 0)
      fault(path, "the field has a version without the flag for it");
    if (kind != FieldKind::string && field.utf8_checked)
      fault(path, "only a string can be marked as UTF-8");
    if (kind != FieldKind::array && field.count != 0) fault(path, "only an array has a count");
    if (kind == FieldKind::array && (field.count == 0 || field.count > format::kMaxArrayCount)) {
      fault(path, "an array cannot have " + std::to_string(field.count) + " elements");
    }
    if (kind == FieldKind::handle) {
      if (!field.layout.is_valid())
        fault(path, "handle layout " + layout_text(field.layout) + " is not possible");
      if (!field.table.empty()) {
        const std::string what = find_name_fault(field.table);
        if (!what.empty()) fault(path, "its table: " + what);
      }
    } else if (field.strong || !field.table.empty() || field.layout != HandleLayout{}) {
      fault(path, "only a handle has a layout and a table");
    }
  }

  void check_children(const Field& field, const std::string& path) {
    const std::size_t count = field.children.size();
    switch (field.kind) {
      case FieldKind::structure: return check_names(field, path);
      case FieldKind::variant:
        if (count == 0 || count > format::kMaxAlternatives) {
          fault(path, "a variant cannot have " + std::to_string(count) + " alternatives");
        }
        for (std::size_t i = 0; i < count; ++i) {
          if (field.children[i].name.empty()) continue;
          const std::string what = find_name_fault(field.children[i].name);
          if (!what.empty()) fault(path, "its alternative " + std::to_string(i) + ": " + what);
        }
        return;
      case FieldKind::enumeration:
        if (count != 1 || !is_integer(field.children.front().kind)) {
          return fault(path, "an enum needs one integer type");
        }
        break;
      case FieldKind::array:
      case FieldKind::list:
      case FieldKind::optional:
        if (count != 1) return fault(path, "needs one element type");
        break;
      case FieldKind::map:
        if (count != 2) return fault(path, "needs a key and a value type");
        break;
      default:
        if (count != 0) return fault(path, "cannot have children");
        return;
    }
    for (const Field& child : field.children) {
      if (!child.name.empty()) fault(path, "its element has a name");
    }
    // An element that costs no bytes would let a few bytes claim any number of elements.
    const bool repeats = field.kind == FieldKind::array || field.kind == FieldKind::list ||
                         field.kind == FieldKind::map;
    if (repeats && std::none_of(field.children.begin(), field.children.end(), has_columns)) {
      fault(path, "its elements have no content");
    }
  }

  void check_names(const Field& field, const std::string& path) {
    std::vector<std::string_view> names;
    names.reserve(field.children.size());
    for (const Field& child : field.children) {
      const std::string what = find_name_fault(child.name);
      if (!what.empty()) {
        const std::string number = std::to_string(names.size() + 1);
        return fault(path, "its field number " + number + ": " + what);
      }
      names.push_back(child.name);
    }
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin != names.end()) fault(path, "two fields are named '" + std::string(*twin) + "'");
  }

  std::string fault_;
  std::size_t fields_ = 0;
};

}  // namespace

std::string find_name_fault(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > format::kMaxNameBytes)
    return "the name is longer than " + std::to_string(format::kMaxNameBytes) + " bytes";
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  if (std::any_of(name.begin(), name.end(), is_control)) return "the name has a control character";
  if (!is_utf8(name)) return "the name is not UTF-8";
  return {};
}

std::string find_schema_fault(const Field& root) { return SchemaChecker().run(root); }

Status check_schema(const Field& root) {
  std::string fault = find_schema_fault(root);
  if (!fault.empty()) return fail(ErrorCode::refused_type, std::move(fault), "schema");
  return {};
}

}  // namespace hdb
