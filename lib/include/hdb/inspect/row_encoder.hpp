// RowEncoder: values into the columns of a row group, the inverse of RowDecoder. For tools that
// write records of any schema, such as hdbinspect import.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/format/columns/row_node.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// Joins two parts of a path: "pos" and "x" make "pos.x", "items" and "[3]" make "items[3]".
[[nodiscard]] HDB_INSPECT_API std::string joined_path(std::string_view part, std::string_view rest);

/// Appends records to the columns of a row group.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const hdb::Field& root = (*reader)->schemas()[(*reader)->tables()[1].schema];
/// hdb::RowGroup group;
/// if (!(*reader)->read_group(1, 0, group)) return;
/// hdb::RowDecoder decoder(root);
/// decoder.begin(group.columns);
/// hdb::Value record;
/// std::vector<hdb::Bytes> copy;
/// hdb::RowEncoder encoder(root);
/// encoder.begin(copy);
/// while (copy[0].empty() && decoder.next(record)) assert(encoder.append(record));
/// @endcode
//
//   E1  What is appended keeps the grammar of FORMAT.md: check_group accepts it.
//   E2  RowDecoder reads the same values back.
class HDB_INSPECT_API RowEncoder {
 public:
  /// Requires: `root` outlives the encoder.
  explicit RowEncoder(const Field& root);

  /// Starts a row group: makes `columns` empty, with one entry for each of columns_of(root).
  /// Requires: `columns` outlive the appends.
  void begin(std::vector<Bytes>& columns);
  /// Appends one record, a value as RowDecoder::next returns it. Of Value::field, only kinds count.
  /// Errors: invalid_value, with the path of the field in Error::where, if a value has another
  /// kind, a number does not fit its width, a bool is neither 0 nor 1, a tag has no alternative, a
  /// text is not UTF-8 although the schema requires that, or fields or elements are too many or too
  /// few. The columns hold a part of the record then: call begin() again.
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
  bool fault(std::string what);
  bool within(std::string_view part);

  Node root_;
  std::uint32_t column_count_ = 0;
  std::vector<Bytes>* columns_ = nullptr;
  std::vector<std::uint64_t> bits_;  // of each column of presence: how many it has
  Error error_;
};

}  // namespace hdb
