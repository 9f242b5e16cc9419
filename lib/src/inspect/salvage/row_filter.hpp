// Takes rows out of the columns of a row group.
#pragma once

#include <cstdint>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"
#include "hdb/schema.hpp"

namespace hdb::salvaging {

/// Columns are cut where their values belong to rows that go.
class RowFilter {
 public:
  explicit RowFilter(const Field& root);

  /// Leaves the rows that `keep` says. Requires: columns of a whole row group that passed the
  /// grammar.
  /// Errors: bad_lengths when they did not.
  [[nodiscard]] Status apply(const std::vector<bool>& keep, std::vector<Bytes>& columns);

 private:
  struct Cursor {
    std::uint64_t position = 0;  // in bytes; of presence columns in bits
    Bytes out;
    std::uint64_t out_bits = 0;
  };

  void pass(const Field& field, std::uint32_t& column, std::uint64_t count, bool keep);
  void pass_bytes(std::uint32_t column, std::uint64_t size, bool keep);
  std::uint64_t pass_lengths(std::uint32_t column, std::uint64_t count, bool keep);
  std::uint64_t pass_bits(std::uint32_t column, std::uint64_t count, bool keep);
  std::vector<std::uint64_t> pass_tags(std::uint32_t column, std::uint64_t count,
                                       std::size_t alternatives, bool keep);

  const Field& root_;
  const std::vector<Bytes>* columns_ = nullptr;
  std::vector<Cursor> cursors_;
  bool failed_ = false;
};

}  // namespace hdb::salvaging
