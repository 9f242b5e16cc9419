// A field of a record as files describe it: what migrations and editors see without the program's
// record types. All that a file says of its records and tables is in hdb/inspect/schema.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The type of a field. The numbers are those of FORMAT.md, "Field types".
enum class FieldKind : std::uint8_t {
  boolean = 1,
  i8 = 2,
  i16 = 3,
  i32 = 4,
  i64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f32 = 10,
  f64 = 11,
  char8 = 12,        ///< One UTF-8 code unit.
  char16 = 13,       ///< One UTF-16 code unit.
  char32 = 14,       ///< One code point.
  enumeration = 15,  ///< One child: the underlying integer.
  handle = 16,       ///< Raw handle bits: 2, 4 or 8 bytes by layout.
  string = 17,       ///< Bytes with a length; UTF-8 when `utf8_checked`.
  structure = 18,    ///< Children in order.
  array = 19,        ///< `count` times the one child.
  list = 20,         ///< Any number of the one child.
  optional = 21,     ///< None or one of the one child.
  variant = 22,      ///< One of the children; a tag says which. At most 255.
  map = 23,          ///< Any number of pairs; two children: key, value.
  opaque = 24,       ///< Bytes with a length that only the program understands.
};

/// The word for a kind: "i32", "list", ...
[[nodiscard]] HDB_INSPECT_API std::string_view kind_name(FieldKind kind) noexcept;

/// A named value of an enumeration.
struct Enumerator {
  std::uint64_t bits = 0;  ///< The number as a column stores it, zero-extended.
  std::string name;

  friend bool operator==(const Enumerator&, const Enumerator&) = default;
};

/// A tagged addition at the end of a catalog, of a table descriptor, of a field or of a block head
/// (FORMAT.md, "Extensions").
struct Extension {
  std::uint8_t tag = 0;
  std::uint8_t flags = 0;  ///< format::kExtensionCritical and the like.
  Bytes bytes;

  friend bool operator==(const Extension&, const Extension&) = default;
};

/// One field of a schema with its children. The schema of a record type is a `structure` with an
/// empty name.
struct Field {
  FieldKind kind = FieldKind::structure;
  std::string name;  ///< Empty for elements of lists, arrays, optionals, maps and for the root.
  std::uint64_t count = 0;          ///< `array`: number of elements.
  std::uint32_t class_version = 0;  ///< `structure`: cereal's class version.
  bool versioned = false;           ///< `structure`: has a class version.
  bool utf8_checked = false;        ///< `string`: every value is well-formed UTF-8.
  HandleLayout layout;              ///< `handle`.
  bool strong = false;              ///< `handle`: owns what it names.
  std::string table;  ///< `handle`: the table it names; empty: by type id, or none bound.
  std::vector<Field> children;
  std::vector<Extension> extensions = {};  ///< Of kKnownFieldExtensions, and later ones.

  friend bool operator==(const Field&, const Field&) = default;
};

/// The type of a field as text: "list<f32>", "handle<weapons>", "map<string, i32>".
[[nodiscard]] HDB_INSPECT_API std::string type_text(const Field& field);

/// What one column of a row group holds.
enum class ColumnRole : std::uint8_t {
  values,   ///< Fixed-width values, little-endian.
  lengths,  ///< Shortest varints: sizes of strings, lists, maps.
  bytes,    ///< The bytes of strings and opaque values, one after another.
  /// Bit i (least significant first) says whether optional i holds a value; trailing bits are zero.
  presence,
  tags,  ///< One byte for each variant: the index of its alternative.
};

/// What a list does with equal elements, or a map with equal keys.
///
/// Example:
/// @code
/// hdb::KeyRule rule = hdb::KeyRule::distinct;  // of a std::set
/// assert(hdb::key_rule_name(rule) == "distinct");
/// rule = hdb::KeyRule::repeat;  // of a std::vector
/// assert(hdb::key_rule_name(rule) == "repeat");
/// @endcode
enum class KeyRule : std::uint8_t {
  unknown,   ///< A container that hdb does not know, or a container of a file.
  repeat,    ///< Holds all of them: std::vector, std::multimap.
  distinct,  ///< Holds one of equal values: std::set, std::map.
  compared,  ///< Holds one of those that a comparison of the program's own takes for equal.
};

/// "unknown", "repeat", "distinct", "compared".
[[nodiscard]] HDB_INSPECT_API std::string_view key_rule_name(KeyRule rule) noexcept;

}  // namespace hdb
