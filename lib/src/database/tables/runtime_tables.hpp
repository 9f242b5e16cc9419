// Tables of records of a type that exists only at run time. The C interface makes them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/using_detail.hpp"
#include "database/tables/database_state.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/detail/database/resources/flush.hpp"
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
  /// A resource table, whose references are counted. It has names, no owner and no blobs, and is
  /// not a singleton.
  bool is_resource = false;
};

/// The options of a table as a file or a document has it. `owner`: as in RuntimeTableOptions.
[[nodiscard]] HDB_API RuntimeTableOptions options_as(const TableDescriptor& table,
                                                     TableEntry* owner);

/// Makes and finds them in a database.
class RuntimeTables {
 public:
  /// Errors: those of Database::create_table or create_component_table, and
  /// RuntimeRecords::discover; bad_options if the layout is not valid.
  [[nodiscard]] HDB_API static Result<std::shared_ptr<TableEntry>> create(
      Database& database, std::string_view name, const RuntimeTableOptions& options,
      const std::shared_ptr<const record::Discovery>& records);

  /// Tables that are made while it lives are gone again with it, and nothing of them is in the
  /// state, unless they are kept. Nothing else may change meanwhile.
  class Attempt {
   public:
    HDB_API explicit Attempt(Database& database);
    HDB_API ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    HDB_API void keep() noexcept;

   private:
    const std::unique_ptr<Database::FamilyTables> made_;
  };

  /// The table of this name; null if there is none. Valid until it is dropped.
  [[nodiscard]] static TableEntry* find(const Database& database, std::string_view name) noexcept {
    return database.tables_.find(name);
  }
  /// The counts of references to a resource table; null for other tables.
  [[nodiscard]] static RefCounts* references(const TableEntry& entry) noexcept {
    return entry.references == nullptr ? nullptr
                                       : static_cast<Counted*>(entry.wrapper.get())->counts;
  }
  /// Destroys the records of a resource table that nothing refers to, as ResourceTable::flush.
  /// Requires: no flush of the table is running.
  [[nodiscard]] HDB_API static Result<FlushReport> flush(Database& database,
                                                         const TableEntry& entry,
                                                         const FlushOptions& options,
                                                         const BeforeDestroy& before);
  /// Whether the table is in the database now: not dropped, or restored since.
  [[nodiscard]] static bool has(const Database& database, const TableEntry& entry) noexcept {
    return database.tables_.find(entry.name) == &entry;
  }

 private:
  /// The wrapper of a resource table. No object holds a reference: they end with the table.
  struct Counted {
    explicit Counted(void* table) : counts(new RefCounts(table)) {}
    ~Counted() { counts->leave_table_with_all(); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    RefCounts* const counts;
  };
};

}  // namespace hdb
