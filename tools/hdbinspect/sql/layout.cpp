// One pass for each save; what an earlier one has is found by its key.
#include "sql/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect::sql {
namespace {

constexpr const char* kInteger = "INTEGER";
constexpr const char* kColumnsOfSaves[][2] = {{"save", "INTEGER PRIMARY KEY"},
                                              {"file", "TEXT"},
                                              {"title", "TEXT"},
                                              {"date", "TEXT"},
                                              {"play_time_ms", ""},
                                              {"sequence", ""},
                                              {"state_hash", "TEXT"},
                                              {"file_bytes", kInteger}};
constexpr const char* kColumnsOfRecords[][2] = {
    {"save", kInteger}, {"handle", "TEXT"}, {"slot", kInteger}, {"generation", kInteger}};

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + '.' + name;
}

bool is_list(const Field& field) {
  return field.kind == FieldKind::list || field.kind == FieldKind::array ||
         field.kind == FieldKind::map;
}

// Whether an optional of it needs a column of its own: its value may be NULL, or have no column.
bool may_be_null(const Field& field) {
  return is_list(field) || field.kind == FieldKind::structure || field.kind == FieldKind::variant ||
         field.kind == FieldKind::optional || field.kind == FieldKind::handle ||
         field.kind == FieldKind::f32 || field.kind == FieldKind::f64;
}

std::string type_of(const Field& field) {
  switch (field.kind) {
    case FieldKind::f32:
    case FieldKind::f64: return "REAL";
    case FieldKind::string:
    case FieldKind::handle: return "TEXT";
    case FieldKind::opaque: return "BLOB";
    case FieldKind::enumeration:
      return enumerators_of(field).empty() ? type_of(field.children.front()) : "TEXT";
    // As a number, SQLite would round what is above its own integers.
    case FieldKind::u64: return {};
    default: return kInteger;
  }
}

std::size_t own_columns(const Node& node) {
  return node.column == Node::kNone ? 0 : node.field->kind == FieldKind::handle ? 3 : 1;
}

}  // namespace

std::string Names::take(std::string_view wanted) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = lower_ascii(c);
    return text;
  };
  const std::string base =
      (lower(std::string(wanted)).starts_with("sqlite_") ? "hdb_" : "") + std::string(wanted);
  std::string name = base;
  for (unsigned number = 2; !taken_.insert(lower(name)).second; ++number)
    name = fmt::format("{}_{}", base, number);
  return name;
}

Layout::Layout(const std::vector<Save>& saves) {
  SqlTable& list = add_table("", "saves", "");
  for (const auto& [name, type] : kColumnsOfSaves) add_column(list, name, type);
  // Tables of saves before tables of lists: they keep their names if they can.
  for (const Save& save : saves) {
    ++pass_;
    for (const dumping::Selection& selection : save.selections) {
      const TableDescriptor& table = save.reader->tables()[selection.table];
      SqlTable& made = add_table(table.name, table.name, table.owner);
      for (const auto& [name, type] : kColumnsOfRecords) add_column(made, name, type);
    }
  }
  for (const Save& save : saves) {
    ++pass_;
    stored_ = &save.reader->tables();
    std::vector<Node>& records = nodes_.emplace_back();
    for (const dumping::Selection& selection : save.selections) {
      const TableDescriptor& table = (*stored_)[selection.table];
      SqlTable& made = table_of(table.name);
      for (const auto& [name, type] : kColumnsOfRecords) add_column(made, name, type);
      next_stored_ = 0;
      records.push_back(add(made, save.reader->schemas()[table.schema], ""));
    }
  }
}

SqlTable& Layout::table_of(std::string_view key) {
  return *std::find_if(tables_.begin(), tables_.end(),
                       [&](const SqlTable& table) { return table.key == key; });
}

SqlTable& Layout::add_table(std::string key, const std::string& name, std::string owner) {
  for (SqlTable& table : tables_) {
    if (table.key != key || table.pass == pass_) continue;
    table.pass = pass_;
    return table;
  }
  SqlTable& made =
      tables_.emplace_back(SqlTable{std::move(key), name, names_.take(name), std::move(owner)});
  made.pass = pass_;
  return made;
}

std::size_t Layout::add_column(SqlTable& table, const std::string& key, std::string type) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    SqlColumn& column = table.columns[i];
    if (column.key != key || column.pass == pass_) continue;
    column.pass = pass_;
    if (column.type != type) column.type.clear();
    return i;
  }
  table.columns.push_back({key, table.names.take(key), std::move(type)});
  table.columns.back().pass = pass_;
  return table.columns.size() - 1;
}

Node Layout::add(SqlTable& table, const Field& field, const std::string& path) {
  Node node;
  node.field = &field;
  node.first_stored = next_stored_;
  next_stored_ += leading_columns(field);
  switch (field.kind) {
    case FieldKind::structure:
      for (const Field& child : field.children)
        node.children.push_back(add(table, child, joined(path, child.name)));
      break;
    case FieldKind::optional:
      if (may_be_null(field.children.front()))
        node.column = add_column(table, path + '?', kInteger);
      node.children.push_back(add(table, field.children.front(), path));
      break;
    case FieldKind::variant:
      node.column = add_column(table, path, "");
      for (std::size_t i = 0; i < field.children.size(); ++i)
        node.children.push_back(add(table, field.children[i], fmt::format("{}<{}>", path, i)));
      for (Node& alternative : node.children) {
        const std::string_view name = type_name_of(*alternative.field);
        if (std::count_if(field.children.begin(), field.children.end(),
                          [&](const Field& each) { return type_name_of(each) == name; }) == 1)
          alternative.alternative = name;
      }
      break;
    case FieldKind::array:
    case FieldKind::list:
    case FieldKind::map: add_elements(table, path, node); break;
    case FieldKind::handle: {
      node.column = add_column(table, path, type_of(field));
      add_column(table, path + ".slot", kInteger);
      add_column(table, path + ".generation", kInteger);
      std::vector<std::string> targets;
      for (const TableDescriptor& each : *stored_) {
        if (can_name(field, each)) targets.push_back(each.name);
      }
      const std::string target = targets.size() == 1 ? targets.front() : "";
      SqlColumn& column = table.columns[node.column];
      column.target = column.target.empty() || column.target == target ? target : "";
      break;
    }
    default: node.column = add_column(table, path, type_of(field)); break;
  }
  node.stored_count = count_columns(field);
  next_stored_ = node.first_stored + node.stored_count;
  return node;
}

void Layout::add_elements(SqlTable& around, const std::string& path, Node& node) {
  const Field& field = *node.field;
  SqlTable& table =
      add_table(around.key + SqlTable::kOfList + path, around.name + '.' + path,
                around.has_records() && around.owner.empty() ? around.key : around.owner);
  node.table = &table;
  // Where the element is: in the list, in the list around that, ... the outermost first.
  const std::size_t depth =
      static_cast<std::size_t>(std::count(table.key.begin(), table.key.end(), SqlTable::kOfList));
  add_column(table, "save", kInteger);
  add_column(table, "handle", "TEXT");
  for (std::size_t i = 0; i < depth; ++i) add_column(table, "i", kInteger);
  if (field.kind == FieldKind::map) {
    node.children.push_back(add(table, field.children[0], "key"));
    node.children.push_back(add(table, field.children[1], "value"));
  } else {
    const Field& element = field.children.front();
    node.children.push_back(
        add(table, element, element.kind == FieldKind::structure ? "" : "value"));
  }
}

std::string Layout::statement_for(const SqlTable& table) {
  std::string text = "CREATE TABLE " + sql_name(table.name) + "(";
  for (const SqlColumn& column : table.columns) {
    if (text.back() != '(') text += ", ";
    text += sql_name(column.name) + (column.type.empty() ? "" : " ") + column.type;
  }
  const auto refer = [&](const std::string& column, const std::string& key) {
    const auto target = std::find_if(tables_.begin(), tables_.end(),
                                     [&](const SqlTable& each) { return each.key == key; });
    if (key.empty() || target == tables_.end()) return;
    text += fmt::format(", FOREIGN KEY(save, {}) REFERENCES {}(save, handle)", sql_name(column),
                        sql_name(target->name));
  };
  if (!table.key.empty()) text += ", FOREIGN KEY(save) REFERENCES saves(save)";
  refer("handle", table.owner);
  for (const SqlColumn& column : table.columns) refer(column.name, column.target);
  return text + ')';
}

Status Layout::create(Connection& connection) {
  const auto most =
      static_cast<std::size_t>(sqlite3_limit(connection.get(), SQLITE_LIMIT_COLUMN, -1));
  for (const SqlTable& table : tables_) {
    if (table.columns.size() > most) {
      return fail(ErrorCode::limit_exceeded,
                  fmt::format("the table '{}' would have {} columns, and SQLite allows {}",
                              table.name, table.columns.size(), most));
    }
    if (Status made = connection.run(statement_for(table)); !made) return made;
  }
  return {};
}

bool has_wanted_elements(const Node& node) {
  return (node.table != nullptr && node.table->is_wanted) ||
         std::any_of(node.children.begin(), node.children.end(), has_wanted_elements);
}

void collect_wanted(const Node& node, const SqlTable& table, std::vector<std::uint32_t>& stored) {
  bool is_wanted = node.table != nullptr && has_wanted_elements(node);
  for (std::size_t i = 0; i < own_columns(node); ++i)
    is_wanted = is_wanted || table.columns[node.column + i].is_wanted;
  for (std::uint32_t i = 0; is_wanted && i < node.stored_count; ++i)
    stored.push_back(node.first_stored + i);
  if (is_wanted || node.table != nullptr) return;
  for (const Node& child : node.children) collect_wanted(child, table, stored);
}

}  // namespace hdb::inspect::sql
