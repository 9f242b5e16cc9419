// The tables of two states, and what a difference is called.
#include "inspect/diff/state_diff.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/diff/compare_rules.hpp"
#include "inspect/diff/slot_diff.hpp"

namespace hdb {
namespace diffing {
namespace {

bool is_wanted(const DiffOptions& options, const std::string& table) {
  if (is_ignored(options, table)) return false;
  return options.tables.empty() ||
         std::find(options.tables.begin(), options.tables.end(), table) != options.tables.end();
}

std::string shown(const RecordDiff& record) { return escape_text(record.handle()); }

std::string field_text(const FieldChange& field) {
  std::string text = field.path.empty() ? "" : '.' + field.path;
  text += ": " + field.old_value.value_or("nothing") + " -> " + field.new_value.value_or("nothing");
  if (!field.note.empty()) text += " (" + escape_text(field.note) + ")";
  return text;
}

std::string record_text(const RecordDiff& record) {
  switch (record.mark) {
    case DiffMark::added: return shown(record) + " was added";
    case DiffMark::removed: return shown(record) + " was removed";
    case DiffMark::reused:
      return shown(record) + ": slot re-used; it held generation @" +
             std::to_string(record.old_generation);
    case DiffMark::changed: break;
  }
  if (record.fields.empty()) return shown(record) + " differs";
  return shown(record) + field_text(record.fields.front());
}

std::string note_text(const TableNote& note) {
  std::string text = note.what;
  if (!note.old_value.empty()) text += ' ' + note.old_value + " -> " + note.new_value;
  if (!note.detail.empty())
    text += (note.old_value.empty() ? ": " : "; ") + escape_text(note.detail);
  return text;
}

std::string table_text(const TableDiff& table) {
  const std::string name = "table '" + escape_text(table.name) + "'";
  if (!table.old_live) return name + " is new";
  if (!table.new_live) return name + " was removed";
  if (!table.details.empty()) return record_text(table.details.front());
  if (table.records() != 0)
    return name + ": " + std::to_string(table.records()) + " records differ";
  if (!table.notes.empty()) return name + ": " + note_text(table.notes.front());
  const SchemaChange& change = table.schema.front();
  return name + ": field '" + change.path + "' has another schema";
}

}  // namespace

Result<StateDiff> diff_tables(const StateSide& a, const StateSide& b, const DiffOptions& options,
                              const CompareTable& compare) {
  std::set<std::string> names;
  for (const auto* side : {&a, &b}) {
    for (const TableDescriptor& table : side->tables) names.insert(table.name);
  }
  StateDiff result;
  std::optional<Error> misfit;
  for (const std::string& name : names) {
    if (!is_wanted(options, name)) continue;
    TableDiff& table = result.tables.emplace_back();
    table.name = name;
    auto compared = compare(table, misfit);
    if (!compared) return fail(std::move(compared.error()));
    if (!*compared) {
      result.tables.pop_back();
      continue;
    }
    if (options.on_table) options.on_table(table);
    if (options.stop && options.stop()) break;
  }
  if (result.tables.empty() && misfit) return fail(*std::move(misfit));
  if (options.tables.empty() && !options.where)
    result.notes = database_notes(a.database, b.database);
  return result;
}

void drop_ignored(const DiffOptions& options, const std::string& table,
                  std::vector<SchemaChange>& changes) {
  std::erase_if(
      changes, [&](const SchemaChange& change) { return is_ignored(options, table, change.path); });
}

}  // namespace diffing

std::string RecordDiff::handle() const {
  return handle_of(mark == DiffMark::removed ? old_generation : new_generation);
}

std::string RecordDiff::handle_of(std::uint32_t generation) const {
  TableDescriptor descriptor;
  descriptor.name = table;
  descriptor.owner = owner;
  return handle_name(descriptor, slot, generation);
}

bool StateDiff::differs() const noexcept {
  return !notes.empty() || std::any_of(tables.begin(), tables.end(),
                                       [](const TableDiff& table) { return table.differs(); });
}

std::uint64_t StateDiff::records() const noexcept {
  std::uint64_t count = 0;
  for (const TableDiff& table : tables) count += table.records();
  return count;
}

std::uint64_t StateDiff::within_tolerance() const noexcept {
  std::uint64_t count = 0;
  for (const TableDiff& table : tables) count += table.within_tolerance;
  return count;
}

std::string StateDiff::first() const {
  // A record says more than a counter or a free list does.
  const auto says_more = [](const TableDiff& table) { return table.records() != 0; };
  auto found = std::find_if(tables.begin(), tables.end(), says_more);
  if (found == tables.end()) {
    found = std::find_if(tables.begin(), tables.end(),
                         [](const TableDiff& table) { return table.differs(); });
  }
  if (found != tables.end()) return diffing::table_text(*found);
  return notes.empty() ? std::string() : "database: " + diffing::note_text(notes.front());
}

}  // namespace hdb
