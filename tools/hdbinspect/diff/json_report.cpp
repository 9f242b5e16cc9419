// The NDJSON form of a comparison.
#include <utility>

#include <fmt/format.h>

#include "diff/report.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {
namespace {

class JsonReport final : public DiffReport {
 public:
  explicit JsonReport(LineSink line) : line_(std::move(line)) {}

  void first(const SavePairs& pairs, const FirstDifference& found) override {
    const bool differs = found.pair != pairs.names.size();
    JsonObject object("diff_first");
    object.boolean("differs", differs).number("pairs", pairs.names.size());
    object.number("looked_at", differs ? found.pair + 1 : found.pair);
    object.number("compared", found.compared);
    object.number("only_in_a", pairs.only_in_a).number("only_in_b", pairs.only_in_b);
    if (differs) {
      object.text("name", pairs.names[found.pair]).number("number", found.pair + 1);
    }
    if (found.pair != 0) object.text("equal_up_to", pairs.names[found.pair - 1]);
    line_(object.str());
  }

  void record(const RecordDiff& record) override {
    const char mark = static_cast<char>(record.mark);
    JsonObject object("diff_record");
    object.text("mark", std::string_view(&mark, 1))
        .text("table", record.table)
        .number("slot", record.slot);
    if (record.mark != DiffMark::added)
      object.text("old_handle", name_of(record, record.old_generation));
    if (record.mark != DiffMark::removed)
      object.text("new_handle", name_of(record, record.new_generation));
    JsonArray fields;
    for (const FieldChange& field : record.fields) {
      JsonObject entry;
      entry.text("path", field.path);
      if (field.old_value) entry.raw("old", *field.old_value);
      if (field.new_value) entry.raw("new", *field.new_value);
      if (!field.note.empty()) entry.text("note", field.note);
      fields.raw(entry.str());
    }
    if (!record.fields.empty()) object.raw("fields", fields.str());
    line_(object.str());
  }

  void table(const TableDiff& entry) override {
    ++tables_;
    records_ += entry.records();
    within_tolerance_ += entry.within_tolerance;
    differing_ += entry.differs() ? 1 : 0;
    JsonObject object("diff_table");
    object.text("table", entry.name).boolean("differs", entry.differs());
    if (entry.old_live) object.number("old_live", *entry.old_live);
    if (entry.new_live) object.number("new_live", *entry.new_live);
    object.number("added", entry.added).number("removed", entry.removed);
    object.number("changed", entry.changed).number("reused", entry.reused);
    object.number("within_tolerance", entry.within_tolerance);
    object.number("blocks", entry.blocks).number("blocks_read", entry.blocks_read);
    object.number("stored_differently", entry.stored_differently);
    JsonArray schema;
    for (const SchemaChange& change : entry.schema) {
      JsonObject entry_object;
      entry_object.text("mark", std::string_view(&change.mark, 1)).text("path", change.path);
      entry_object.text("old_type", change.old_type).text("new_type", change.new_type);
      if (!change.compared) entry_object.boolean("compared", false);
      if (!change.value.empty()) entry_object.text("value", change.value);
      schema.raw(entry_object.str());
    }
    line_(object.raw("schema", schema.str()).raw("notes", notes_json(entry.notes)).str());
  }

  void database(const std::vector<TableNote>& notes) override {
    database_differs_ = true;
    line_(JsonObject("diff_database").raw("notes", notes_json(notes)).str());
  }

  void finish(std::uint64_t records_not_shown) override {
    JsonObject object("diff_summary");
    object.boolean("differs", differing_ != 0 || database_differs_).number("records", records_);
    object.number("tables_differing", differing_).number("tables", tables_);
    object.number("within_tolerance", within_tolerance_);
    line_(object.number("records_not_shown", records_not_shown).str());
  }

 private:
  static std::string name_of(const RecordDiff& record, std::uint32_t generation) {
    return record.handle_of(generation);
  }

  static std::string notes_json(const std::vector<TableNote>& notes) {
    JsonArray array;
    for (const TableNote& note : notes) {
      JsonObject object;
      object.text("what", note.what).text("old", note.old_value).text("new", note.new_value);
      array.raw(object.text("detail", note.detail).str());
    }
    return array.str();
  }

  LineSink line_;
  bool database_differs_ = false;
  std::uint64_t tables_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t within_tolerance_ = 0;
};

}  // namespace

std::unique_ptr<DiffReport> json_report(LineSink line) {
  return std::make_unique<JsonReport>(std::move(line));
}

std::unique_ptr<DiffReport> json_report(Output& out) {
  return json_report([&out](std::string_view line) { out.line(line); });
}

}  // namespace hdb::inspect
