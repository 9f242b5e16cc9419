// sql: a query about the records of saves.
#include "sql/sql.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "command.hpp"
#include "dump/csv.hpp"
#include "hdb/inspect/filter.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Prints rows in one of the formats.
class RowPrinter {
 public:
  RowPrinter(Output& out, const std::string& format) : out_(out), format_(format) {}

  void begin(const std::vector<std::string>& names) {
    if (format_ == "csv") {
      std::string line;
      for (const std::string& name : names) {
        append_csv_text(name, line);
        line += ',';
      }
      return end_of_csv(line);
    }
    if (format_ == "json") out_.write("[");
    std::set<std::string> taken;
    for (const std::string& name : names) {
      std::string other = name;
      for (unsigned number = 2; !is_table() && !taken.insert(other).second; ++number)
        other = fmt::format("{}_{}", name, number);
      names_.push_back(is_table() ? escape_text(other) : other);
    }
  }

  void row(std::span<const Value> values) {
    if (format_ == "csv") return csv_row(values);
    if (!is_table()) return json_row(values);
    if (rows_.empty()) are_numbers_.assign(names_.size(), true);
    std::vector<std::string>& cells = rows_.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value& value = values[i];
      const bool is_text = value.field != nullptr && value.field->kind == FieldKind::string;
      are_numbers_[i] = are_numbers_[i] && !is_text;
      cells.push_back(is_text ? escape_text(value.text()) : text_of(value, "null"));
    }
    if (rows_.size() == kRowsAligned) flush_table();
  }

  void end() {
    if (format_ == "json") out_.write(is_first_ ? "]\n" : "\n]\n");
    if (is_table() && (is_first_ || !rows_.empty())) flush_table();
  }

 private:
  // A table is printed in parts of this many rows, so that its memory is bounded.
  static constexpr std::size_t kRowsAligned = 1000;

  [[nodiscard]] bool is_table() const { return format_ == "table"; }

  [[nodiscard]] std::string text_of(const Value& value, const char* null) const {
    return value.field == nullptr ? null : value_text(value, namer_);
  }

  void flush_table() {
    are_numbers_.resize(names_.size());
    TextTable lines(are_numbers_);
    if (std::exchange(is_first_, false)) lines.add(names_);
    for (auto& cells : rows_) lines.add(std::move(cells));
    rows_.clear();
    out_.write(lines.text(0));
  }

  void csv_row(std::span<const Value> values) {
    std::string line;
    for (const Value& value : values) {
      if (value.field != nullptr && value.field->kind == FieldKind::string) {
        append_csv_text(value.text(), line);
      } else if (value.field != nullptr && value.field->kind == FieldKind::opaque) {
        append_csv_text(value_json(value, namer_), line);
      } else {
        line += text_of(value, "");
      }
      line += ',';
    }
    end_of_csv(line);
  }

  void end_of_csv(std::string& line) {
    line.pop_back();
    out_.write(line + "\r\n");
  }

  void json_row(std::span<const Value> values) {
    JsonObject fields;
    for (std::size_t i = 0; i < values.size(); ++i)
      fields.raw(names_[i], values[i].field == nullptr ? "null" : value_json(values[i], namer_));
    if (format_ == "json") out_.write(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    out_.write(JsonObject("row").raw("fields", fields.str()).str());
    if (format_ != "json") out_.write("\n");
  }

  Output& out_;
  const std::string& format_;
  const std::vector<TableDescriptor> no_tables_;
  HandleNamer namer_{no_tables_};
  std::vector<std::string> names_;
  std::vector<bool> are_numbers_;
  std::vector<std::vector<std::string>> rows_;
  bool is_first_ = true;
};

class Sql final : public Command {
 public:
  Sql() {
    describe(
        {"sql",
         "Answer an SQL query about the records of saves",
         "$ hdbinspect sql slot1.hdb 'select name, hp from monsters order by hp limit 5'\n"
         "$ hdbinspect sql saves/*.hdb 'select save, count(*) from monsters group by save'\n"
         "$ hdbinspect sql slot1.hdb 'select sql from sqlite_schema'   the tables and columns\n"
         "$ hdbinspect sql slot1.hdb --format=csv 'select * from monsters' > monsters.csv\n"
         "\n" +
             std::string(sql::kTablesNote) +
             "\nThe tables and fields that the query names are loaded into memory; for more than "
             "--max-memory write a file with hdbinspect export.",
         {{"--format=table|csv|ndjson|json", &format_,
           "How to print rows: table (default), csv, ndjson (an object a line) or json (one "
           "array)"},
          {"FILE", &files_, "Save file", file_name()},
          {"QUERY", &query_, "One statement of SQLite that only reads"}}});
  }

  ExitStatus run(Context& context) override {
    if (context.globals.json && (format_ == "csv" || format_ == "json")) {
      return context.messages.usage("--json and --format=" + format_ + " cannot be combined",
                                    "hdbinspect sql --help");
    }
    if (context.globals.json) format_ = "ndjson";
    const ProgressScope progress("sql", shown_name(files_.front()));
    ExitStatus status = ExitStatus::fine;
    const auto saves = sql::open_saves(context, files_, {}, status);
    if (!saves) return status;
    RowPrinter printer(context.out, format_);
    const Status answered =
        sql::answer(*saves, query_,
                    {[&](const auto& names) { printer.begin(names); },
                     [&](std::span<const Value> values) {
                       printer.row(values);
                       return !context.out.closed();
                     }},
                    [&](const std::string& text) { context.messages.note(text); });
    if (!answered) return report(context, answered.error());
    printer.end();
    return ExitStatus::fine;
  }

 private:
  [[nodiscard]] std::string typed_files() const {
    std::string typed;
    for (const std::string& file : files_) typed += ' ' + typed_path(file);
    return typed;
  }

  [[nodiscard]] ExitStatus report(const Context& context, const Error& error) const {
    const std::string advice =
        fmt::format("hdbinspect export{} -o game.sqlite, and ask sqlite3", typed_files());
    if (error.code == ErrorCode::bad_options)
      return context.messages.usage("QUERY: " + error.what, advice);
    // A table has too many columns.
    if (error.code == ErrorCode::limit_exceeded && error.file.empty())
      return context.messages.error(error, "hdbinspect export -t takes some of the tables");
    if (error.code == ErrorCode::memory_budget && error.file.empty()) {
      return context.messages.error(error, fmt::format("{}; or give a --max-memory larger than {}",
                                                       advice, memory_limit_text()));
    }
    if (error.code != ErrorCode::bad_name) return context.messages.error(error);
    return context.messages.usage(
        "QUERY: " + error.what,
        fmt::format("hdbinspect sql{} 'select sql from sqlite_schema'", typed_files()),
        error.offset == kNoOffset ? "" : point_at(query_, static_cast<std::size_t>(error.offset)));
  }

  std::vector<std::string> files_;
  std::string query_;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_sql() { return std::make_unique<Sql>(); }

}  // namespace hdb::inspect
