// The NDJSON form of a comparison.
#include <fmt/format.h>

#include "diff/report.hpp"
#include "json.hpp"

namespace hdb::inspect {
namespace {

class JsonReport final : public DiffReport {
 public:
  explicit JsonReport(Output& out) : out_(out) {}

  void record(const TableDescriptor& a, const TableDescriptor& b,
              const RecordDiff& record) override {
    const char mark = static_cast<char>(record.mark);
    JsonObject object("diff_record");
    object.text("mark", std::string_view(&mark, 1))
        .text("table", b.name)
        .number("slot", record.slot);
    if (record.mark != Mark::added)
      object.text("old_handle", handle_name(a, record.slot, record.old_generation));
    if (record.mark != Mark::removed)
      object.text("new_handle", handle_name(b, record.slot, record.new_generation));
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
    out_.line(object.str());
  }

  void table(TableEntryDiff entry) override {
    ++tables_;
    records_ += entry.diff.records();
    differing_ += entry.differs() ? 1 : 0;
    JsonObject object("diff_table");
    object.text("table", entry.name).boolean("differs", entry.differs());
    if (entry.a != nullptr) object.number("old_live", entry.a->live_count);
    if (entry.b != nullptr) object.number("new_live", entry.b->live_count);
    const TableDiff& diff = entry.diff;
    object.number("added", diff.added).number("removed", diff.removed);
    object.number("changed", diff.changed).number("reused", diff.reused);
    object.number("blocks", diff.blocks).number("blocks_read", diff.blocks_read);
    object.number("stored_differently", diff.stored_differently);
    JsonArray schema;
    for (const SchemaChange& change : entry.schema) {
      JsonObject entry_object;
      entry_object.text("mark", std::string_view(&change.mark, 1)).text("path", change.path);
      entry_object.text("old_type", change.old_type).text("new_type", change.new_type);
      if (!change.compared) entry_object.boolean("compared", false);
      if (!change.value.empty()) entry_object.text("value", change.value);
      schema.raw(entry_object.str());
    }
    JsonArray notes;
    for (const TableNote& note : diff.notes) {
      JsonObject entry_object;
      entry_object.text("what", note.what).text("old", note.old_value).text("new", note.new_value);
      notes.raw(entry_object.text("detail", note.detail).str());
    }
    out_.line(object.raw("schema", schema.str()).raw("notes", notes.str()).str());
  }

  void finish(std::uint64_t records_not_shown) override {
    JsonObject object("diff_summary");
    object.boolean("differs", differing_ != 0).number("records", records_);
    object.number("tables_differing", differing_).number("tables", tables_);
    out_.line(object.number("records_not_shown", records_not_shown).str());
  }

 private:
  Output& out_;
  std::uint64_t tables_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

std::unique_ptr<DiffReport> json_report(Output& out) { return std::make_unique<JsonReport>(out); }

}  // namespace hdb::inspect
