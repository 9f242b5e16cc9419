// The description of records and tables in a file: schemas (Field), columns (Column) and tables
// (TableDescriptor). Tools use it to read any file without the program's record types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/field.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

class ByteReader;
class ByteWriter;

/// The extension with this tag; null if there is none.
[[nodiscard]] HDB_INSPECT_API const Extension* find_extension(
    const std::vector<Extension>& extensions, std::uint8_t tag) noexcept;
/// Appends the bytes of the extensions; `hashed_only`: of those that are in the state hash.
HDB_INSPECT_API void write_extensions(const std::vector<Extension>& extensions, ByteWriter& out,
                                      bool hashed_only = false);
/// Whether a tag is one of those.
[[nodiscard]] HDB_INSPECT_API bool is_known(std::uint8_t tag,
                                            std::span<const std::uint8_t> known) noexcept;
/// Whether an extension is in the state hash.
[[nodiscard]] HDB_INSPECT_API bool has_hashed_extension(
    const std::vector<Extension>& extensions) noexcept;
/// Reads extensions and checks the rules of FORMAT.md. `known` are the tags that this version of
/// hdb knows; none has more than `max_bytes`.
/// Errors: `in` is failed afterwards; with unknown_feature if a critical extension is not known.
[[nodiscard]] HDB_INSPECT_API std::vector<Extension> read_extensions(
    ByteReader& in, std::span<const std::uint8_t> known,
    std::uint64_t max_bytes = format::kMaxExtensionBytes);
/// The extensions as text: "sort_work 0132", "extension 9 00ff", or "none".
[[nodiscard]] HDB_INSPECT_API std::string extensions_text(const std::vector<Extension>& extensions);

/// The size in bytes of one value in a column of values; 0 if values of the kind are not stored in
/// one column of fixed width.
[[nodiscard]] HDB_INSPECT_API unsigned fixed_width(const Field& field) noexcept;
/// The named values of an `enumeration`, in rising order of their numbers; empty if it names none,
/// or if check_schema would refuse the names.
[[nodiscard]] HDB_INSPECT_API std::vector<Enumerator> enumerators_of(const Field& field);
/// Names the values of an `enumeration`, in place of all earlier names; an empty list takes the
/// names away. Names and numbers must be unique, which check_schema checks.
/// Requires: the field has its child.
HDB_INSPECT_API void set_enumerators(Field& field, std::vector<Enumerator> enumerators);
/// The name of a number of an `enumeration`; empty if it has none. Valid while the field does not
/// change. Complexity: linear in the names.
[[nodiscard]] HDB_INSPECT_API std::string_view enumerator_name(const Field& field,
                                                               std::uint64_t bits) noexcept;
/// The named values of an `enumeration` as text: "calm 0, angry 1"; empty if it names none.
[[nodiscard]] HDB_INSPECT_API std::string enumerators_text(const Field& field);
/// A number of an enumeration over this integer as text: "-1".
[[nodiscard]] HDB_INSPECT_API std::string enumerator_number(std::uint64_t bits, FieldKind integer);

/// What the program that wrote the file calls the type of a field (FORMAT.md, "Names of types");
/// empty if it does not say. Valid while the field does not change.
[[nodiscard]] HDB_INSPECT_API std::string_view type_name_of(const Field& field) noexcept;
/// Gives the field a type name, in place of an earlier one; an empty name takes it away.
HDB_INSPECT_API void set_type_name(Field& field, std::string_view name);

/// Appends the canonical bytes of a schema (FORMAT.md, "Schema").
HDB_INSPECT_API void write_schema(const Field& root, ByteWriter& out);
/// Reads a schema that write_schema wrote, and checks all rules of FORMAT.md and the limits of
/// hdb/inspect/constants.hpp.
/// Errors: `in` is failed afterwards, and the returned field must not be used.
[[nodiscard]] HDB_INSPECT_API Field read_schema(ByteReader& in);
/// The hash128 of the canonical bytes of a schema. Equal schemas have equal fingerprints.
[[nodiscard]] HDB_INSPECT_API Hash128 schema_fingerprint(const Field& root);
/// Checks a schema that a program made: names, nesting, alternatives, sizes.
/// Errors: the first rule of FORMAT.md that the schema breaks.
[[nodiscard]] HDB_INSPECT_API Status check_schema(const Field& root);

/// One column of a schema. The columns of a field come before those of its children:
///
///     string, opaque     lengths, bytes
///     list               lengths, then the columns of the element
///     map                lengths, then the columns of key and value
///     optional           presence, then the columns of the value
///     variant            tags, then the columns of each alternative
///     structure, array   only the columns of the children
///     other kinds        values
struct Column {
  std::string path;  ///< "pos.x", "items[]", "items[].name", "tag<2>.x", "by_name[].key", "maybe?"
  ColumnRole role = ColumnRole::values;
  unsigned width = 0;  ///< `values`: bytes of one value.
  FieldKind kind =
      FieldKind::u8;  ///< Kind of the leaf (for an enumeration: of its underlying integer).
  const Field* field = nullptr;  ///< The field the column belongs to (lives as long as the schema).
};

/// The columns of a record schema in the order of the format.
/// Requires: `root` outlives the result, which points to fields of `root`.
///
/// Example:
/// @code
/// hdb::Field hp;
/// hp.kind = hdb::FieldKind::i32;
/// hp.name = "hp";
/// hdb::Field names;
/// names.kind = hdb::FieldKind::list;
/// names.name = "names";
/// names.children.resize(1);
/// names.children[0].kind = hdb::FieldKind::string;
/// hdb::Field root;  // a record type
/// root.children = {hp, names};
/// assert(hdb::check_schema(root) && hdb::type_text(names) == "list<string>");
/// assert(hdb::columns_of(root).size() == 4);  // hp; names: lengths; lengths and bytes of a name
/// @endcode
[[nodiscard]] HDB_INSPECT_API std::vector<Column> columns_of(const Field& root);

/// The size in bytes of the fixed-width data of one record: all elements of arrays, no elements of
/// lists, maps and strings.
[[nodiscard]] HDB_INSPECT_API std::uint64_t fixed_bytes(const Field& root) noexcept;

/// The description of one table (FORMAT.md, "Table descriptor").
struct TableDescriptor : SlotCounters {
  std::string name;                 ///< 1 to 255 bytes of UTF-8, unique in the file.
  std::uint16_t type_id = 0;        ///< 0: none.
  std::uint32_t schema = 0;         ///< Index into the file's schemas.
  TablePolicy policy;               ///< Storage, layout, free list, generations.
  bool singleton = false;           ///< At most one live record.
  Scope scope = Scope::full;        ///< In a file: full or unhashed.
  std::uint8_t group_shift = 14;    ///< A row group is 2^group_shift slots: 6 to 16, as the writer
                                    ///< of the file chose.
  std::optional<BlobPolicy> blobs;  ///< The buffer of a blob table.
  std::string owner;                ///< Component tables: the name of the owner. Else empty.
  std::uint64_t hole_count = 0;     ///< Component tables under Removal::in_place.
  std::uint32_t flush_cursor = 0;   ///< The slot at which the next flush starts.
  std::vector<Extension> extensions;  ///< kExtensionSortWork, and later ones.

  friend bool operator==(const TableDescriptor&, const TableDescriptor&) = default;

  /// Whether the state hash covers the table.
  [[nodiscard]] bool is_hashed() const noexcept { return scope == Scope::full; }
  /// The number of entries of the stored free list: none under FreeList::lowest, whose order
  /// follows from the states of the slots. In a component table these are the holes.
  [[nodiscard]] std::uint64_t listed_count() const noexcept {
    if (policy.is_component) return hole_count;
    return policy.free_list == FreeList::lowest ? 0 : free_count;
  }
  /// One past the highest position of a dense table.
  [[nodiscard]] std::uint64_t position_count() const noexcept { return live_count + hole_count; }
  /// The number of row groups.
  [[nodiscard]] std::uint64_t group_count() const noexcept {
    return (slot_count + (std::uint64_t{1} << group_shift) - 1) >> group_shift;
  }
  /// The first slot of row group `group`.
  [[nodiscard]] std::uint64_t group_begin(std::uint64_t group) const noexcept {
    return group << group_shift;
  }
  /// The slot after the last slot of row group `group`.
  [[nodiscard]] std::uint64_t group_end(std::uint64_t group) const noexcept {
    const std::uint64_t end = (group + 1) << group_shift;
    return end < slot_count ? end : slot_count;
  }
};

/// What a file holds of the database beside its tables (FORMAT.md, "Catalog").
struct DatabaseDescriptor {
  std::uint16_t highest_type_id = 0;  ///< Ever given to a table; above those of dropped tables too.
  std::vector<Extension> extensions = {};  ///< Of kKnownCatalogExtensions, and later ones.

  friend bool operator==(const DatabaseDescriptor&, const DatabaseDescriptor&) = default;
};

/// Handles that cannot be distinguished: they have one layout and one type id, or, where they carry
/// no type id, one layout and one name of their type.
struct HandleSpace {
  std::uint16_t type_id = 0;
  HandleLayout layout;
  /// TypeName of the tag; empty where handles carry a type id. Of a table whose type was not known:
  /// format::kTableNameMark and the name of the table.
  std::string type_name;

  /// By type id, layout, name.
  HDB_INSPECT_API friend bool operator<(const HandleSpace& a, const HandleSpace& b) noexcept;
};

/// A space as text: "handles of 'Unit' <32,31>", "type id 7 <32,16,15>". Not escaped.
[[nodiscard]] HDB_INSPECT_API std::string space_text(const HandleSpace& space);

/// What dropped tables issued of one space (FORMAT.md, "Handles of dropped tables").
struct DroppedHandles : HandleSpace {
  std::uint32_t highest = 0;  ///< No generation above it was issued.
  std::uint32_t floor = 0;    ///< Each generation that was issued is at most this, or in `slots`.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slots;  ///< Slot and generation, rising.
};

/// The list in the extension of this tag, one of kKnownCatalogExtensions; empty if there is none.
/// Requires: find_dropped_handles_fault found nothing.
[[nodiscard]] HDB_INSPECT_API std::vector<DroppedHandles> dropped_handles_of(
    const DatabaseDescriptor& database, std::uint8_t tag);
/// Adds the extension of this tag, unless the list is empty.
/// Requires: the spaces rise, and there is no extension of this or a higher tag.
HDB_INSPECT_API void add_dropped_handles(DatabaseDescriptor& database, std::uint8_t tag,
                                         const std::vector<DroppedHandles>& spaces);
/// Checks these extensions against the rules of FORMAT.md. Returns the fault as text; empty if
/// there is none.
[[nodiscard]] HDB_INSPECT_API std::string find_dropped_handles_fault(
    const DatabaseDescriptor& database);

/// The largest group shift that hdb chooses for tables of this schema: the largest for which the
/// fixed-width data of 2^shift records is at most 1 MiB, but at least kMinGroupShift and at most
/// kMaxGroupShift.
[[nodiscard]] HDB_INSPECT_API std::uint8_t group_shift_for(const Field& root) noexcept;
/// Whether values of a field can differ in size: strings, lists and the like, also inside of it.
[[nodiscard]] HDB_INSPECT_API bool varies_in_size(const Field& field) noexcept;

/// The fields that the rows of a table have before those of the record: "@name" if records have
/// names, "@offset" and "@bytes" in a blob table.
[[nodiscard]] HDB_INSPECT_API std::vector<Field> row_prefix(const TableDescriptor& table);
/// Checks that a table's schema begins with its row_prefix and that no other field name begins with
/// '@'. Returns the fault as text; empty if there is none.
[[nodiscard]] HDB_INSPECT_API std::string find_prefix_fault(const TableDescriptor& table,
                                                            const Field& root);

/// Checks a component table against its owner, which must be one of `sorted` (tables in ascending
/// order of names). Returns the fault as text; empty if there is none or `table` is another table.
[[nodiscard]] HDB_INSPECT_API std::string find_owner_fault(const TableDescriptor& table,
                                                           std::span<const TableDescriptor> sorted);

/// Checks a name of a table or field: 1 to 255 bytes of UTF-8 without control characters. Returns
/// the fault as text; empty if there is none.
[[nodiscard]] HDB_INSPECT_API std::string find_name_fault(std::string_view name);

/// Appends the canonical bytes of a descriptor (FORMAT.md, "Table descriptor").
HDB_INSPECT_API void write_table_descriptor(const TableDescriptor& table, ByteWriter& out);
/// Appends what the state hash covers of the end of a descriptor: names, blobs, flush cursor,
/// hashed extensions.
HDB_INSPECT_API void write_table_extras(const TableDescriptor& table, ByteWriter& out);
/// Reads and checks one descriptor.
/// Errors: `in` is failed afterwards, and the returned descriptor must not be used.
[[nodiscard]] HDB_INSPECT_API TableDescriptor read_table_descriptor(ByteReader& in);

// The names of enumerators, as tools print them.

/// "dense" or "stable".
[[nodiscard]] HDB_INSPECT_API std::string_view storage_name(Storage storage) noexcept;
/// "lifo", "fifo" or "lowest".
[[nodiscard]] HDB_INSPECT_API std::string_view free_list_name(FreeList free_list) noexcept;
/// "per_slot" or "table_counter".
[[nodiscard]] HDB_INSPECT_API std::string_view generations_name(Generations generations) noexcept;
/// "retire" or "wrap".
[[nodiscard]] HDB_INSPECT_API std::string_view overflow_name(Overflow overflow) noexcept;
/// "none", "exact" or "ignore_case".
[[nodiscard]] HDB_INSPECT_API std::string_view names_name(RecordNames names) noexcept;
/// "swap" or "in_place".
[[nodiscard]] HDB_INSPECT_API std::string_view removal_name(Removal removal) noexcept;
/// "at_release" or "on_demand".
[[nodiscard]] HDB_INSPECT_API std::string_view compaction_name(Compaction compaction) noexcept;
/// A blob policy as text: "65536 bytes aligned to 16, compacted at_release", or "none".
[[nodiscard]] HDB_INSPECT_API std::string blobs_text(const std::optional<BlobPolicy>& blobs);
/// The name of a slot state: "free", "live", "retired", "unissued".
[[nodiscard]] HDB_INSPECT_API std::string_view state_name(SlotState state) noexcept;
/// A layout as text: "<32,31>", or "<32,16,15>" with type ids.
[[nodiscard]] HDB_INSPECT_API std::string layout_text(const HandleLayout& layout);
/// The layout that layout_text writes as `text`; none if there is none.
[[nodiscard]] HDB_INSPECT_API std::optional<HandleLayout> layout_of_text(std::string_view text);

}  // namespace hdb
