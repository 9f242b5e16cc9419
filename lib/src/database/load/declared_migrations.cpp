// Checks of declarations, and which steps a stored table needs.
#include "database/load/declared_migrations.hpp"

#include <algorithm>
#include <utility>

#include "hdb/database.hpp"

namespace hdb {
namespace detail {
namespace {

std::string declared_for(std::string_view table) {
  return "migrations of table '" + std::string(table) + "'";
}

Status conflict(std::string what, std::string_view table) {
  return fail(ErrorCode::migration_conflict, std::move(what), declared_for(table));
}

bool is_field_path(std::string_view path) {
  return !path.empty() && !path.starts_with('.') && !path.ends_with('.') &&
         path.find("..") == std::string_view::npos && path.find('[') == std::string_view::npos;
}

std::uint32_t version_of(const Field& record) {
  return record.versioned ? record.class_version : 0;
}

Status check_fields(const TableMigrations& declared, const TableSchema& own) {
  const auto check = [&](const std::string& path, std::string_view what) -> Status {
    if (field_at(own.record, path) != nullptr) return {};
    return conflict(std::string(what) + " '" + path + "', which is not a field of the program",
                    own.table.name);
  };
  for (const ComputedDefault& each : declared.defaults) {
    if (auto checked = check(each.path, "a default is declared for"); !checked) return checked;
  }
  for (const FieldMove& move : declared.moves) {
    if (auto checked = check(move.to, "a move is declared to"); !checked) return checked;
  }
  if (declared.steps.empty()) return {};
  const std::uint32_t last = declared.steps.rbegin()->first;
  if (last < version_of(own.record)) return {};
  return conflict("a migration from version " + std::to_string(last) +
                      " is declared, but the program has version " +
                      std::to_string(version_of(own.record)),
                  own.table.name);
}

}  // namespace

const Field* field_at(const Field& root, std::string_view path) {
  const Field* field = &root;
  while (true) {
    while (field->kind == FieldKind::optional) field = &field->children.front();
    if (field->kind != FieldKind::structure) return nullptr;
    const std::string_view name = path.substr(0, path.find('.'));
    const auto found = std::find_if(field->children.begin(), field->children.end(),
                                    [&](const Field& child) { return child.name == name; });
    if (found == field->children.end()) return nullptr;
    field = &*found;
    if (name.size() == path.size()) return field;
    path.remove_prefix(name.size() + 1);
  }
}

std::vector<std::string> known_paths(const TableSchema& own, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  std::vector<std::string> paths{path};
  for (const FieldRename& rename : own.renames) {
    if (rename.structure != parent || rename.new_name != name) continue;
    paths.push_back(parent.empty() ? rename.old_name : parent + "." + rename.old_name);
  }
  return paths;
}

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

Status DeclaredMigrations::add_default(std::string_view table, std::string_view path,
                                       DefaultFunction compute) {
  if (!compute) return fail(ErrorCode::bad_options, "the function is empty", declared_for(table));
  if (!is_field_path(path))
    return conflict("'" + std::string(path) + "' is not the path of a field", table);
  auto& defaults = tables_[std::string(table)].defaults;
  for (const ComputedDefault& each : defaults) {
    if (each.path == path)
      return conflict("a default for '" + each.path + "' is declared twice", table);
  }
  defaults.push_back({std::string(path), std::move(compute)});
  return {};
}

Status DeclaredMigrations::add_move(FieldMove move) {
  if (!is_field_path(move.from) || !is_field_path(move.to) || move.from == move.to) {
    return conflict("'" + move.from + "' cannot be moved to '" + move.to + "'", move.table);
  }
  auto& moves = tables_[move.table].moves;
  for (const FieldMove& each : moves) {
    if (each.from == move.from)
      return conflict("a move of '" + each.from + "' is declared twice", move.table);
  }
  moves.push_back(std::move(move));
  return {};
}

const TableMigrations* DeclaredMigrations::find(std::string_view table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

Result<std::optional<std::vector<const MigrationStep*>>> plan_migration(
    const TableMigrations& declared, const TableSchema& own, const Field& stored) {
  if (auto checked = check_fields(declared, own); !checked) return fail(std::move(checked.error()));
  const std::uint32_t from = version_of(stored);
  const std::uint32_t to = version_of(own.record);
  const auto lacks = [&](const std::string& path) {
    const auto paths = known_paths(own, path);
    return std::none_of(paths.begin(), paths.end(),
                        [&](const std::string& each) { return field_at(stored, each) != nullptr; });
  };
  const bool moves =
      std::any_of(declared.moves.begin(), declared.moves.end(), [&](const FieldMove& move) {
        return field_at(stored, move.from) != nullptr && lacks(move.to);
      });
  const bool computes = std::any_of(declared.defaults.begin(), declared.defaults.end(),
                                    [&](const ComputedDefault& each) { return lacks(each.path); });
  const bool steps = from != to && !declared.steps.empty();
  if (!moves && !computes && !steps) return std::optional<std::vector<const MigrationStep*>>();
  auto chain = declared.chain(from, to);
  if (!chain) return fail(std::move(chain.error()).in(declared_for(own.table.name)));
  return std::optional(*std::move(chain));
}

}  // namespace detail

Status Database::try_declare_migration(Migration migration, MigrationFunction run) {
  return migrations_->add_step(std::move(migration), std::move(run));
}

Status Database::try_declare_default(std::string_view table, std::string_view field,
                                     DefaultFunction compute) {
  return migrations_->add_default(table, field, std::move(compute));
}

Status Database::try_declare_field_move(FieldMove move) {
  return migrations_->add_move(std::move(move));
}

}  // namespace hdb
