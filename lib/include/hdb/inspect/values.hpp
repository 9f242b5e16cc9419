// Records and slots of an open file as values, and values as text and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/format/columns/row_node.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/schema.hpp"

namespace hdb {

/// One value of a record, of any kind. Good until the columns it was read from or the schema
/// change.
struct Value {
  const Field* field = nullptr;
  /// Scalars, enumerations, handles: the stored bits, zero-extended. Optional: whether it holds a
  /// value. Variant: the index of its alternative. List, array: how many elements. Map: how many
  /// pairs.
  std::uint64_t bits = 0;
  /// String, opaque: the content. List or array of fixed-width elements: the elements, one after
  /// another.
  std::span<const std::byte> bytes;
  /// Structure: the fields that were asked for. List, array: the elements, unless they are in
  /// `bytes`. Map: key, value, key, value... Optional, variant: what is held; nothing when it is
  /// none or was not asked for.
  std::vector<Value> children;

  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// Whether the elements of a list or array stand in `bytes`.
  [[nodiscard]] bool is_packed() const noexcept;
  /// Element `index` of a list or array, packed or not. Requires: index < bits, and the elements
  /// were asked for.
  [[nodiscard]] Value element(std::uint64_t index) const;
  /// The field of a structure; null when there is none or it was not asked for.
  [[nodiscard]] const Value* child(std::string_view name) const noexcept;
};

/// The bits of an integer of `field`'s kind (enumerations too) with their sign.
[[nodiscard]] std::int64_t signed_bits(const Field& field, std::uint64_t bits) noexcept;
/// Whether the kind is a signed integer; an enumeration is what its integer is.
[[nodiscard]] bool is_signed(const Field& field) noexcept;

/// A field that a path names, and its columns: [first_column, first_column + column_count) of
/// columns_of(root).
struct FieldPlace {
  const Field* field = nullptr;
  std::uint32_t first_column = 0;
  std::uint32_t column_count = 0;
};

/// Finds the field that a path names: "pos.x", "items[].name" or "items[3].name", "by_name[].key",
/// "tag<2>.x", "maybe?.x" (the "?" may be left out). An empty path names the whole record.
/// Errors: not_found, naming the part of the path that fails.
[[nodiscard]] Result<FieldPlace> find_field(const Field& root, std::string_view path);
/// Finds the value that a path names in a record; elements need their index: "items[3].name".
/// Errors: not_found, also when the element, the alternative or the optional value is not there.
[[nodiscard]] Result<Value> find_value(const Value& record, std::string_view path);

/// Reads the rows of row groups of one table, one after another.
///
///   RV1 Nothing beyond a column is read, whatever the columns hold.
///   RV2 Memory for a row is bounded by `max_values`, and grows only as bytes of the columns are
///       used up.
class RowDecoder {
 public:
  static constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 22;

  /// Reads whole records. `root` must outlive the decoder.
  explicit RowDecoder(const Field& root, std::uint64_t max_values = kMaxValues);
  /// Reads the fields that have any of these columns (indices into columns_of(root)), whole.
  RowDecoder(const Field& root, std::span<const std::uint32_t> columns,
             std::uint64_t max_values = kMaxValues);

  /// The columns that `begin` needs: those asked for and those that tell which elements there are.
  /// Rising.
  [[nodiscard]] const std::vector<std::uint32_t>& needed_columns() const noexcept {
    return needed_;
  }

  /// Starts with the first row of a row group. `columns` must outlive the values read; those that
  /// are not needed may be empty.
  void begin(std::span<const Bytes> columns);
  /// Reads the next row; `row` is re-used.
  /// Errors: bad_lengths or bad_value when a column ends early or is malformed; limit_exceeded.
  [[nodiscard]] Status next(Value& row);
  /// Requires that every needed column was used up.
  [[nodiscard]] Status finish();

 private:
  using Node = format::RowNode;
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

/// The value in one line: `-3`, `128.5`, `"imp"`, `monsters:77@2`, `[1, 2]`, `{x: 1, y: 2}`,
/// `none`.
[[nodiscard]] std::string value_text(const Value& value, const HandleNamer& namer);
/// The value as JSON. A structure is an object, a list an array, a map an array of {"key",
/// "value"}, an optional its value or null, a variant {"tag", "value"}, an opaque value {"hex"}.
[[nodiscard]] std::string value_json(const Value& value, const HandleNamer& namer);
/// A float's or double's bits in the shortest form that reads back the same; NaNs with a payload
/// tell their bits.
[[nodiscard]] std::string float_text(FieldKind kind, std::uint64_t bits);
/// The number that float bits stand for.
[[nodiscard]] double float_value(FieldKind kind, std::uint64_t bits) noexcept;

/// The path of a field in a structure at `path`: "pos" and "x" give "pos.x". Names are escaped.
[[nodiscard]] std::string child_path(const std::string& path, std::string_view name);

/// "items" and 3 give "items[3]".
[[nodiscard]] std::string element_path(const std::string& path, std::uint64_t index);
/// "tag" and 2 give "tag<2>".
[[nodiscard]] std::string variant_path(const std::string& path, std::uint64_t tag);

/// Calls `leaf` for every value that is best shown by itself, with its path, in the order of the
/// schema. Lists of plain values are shown whole.
void for_each_leaf(const Value& value, const std::string& path,
                   const std::function<void(const std::string& path, const Value& leaf)>& leaf);

/// State and generation of one slot.
struct SlotFacts {
  SlotState state = SlotState::free;
  std::uint32_t generation = 0;
};

/// Looks slots up without reading records; keeps the last few row groups.
class SlotLookup {
 public:
  explicit SlotLookup(const Reader& reader) : reader_(&reader) {}
  /// Nothing for a slot that the table does not have.
  [[nodiscard]] Result<std::optional<SlotFacts>> find(std::size_t table, std::uint64_t slot);

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
