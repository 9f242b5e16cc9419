// A schema compiled for archives: the nodes of the tree in pre-order, in one array, each with its
// columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/handle.hpp"
#include "hdb/record_traits.hpp"
#include "hdb/schema.hpp"

namespace hdb::detail::record {

/// A field as discovery saw it: the schema node and what only the program knows of it.
struct Described {
  Field field;                  ///< Its `children` stay empty; they are below.
  HandleKey handle_key;         ///< `handle`: names the table.
  std::vector<Rename> renames;  ///< `structure`: declared old names.
  std::vector<Described> children;
};

/// One node. An enumeration and its underlying integer are one node.
struct PlanNode {
  std::string name;
  std::uint32_t end = 0;     ///< Index after the last node of the subtree.
  std::uint32_t column = 0;  ///< The node's first column.
  FieldKind kind = FieldKind::structure;
  FieldKind leaf =
      FieldKind::structure;  ///< The kind of the stored number (enumeration: the underlying one).
  std::uint8_t width = 0;    ///< Bytes of one value; 0 when not of fixed width.
  bool utf8_checked = false;
  bool versioned = false;
  bool strong = false;
  bool takes_unnamed = false;  ///< An element, or a field without a name.
  HandleKey handle_key;        ///< `handle`: which handles it holds; set by add_program_side.
  HandleLayout layout;
  bool must_be_read =
      false;  ///< Stored plans: the program saves this field too, so load must read it.
  bool is_strict = false;  ///< Stored plans, `structure`: load may read these fields and `missing`.
  std::uint32_t class_version = 0;
  std::int32_t unnamed_index = -1;  ///< k of a name "#k", else -1.
  std::uint64_t count = 0;          ///< `array`.
  std::string
      old_name;      ///< A stored field that was matched through a rename: what the file calls it.
  std::string path;  ///< "items[].name"
  std::string table;
  std::vector<std::uint32_t> children;
  std::vector<Rename> renames;
  std::vector<std::string>
      missing;  ///< Stored plans, `structure`: the program's fields that the file lacks.

  /// Whether the user's code means this field by `text`. Only characters count, never where they
  /// are: names may be put together in one buffer after the other, so an address says nothing, not
  /// even an address that was compared before.
  [[nodiscard]] bool is_called(const char* text) const noexcept {
    const char* const own = name.data();
    const std::size_t size = name.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (text[i] != own[i]) return false;  // also where `text` ends first
    }
    return text[size] == '\0';
  }
};

/// One column of a plan, in the order of columns_of.
struct PlanColumn {
  ColumnRole role = ColumnRole::values;
  std::uint32_t node = 0;
  unsigned width = 0;
  FieldKind leaf = FieldKind::u8;
};

struct Plan {
  std::vector<PlanNode> nodes;
  std::vector<PlanColumn> columns;
};

/// Compiles a schema.
[[nodiscard]] Plan plan_of(const Field& root);
/// Copies renames and handle keys from what was described into the plan of the same schema.
void add_program_side(Plan& plan, const Described& root);
/// The schema alone.
[[nodiscard]] Field field_of(const Described& root);

/// What matching a stored schema with the program's found.
struct Match {
  std::vector<std::string> missing_fields;
  std::vector<std::string> unknown_fields;
};

/// The field whose subtree begins at node `index`; table names are kept, traits of the program are
/// not.
[[nodiscard]] Field field_of(const Plan& plan, std::uint32_t index);

/// Matches by names. Renamed fields of `stored` get the program's name. Structures of the same
/// class version on both sides become strict: their load must read every matched field, and nothing
/// but those and the missing ones. Inside a structure of another version the program's code
/// migrates as it likes.
/// Errors: type_mismatch, layout_mismatch, with the field's path.
[[nodiscard]] Result<Match> match_plans(const Plan& own, Plan& stored);

}  // namespace hdb::detail::record
