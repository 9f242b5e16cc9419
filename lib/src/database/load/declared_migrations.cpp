// Checks of declarations, and which steps a stored table needs.
#include "database/load/declared_migrations.hpp"

#include <utility>

#include "database/tables/database_state.hpp"
#include "hdb/database.hpp"
#include "hdb/migration.hpp"

namespace hdb {
namespace detail {
namespace {

std::string declared_for(std::string_view table) {
  return "migrations of table '" + std::string(table) + "'";
}

Status conflict(std::string what, std::string_view table) {
  return fail(ErrorCode::migration_conflict, std::move(what), declared_for(table));
}

std::uint32_t version_of(const Field& record) {
  return record.versioned ? record.class_version : 0;
}

}  // namespace

Result<std::vector<const MigrationStep*>> TableMigrations::chain(std::uint32_t from,
                                                                 std::uint32_t to) const {
  std::vector<const MigrationStep*> chain;
  if (from > to) {
    return fail(ErrorCode::migration_missing,
                "the records have class version " + std::to_string(from) +
                    ", but the program has the older version " + std::to_string(to));
  }
  for (std::uint32_t version = from; version < to; ++version) {
    const auto step = steps.find(version);
    if (step == steps.end()) {
      return fail(ErrorCode::migration_missing,
                  "the records have class version " + std::to_string(from) +
                      ", the program has version " + std::to_string(to) +
                      ", and no migration from version " + std::to_string(version) + " to " +
                      std::to_string(version + 1) + " is declared");
    }
    chain.push_back(&step->second);
  }
  return chain;
}

Status DeclaredMigrations::add_step(Migration migration, MigrationFunction run) {
  if (!run)
    return fail(ErrorCode::bad_options, "the function is empty", declared_for(migration.table));
  TableMigrations& table = tables_[migration.table];
  const std::string name = migration.table;
  const std::uint32_t from = migration.from;
  if (table.steps.count(from) != 0)
    return conflict("a migration from version " + std::to_string(from) + " is declared twice",
                    name);
  table.steps.emplace(from, MigrationStep{std::move(migration), std::move(run)});
  return {};
}

const TableMigrations* DeclaredMigrations::find(std::string_view table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

Result<std::vector<const MigrationStep*>> plan_migration(const TableMigrations& declared,
                                                         const TableSchema& own,
                                                         const Field& stored) {
  const std::uint32_t from = version_of(stored);
  const std::uint32_t to = version_of(own.record);
  const std::uint32_t last = declared.steps.rbegin()->first;
  if (last >= to) {
    return fail(ErrorCode::migration_conflict,
                "a migration from version " + std::to_string(last) +
                    " is declared, but the program has version " + std::to_string(to),
                declared_for(own.table.name));
  }
  auto chain = declared.chain(from, to);
  if (!chain) return fail(std::move(chain.error()).in(declared_for(own.table.name)));
  return chain;
}

}  // namespace detail

void Database::declare_migration(const Migration& migration, MigrationFunction run) {
  end_on_error(try_declare_migration(migration, std::move(run)));
}

Status Database::try_declare_migration(const Migration& migration, MigrationFunction run) {
  if (const std::string& present = present_name(migration.table); present != migration.table) {
    return detail::conflict(
        "the table is declared to be '" + present + "'; declare the migration for that name",
        migration.table);
  }
  return state_->migrations.add_step(migration, std::move(run));
}

}  // namespace hdb
