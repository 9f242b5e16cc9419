// What a program does not know of the stored records of a table, and where it belongs beside what
// the program knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail::evolve {

struct Plan;

/// How the canonical row bytes of a stored field become those of the merged one: its alternatives
/// and enumerators get other numbers. Nothing else differs.
struct KeptPatch {
  struct To {
    std::uint64_t number = 0;  ///< In the merged field.
    bool is_unknown = false;   ///< The program does not have it.
  };
  FieldKind kind = FieldKind::structure;
  unsigned width = 0;              ///< Of a scalar, in bytes.
  std::uint64_t count = 0;         ///< Of an array.
  std::map<std::uint64_t, To> to;  ///< `variant`, `enumeration`: what changes or is unknown.
  std::set<std::uint64_t> named;   ///< `enumeration`: the numbers with names in the merged field.
  std::vector<KeptPatch> children;

  /// What a value has in it.
  struct Found {
    bool unknown = false;  ///< Something that the program does not have.
    /// A number without a name in the file that has one in the merged field.
    bool unnamed = false;
    bool reserved = false;  ///< Such a number, and the name is one that the program does not have.
  };
  /// Changes the value that begins at `at`, and returns its end.
  /// Requires: the value has passed the grammar.
  HDB_INSPECT_API std::byte* apply(std::byte* at, const std::byte* end, Found& found) const;
};

/// A field of the rows that hold both the program's values and those kept from a file. The children
/// of a structure are in the order of the file as far as the program's order allows.
struct KeptNode {
  enum class From : std::uint8_t {
    program,  ///< All of it is the program's.
    file,     ///< The program does not know it.
    both,     ///< The program knows it, but not all that is in it.
    /// The program knows it, but not all alternatives and enumerators in it. A value with an
    /// unknown one is kept whole, until the program changes its own in that place.
    whole,
  };
  From from = From::program;
  FieldKind kind = FieldKind::structure;
  /// `file`, and `is_same`: the stored field.
  Field field;
  /// `program`: its values have the same bytes in the file.
  bool is_same = false;
  KeptPatch patch;  ///< `whole`: of the stored field.
  Field own_field;  ///< `whole`: the program's, and ...
  Field merged;     ///< ... with the unknown alternatives and enumerators.
  std::vector<std::uint32_t> unknown_columns;  ///< `whole`: the first stored column of each...
  std::vector<Field> unknown_fields;           ///< ... unknown alternative.
  std::uint32_t child = 0;          ///< Unless `file`: its index among the program's children.
  std::uint32_t own_column = 0;     ///< The first column of the program's field.
  std::uint32_t own_columns = 0;    ///< `program`: how many it has.
  std::uint32_t stored_column = 0;  ///< The first column of the stored field.
  std::uint64_t own_count = 0;      ///< `both`, array: elements in the program.
  std::uint64_t stored_count = 0;   ///< `both`, array: elements in the file.
  /// `both`, array: the file has more elements than the program, and they are kept.
  bool keeps_tail = false;
  bool versioned = false;           ///< `both`, structure: has a class version.
  std::uint32_t class_version = 0;  ///< `both`, structure: the higher one of the two.
  std::vector<KeptNode> children;
};

/// A record with kept fields.
struct KeptLayout {
  KeptNode root;                   ///< From::both.
  std::uint32_t own_columns = 0;   ///< Of the program's record.
  std::vector<std::string> paths;  ///< Of the kept fields, as LoadChange::field has them.
  /// Nodes of the stored plan whose unknown values are kept.
  std::vector<std::uint32_t> unknown_nodes;
};

/// What is to be kept of records with the schema `stored`; none if the program knows all of it.
/// `matched` is the plan of that schema after compare_plans with `own`.
///
/// Unknown alternatives and enumerators are kept in fields that are in no container and differ from
/// the file in nothing else; lists, maps and optionals with such values are kept whole.
///
/// Not kept: fields of structures of an older class version, which the program's code migrates;
/// fields below a value that changes its kind; fields of keys, and of maps whose keys are
/// converted.
[[nodiscard]] HDB_INSPECT_API std::optional<KeptLayout> find_kept(const Plan& own,
                                                                  const Plan& matched,
                                                                  const Field& stored);

/// The schema of the rows. `own` is the program's.
[[nodiscard]] HDB_INSPECT_API Field merged_field(const Field& own, const KeptNode& node);

}  // namespace hdb::detail::evolve
