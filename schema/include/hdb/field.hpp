// The description of a record: a tree of fields, shared by writer, reader and tools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/bytes.hpp"
#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/policy.hpp"

namespace hdb {

/// What a field holds. Numbers are those of the format (FORMAT.md, "Field types").
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
  handle = 16,       ///< Raw handle bits, 4 or 8 bytes by layout.
  string = 17,       ///< Bytes with a length; UTF-8 when `utf8_checked`.
  structure = 18,    ///< Children in order.
  array = 19,        ///< `count` times the one child.
  list = 20,         ///< Any number of the one child.
  optional = 21,     ///< None or one of the one child.
  variant = 22,      ///< One of the children, told by a tag (at most 255 alternatives).
  map = 23,          ///< Any number of pairs; two children: key, value.
  opaque = 24,       ///< Bytes with a length that only the program understands.
};

/// One node of a schema. A record's schema is a `structure` node with an empty name.
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

  friend bool operator==(const Field&, const Field&) = default;
};

/// Bytes of one value in a column of values, or 0 when the kind has no fixed width of its own.
[[nodiscard]] unsigned fixed_width(const Field& field) noexcept;
/// The glossary's word for a kind: "i32", "list", ...
[[nodiscard]] std::string_view kind_name(FieldKind kind) noexcept;
/// A one-line type: "list<f32>", "handle<weapons>", "map<string, i32>".
[[nodiscard]] std::string type_text(const Field& field);

/// Appends the canonical bytes of a schema (FORMAT.md, "Schema").
void write_schema(const Field& root, ByteWriter& out);
/// Reads what write_schema wrote, within the limits of constants.hpp; checks every rule of FORMAT.md.
/// Errors: the reader's failure is set, and the returned field is not to be used.
[[nodiscard]] Field read_schema(ByteReader& in);
/// XXH3-128 of the canonical bytes.
[[nodiscard]] Hash128 schema_fingerprint(const Field& root);
/// Checks a schema made by a program (names present and unique, nesting, alternatives, sizes).
[[nodiscard]] Status check_schema(const Field& root);

/// What a column of a row group holds.
enum class ColumnRole : std::uint8_t {
  values,   ///< Fixed-width values, little-endian.
  lengths,  ///< Shortest varints: sizes of strings, lists, maps.
  bytes,    ///< The bytes of strings and opaque values, one after another.
  presence,  ///< Bit i (least significant first) tells whether optional i holds a value; trailing bits zero.
  tags,  ///< One byte a variant: the index of its alternative.
};

/// One column of a schema. Columns stand in pre-order of the tree: string and opaque give (lengths, bytes); list
/// gives lengths and then its child's; map lengths, key's, value's; optional presence and its child's; variant
/// tags and each alternative's; structure and array their children's; everything else one column of values.
struct Column {
  std::string path;  ///< "pos.x", "items[]", "items[].name", "tag<2>.x", "by_name[].key", "maybe?"
  ColumnRole role = ColumnRole::values;
  unsigned width = 0;  ///< `values`: bytes of one value.
  FieldKind kind =
      FieldKind::u8;  ///< Kind of the leaf (for an enumeration: of its underlying integer).
  const Field* field = nullptr;  ///< The field the column belongs to (lives as long as the schema).
};

/// The columns of a record schema in the order of the format.
/// Invalidates: the pointers in the result die with `root`.
[[nodiscard]] std::vector<Column> columns_of(const Field& root);

/// Bytes of fixed-width data of one record (for arrays: all elements; lists, strings count 0).
[[nodiscard]] std::uint64_t fixed_bytes(const Field& root) noexcept;

}  // namespace hdb
