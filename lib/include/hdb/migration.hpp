// Migrations of old saves: functions that bring a record of an older file to the form of the
// program, without any C++ type of the older program. Games declare them with
// Database::declare_migration.
//
// If a file holds records of an older class version, a load runs the migrations of the table from
// that version to the program's. It then matches the result with the program's fields, as it does
// with stored fields. `serialize` sees only the program's version. A type without a class version
// (CEREAL_CLASS_VERSION) has version 0: give it version 1 when a field moves, or when a new one
// follows from others.
//
// Errors of a load, after which the database is unchanged:
//   - migration_missing: a table has declarations, but not the migrations between the version of
//     the file and that of the program; or the file is newer.
//   - migration_conflict: a migration begins at or above the program's version.
//   - migration_failed: a function threw.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/dynamic_value.hpp"

namespace hdb {

/// A step between two class versions of the records of one table.
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters");
/// db.declare_migration({.table = "monsters", .from = 0},
///                      [](hdb::DynamicValue& monster, hdb::MigrationContext& context) {
///                        if (monster.at("name").text().empty()) context.drop();
///                      });
/// db.declare_migration({.table = "monsters", .from = 1},
///                      [](hdb::DynamicValue& monster, hdb::MigrationContext&) {
///                        monster.set("hp", monster.at("lives").as<int>() * 100);
///                        monster.remove("lives");
///                      });
/// @endcode
struct Migration {
  std::string table;       ///< The present name of the table.
  std::uint32_t from = 0;  ///< The step makes records of version from + 1. A record type
                           ///< without a class version has version 0.
  /// The tables in which the step may create records. The records of a table with such a step are
  /// migrated by one thread, in the order of their slots, so the handles issued are always the
  /// same.
  std::vector<std::string> creates = {};
};

/// What a migration can do besides changing its record.
class MigrationContext {
 public:
  MigrationContext(const MigrationContext&) = delete;
  MigrationContext& operator=(const MigrationContext&) = delete;

  /// The present name of the record's table.
  [[nodiscard]] virtual std::string_view table() const = 0;
  /// The handle of the record, which it keeps; a value that a field can hold.
  [[nodiscard]] virtual DynamicValue handle() const = 0;
  /// The name of the record, in a table with names; else empty.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Erases the record after the load: its slot is then free, and handles to it are stale. The
  /// chain ends with this step. The records of a table are erased in the order of their slots, when
  /// all records are migrated. Errors: DynamicError for a singleton.
  virtual void drop() = 0;
  /// Inserts a record into a table of the program, which may be new, and returns its handle. Fields
  /// that it lacks get the value of a freshly made record.
  ///
  /// A record with a class version (DynamicValue::set_class_version) runs the migrations of its
  /// table from this version on. Without one, it has the version that the running step makes, if it
  /// is a record of the same table, and else the version of the program.
  ///
  /// Errors: DynamicError if Migration::creates does not list the table, the database does not save
  /// it, it is full, a singleton, a blob table or a component table, or has a record of this name.
  virtual DynamicValue create(std::string_view table, DynamicValue record,
                              std::string_view name = {}) = 0;
  /// Inserts a component into a component table of the program, as `create` inserts a record.
  /// `owner` is the handle of the record that gets it: one that `handle` or `create` returned, or
  /// that a field of a stored record holds.
  /// Errors: as `create`; DynamicError if the table has no owner, or `owner` does not name a record
  /// of the owner's table, or that record already has a component in the table.
  virtual void create_component(std::string_view table, const DynamicValue& owner,
                                DynamicValue component) = 0;

 protected:
  MigrationContext() = default;
  ~MigrationContext() = default;
};

/// Changes a record of class version Migration::from to the next version. May throw: the load then
/// fails with migration_failed and changes nothing. Unless the step creates records, it may run on
/// several threads at once (LoadOptions::threads).
using MigrationFunction = std::function<void(DynamicValue& record, MigrationContext& context)>;

}  // namespace hdb
