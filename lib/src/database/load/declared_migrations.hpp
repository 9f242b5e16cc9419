// The migrations that a program declares, by table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/migration.hpp"

namespace hdb::detail {

struct MigrationStep {
  Migration declared;
  MigrationFunction run;
};

/// What is declared for one table.
struct TableMigrations {
  std::map<std::uint32_t, MigrationStep> steps;  ///< By Migration::from.

  /// The steps from one class version to another. Errors: migration_missing.
  [[nodiscard]] Result<std::vector<const MigrationStep*>> chain(std::uint32_t from,
                                                                std::uint32_t to) const;
};

/// All declarations of a database.
class DeclaredMigrations {
 public:
  /// Errors, which declare nothing: bad_options, migration_conflict.
  [[nodiscard]] Status add_step(Migration migration, MigrationFunction run);
  /// Null if nothing is declared for the table.
  [[nodiscard]] const TableMigrations* find(std::string_view table) const;
  using Tables = std::map<std::string, TableMigrations, std::less<>>;
  [[nodiscard]] const Tables& tables() const noexcept { return tables_; }

 private:
  Tables tables_;
};

/// The steps from a stored form of a table to the program's; none if it has the program's class
/// version. Errors: migration_conflict if a declaration does not fit the program's records;
/// migration_missing if a step is not declared, or the file is newer than the program.
[[nodiscard]] Result<std::vector<const MigrationStep*>> plan_migration(
    const TableMigrations& declared, const TableSchema& own, const Field& stored);

}  // namespace hdb::detail
