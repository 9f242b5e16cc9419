// LoadChange and PolicyChange: what a load did with one field, or with one option of a table, that
// differs between an old file and the program.
#pragma once

#include <cstdint>
#include <string>

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// What a load does with a stored value that the program does not have: an enumerator whose name it
/// does not know (EnumNames), or an alternative that its variant does not have. Such values come
/// from a mod that was removed, or from a newer build.
enum class UnknownValue : std::uint8_t {
  refuse,  ///< The load fails with value_out_of_range.
  /// As if the file lacked the value; in an optional, a list, a variant or the value of a map it is
  /// number 0. A set or map loses an element or key of it.
  use_default,
  drop_record,  ///< The record is erased, with its components; its handles become stale.
};

/// One difference between the stored fields of a table and the program's.
///
/// Example:
/// @code
/// hdb::LoadChange change;  // as LoadReport holds them
/// change.kind = hdb::LoadChange::Kind::converted;
/// change.field = "hp";
/// change.from = "i16";
/// change.to = "i32";
/// change.count = 120;
/// assert(hdb::to_text(change) == "hp converted from i16 to i32 (x120)");
/// @endcode
struct LoadChange {
  enum class Kind : std::uint8_t {
    /// The file lacks the field, or single values of it: the values of a freshly made record stay.
    defaulted,
    /// The program lacks the field, or its array is shorter: stored values were skipped.
    dropped,
    /// The program's type differs: every value was kept.
    converted,
    /// The field was found by a name that hdb::Renames declares.
    renamed,
    /// Values of an enum kept their names (hdb::EnumNames) and have other numbers now. Only these
    /// values are counted.
    renumbered,
    /// As dropped, but the stored values are kept, and saved again (LoadOptions::keep_unknown).
    kept,
    /// Handles became null, because they name no record and do not fit the layout that their table
    /// has in the program. Only these handles are counted.
    cleared,
    /// Elements of a set or entries of a map that were dropped: a handle in their key became null,
    /// which made the key equal to an earlier one. The first one stays.
    merged,
    /// Values that the program does not have got the value of a freshly made record, or their
    /// records were dropped (LoadOptions::unknown_values). With keep_unknown they are kept instead.
    unknown,
    /// A structure or the record (`field` is empty) had a lower class version, but no migration is
    /// declared and no `serialize` reads the version: the fields were matched as they are.
    unmigrated,
  };
  Kind kind = Kind::defaulted;
  /// The path in the program: "parts[].hp". Of a dropped, kept or merged field: the path in the
  /// file.
  std::string field;
  /// converted: the stored type. renamed: the stored path. unmigrated: the stored version.
  std::string from;
  std::string to;  ///< converted: the program's type. unmigrated: its version. Else empty.
  /// How many values, in all records. Of a field in a nested structure or a container, all of them
  /// count. For arrays of other lengths, the elements.
  std::uint64_t count = 0;

  friend bool operator==(const LoadChange&, const LoadChange&) = default;
};

/// The change as text: "mana defaulted (x120)", "hp converted from i16 to i32 (x120)", "hp renamed
/// from health (x120)", "mood renumbered (x120)", "xp kept (x120)", "target cleared (x2)", "grudges
/// merged (x3)", "record not migrated from version 0 to 1 (x120)".
[[nodiscard]] HDB_INSPECT_API std::string to_text(const LoadChange& change);

/// One difference between the stored options of a table and the program's. Handles stay valid over
/// such a change (lib/docs/guide/06-old-saves.md).
struct PolicyChange {
  enum class Kind : std::uint8_t {
    layout,
    storage,
    free_list,
    generations,
    overflow,
    names,
    removal,
  };
  Kind kind = Kind::layout;
  std::string from;  ///< In the file: "lifo", "dense", "<16,16>".
  std::string to;    ///< In the program.

  friend bool operator==(const PolicyChange&, const PolicyChange&) = default;
};

/// The change as text: "free list lifo -> fifo", "handles <16,16> -> <32,31>".
[[nodiscard]] HDB_INSPECT_API std::string to_text(const PolicyChange& change);

}  // namespace hdb
