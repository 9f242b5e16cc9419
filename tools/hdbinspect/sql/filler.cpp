// A statement for each table, bound and run for each row.
#include "sql/filler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "dump/row_reader.hpp"
#include "hdb/bytes.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/translate_handle.hpp"
#include "input.hpp"
#include "text.hpp"

namespace hdb::inspect::sql {

Status Filler::fill() {
  for (SqlTable& table : layout_.tables()) {
    if (!table.is_wanted) continue;
    std::string sql = "INSERT INTO " + sql_name(table.name) + " VALUES(?";
    for (std::size_t i = 1; i < table.columns.size(); ++i) sql += ",?";
    auto insert = connection_.prepare(sql + ')');
    if (!insert) return fail(std::move(insert.error()));
    table.insert = *std::move(insert);
  }
  if (Status begun = connection_.run("BEGIN"); !begun) return begun;
  if (Status filled = fill_saves(); !filled) return filled;
  for (save_ = 0; save_ < saves_.size(); ++save_) {
    const auto& selections = saves_[save_].selections;
    for (std::size_t i = 0; i < selections.size(); ++i) {
      if (Status filled = fill_table(selections[i], layout_.nodes()[save_][i]); !filled)
        return filled;
    }
  }
  for (SqlTable& table : layout_.tables()) table.insert.reset();
  return connection_.run("COMMIT");
}

Status Filler::fill_saves() {
  SqlTable& table = layout_.tables().front();
  for (save_ = 0; save_ < saves_.size() && table.is_wanted; ++save_) {
    const FileInfo& info = saves_[save_].reader->info();
    const std::string file = json_name(saves_[save_].file);
    std::string date = date_text(info.metadata.date_unix_ms);
    date.resize(std::min(date.size(), date.rfind(" UTC")));  // as SQLite's functions take it
    const std::string hash = info.state_hash.hex();
    begin(table);
    bind(1, file);
    bind(2, info.metadata.title);
    if (info.metadata.date_unix_ms != 0) bind(3, date);
    bind_unsigned(4, info.metadata.play_time_ms);
    bind_unsigned(5, info.metadata.sequence);
    bind(6, hash);
    bind_unsigned(7, info.file_bytes);
    end();
  }
  return result_ == SQLITE_OK ? Status() : fail(connection_.failure());
}

Status Filler::fill_table(const dumping::Selection& selection, const Node& root) {
  const Reader& reader = *saves_[save_].reader;
  const TableDescriptor& stored = reader.tables()[selection.table];
  SqlTable& table = layout_.table_of(stored.name);
  if (!table.is_wanted && !has_wanted_elements(root)) return {};
  std::vector<std::uint32_t> columns;
  collect_wanted(root, table, columns);
  const std::string prefix = (stored.owner.empty() ? stored.name : stored.owner) + ':';
  RowReader rows(reader, selection.table, std::span(columns));
  for (std::uint64_t group = 0; group < stored.group_count(); ++group) {
    if (Status read = rows.open(group); !read)
      return fail(with_file(read.error(), saves_[save_].file));
    for (;;) {
      const auto found = rows.next();
      if (!found) return fail(with_file(found.error(), saves_[save_].file));
      if (!*found) break;
      if (selection.filter &&
          !selection.filter->matches(rows.row(), rows.slot(), rows.generation()))
        continue;
      handle_ = prefix;
      fmt::format_to(std::back_inserter(handle_), FMT_COMPILE("{}@{}"), rows.slot(),
                     rows.generation());
      ++records_;
      begin(table);
      bind(2, static_cast<std::int64_t>(rows.slot()));
      bind(3, std::int64_t{rows.generation()});
      put(root, rows.row());
      end();
      if (result_ != SQLITE_OK) return fail(connection_.failure());
    }
  }
  return {};
}

void Filler::begin(SqlTable& table) {
  insert_ = table.insert.get();
  if (insert_ == nullptr) return;
  check(sqlite3_clear_bindings(insert_));
  bind(0, static_cast<std::int64_t>(save_ + 1));
  if (table.columns[1].is_wanted) bind(1, handle_);
}

// What is bound stays as it is until `end`.
void Filler::bind(std::size_t column, std::int64_t number) {
  if (insert_ != nullptr) check(sqlite3_bind_int64(insert_, static_cast<int>(column + 1), number));
}

void Filler::bind(std::size_t column, std::string_view text) {
  if (insert_ == nullptr) return;
  check(sqlite3_bind_text64(insert_, static_cast<int>(column + 1), text.empty() ? "" : text.data(),
                            text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

// SQLite has no larger integers than signed ones: what is larger is a text.
void Filler::bind_unsigned(std::size_t column, std::uint64_t number) {
  if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return bind(column, static_cast<std::int64_t>(number));
  if (insert_ == nullptr) return;
  const std::string digits = fmt::format("{}", number);
  check(sqlite3_bind_text(insert_, static_cast<int>(column + 1), digits.data(),
                          static_cast<int>(digits.size()), SQLITE_TRANSIENT));
}

void Filler::end() {
  if (insert_ == nullptr) return;
  if (result_ == SQLITE_OK && sqlite3_step(insert_) != SQLITE_DONE)
    check(sqlite3_extended_errcode(connection_.get()));
  if (result_ == SQLITE_OK) sqlite3_reset(insert_);  // else it would forget why
}

void Filler::put(const Node& node, const Value& value) {
  switch (node.field->kind) {
    case FieldKind::structure: {
      // The row has only the fields that are wanted.
      auto child = value.children.begin();
      for (const Node& part : node.children) {
        if (child == value.children.end()) return;
        if (child->field == part.field) put(part, *child++);
      }
      return;
    }
    case FieldKind::optional:
      if (node.column != Node::kNone) bind(node.column, static_cast<std::int64_t>(value.bits));
      if (!value.children.empty()) put(node.children.front(), value.children.front());
      return;
    case FieldKind::variant: {
      const auto tag = static_cast<std::size_t>(value.bits);
      const std::string_view name = node.children[tag].alternative;
      name.empty() ? bind(node.column, static_cast<std::int64_t>(tag)) : bind(node.column, name);
      if (!value.children.empty()) put(node.children[tag], value.children.front());
      return;
    }
    case FieldKind::array:
    case FieldKind::list:
    case FieldKind::map: return put_elements(node, value);
    case FieldKind::handle: return put_handle(node, value);
    default: return put_scalar(node, value);
  }
}

void Filler::put_scalar(const Node& node, const Value& value) {
  const Field& field = *node.field;
  const int number = static_cast<int>(node.column + 1);
  switch (field.kind) {
    case FieldKind::f32:
    case FieldKind::f64: {  // NaN becomes NULL
      double real = float_value(field.kind, value.bits);
      // What people type, and what dump prints: 0.1 and not 0.10000000149011612.
      const bool is_short = std::fabs(real) < 16777216 && real == std::trunc(real);
      if (field.kind == FieldKind::f32 && std::isfinite(real) && !is_short)
        static_cast<void>(parse_double(float_text(field.kind, value.bits), real));
      if (insert_ != nullptr) check(sqlite3_bind_double(insert_, number, real));
      return;
    }
    case FieldKind::string:
      if (is_utf8(value.text())) return bind(node.column, value.text());
      [[fallthrough]];
    case FieldKind::opaque:
      if (insert_ == nullptr) return;
      check(value.bytes.empty() ? sqlite3_bind_zeroblob(insert_, number, 0)
                                : sqlite3_bind_blob64(insert_, number, value.bytes.data(),
                                                      value.bytes.size(), SQLITE_STATIC));
      return;
    case FieldKind::enumeration:
      if (const std::string_view name = enumerator_name(field, value.bits); !name.empty())
        return bind(node.column, name);
      break;
    default: break;
  }
  if (is_signed(field)) return bind(node.column, signed_bits(field, value.bits));
  bind_unsigned(node.column, value.bits);
}

void Filler::put_handle(const Node& node, const Value& value) {
  if (value.bits == 0 || insert_ == nullptr) return;
  const HandleNamer namer(saves_[save_].reader->tables());
  const std::string name = namer.name(*node.field, value.bits);
  check(sqlite3_bind_text64(insert_, static_cast<int>(node.column + 1), name.data(), name.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  if (!namer.table_of(*node.field, value.bits)) return;  // no table issued such a handle
  const auto parts = split_handle(node.field->layout, value.bits);
  bind(node.column + 1, std::int64_t{parts->index});
  bind(node.column + 2, std::int64_t{parts->generation});
}

// Rows of their own, between those of the table around them.
void Filler::put_elements(const Node& node, const Value& value) {
  if (!has_wanted_elements(node)) return;
  sqlite3_stmt* const around = insert_;
  const bool is_map = node.field->kind == FieldKind::map;
  for (std::uint64_t i = 0; i < value.bits && result_ == SQLITE_OK; ++i) {
    begin(*node.table);
    positions_.push_back(static_cast<std::int64_t>(i));
    for (std::size_t at = 0; at < positions_.size(); ++at) bind(2 + at, positions_[at]);
    if (is_map) {
      put(node.children[0], value.children[static_cast<std::size_t>(2 * i)]);
      put(node.children[1], value.children[static_cast<std::size_t>(2 * i + 1)]);
    } else if (value.is_packed()) {
      put(node.children.front(), value.element(i));
    } else {
      put(node.children.front(), value.children[static_cast<std::size_t>(i)]);
    }
    positions_.pop_back();
    end();
  }
  insert_ = around;
}

}  // namespace hdb::inspect::sql
