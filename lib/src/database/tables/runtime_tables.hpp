// Tables of records of a type that exists only at run time. The C interface makes them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/using_detail.hpp"
#include "hdb/database.hpp"
#include "record/runtime_records.hpp"

namespace hdb {

/// What a program says about such a table.
struct RuntimeTableOptions {
  HandleLayout layout = {};  ///< Not used for components.
  TableOptions table = {};
  bool is_singleton = false;    ///< Stable storage; the default record is in it at once.
  TableEntry* owner = nullptr;  ///< Of a component table; `table` has storage and scope.
  Removal removal = Removal::swap;
  std::optional<BlobPolicy> blobs = {};  ///< Of a blob table.
};

/// The options of a table as a file or a document has it. `owner`: as in RuntimeTableOptions.
[[nodiscard]] RuntimeTableOptions options_as(const TableDescriptor& table, TableEntry* owner);

/// Makes and finds them in a database.
class RuntimeTables {
 public:
  /// Errors: those of Database::create_table or create_component_table, and
  /// RuntimeRecords::discover; bad_options if the layout is not valid.
  [[nodiscard]] static Result<std::shared_ptr<TableEntry>> create(
      Database& database, std::string_view name, const RuntimeTableOptions& options,
      const std::shared_ptr<const record::Discovery>& records);

  /// The table of this name; null if there is none. Valid until it is dropped.
  [[nodiscard]] static TableEntry* find(const Database& database, std::string_view name) noexcept {
    return database.tables_.find(name);
  }
  /// Whether the table is in the database now: not dropped, or restored since.
  [[nodiscard]] static bool has(const Database& database, const TableEntry& entry) noexcept {
    return database.tables_.find(entry.name) == &entry;
  }
};

}  // namespace hdb
