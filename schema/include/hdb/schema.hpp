// The description of records and tables in a file: fields, columns, table descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/table_options.hpp"

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
/// Reads what write_schema wrote, within the limits of constants.hpp; checks every rule of
/// FORMAT.md.
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
  /// Bit i (least significant first) says whether optional i holds a value; trailing bits are zero.
  presence,
  tags,  ///< One byte a variant: the index of its alternative.
};

/// One column of a schema. Columns stand in pre-order of the tree: string and opaque give (lengths,
/// bytes); list gives lengths and then its child's; map lengths, key's, value's; optional presence
/// and its child's; variant tags and each alternative's; structure and array their children's;
/// everything else one column of values.
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

/// What the file says of one table (FORMAT.md, "Table descriptor").
struct TableDescriptor {
  std::string name;           ///< 1 to 255 bytes of UTF-8, unique in the file.
  std::uint16_t type_id = 0;  ///< 0: none.
  std::uint32_t schema = 0;   ///< Index into the file's schemas.
  TablePolicy policy;         ///< Storage, layout, free list, generations.
  bool singleton = false;     ///< At most one live record.
  Scope scope = Scope::full;  ///< In a file: full or unhashed.
  std::uint8_t group_shift =
      14;  ///< A row group is 2^group_shift slots; computed from the schema alone.
  std::uint64_t slot_count = 0;
  std::uint64_t live_count = 0;
  std::uint64_t retired_count = 0;
  std::uint64_t free_count = 0;  ///< slot_count = live + retired + free.
  /// Table counter: the last generation that the counter issued. Per slot: a lower bound; every
  /// generation that the table issues, for free and for new slots, is above it.
  std::uint32_t counter = 0;
  std::uint32_t highest_generation = 0;  ///< The highest generation ever issued.
  std::optional<BlobPolicy> blobs;       ///< A blob table's buffer.
  std::uint32_t flush_cursor = 0;        ///< The slot at which the next flush goes on.
  std::vector<std::uint64_t>
      sort_work;  ///< Where an unfinished sort stands; empty: nothing is known.

  friend bool operator==(const TableDescriptor&, const TableDescriptor&) = default;

  /// Whether the state hash has the table in it.
  [[nodiscard]] bool is_hashed() const noexcept { return scope == Scope::full; }
  /// Number of row groups.
  [[nodiscard]] std::uint64_t group_count() const noexcept {
    return (slot_count + (std::uint64_t{1} << group_shift) - 1) >> group_shift;
  }
  /// First slot of group `group`.
  [[nodiscard]] std::uint64_t group_begin(std::uint64_t group) const noexcept {
    return group << group_shift;
  }
  /// One past the last slot of group `group`.
  [[nodiscard]] std::uint64_t group_end(std::uint64_t group) const noexcept {
    const std::uint64_t end = (group + 1) << group_shift;
    return end < slot_count ? end : slot_count;
  }
};

/// The group shift of a schema: the largest power of two of slots whose fixed-width data is at most
/// 1 MiB, between 2^kMinGroupShift and 2^kMaxGroupShift.
[[nodiscard]] std::uint8_t group_shift_for(const Field& root) noexcept;

/// The fields that rows of such a table hold before those of the record: "@name", "@offset",
/// "@bytes".
[[nodiscard]] std::vector<Field> row_prefix(const TableDescriptor& table);
/// What contradicts the rule that a table's schema begins with its row_prefix, and no other name
/// with '@'; empty: none.
[[nodiscard]] std::string find_prefix_fault(const TableDescriptor& table, const Field& root);

/// Appends the canonical bytes of a descriptor.
void write_table_descriptor(const TableDescriptor& table, ByteWriter& out);
/// The part of them that the state hash takes as it is: names, blobs, flush cursor, sort work.
void write_table_extras(const TableDescriptor& table, ByteWriter& out);
/// Reads and checks one descriptor; the reader's failure is set when a rule is broken.
[[nodiscard]] TableDescriptor read_table_descriptor(ByteReader& in);

[[nodiscard]] std::string_view storage_name(Storage storage) noexcept;
[[nodiscard]] std::string_view free_list_name(FreeList free_list) noexcept;
[[nodiscard]] std::string_view generations_name(Generations generations) noexcept;
[[nodiscard]] std::string_view overflow_name(Overflow overflow) noexcept;
[[nodiscard]] std::string_view names_name(Names names) noexcept;
[[nodiscard]] std::string_view compaction_name(Compaction compaction) noexcept;
/// "65536 bytes aligned to 16, compacted at_release", or "none".
[[nodiscard]] std::string blobs_text(const std::optional<BlobPolicy>& blobs);
/// The numbers, or "none".
[[nodiscard]] std::string sort_text(const std::vector<std::uint64_t>& sort_work);
[[nodiscard]] std::string_view state_name(SlotState state) noexcept;
/// "<32,31>", or "<32,16,15>" with a type id.
[[nodiscard]] std::string layout_text(const HandleLayout& layout);
/// The layout that layout_text() writes so; none when the text is not the one of a valid layout.
[[nodiscard]] std::optional<HandleLayout> layout_of_text(std::string_view text);

}  // namespace hdb
