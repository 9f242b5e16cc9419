// Reads the records of one table as values, one row group in memory at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect {

/// The live slots of one row group after another.
///
///   for (auto found = rows.next(); found && *found; found = rows.next()) use(rows.row());
class RowReader {
 public:
  /// Reads the fields that have any of these columns, or all fields without `columns`.
  RowReader(const Reader& reader, std::size_t table,
            std::optional<std::span<const std::uint32_t>> columns);

  /// Reads row group `number`. Errors: those of Reader::read_columns.
  [[nodiscard]] Status open(std::uint64_t number);
  /// Goes to the next live slot of the row group; false at the end of the row group.
  /// Errors: damage in the columns, with the handle of the record.
  [[nodiscard]] Result<bool> next();

  /// The record in the present slot; good until the next call of `next`.
  [[nodiscard]] const Value& row() const noexcept { return row_; }
  [[nodiscard]] std::uint64_t slot() const noexcept { return first_slot_ + index_; }
  [[nodiscard]] std::uint32_t generation() const { return group_.generations[index_]; }
  [[nodiscard]] std::string handle() const { return handle_name(table_, slot(), generation()); }

 private:
  const Reader& reader_;
  std::size_t number_of_table_;
  const TableDescriptor& table_;
  RowDecoder decoder_;
  RowGroup group_;
  Value row_;
  std::uint64_t first_slot_ = 0;
  std::size_t index_ = 0;  // of the present slot in the row group
  std::size_t next_ = 0;
};

}  // namespace hdb::inspect
