// From a stored row to a DynamicValue.
#pragma once

#include <memory>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The kind of the bits of a number or an enumeration.
[[nodiscard]] inline FieldKind leaf_of(const Field& field) noexcept {
  return field.kind == FieldKind::enumeration ? field.children.front().kind : field.kind;
}

/// Makes values of rows that own their content.
class RecordLoader {
 public:
  /// Requires: `stored` outlives the loader.
  explicit RecordLoader(const Field& stored) : root_(node_of(stored)) {}
  /// Makes `record` the value of `row`, whatever it was. Reuses its memory.
  void load(const Value& row, DynamicValue& record) const { load(root_, row, record); }

 private:
  struct Node {
    std::shared_ptr<const DynamicValue> element;                 // of a packed list
    std::shared_ptr<const std::vector<Enumerator>> enumerators;  // of an enumeration with names
    std::shared_ptr<const Field> stored;                         // what the value keeps of it
    std::vector<Node> children;
  };
  HDB_INSPECT_API static Node node_of(const Field& field);
  HDB_INSPECT_API static void load(const Node& node, const Value& from, DynamicValue& to);

  Node root_;
};

}  // namespace hdb
