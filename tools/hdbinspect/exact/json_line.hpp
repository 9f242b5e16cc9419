// One line of JSON as a tree that points into the line: numbers stay text, so that nothing is
// rounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"

namespace hdb::inspect {

enum class JsonKind : std::uint8_t { null, boolean, number, text, array, object };

/// One value. Those in an array or object follow it, each with all that is in it.
struct JsonNode {
  JsonKind kind = JsonKind::null;
  bool truth = false;          ///< Of a boolean.
  std::uint32_t count = 0;     ///< Elements or members.
  std::uint32_t end = 0;       ///< Index of the node after this one and its content.
  std::string_view text = {};  ///< Of a number as it was written; of a text without its escapes.
  std::string_view name = {};  ///< Of a member.
};

/// The most values in one line.
inline constexpr std::uint64_t kMaxLineValues = std::uint64_t{1} << 25;
/// The most bytes in one line.
inline constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 30;

/// A parsed line. Nodes and texts are good until the next `parse` and while the line is.
class JsonLine {
 public:
  /// Parses `line`, whose characters it overwrites; line[size] must be a zero. Messages call the
  /// text `noun`.
  /// Errors: bad_exact_dump, with the byte of the line; limit_exceeded for more than
  /// kMaxLineValues.
  [[nodiscard]] Status parse(char* line, std::size_t size, std::string_view noun = "line");

  [[nodiscard]] const JsonNode& root() const { return nodes_.front(); }
  /// The first value in an array or object that is not empty.
  [[nodiscard]] const JsonNode& first(const JsonNode& parent) const { return *(&parent + 1); }
  /// The value after `node` in the same array or object. Requires: there is one.
  [[nodiscard]] const JsonNode& next(const JsonNode& node) const { return nodes_[node.end]; }

 private:
  std::vector<JsonNode> nodes_;
};

/// "a number", "null", ...
[[nodiscard]] std::string_view json_kind_name(JsonKind kind) noexcept;

/// Reads the members of an object by name. The first fault is kept: ask `finish`.
class Members {
 public:
  Members(const JsonLine& line, const JsonNode& object);

  [[nodiscard]] bool has(std::string_view name) const;
  /// The member; null when there is none.
  [[nodiscard]] const JsonNode* find(std::string_view name);
  /// The member, or null and a fault.
  [[nodiscard]] const JsonNode* need(std::string_view name);
  /// A text of UTF-8.
  [[nodiscard]] std::string_view text(std::string_view name);
  [[nodiscard]] bool boolean(std::string_view name);
  /// A whole number of 0 to `most`, also as a text.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t most);
  [[nodiscard]] std::int64_t signed_number(std::string_view name);
  [[nodiscard]] std::vector<const JsonNode*> elements(std::string_view name);

  void fault(std::string what);
  /// What a fault is about: the member's name is put before.
  void fault(std::string_view member, std::string what);
  /// Errors: the first fault, else a member that nobody asked for, else one that comes twice.
  [[nodiscard]] Status finish();

 private:
  const JsonLine& line_;
  std::vector<const JsonNode*> members_;
  std::vector<bool> taken_;
  std::vector<std::string> asked_;
  std::size_t next_ = 0;
  std::string fault_;
};

/// Reads a whole number exactly, from a number or a text; nothing when it is none or does not fit.
[[nodiscard]] bool read_number(const JsonNode& node, std::uint64_t& value);
[[nodiscard]] bool read_number(const JsonNode& node, std::int64_t& value);

/// Reads {"hex": "..."}; false when the node is something else.
[[nodiscard]] bool read_hex(const JsonLine& line, const JsonNode& node, std::string& bytes);
/// Takes hexadecimal digits, of either case, into bytes; false when they are none.
[[nodiscard]] bool decode_hex(std::string_view digits, std::string& bytes);

}  // namespace hdb::inspect
