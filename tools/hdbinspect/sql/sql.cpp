// Fills a database: of `export` all of it, of `sql` what the query reads.
#include "sql/sql.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "hdb/bytes.hpp"
#include "hdb/inspect/text.hpp"
#include "sql/filler.hpp"
#include "sql/layout.hpp"

namespace hdb::inspect::sql {
namespace {

constexpr const char* kReadOnly = "only queries that read are allowed";

void note_names(Layout& layout, const Note& note) {
  for (const SqlTable& table : layout.tables()) {
    if (!table.is_wanted) continue;
    if (table.name != table.asked)
      note(fmt::format("table '{}' is {} in SQL", table.asked, sql_name(table.name)));
    for (const SqlColumn& column : table.columns) {
      // The positions of an element of a nested list have no name in the save.
      if (column.name == column.key || (column.key == "i" && column.name.starts_with("i_")))
        continue;
      note(fmt::format("field '{}' of table {} is {} in SQL", column.key, sql_name(table.name),
                       sql_name(column.name)));
    }
  }
}

// For joins, and for the foreign keys that refer to them.
Status add_indices(Connection& connection, Layout& layout) {
  Names names;
  for (const SqlTable& table : layout.tables()) static_cast<void>(names.take(table.name));
  for (const SqlTable& table : layout.tables()) {
    if (table.key.empty()) continue;
    if (Status made = connection.run(fmt::format(
            "CREATE {}INDEX {} ON {}(handle, save)", table.has_records() ? "UNIQUE " : "",
            sql_name(names.take(table.name + " by handle")), sql_name(table.name)));
        !made)
      return made;
  }
  return {};
}

// Marks what a query reads; refuses what does more than read.
int look_at(void* layout, int action, const char* first, const char* second, const char*,
            const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_READ: break;
    default: return SQLITE_DENY;
  }
  for (SqlTable& table : static_cast<Layout*>(layout)->tables()) {
    if (table.name != first) continue;
    table.is_wanted = true;
    for (SqlColumn& column : table.columns)
      column.is_wanted = column.is_wanted || column.name == second;
  }
  return SQLITE_OK;
}

// Whether a query has the name in it, in upper or lower case and however it is quoted. A name with
// quotes may be written in several ways.
bool has_name(const std::string& query, std::string_view name) {
  if (name.find_first_of("\"'`") != std::string_view::npos) return true;
  const auto is_in_word = [&](std::size_t at) {
    if (at >= query.size()) return false;
    const auto c = static_cast<unsigned char>(query[at]);
    return std::isalnum(c) != 0 || c == '_' || c == '$' || c >= 0x80;
  };
  const auto is_same = [](char a, char b) { return lower_ascii(a) == lower_ascii(b); };
  for (auto at = query.begin();; ++at) {
    at = std::search(at, query.end(), name.begin(), name.end(), is_same);
    if (at == query.end()) return false;
    const auto begin = static_cast<std::size_t>(at - query.begin());
    if (!is_in_word(begin - 1) && !is_in_word(begin + name.size())) return true;
  }
}

// SQLite does not ask for columns of USING and of NATURAL joins, nor for tables without others.
void add_names_in(const std::string& query, Layout& layout) {
  const bool is_natural = has_name(query, "natural");
  for (SqlTable& table : layout.tables()) {
    table.is_wanted = table.is_wanted || has_name(query, table.name);
    for (SqlColumn& column : table.columns)
      column.is_wanted = column.is_wanted || is_natural || has_name(query, column.name);
  }
}

// What was meant by a name that SQLite does not know.
std::string hint_for(std::string_view message, Layout& layout) {
  constexpr std::string_view kNoTable = "no such table: ";
  constexpr std::string_view kNoColumn = "no such column: ";
  const bool is_table = message.starts_with(kNoTable);
  if (!is_table && !message.starts_with(kNoColumn)) return {};
  std::vector<std::string> names;
  for (const SqlTable& table : layout.tables()) {
    if (is_table) names.push_back(table.name);
    for (const SqlColumn& column : table.columns) {
      if (!is_table) names.push_back(column.name);
    }
  }
  std::string_view word = message.substr((is_table ? kNoTable : kNoColumn).size());
  std::string near = nearest_word(word, names);
  // The name of a table may be before it.
  if (const std::size_t dot = word.find('.'); near.empty() && dot != std::string_view::npos)
    near = nearest_word(word.substr(dot + 1), names);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", sql_name(near));
}

Error fault_of(const Connection& connection, Layout& layout) {
  Error error = connection.failure();
  const int result = sqlite3_errcode(connection.get());
  const std::string message = sqlite3_errmsg(connection.get());
  if (result == SQLITE_AUTH || message.starts_with("not authorized")) {
    error.code = ErrorCode::bad_options;
    error.what = kReadOnly;
  } else if (result == SQLITE_ERROR || result == SQLITE_TOOBIG) {
    error.code = ErrorCode::bad_name;
    error.what = message + hint_for(message, layout);
#if SQLITE_VERSION_NUMBER >= 3038000
    if (const int at = sqlite3_error_offset(connection.get()); at >= 0)
      error.offset = static_cast<std::uint64_t>(at);
#endif
  }
  return error;
}

// One statement, under the eyes of look_at.
Result<Statement> prepare(Connection& connection, Layout& layout, const std::string& query) {
  sqlite3_set_authorizer(connection.get(), look_at, &layout);
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int prepared = sqlite3_prepare_v2(connection.get(), query.c_str(),
                                          static_cast<int>(query.size()), &made, &rest);
  Statement statement(made);
  if (prepared != SQLITE_OK) return fail(fault_of(connection, layout));
  if (made == nullptr) return fail(ErrorCode::bad_name, "the query is empty");
  // A comment may follow.
  sqlite3_stmt* second = nullptr;
  const auto at = static_cast<std::uint64_t>(rest - query.c_str());
  const bool is_alone =
      sqlite3_prepare_v2(connection.get(), rest, -1, &second, nullptr) == SQLITE_OK &&
      second == nullptr;
  sqlite3_finalize(second);
  if (!is_alone)
    return fail(Error{ErrorCode::bad_name, "there is more than one statement", at, {}, {}});
  if (sqlite3_stmt_readonly(made) == 0) return fail(ErrorCode::bad_options, kReadOnly);
  return statement;
}

Field field_of(FieldKind kind) {
  Field field;
  field.kind = kind;
  return field;
}

Value value_in(sqlite3_stmt* statement, int column) {
  static const Field kInteger = field_of(FieldKind::i64);
  static const Field kReal = field_of(FieldKind::f64);
  static const Field kText = field_of(FieldKind::string);
  static const Field kBlob = field_of(FieldKind::opaque);
  Value value;
  switch (const int type = sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER:
      value.field = &kInteger;
      value.bits = static_cast<std::uint64_t>(sqlite3_column_int64(statement, column));
      break;
    case SQLITE_FLOAT:
      value.field = &kReal;
      value.bits = std::bit_cast<std::uint64_t>(sqlite3_column_double(statement, column));
      break;
    default: {
      value.field = type == SQLITE_TEXT ? &kText : &kBlob;
      const auto* const data =
          static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
      value.bytes = {data, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
    }
  }
  return value;
}

Status print(sqlite3_stmt* statement, const Connection& connection, Layout& layout,
             const Answer& answer) {
  const int count = sqlite3_column_count(statement);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(statement, i));
  answer.columns(names);
  std::vector<Value> row(names.size());
  for (;;) {
    const int step = sqlite3_step(statement);
    if (step == SQLITE_DONE) return {};
    if (step != SQLITE_ROW) return fail(fault_of(connection, layout));
    for (int i = 0; i < count; ++i) row[static_cast<std::size_t>(i)] = value_in(statement, i);
    if (!answer.row(row)) return {};
  }
}

}  // namespace

Result<Exported> export_to(const std::string& path, const std::vector<Save>& saves,
                           const Note& note) {
  auto connection = Connection::open(path);
  if (!connection) return fail(std::move(connection.error()));
  Layout layout(saves);
  for (SqlTable& table : layout.tables()) {
    table.is_wanted = true;
    for (SqlColumn& column : table.columns) column.is_wanted = true;
  }
  note_names(layout, note);
  Filler filler(**connection, layout, saves);
  Status done = layout.create(**connection);
  if (done) done = filler.fill();
  if (done) done = add_indices(**connection, layout);
  if (!done) return fail(std::move(done.error()));
  const auto tables = std::count_if(layout.tables().begin(), layout.tables().end(),
                                    [](const SqlTable& table) { return table.has_records(); });
  return Exported{static_cast<std::uint64_t>(tables), filler.records()};
}

Status answer(const std::vector<Save>& saves, const std::string& query, const Answer& answer,
              const Note& note) {
  auto connection = Connection::open(":memory:");
  if (!connection) return fail(std::move(connection.error()));
  Layout layout(saves);
  if (Status made = layout.create(**connection); !made) return made;
  // Once to see what it reads, and once to answer it.
  if (const auto first = prepare(**connection, layout, query); !first) return fail(first.error());
  sqlite3_set_authorizer((*connection)->get(), nullptr, nullptr);
  add_names_in(query, layout);
  note_names(layout, note);
  if (Status filled = Filler(**connection, layout, saves).fill(); !filled) return filled;
  const auto statement = prepare(**connection, layout, query);
  if (!statement) return fail(statement.error());
  return print(statement->get(), **connection, layout, answer);
}

}  // namespace hdb::inspect::sql
