// What a database has beside its tables, and no code of the program needs to see.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/using_detail.hpp"
#include "core/arrays/page_pool.hpp"
#include "core/arrays/undo_log.hpp"
#include "database/load/declared_migrations.hpp"
#include "database/tables/issued_handles.hpp"
#include "hdb/database.hpp"

namespace hdb {
namespace detail {
class CapturedTables;
struct KeptFile;
class RecordCodec;

/// Tables that a load may make: those whose names begin with `prefix`.
struct TableFamily {
  std::string prefix;
  Scope scope;
  std::function<Status(Database&, std::string_view)> make;

  [[nodiscard]] bool has(std::string_view name) const noexcept { return name.starts_with(prefix); }
};
}  // namespace detail

struct Database::State {
  explicit State(const std::shared_ptr<PageSource>& source)
      : pool(std::make_shared<detail::PagePool>(source)),
        log(std::make_shared<detail::UndoLog>(pool)),
        uncaptured_log(std::make_shared<detail::UndoLog>(pool)) {}

  std::shared_ptr<detail::PagePool> pool;
  std::shared_ptr<detail::UndoLog> log;             ///< Of the tables that are captured.
  std::shared_ptr<detail::UndoLog> uncaptured_log;  ///< Which never has a capture.
  std::uint64_t version = 0;                        ///< Changes with tables, captures and contents.
  /// That snapshots hold: destroyed on the database's thread.
  std::vector<std::shared_ptr<TableEntry>> dropped_entries;
  /// Of record types. A codec calls functions of the module that made it: each module makes its
  /// own.
  std::unordered_map<TypeKey, std::shared_ptr<const RecordCodec>, TypeKey::Hash,
                     TypeKey::IsOfOneModule>
      codecs;
  std::vector<detail::TableFamily> families;
  std::map<std::string, std::string, std::less<>> renamed_tables;  ///< Old name to new name.
  DeclaredMigrations migrations;
  std::uint16_t highest_type_id = 0;  ///< Ever issued.
  IssuedHandles issued;
  DroppedTables dropped;
  std::shared_ptr<const KeptFile> kept;            ///< Null: nothing beside the tables.
  std::shared_ptr<const Schemas> schemas;          ///< Null: must be made again.
  std::shared_ptr<const CapturedTables> captured;  ///< By the last capture; null: as above.
};

}  // namespace hdb
