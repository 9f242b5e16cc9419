// The HTML form of a comparison: a page like that of `report`, with the records and their fields.
#include <algorithm>
#include <map>

#include "diff/report.hpp"
#include "input.hpp"
#include "report/html.hpp"
#include "report/sections.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// A browser shows this much at once; ndjson has no such limits.
constexpr std::uint64_t kMaxPageRecords = 2000;
constexpr std::size_t kMaxPageBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxFieldRowsOfRecord = 200;
constexpr std::size_t kMaxShownValue = 4000;

class HtmlReport final : public DiffReport {
 public:
  HtmlReport(std::array<std::string, 2> files, std::string& page)
      : files_(std::move(files)), page_(page) {}

  void first(const SavePairs& pairs, const FirstDifference& found) override {
    if (found.pair == pairs.names.size()) {
      remark_ = "no difference in " + found.text();
      return finish(0);
    }
    files_ = pairs.paths(found.pair);
    remark_ = fmt::format("the first pair that differs is number {} of {}", found.pair + 1,
                          count_text(pairs.names.size(), "pair"));
  }

  void record(const RecordDiff& record) override {
    if (records_ >= kMaxPageRecords || bytes_ >= kMaxPageBytes) {
      ++left_out_;
      return;
    }
    ++records_;
    Html part;
    switch (record.mark) {
      case DiffMark::added: begin(part, record, "a", "+ added"); break;
      case DiffMark::removed: begin(part, record, "d", "&#8722; removed"); break;
      case DiffMark::reused: begin(part, record, "u", "R slot re-used by another record"); break;
      case DiffMark::changed: begin(part, record, "c", "~ changed"); break;
    }
    if (record.mark == DiffMark::reused) {
      part.put("<p class=\"muted\">generation {} &#8594; {}</p>\n", record.old_generation,
               record.new_generation);
    }
    if (!record.fields.empty()) write_fields(part, record);
    part.raw("</article>\n");
    bytes_ += part.text().size();
    details_[record.table] += part.text();
  }

  void table(const TableDiff& table) override { tables_.push_back(table); }
  void database(const std::vector<TableNote>& notes) override { database_.notes = notes; }

  void finish(std::uint64_t records_not_shown) override {
    Html page;
    begin_page(page, shown_name(files_[0]) + " -> " + shown_name(files_[1]), "What differs",
               fmt::format("<p class=\"where\">{} &#8594; {}{}</p>\n",
                           bdi_of(shown_name(files_[0])), bdi_of(shown_name(files_[1])),
                           remark_.empty() ? "" : "<br/>" + html_of(remark_)),
               "<a href=\"#summary\">Summary</a><a href=\"#records\">Records</a>");
    write_summary(page);
    page.section("records", "Records");
    const std::uint64_t missing = records_not_shown + left_out_;
    if (missing != 0) {
      page.put("<p class=\"muted\">The first {} of {} that differ{}.</p>\n",
               count_text(records_, "record"), grouped(records_ + missing),
               left_out_ != 0 ? "; <code>--format=ndjson</code> shows all" : "");
    }
    if (details_.empty()) page.raw("<p class=\"muted\">None to show.</p>\n");
    std::size_t number = 0;
    for (const auto& [table, records] : details_) {
      page.put("<section class=\"card\" id=\"records-{}\">\n<h3>{}</h3>\n{}</section>\n", number++,
               bdi_of(table), records);
    }
    page.raw("</section>\n");
    end_page(page);
    page_ = page.take();
  }

 private:
  static void begin(Html& part, const RecordDiff& record, std::string_view kind,
                    std::string_view words) {
    part.put(
        "<article class=\"record {}\">\n<h4><code>{}</code> <span class=\"muted\">{}</span></h4>\n",
        kind, bdi_of(record.handle()), words);
  }

  // Values are safe to show already; long ones are cut between two characters.
  static std::string value(const std::optional<std::string>& shown) {
    if (!shown) return "<span class=\"muted\">none</span>";
    if (shown->size() <= kMaxShownValue) return html_of_shown(*shown);
    std::size_t end = kMaxShownValue;
    while (end > 0 && (static_cast<unsigned char>((*shown)[end]) & 0xc0U) == 0x80U) --end;
    return html_of_shown(std::string_view(*shown).substr(0, end)) +
           fmt::format("&#8230; ({})", size_text(shown->size()));
  }

  static void write_fields(Html& part, const RecordDiff& record) {
    part.begin_table({"Field", "Before", "After", "Note"});
    for (std::size_t i = 0; i < std::min(record.fields.size(), kMaxFieldRowsOfRecord); ++i) {
      const FieldChange& field = record.fields[i];
      part.row({"<code>" + html_of_shown(field.path) + "</code>",
                "<del>" + value(field.old_value) + "</del>",
                "<ins>" + value(field.new_value) + "</ins>",
                "<span class=\"muted\">" + html_of(field.note.empty() ? field.change : field.note) +
                    "</span>"});
    }
    part.end_table();
    if (record.fields.size() > kMaxFieldRowsOfRecord) {
      part.put("<p class=\"muted\">and {}</p>\n",
               count_text(record.fields.size() - kMaxFieldRowsOfRecord, "more field"));
    }
  }

  void write_summary(Html& page) const {
    std::vector<const TableDiff*> differing;
    std::uint64_t tolerated = 0;
    for (const TableDiff& table : tables_) {
      tolerated += table.within_tolerance;
      if (table.differs()) differing.push_back(&table);
    }
    const std::string within =
        tolerated == 0 ? "" : fmt::format("; {} within tolerance", count_text(tolerated, "record"));
    page.section("summary", "Summary");
    if (differing.empty() && database_.notes.empty()) {
      page.verdict(
          "", "&#10003; No difference",
          (tables_.empty() ? html_of(remark_) : "in " + count_text(tables_.size(), "table")) +
              within);
    } else {
      page.verdict("differs", "&#8800; Different",
                   fmt::format("in {} of {}{}", differing.size(),
                               count_text(tables_.size(), "table"), within));
      page.raw("<div class=\"card\">\n");
      write_difference_sum(page, differing);
      begin_difference_table(page);
      for (const TableDiff* const table : differing)
        write_difference_row(page, *table, link_of(table->name));
      page.end_table();
      for (const TableDiff* const table : differing) {
        if (table->schema.empty() && table->notes.empty()) continue;
        page.put("<h3 style=\"margin-top:1rem\">{}</h3>\n", bdi_of(table->name));
        write_difference_notes(page, *table);
      }
      if (!database_.notes.empty()) page.raw("<h3 style=\"margin-top:1rem\">Database</h3>\n");
      write_difference_notes(page, database_);
      page.raw("</div>\n");
    }
    page.raw("</section>\n");
  }

  [[nodiscard]] std::string link_of(const std::string& table) const {
    const auto at = details_.find(table);
    if (at == details_.end()) return {};
    return fmt::format("records-{}", std::distance(details_.begin(), at));
  }

  std::array<std::string, 2> files_;
  std::string& page_;
  std::string remark_;
  std::vector<TableDiff> tables_;
  TableDiff database_;                          // only notes
  std::map<std::string, std::string> details_;  // markup of the records, by table
  std::uint64_t records_ = 0;
  std::uint64_t left_out_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<DiffReport> html_report(std::array<std::string, 2> files, std::string& page) {
  return std::make_unique<HtmlReport>(std::move(files), page);
}

}  // namespace hdb::inspect
