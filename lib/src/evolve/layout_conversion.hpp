// LayoutConversion: brings the handles in the columns of a stored table to the layouts that their
// tables have in the program, before records are made of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/table_match.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/load_change.hpp"

namespace hdb::detail::evolve {

/// A table of the file whose handles have another layout in the program.
struct MovedTable {
  std::string name;     ///< In the file.
  HandleLayout stored;  ///< In the file.
  std::uint16_t stored_type_id = 0;
  std::uint16_t own_type_id = 0;  ///< After the load.
};

/// All fields of handles of one stored table that need a translation.
class LayoutConversion {
 public:
  /// `fields`: of the schema of the row groups.
  explicit LayoutConversion(const std::vector<AdaptedHandle>& fields);

  /// Says what the tables of the file are now. Requires: `moved` has unique names.
  void resolve(const std::vector<MovedTable>& moved);
  /// Nothing is to be done.
  [[nodiscard]] bool empty() const noexcept { return columns_.empty(); }

  /// Translates the columns of one row group; says whether handles became null. Several threads may
  /// call it, each with other groups.
  /// Errors: layout_mismatch if a handle of any table names one that a field of this kind cannot
  /// hold any more; bad_lengths.
  [[nodiscard]] Result<bool> translate(RowGroup& rows) const;
  /// What became of the handles so far.
  [[nodiscard]] std::vector<LoadChange> changes() const;

 private:
  struct Column {
    AdaptedHandle field;
    std::uint16_t type_id = 0;  // for translate_handle
    std::vector<MovedTable> left;
    mutable std::atomic<std::uint64_t> count{0};
    mutable std::atomic<std::uint64_t> cleared{0};

    Column(const AdaptedHandle& handle) : field(handle) {}
    Column(Column&& other) noexcept
        : field(std::move(other.field)), type_id(other.type_id), left(std::move(other.left)) {}
    Column& operator=(Column&&) = delete;
  };

  static Status check_any(const Column& column, const Bytes& bytes);
  static Result<bool> translate(const Column& column, Bytes& bytes);

  std::vector<Column> columns_;
};

}  // namespace hdb::detail::evolve
