// Matches the fields of two schemas by name.
#include "inspect/diff/schema_diff.hpp"

#include <algorithm>

#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/diff/value_diff.hpp"

namespace hdb::diffing {
namespace {

const Field* child_named(const Field& field, const std::string& name) {
  const auto at = std::find_if(field.children.begin(), field.children.end(),
                               [&](const Field& child) { return child.name == name; });
  return at == field.children.end() ? nullptr : &*at;
}

// What a type is besides its children: two fields that differ only here still differ.
std::string own_text(const Field& field) {
  std::string text;
  if (field.kind == FieldKind::structure && field.versioned)
    text = "version " + std::to_string(field.class_version);
  if (field.kind == FieldKind::structure && !field.versioned) text = "no version";
  if (field.kind == FieldKind::string)
    text = field.utf8_checked ? "string (UTF-8)" : "string (any bytes)";
  if (field.kind == FieldKind::enumeration) {
    const std::string names = enumerators_text(field);
    text = names.empty() ? "enum without names" : "enum {" + names + '}';
  }
  if (field.kind == FieldKind::array) text = "array of " + std::to_string(field.count);
  if (field.kind == FieldKind::handle) {
    text = type_text(field) + ' ' + layout_text(field.layout);
  }
  return text;
}

bool same_shape(const Field& a, const Field& b) {
  return a.kind == b.kind && a.children.size() == b.children.size();
}

class Comparer {
 public:
  void compare(const Field& a, const Field& b, const std::string& path) {
    if (a == b) return;
    if (a.kind != b.kind) {
      add('~', path, type_text(a), type_text(b));
      changes_.back().compared = are_comparable(a, b);
      return;
    }
    if (own_text(a) != own_text(b)) add('~', path, own_text(a), own_text(b));
    if (a.kind == FieldKind::structure) return compare_structures(a, b, path);
    if (!same_shape(a, b)) return add('~', path, type_text(a), type_text(b));
    for (std::size_t i = 0; i < a.children.size(); ++i) {
      compare(a.children[i], b.children[i], part_path(a, path, i));
    }
  }

  std::vector<SchemaChange> take() { return std::move(changes_); }

 private:
  void compare_structures(const Field& a, const Field& b, const std::string& path) {
    std::vector<std::string> common_of_a;
    std::vector<std::string> common_of_b;
    for (const Field& child : a.children) {
      const Field* const other = child_named(b, child.name);
      if (other == nullptr) {
        add('-', child_path(path, child.name), type_text(child), {});
      } else {
        common_of_a.push_back(child.name);
        compare(child, *other, child_path(path, child.name));
      }
    }
    for (const Field& child : b.children) {
      if (child_named(a, child.name) != nullptr) {
        common_of_b.push_back(child.name);
      } else {
        add('+', child_path(path, child.name), {}, type_text(child));
      }
    }
    if (common_of_a != common_of_b) add('~', path, "order of fields", "fields in another order");
  }

  void add(char mark, const std::string& path, std::string old_type, std::string new_type) {
    changes_.push_back({mark, path, std::move(old_type), std::move(new_type)});
  }

  std::vector<SchemaChange> changes_;
};

}  // namespace

std::vector<SchemaChange> schema_changes(const Field& a, const Field& b) {
  Comparer comparer;
  comparer.compare(a, b, {});
  return comparer.take();
}

}  // namespace hdb::diffing
