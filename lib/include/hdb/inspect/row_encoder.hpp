// Records of any schema, appended to the columns of a row group without their C++ type: the inverse
// of RowDecoder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/format/columns/row_node.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/schema.hpp"

namespace hdb {

/// Puts the part of a path before the rest of it: "pos" and "x" give "pos.x", "items" and "[3]"
/// give "items[3]".
[[nodiscard]] std::string joined_path(std::string_view part, std::string_view rest);

/// Appends records, given as values, to the columns of a row group.
///
///   E1  What is appended keeps the grammar of FORMAT.md: check_group accepts it.
///   E2  RowDecoder reads the same values back.
class RowEncoder {
 public:
  /// `root` must outlive the encoder.
  explicit RowEncoder(const Field& root);

  /// Starts a row group: `columns` become columns_of(root), all empty. They must outlive the group.
  void begin(std::vector<Bytes>& columns);
  /// Appends one record: a value as RowDecoder::next gives it, but for `field`, which only tells
  /// kinds.
  /// Errors: bad_value with the path of the field in `where`: another kind, a number beyond its
  /// width, a bool that is neither 0 nor 1, a tag of no alternative, a text that is not UTF-8
  /// though the schema says so; bad_lengths: too many or too few fields or elements. Then the
  /// columns hold part of the record: begin anew.
  [[nodiscard]] Status append(const Value& row);

 private:
  using Node = detail::RowNode;

  // Each returns false after a fault.
  [[nodiscard]] bool put(const Node& node, const Value& value);
  [[nodiscard]] bool put_scalar(const Node& node, std::uint64_t bits);
  [[nodiscard]] bool put_structure(const Node& node, const Value& value);
  [[nodiscard]] bool put_elements(const Node& node, const Value& value);
  [[nodiscard]] bool put_packed(const Node& node, const Value& value);
  [[nodiscard]] bool put_variant(const Node& node, const Value& value);
  void put_length(std::uint32_t column, std::uint64_t length);
  void put_bit(std::uint32_t column, bool bit);
  void put_bytes(std::uint32_t column, std::span<const std::byte> bytes);
  bool fault(ErrorCode code, std::string what);
  bool within(std::string_view part);

  Node root_;
  std::uint32_t column_count_ = 0;
  std::vector<Bytes>* columns_ = nullptr;
  std::vector<std::uint64_t> bits_;  // of each column of presence: how many it has
  Error error_;
};

}  // namespace hdb
