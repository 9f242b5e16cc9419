// Compares each save with the one before, by counts where hashes differ.
#include "history/save_lines.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "diff/report.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kDateWidth = 19;
constexpr std::size_t kSizeWidth = 9;
constexpr std::size_t kMostOfName = 20;

// "2026-11-21 05:43:49"; "#12" of a save without a date.
std::string time_text(const SeriesSave& save) {
  const Metadata& metadata = save.info.metadata;
  if (metadata.date_unix_ms != 0) return date_text(metadata.date_unix_ms).substr(0, kDateWidth);
  return metadata.sequence != 0 ? fmt::format("#{}", metadata.sequence) : "";
}

// "monsters 12479 +3 -4 ~117".
std::string table_text(const TableDiff& table) {
  std::string text = escape_text(table.name);
  if (table.new_live) text += fmt::format(" {}", *table.new_live);
  std::string marks = !table.old_live ? "new" : !table.new_live ? "gone" : marks_of(table);
  if (marks.empty() && !table.schema.empty()) marks = "schema";
  if (marks.empty() && !table.notes.empty()) marks = table.notes.front().what;
  return text + ' ' + marks;
}

std::string changes_json(const StateDiff& difference) {
  JsonArray changes;
  for (const TableDiff& table : difference.tables) {
    if (!table.differs()) continue;
    JsonObject entry;
    entry.text("table", table.name);
    if (table.old_live) entry.number("old_live", *table.old_live);
    if (table.new_live) entry.number("new_live", *table.new_live);
    entry.number("added", table.added).number("removed", table.removed);
    changes.raw(entry.number("changed", table.changed).number("reused", table.reused).str());
  }
  return changes.str();
}

}  // namespace

SaveLines::SaveLines(const Context& context, const std::vector<std::string>& tables,
                     Details details)
    : context_(context), tables_(tables), details_(details) {}

void SaveLines::begin(const std::vector<SeriesSave>& saves) {
  for (const std::string& name : short_names(saves))
    name_width_ = std::max(name_width_, std::min(display_width(escape_text(name)), kMostOfName));
  if (context_.globals.json) return;
  context_.out.line(context_.out.paint(
      Style::heading,
      fmt::format("{}  {}  {}  CHANGES", pad_right("SAVE", name_width_),
                  pad_right("TIME (UTC)", kDateWidth), pad_left("SIZE", kSizeWidth))));
}

void SaveLines::start_after(const SeriesSave& save, std::shared_ptr<const Reader> reader) {
  before_ = std::move(reader);
  before_name_ = save.name;
}

std::string SaveLines::changes_text(const Reader& reader, const std::vector<std::size_t>& chosen,
                                    const std::optional<StateDiff>& difference) const {
  std::string changes;
  const auto add = [&](const std::string& text) {
    changes += (changes.empty() ? "" : ", ") + text;
  };
  if (difference) {
    for (const TableDiff& table : difference->tables)
      if (table.differs()) add(table_text(table));
    if (!difference->notes.empty()) add("database");
    return changes.empty() ? "no change" : changes;
  }
  for (const std::size_t i : chosen)
    add(fmt::format("{} {}", escape_text(reader.tables()[i].name), reader.tables()[i].live_count));
  return before_ ? changes + "; changes are not known" : changes;
}

void SaveLines::print_json(const SeriesSave& save, const Reader& reader,
                           const std::vector<std::size_t>& chosen,
                           const std::optional<StateDiff>& difference) {
  JsonObject object("log_save");
  const FileInfo& info = save.info;
  add_save(save, object).text("title", info.metadata.title).number("bytes", info.file_bytes);
  object.hash("state_hash", info.state_hash);
  JsonArray tables;
  for (const std::size_t i : chosen) {
    const TableDescriptor& table = reader.tables()[i];
    JsonObject entry;
    entry.text("table", table.name).number("live", table.live_count);
    entry.number("free", table.free_count).number("retired", table.retired_count);
    tables.raw(entry.number("slots", table.slot_count).str());
  }
  object.raw("tables", tables.str());
  if (difference) object.text("before", json_name(before_name_));
  if (difference) object.raw("changes", changes_json(*difference));
  context_.out.line(object.str());
}

void SaveLines::print_text(const SeriesSave& save, const std::string& name,
                           const std::string& changes) {
  const bool whole = context_.globals.verbose || context_.out.columns() > 10000;
  const std::string shown = escape_text(name);
  name_width_ = std::max(name_width_, std::min(display_width(shown), kMostOfName));
  std::string line = fmt::format(
      "{}  {}  {}  {}", pad_right(whole ? shown : cut_text(shown, name_width_), name_width_),
      pad_right(time_text(save), kDateWidth), pad_left(size_text(save.info.file_bytes), kSizeWidth),
      changes);
  if (const std::string& title = save.info.metadata.title; !title.empty())
    line += "  " + quote_text(title);
  context_.out.line(whole ? line : cut_text(line, context_.out.columns()));
}

ExitStatus SaveLines::next(const SeriesSave& save, const std::string& name,
                           std::shared_ptr<const Reader> reader) {
  const bool json = context_.globals.json;
  const std::vector<std::size_t> chosen = tables_.choose(*reader, save.name);
  std::unique_ptr<DiffReport> report;
  if (before_ && details_ != Details::none)
    report = json ? json_report(context_.out) : text_report(context_.out, false);
  ExitStatus status = ExitStatus::fine;
  std::optional<StateDiff> difference;
  bool is_damaged = false;
  if (before_) {
    DiffOptions options;
    options.records = options.fields = false;
    options.added_values = false;
    options.files = {before_name_, save.name};
    options.read_all = context_.globals.verify;
    options.stop = [this] { return context_.out.closed(); };
    if (report) {
      options.records = true;
      options.fields = details_ == Details::fields;
      options.json = json;
      options.max_value_bytes = max_value_bytes(context_.globals, json);
      options.max_row_values = max_row_values();
      options.on_record = [&](const RecordDiff& record) { report->record(record); };
      options.on_table = [&](const TableDiff& table) { report->table(table); };
    }
    std::set<std::string> names;
    for (const std::size_t table : chosen) names.insert(reader->tables()[table].name);
    for (const std::size_t table : tables_.choose(*before_, before_name_))
      names.insert(before_->tables()[table].name);
    if (!tables_.takes_all()) options.tables.assign(names.begin(), names.end());
    auto found = names.empty() ? StateDiff() : diff(*before_, *reader, options);
    if (found) {
      difference = *std::move(found);
      changed_ += difference->differs() ? 1 : 0;
    } else {
      status = context_.messages.error(found.error());
      is_damaged = found.error().file == save.name;
      report = nullptr;
    }
  }
  if (context_.out.closed()) return status;
  ++printed_;
  if (json) {
    if (report) report->finish(0);
    print_json(save, *reader, chosen, difference);
  } else {
    print_text(save, name, changes_text(*reader, chosen, difference));
    if (report) report->finish(0);
  }
  // After damage in this save, the next one is compared with the last sound one.
  if (!is_damaged) start_after(save, std::move(reader));
  return status;
}

}  // namespace hdb::inspect
