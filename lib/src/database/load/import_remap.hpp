// ImportRemap: an image with the handles that imported records get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "evolve/evolved_image.hpp"
#include "hdb/import.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

/// What all handles of an import become. Works on columns, so it needs to know nothing of the
/// containers of the records.
class ImportRemap final : public evolve::LoadImage {
 public:
  /// `imported` are complete but for what happens after decoding; `numbers`: of the same tables, in
  /// the image.
  ImportRemap(const evolve::EvolvedImage& image, const std::vector<ImportedTable>& imported,
              const std::vector<std::size_t>& numbers, const ImportOptions& options);

  /// A column of handles of a stored table.
  struct Column {
    std::uint32_t index = 0;       ///< In columns_of(schema).
    unsigned width = 0;            ///< Bytes of a handle.
    const Field* field = nullptr;  ///< In the schema of the image.
    /// Each handle names its table by the type id that the file gave it.
    bool has_type_ids = false;
    /// Without type ids: the imported table that all handles of the column name; none: the table
    /// is not imported.
    std::optional<std::size_t> target;
  };
  /// Says where an imported table has handles. `columns` in ascending order of `index`.
  void describe(std::size_t imported, std::vector<Column> columns);
  /// The imported table with this name; none if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                  RowGroup& out) const override;
  [[nodiscard]] bool has_cleared_handles(std::size_t table, std::uint64_t group) const override;
  /// Moves what was found in all groups that were read to the report.
  void report_unresolved(ImportReport& report);

 private:
  /// A handle of a column that leaves: the `ordinal`th of the group.
  struct Unresolved {
    std::size_t ordinal = 0;
    std::uint64_t bits = 0;
  };
  struct Found {
    bool has_left = false;
    std::uint64_t count = 0;
    std::vector<UnresolvedHandle> listed;
  };
  struct Stored {
    std::size_t number = 0;  // in the image
    std::vector<Column> columns;
    mutable std::vector<Found> groups;
  };

  [[nodiscard]] const ImportedTable* target_of(const Column& column,
                                               const HandleParts& parts) const noexcept;
  template <class Bits>
  void rewrite_column(const Column& column, Bytes& bytes, std::vector<Unresolved>& leaving) const;
  [[nodiscard]] const Stored* find_stored(std::size_t table) const noexcept;
  void list_unresolved(std::size_t imported, const RowGroup& rows,
                       const std::vector<std::vector<Unresolved>>& leaving, Found& found) const;

  const evolve::EvolvedImage& image_;
  const std::vector<ImportedTable>& imported_;
  const ImportOptions& options_;
  std::vector<std::optional<std::size_t>> by_type_id_;  // the type ids of the file
  std::vector<Stored> stored_;                          // as imported_
  std::vector<std::optional<std::size_t>> by_number_;   // of stored_, by the tables of the image
};

}  // namespace hdb
