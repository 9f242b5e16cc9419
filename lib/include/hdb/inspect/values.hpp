// Value: one value of a record of any schema. RowDecoder reads values from row groups; value_text
// and value_json print them. For tools that show records of any file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/format/columns/row_node.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// One value of a record, of any kind. Valid while its schema exists and until the columns that it
/// was read from change.
struct Value {
  const Field* field = nullptr;
  /// Scalar, enumeration, handle: the stored bits, zero-extended. Optional: 1 if it has a value,
  /// else 0. Variant: the index of its alternative. List, array: the number of elements. Map: the
  /// number of pairs.
  std::uint64_t bits = 0;
  /// String, opaque: the content. List or array of elements of fixed width: the elements, one after
  /// another.
  std::span<const std::byte> bytes;
  /// Structure: the fields that were requested. List, array: the elements, unless they are in
  /// `bytes`. Map: key, value, key, value, ... Optional, variant: the value, if there is one and it
  /// was requested.
  std::vector<Value> children;

  /// `bytes` as text.
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// Whether the elements of a list or array are in `bytes`.
  [[nodiscard]] HDB_INSPECT_API bool is_packed() const noexcept;
  /// Element `index` of a list or array, packed or not.
  /// Requires: index < bits, and the elements were requested.
  [[nodiscard]] HDB_INSPECT_API Value element(std::uint64_t index) const;
  /// The field of a structure with this name; null if there is none or it was not requested.
  [[nodiscard]] HDB_INSPECT_API const Value* child(std::string_view name) const noexcept;
};

/// The signed number that `bits` are in an integer or enumeration field.
[[nodiscard]] HDB_INSPECT_API std::int64_t signed_bits(const Field& field,
                                                       std::uint64_t bits) noexcept;
/// Whether the field is a signed integer, or an enumeration over one.
[[nodiscard]] HDB_INSPECT_API bool is_signed(const Field& field) noexcept;

/// A field of a schema and its columns, which are [first_column, first_column + column_count) of
/// columns_of(root).
struct FieldPlace {
  const Field* field = nullptr;
  std::uint32_t first_column = 0;
  std::uint32_t column_count = 0;
};

/// Finds a field by its path: "pos.x", "items[].name" or "items[3].name", "by_name[].key",
/// "by_name['imp']" (the value of a key, with the quotes of filters), "tag<2>.x", "maybe?.x" (the
/// "?" is optional). An empty path is the whole record.
/// Errors: not_found, also for the name of an enumerator; type_mismatch for a key of another type;
/// the text names the part of the path that does not exist.
[[nodiscard]] HDB_INSPECT_API Result<FieldPlace> find_field(const Field& root,
                                                            std::string_view path);
/// Finds a value in a record by its path. Elements need an index: "items[3].name". Of equal keys of
/// a map the first one is meant.
/// Errors: as find_field; not_found also if the record does not have the element, key, alternative
/// or optional value.
[[nodiscard]] HDB_INSPECT_API Result<Value> find_value(const Value& record, std::string_view path);
/// Puts another value in the place of one, which is found as by find_value. `memory` takes the
/// elements of a packed list of which one is replaced; `record` refers to it and to what `with`
/// refers to.
/// Requires: `with` is a value of the kind of the field. Errors: as find_value; `record` is as it
/// was.
[[nodiscard]] HDB_INSPECT_API Status replace_value(Value& record, std::string_view path,
                                                   const Value& with, Bytes& memory);

/// Reads the records of row groups of one table, one after another. Safe for columns of any
/// content.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const auto& tables = (*reader)->tables();  // 1 is "monsters"
/// hdb::RowGroup group;
/// if (!(*reader)->read_group(1, 0, group)) return;
/// hdb::RowDecoder decoder((*reader)->schemas()[tables[1].schema]);
/// decoder.begin(group.columns);
/// hdb::Value first;  // monsters:0@1
/// if (!decoder.next(first)) return;
/// const auto y = hdb::find_value(first, "pos.y");
/// assert(y && hdb::value_text(*y, hdb::HandleNamer(tables)) == "128.5");
/// @endcode
//
//   RV1 Nothing beyond a column is read, whatever the columns hold.
//   RV2 Memory for a row is bounded by `max_values`, and grows only as bytes of the columns are
//       used up.
class HDB_INSPECT_API RowDecoder {
 public:
  /// The default limit of values in one record.
  static constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 21;

  /// Reads whole records of at most `max_values` values. Requires: `root` outlives the decoder and
  /// the values.
  explicit RowDecoder(const Field& root, std::uint64_t max_values = kMaxValues);
  /// Reads only the fields that have any of these columns, which are indices into columns_of(root).
  /// Reads such a field as a whole.
  RowDecoder(const Field& root, std::span<const std::uint32_t> columns,
             std::uint64_t max_values = kMaxValues);

  /// The columns that `begin` needs, in ascending order: the requested columns, and the lengths,
  /// presence and tags that are necessary to find their values.
  [[nodiscard]] const std::vector<std::uint32_t>& needed_columns() const noexcept {
    return needed_;
  }

  /// Starts at the first record of a row group. Columns that are not needed may be empty.
  /// Requires: `columns` outlive the values read.
  void begin(std::span<const Bytes> columns);
  /// Reads the next record into `row`, whose memory is reused.
  /// Errors: bad_lengths or bad_value if a column ends early or is malformed; memory_budget if the
  /// record has too many values.
  [[nodiscard]] Status next(Value& row);
  /// Checks that all bytes of the needed columns were read. Errors: bad_lengths.
  [[nodiscard]] Status finish();

 private:
  using Node = detail::RowNode;
  struct Cursor {
    std::span<const std::byte> bytes;
    std::size_t position = 0;  // presence: of the next bit, else of the next byte
  };

  static bool want(Node& node, const std::vector<bool>& asked, bool all);
  void collect_needed(const Node& node);

  void read(const Node& node, Value& out);
  void read_elements(const Node& node, std::uint64_t count, Value& out);
  [[nodiscard]] std::span<const std::byte> take(std::uint32_t column, std::uint64_t size);
  [[nodiscard]] std::uint64_t take_length(std::uint32_t column);
  [[nodiscard]] bool take_bit(std::uint32_t column);
  bool charge(std::uint64_t values);
  void fault(ErrorCode code, std::uint32_t column, std::string what);

  Node root_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> needed_;
  std::vector<Cursor> cursors_;
  std::uint64_t max_values_;
  std::uint64_t values_ = 0;  // of the present row
  bool failed_ = false;
  Error error_;
};

/// For value_text and value_json: values of any size are shown whole.
inline constexpr std::uint64_t kWholeValues = ~std::uint64_t{0};

/// The value in one line, safe to print: `-3`, `128.5`, `"imp"`, `monsters:77@2`, `[1, 2]`,
/// `{x: 1, y: 2}`, `none`. Of a value that certainly needs more than `max_bytes` bytes only the
/// begin is shown, and its size and a hash of it:
/// `[0, 0, 0] ... 60000000 elements, hash 0123456789abcdef`.
/// Complexity: linear in the size of the value; memory: in `max_bytes`.
[[nodiscard]] HDB_INSPECT_API std::string value_text(const Value& value, const HandleNamer& namer,
                                                     std::uint64_t max_bytes = kWholeValues);
/// The value as JSON. A structure is an object, a list an array, a map an array of {"key",
/// "value"}, an optional its value or null, a variant {"tag", "value"}, an opaque value {"hex"}. A
/// value that certainly needs more than `max_bytes` bytes is {"cut"}, with its value_text.
[[nodiscard]] HDB_INSPECT_API std::string value_json(const Value& value, const HandleNamer& namer,
                                                     std::uint64_t max_bytes = kWholeValues);
/// Writes values as JSON, one after another. Keeps the names of fields between them, so that many
/// records are written fast.
class HDB_INSPECT_API JsonValueWriter {
 public:
  enum class Form : std::uint8_t {
    plain,  ///< As value_json: for people and other programs.
    exact,  ///< An optional is an array, so that its value may be null too.
    /// As plain, but an optional that holds a null handle or another optional is an array of it.
    /// LiveTable::get_json writes this form.
    distinct,
  };
  /// `spill` is called in the middle of a value of more than 8 MiB of text; it may take the text
  /// that was written so far. Requires: schemas of the values outlive the writer.
  explicit JsonValueWriter(const HandleNamer& namer, Form form = Form::plain,
                           std::function<void()> spill = {})
      : namer_(namer), form_(form), spill_(std::move(spill)) {}

  /// Appends the JSON of `value` to `out`.
  void append(const Value& value, std::string& out);
  /// The number of JSON values written since the last call.
  [[nodiscard]] std::uint64_t take_count() noexcept { return std::exchange(count_, 0); }

 private:
  void append_scalar(const Field& field, std::uint64_t bits, std::string& out);
  void append_elements(const Value& value, std::string& out);
  void append_optional(const Value& value, std::string& out);
  void append_string(std::string_view text, std::string& out);
  void append_hex(std::span<const std::byte> bytes, std::string& out);
  void append_fields(const Value& value, std::string& out);

  void spill_if_large(const std::string& out) const {
    if (spill_ && out.size() > kSpillBytes) spill_();
  }

  static constexpr std::size_t kSpillBytes = std::size_t{8} << 20;
  HandleNamer namer_;
  Form form_;
  std::function<void()> spill_;
  std::unordered_map<const Field*, std::string> names_;  // "\"hp\":", made once
  std::uint64_t count_ = 0;
};
/// The shortest text that reads back as the float or double with these bits: "128.5", "Infinity",
/// "NaN"; "NaN(0x...)" for a NaN with other bits than the usual ones.
[[nodiscard]] HDB_INSPECT_API std::string float_text(FieldKind kind, std::uint64_t bits);
/// The number with these float or double bits.
[[nodiscard]] HDB_INSPECT_API double float_value(FieldKind kind, std::uint64_t bits) noexcept;

/// The path of a field in a structure: "pos" and "x" make "pos.x". Escapes `name`.
[[nodiscard]] HDB_INSPECT_API std::string child_path(const std::string& path,
                                                     std::string_view name);

/// The path of an element: "items" and 3 make "items[3]".
[[nodiscard]] HDB_INSPECT_API std::string element_path(const std::string& path,
                                                       std::uint64_t index);
/// The path of an alternative: "tag" and 2 make "tag<2>".
[[nodiscard]] HDB_INSPECT_API std::string variant_path(const std::string& path, std::uint64_t tag);
/// The path of child `i` of a field: "pos.x", "items[]", "by_name[].key", "tag<2>", "maybe?". The
/// integer of an enumeration has the path of its field.
[[nodiscard]] HDB_INSPECT_API std::string part_path(const Field& field, const std::string& path,
                                                    std::size_t i);

/// Calls `leaf` with each value that a tool shows on a line of its own, and its path, in the order
/// of the schema. `path` is the path of `value`. A list of simple values is one leaf.
HDB_INSPECT_API void for_each_leaf(
    const Value& value, const std::string& path,
    const std::function<void(const std::string& path, const Value& leaf)>& leaf);

/// The state and generation of one slot.
struct SlotFacts {
  SlotState state = SlotState::free;
  std::uint32_t generation = 0;
};

/// Looks up single slots without reading records. Keeps the slots of the last 16 row groups.
class SlotLookup {
 public:
  /// Requires: `reader` outlives the lookup.
  explicit SlotLookup(const Reader& reader) : reader_(&reader) {}
  /// State and generation of a slot; none if the table does not have the slot.
  /// Errors: as Reader::read_columns.
  [[nodiscard]] HDB_INSPECT_API Result<std::optional<SlotFacts>> find(std::size_t table,
                                                                      std::uint64_t slot);

 private:
  struct Entry {
    std::size_t table = 0;
    std::uint64_t group = 0;
    std::uint64_t used = 0;
    RowGroup slots;
  };
  static constexpr std::size_t kEntries = 16;
  const Reader* reader_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace hdb
