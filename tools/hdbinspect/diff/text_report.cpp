// The text form of a comparison.
#include <algorithm>

#include <fmt/format.h>

#include "diff/report.hpp"
#include "spool.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Text that is printed later; beyond a few MiB it waits in a temporary file.
class Details {
 public:
  void write(std::string_view text) {
    memory_ += text;
    if (memory_.size() < kMaxMemory) return;
    if (!spool_) spool_ = Spool::create("keeping differences").value_or(nullptr);
    if (!spool_) return;  // no place for files: memory has to do
    if (!spool_->write(std::as_bytes(std::span(memory_)))) lost_ = true;
    memory_.clear();
  }

  // Returns false when a part could not be kept.
  bool copy_to(Output& out) {
    const std::uint64_t size = spool_ ? spool_->size().value() : 0;
    std::string part;
    for (std::uint64_t at = 0; at < size && !out.closed() && !lost_; at += part.size()) {
      part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size - at, kMaxMemory)));
      lost_ = !spool_->read_at(at, std::as_writable_bytes(std::span(part)));
      if (!lost_) out.write(part);
    }
    out.write(memory_);
    return !lost_;
  }

 private:
  static constexpr std::size_t kMaxMemory = std::size_t{4} << 20;
  std::string memory_;
  std::unique_ptr<Spool> spool_;
  bool lost_ = false;
};

class TextReport final : public DiffReport {
 public:
  TextReport(Output& out, bool verbose) : out_(out), verbose_(verbose) {}

  void first(const SavePairs& pairs, const FirstDifference& found) override {
    if (found.pair == pairs.names.size()) {
      return out_.print("no difference in {}", found.text());
    }
    const std::string before =
        found.pair == 0 ? std::string("no earlier pair")
                        : "no difference up to " + printable_text(pairs.names[found.pair - 1]);
    out_.line(out_.paint(Style::heading, printable_text(pairs.names[found.pair])) +
              fmt::format("   the first pair that differs, number {} of {}; {}", found.pair + 1,
                          count_text(pairs.names.size(), "pair"), before));
  }

  void record(const RecordDiff& record) override {
    const bool is_component = !record.owner.empty();
    switch (record.mark) {
      case DiffMark::added:
        return details_.write(out_.paint(Style::added, "@@ + " + escape_text(record.handle())) +
                              '\n');
      case DiffMark::removed:
        return details_.write(out_.paint(Style::removed, "@@ - " + escape_text(record.handle())) +
                              '\n');
      case DiffMark::reused:
        return details_.write(
            out_.paint(Style::changed,
                       fmt::format("@@ R {}:{}{}  @{} -> @{}   slot re-used by another record",
                                   escape_text(is_component ? record.owner : record.table),
                                   record.slot, is_component ? '.' + escape_text(record.table) : "",
                                   record.old_generation, record.new_generation)) +
            '\n');
      case DiffMark::changed: break;
    }
    const std::string sign = record.fields.empty() ? "@@ ~ " : "@@ ";
    details_.write(out_.paint(Style::heading, sign + escape_text(record.handle())) + '\n');
    std::size_t paths = 0;
    std::size_t values = 0;
    for (const FieldChange& field : record.fields) {
      paths = std::max(paths, display_width(field.path));
      if (field.new_value) values = std::max(values, display_width(*field.new_value));
    }
    values = std::min<std::size_t>(values, 40);
    for (const FieldChange& field : record.fields) {
      const std::string path = pad_right(field.path, paths);
      if (field.old_value) {
        const bool last = !field.new_value && !field.note.empty();
        const std::string note =
            last ? fmt::format("   ({})", escape_text(field.note)) : std::string();
        details_.write(
            out_.paint(Style::removed, fmt::format("-  {}  {}{}", path, *field.old_value, note)) +
            '\n');
      }
      if (!field.new_value) continue;
      std::string line = fmt::format("+  {}  {}", path, *field.new_value);
      const std::string note = escape_text(field.note.empty() ? field.change : field.note);
      if (!note.empty())
        line = fmt::format("+  {}  {}   ({})", path, pad_right(*field.new_value, values), note);
      details_.write(out_.paint(Style::added, line) + '\n');
    }
  }

  void table(const TableDiff& table) override { tables_.push_back(table); }
  void database(const std::vector<TableNote>& notes) override { database_ = notes; }

  void finish(std::uint64_t records_not_shown) override {
    measure();
    for (const TableDiff& entry : tables_) print_schema(entry);
    for (const TableDiff& entry : tables_) print_table(entry);
    if (!database_.empty()) out_.line("database");
    print_notes(database_);
    if (!details_.copy_to(out_))
      out_.line("(some details are missing: there is no space for temporary files)");
    print_sum(records_not_shown);
  }

 private:
  static std::string count_of(const std::optional<std::uint64_t>& live) {
    return live ? fmt::format("{}", *live) : "-";
  }

  [[nodiscard]] bool is_shown(const TableDiff& entry) const {
    return entry.differs() || verbose_ || entry.stored_differently != 0;
  }

  void measure() {
    for (const TableDiff& entry : tables_) {
      if (!is_shown(entry)) continue;
      if (!entry.schema.empty()) names_ = std::max(names_, std::string_view("schema").size());
      names_ = std::max(names_, display_width(escape_text(entry.name)));
      olds_ = std::max(olds_, count_of(entry.old_live).size());
      news_ = std::max(news_, count_of(entry.new_live).size());
      marks_ = std::max(marks_, marks_of(entry).size());
    }
  }

  void print_schema(const TableDiff& entry) {
    for (const SchemaChange& change : entry.schema) {
      std::string name = escape_text(entry.name);
      if (!change.path.empty()) name += "." + change.path;
      std::string type = escape_text(change.mark == '-' ? change.old_type : change.new_type);
      if (!change.value.empty()) type += " = " + change.value;
      if (change.mark == '~') type = fmt::format("{} -> {}", escape_text(change.old_type), type);
      if (!change.compared) type += "   (not compared)";
      const Style style = change.mark == '+'   ? Style::added
                          : change.mark == '-' ? Style::removed
                                               : Style::changed;
      out_.line(out_.paint(style, fmt::format("{}  {} {} {}", pad_right("schema", names_),
                                              change.mark, name, type)));
    }
  }

  void print_table(const TableDiff& entry) {
    if (!is_shown(entry)) return;
    std::string line = fmt::format("{}  {} -> {}", pad_right(escape_text(entry.name), names_),
                                   pad_left(count_of(entry.old_live), olds_),
                                   pad_left(count_of(entry.new_live), news_));
    const std::string marks = entry.differs() ? marks_of(entry) : "equal";
    line += "   " + pad_right(marks, marks_);
    if (entry.blocks_read < entry.blocks) {
      line +=
          fmt::format("   ({} of {} read)", entry.blocks_read, count_text(entry.blocks, "block"));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out_.line(line);
    print_notes(entry.notes);
    const std::string indent(names_ + 2, ' ');
    if (entry.stored_differently != 0) {
      out_.print(
          "{}? {} {} stored differently (codec, level, filter or pack); the records are equal",
          indent, entry.stored_differently,
          entry.stored_differently == 1 ? "block is" : "blocks are");
    }
  }

  void print_notes(const std::vector<TableNote>& notes) {
    const std::string indent(names_ + 2, ' ');
    for (const TableNote& note : notes) {
      std::string text = indent + note.what;
      if (!note.old_value.empty())
        text += fmt::format("  {} -> {}", note.old_value, note.new_value);
      if (!note.detail.empty())
        text += (note.old_value.empty() ? "  " : "; ") + escape_text(note.detail);
      out_.line(text);
    }
  }

  void print_sum(std::uint64_t records_not_shown) {
    std::uint64_t records = 0;
    std::uint64_t tolerated = 0;
    std::size_t tables = 0;
    for (const TableDiff& entry : tables_) {
      records += entry.records();
      tolerated += entry.within_tolerance;
      tables += entry.differs() ? 1 : 0;
    }
    if (tables == 0 && tolerated == 0 && !verbose_) return;
    std::string line = "no difference in " + count_text(tables_.size(), "table");
    if (tables != 0) line = sum_text(records, tables);
    if (tolerated != 0)
      line += fmt::format("; {} within tolerance{}", tolerated, records == 0 ? "" : " not shown");
    if (records_not_shown != 0) line += fmt::format("; {} not shown (-n)", records_not_shown);
    out_.line(line);
  }

  [[nodiscard]] std::string sum_text(std::uint64_t records, std::size_t tables) const {
    std::string line = fmt::format("{} {} in {} of {}", records,
                                   records == 1 ? "record differs" : "records differ", tables,
                                   count_text(tables_.size(), "table"));
    if (records == 0) {
      line = fmt::format("no record differs, but other state differs in {} of {}", tables,
                         count_text(tables_.size(), "table"));
    }
    return line;
  }

  Output& out_;
  bool verbose_;
  Details details_;
  std::vector<TableDiff> tables_;
  std::vector<TableNote> database_;
  std::size_t names_ = 0;
  std::size_t olds_ = 0;
  std::size_t news_ = 0;
  std::size_t marks_ = 0;
};

}  // namespace

std::string marks_of(const TableDiff& table) {
  std::string marks;
  const auto add = [&](char mark, std::uint64_t count) {
    if (count != 0) marks += fmt::format("{}{}{}", marks.empty() ? "" : " ", mark, count);
  };
  add('+', table.added);
  add('-', table.removed);
  add('~', table.changed);
  add('R', table.reused);
  if (!table.old_live) marks += " new table";
  if (!table.new_live) marks += " table was removed";
  return marks;
}

std::unique_ptr<DiffReport> text_report(Output& out, bool verbose) {
  return std::make_unique<TextReport>(out, verbose);
}

}  // namespace hdb::inspect
