// JSON texts of any origin, and values of records in them: the inverse of JsonValueWriter and
// value_json. hdbinspect reads exact dumps with it, LiveTable the texts of programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

enum class JsonKind : std::uint8_t { null, boolean, number, text, array, object };

/// "a number", "null", ...
[[nodiscard]] HDB_INSPECT_API std::string_view json_kind_name(JsonKind kind) noexcept;

/// One value of a JSON text. Those in an array or object follow it, each with all its content.
struct JsonNode {
  JsonKind kind = JsonKind::null;
  bool truth = false;          ///< Of a boolean.
  std::uint32_t at = 0;        ///< Where the value begins: its byte of the text.
  std::uint32_t count = 0;     ///< Elements or members.
  std::uint32_t end = 0;       ///< Index of the node after this one and its content.
  std::string_view text = {};  ///< Of a number as it was written; of a text without its escapes.
  std::string_view name = {};  ///< Of a member.
};

/// A parsed JSON text as a tree that points into the text: numbers stay text, so that nothing is
/// rounded. Nodes and texts are valid until the next `parse` and while the text exists.
///
/// Example:
/// @code
/// std::string text = R"({"hp": 40, "loot": ["claw"]})";
/// hdb::JsonDocument json;
/// if (!json.parse(text.data(), text.size())) return;
/// const hdb::JsonNode& hp = json.first(json.root());
/// assert(hp.name == "hp" && hp.kind == hdb::JsonKind::number && hp.text == "40");
/// assert(json.first(json.next(hp)).text == "claw");
/// @endcode
class JsonDocument {
 public:
  /// The most values in one text.
  static constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 25;
  /// The most bytes in one text.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  /// Parses a text, whose characters it overwrites. Messages call it `noun`.
  /// Errors: `code`, with the line and byte, if it is not JSON in UTF-8, or nested deeper than any
  /// record; limit_exceeded for more than kMaxValues or kMaxBytes.
  /// Complexity: linear in the text; it does not use the stack for nested values.
  [[nodiscard]] HDB_INSPECT_API Status parse(char* text, std::size_t size,
                                             std::string_view noun = "JSON text",
                                             ErrorCode code = ErrorCode::invalid_value);

  [[nodiscard]] const JsonNode& root() const noexcept { return nodes_.front(); }
  /// The first value in an array or object that is not empty.
  [[nodiscard]] const JsonNode& first(const JsonNode& parent) const noexcept {
    return *(&parent + 1);
  }
  /// The value after `node` in the same array or object. Requires: one comes after it.
  [[nodiscard]] const JsonNode& next(const JsonNode& node) const noexcept {
    return nodes_[node.end];
  }
  /// Where a byte of the text is: "byte 12", or "byte 4 of line 3" if the text has several lines.
  [[nodiscard]] HDB_INSPECT_API std::string place(std::uint32_t at) const;

 private:
  std::vector<JsonNode> nodes_;
  std::vector<std::uint32_t> lines_;  // where each line but the first begins
};

/// Reads a whole number exactly, from a number or a text. False if the node is something else, or
/// if the number does not fit.
[[nodiscard]] HDB_INSPECT_API bool read_number(const JsonNode& node, std::uint64_t& value) noexcept;
[[nodiscard]] HDB_INSPECT_API bool read_number(const JsonNode& node, std::int64_t& value) noexcept;
/// Reads {"hex": "..."}. False if the node is something else.
[[nodiscard]] HDB_INSPECT_API bool read_hex(const JsonDocument& json, const JsonNode& node,
                                            std::string& bytes);
/// Makes bytes of hexadecimal digits of either case. False if they are something else.
[[nodiscard]] HDB_INSPECT_API bool decode_hex(std::string_view digits, std::string& bytes);

/// Reads values of records from JSON.
///
/// The form `exact` reads what JsonValueWriter writes in this form, and nothing else. The others
/// read what it writes in `plain` and `distinct`, and also the name of an enumerator in place of
/// its number. Every bit is read back, with one exception: in the form `plain`, an optional that
/// holds a null handle or another optional may look like one without a value, and is read as that.
class HDB_INSPECT_API JsonValueReader {
 public:
  using Form = JsonValueWriter::Form;

  /// `tables`: those that handles name. Requires: they outlive the reader.
  explicit JsonValueReader(const std::vector<TableDescriptor>& tables, Form form = Form::plain)
      : tables_(&tables), form_(form) {}

  /// Reads a value of the type of `field`. Members that a structure lacks have the values of
  /// `present`, a value of that field, if it is not null; so have those of the structures in it. In
  /// elements, and in values of optionals, variants and maps, every member is needed.
  /// `out` is valid until the next call, while the document, its text and `field` exist, and while
  /// `present` is valid.
  /// Errors: invalid_value (of the form `exact`: bad_exact_dump), with the path of the field in
  /// `where` and the byte of the text.
  [[nodiscard]] Status read(const JsonDocument& json, const JsonNode& node, const Field& field,
                            Value& out, const Value* present = nullptr);

 private:
  // Each returns false after a fault.
  [[nodiscard]] bool take(const Field& field, const JsonNode& node, Value& out,
                          const Value* present = nullptr);
  [[nodiscard]] bool take_scalar(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_float(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_integer(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_handle(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_structure(const Field& field, const JsonNode& node, Value& out,
                                    const Value* present);
  [[nodiscard]] bool take_elements(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_pairs(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_optional(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_variant(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_bytes(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] std::span<std::byte> memory(std::size_t size);
  bool fault(const JsonNode& node, std::string what);
  bool within(std::string_view part);
  bool refuse(const JsonNode& node, std::string_view needed);

  const std::vector<TableDescriptor>* tables_;
  const Form form_;
  const JsonDocument* json_ = nullptr;
  std::deque<std::vector<std::uint64_t>> memory_;  // of packed elements, until the next call
  std::string scratch_;
  std::string fault_;
  std::string path_;
};

}  // namespace hdb
