// Rewrites the handles in the columns of imported records, before records are made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sees_detail.hpp"
#include "database/load/incoming_table.hpp"
#include "hdb/detail/record/codec.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

/// What all handles of an import become. Works on columns, so it needs to know nothing of the
/// containers of the records.
class HandleRemap {
 public:
  /// `tables` are complete but for what happens after decoding; `incoming` are the same tables.
  HandleRemap(const Reader& reader, const std::vector<ImportedTable>& tables,
              const std::vector<const IncomingTable*>& incoming, const ImportOptions& options);

  /// A column of handles of a stored table.
  struct Column {
    std::uint32_t index = 0;       ///< In columns_of(schema).
    unsigned width = 0;            ///< Bytes of a handle.
    const Field* field = nullptr;  ///< In IncomingTable::schema.
    /// Each handle names its table by the type id that the file gave it.
    bool has_type_ids = false;
    /// Without type ids: the imported table that all handles of the column name; none: the table
    /// is not imported.
    std::optional<std::size_t> target;
  };
  /// Says where a table has handles. `columns` in ascending order of `index`.
  void describe(std::size_t table, std::vector<Column> columns);
  /// The imported table with this name; none if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  /// Rewrites the handles of one row group. Several threads may call it, each with other groups.
  /// Requires: the columns have passed the grammar.
  [[nodiscard]] EqualKeys rewrite(std::size_t table, std::uint64_t group, RowGroup& rows);
  /// Moves what all calls of rewrite found to the report.
  void report_leaving(ImportReport& report);

 private:
  /// A handle of a column that leaves: the `ordinal`th of the group.
  struct Leaving {
    std::size_t ordinal = 0;
    std::uint64_t bits = 0;
  };
  struct Found {
    std::uint64_t count = 0;
    std::vector<LeavingHandle> listed;
  };
  struct Stored {
    const IncomingTable* incoming = nullptr;
    std::vector<Column> columns;
    std::vector<Found> groups;
  };

  [[nodiscard]] const ImportedTable* target_of(const Column& column,
                                               const HandleParts& parts) const noexcept;
  template <class Bits>
  void rewrite_column(const Column& column, Bytes& bytes, std::vector<Leaving>& leaving) const;
  void list_leaving(std::size_t table, const RowGroup& rows,
                    const std::vector<std::vector<Leaving>>& leaving, Found& found) const;

  std::vector<TableDescriptor> descriptors_;  // of the file, with the layouts of the program
  const std::vector<ImportedTable>& tables_;
  const ImportOptions& options_;
  std::vector<std::optional<std::size_t>> by_type_id_;  // the type ids of the file
  std::vector<Stored> stored_;                          // as tables_
};

}  // namespace hdb
