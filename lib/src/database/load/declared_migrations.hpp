// The migrations, computed defaults and moves that a program declares, by table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

struct ComputedDefault {
  std::string path;
  DefaultFunction compute;
};

/// What is declared for one table.
struct TableMigrations {
  std::map<std::uint32_t, MigrationStep> steps;  ///< By Migration::from.
  std::vector<ComputedDefault> defaults;
  std::vector<FieldMove> moves;

  /// The steps from one class version to another. Errors: migration_missing.
  [[nodiscard]] Result<std::vector<const MigrationStep*>> chain(std::uint32_t from,
                                                                std::uint32_t to) const;
};

/// All declarations of a database.
class DeclaredMigrations {
 public:
  /// Errors, which declare nothing: bad_name, bad_options, migration_conflict.
  [[nodiscard]] Status add_step(Migration migration, MigrationFunction run);
  [[nodiscard]] Status add_default(std::string_view table, std::string_view path,
                                   DefaultFunction compute);
  [[nodiscard]] Status add_move(FieldMove move);
  /// Null if nothing is declared for the table.
  [[nodiscard]] const TableMigrations* find(std::string_view table) const;

 private:
  std::map<std::string, TableMigrations, std::less<>> tables_;
};

/// The steps from a stored form of a table to the program's. None if the stored records need no
/// migration: they have the program's class version, and no declared default or move applies.
/// `stored` has the present names of tables.
/// Errors: migration_conflict if a declaration does not fit the program's records;
/// migration_missing if a step is not declared, or the file is newer than the program.
[[nodiscard]] Result<std::optional<std::vector<const MigrationStep*>>> plan_migration(
    const TableMigrations& declared, const TableSchema& own, const Field& stored);

/// The field of a record at a path of names; null if there is none.
[[nodiscard]] const Field* field_at(const Field& root, std::string_view path);

/// The paths under which older files may have a field: its own, and those that hdb::Renames
/// declares for its last name.
[[nodiscard]] std::vector<std::string> known_paths(const TableSchema& own, const std::string& path);

}  // namespace hdb::detail
