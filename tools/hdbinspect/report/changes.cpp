// Where two files differ: sums, a map of each table, the fields that changed most.
#include <algorithm>

#include "report/pictures.hpp"
#include "report/sections.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxRanked = 24;
constexpr std::size_t kMaxNotes = 50;
constexpr std::size_t kMaxRows = 400;

std::string live_text(const std::optional<std::uint64_t>& live) {
  return live ? grouped(*live) : "-";
}

void write_ranking(Html& page, const TableChangeMap& table, std::string_view name) {
  if (table.fields.empty()) return;
  page.raw("<h4>Fields that changed</h4>\n");
  page.begin_table({"Field", "|Records", "#Records", "#Of changed records"},
                   fmt::format("Changed records of {} in which a field differs", name));
  const auto most = static_cast<double>(table.fields.front().records);
  for (std::size_t i = 0; i < std::min(table.fields.size(), kMaxRanked); ++i) {
    const FieldChangeCount& field = table.fields[i];
    page.row(
        {"<code>" + short_shown(field.path, kCaptionWidth) + "</code>",
         fmt::format("<span class=\"bar\"><i class=\"changed\" style=\"width:{}%\"></i></span>",
                     share(static_cast<double>(field.records), most)),
         grouped(field.records), percent_text(field.records, table.difference.changed)});
  }
  page.end_table();
  if (table.fields.size() > kMaxRanked) {
    page.put("<p class=\"muted\">and {}</p>\n",
             count_text(table.fields.size() - kMaxRanked, "more field"));
  }
}

void write_changed_table(Html& page, const TableChangeMap& table, std::size_t number,
                         bool pictured) {
  const TableDiff& difference = table.difference;
  const std::string name = short_label(difference.name, kCaptionWidth);
  page.put("<article class=\"card\" id=\"change-{}\">\n<h3>{}</h3>\n", number,
           bdi_of(difference.name));
  if (!difference.old_live) page.raw("<p>A new table.</p>\n");
  if (!difference.new_live) page.raw("<p>The table was removed.</p>\n");
  write_difference_notes(page, difference);
  if (pictured && difference.records() != 0 && !table.slots.empty()) {
    page.raw("<h4>Where it differs</h4>\n");
    draw_change_map(page, table, name);
  }
  write_ranking(page, table, name);
  page.raw("</article>\n");
}

}  // namespace

void begin_difference_table(Html& page) {
  page.begin_table({"Table", "#Before", "#After", "#Added", "#Removed", "#Changed", "#Re-used"});
}

void write_difference_row(Html& page, const TableDiff& table, std::string_view link) {
  const std::string name = bdi_label(table.name, kRowWidth);
  page.row({link.empty() ? name : fmt::format("<a href=\"#{}\">{}</a>", link, name),
            live_text(table.old_live), live_text(table.new_live), grouped(table.added),
            grouped(table.removed), grouped(table.changed), grouped(table.reused)});
}

void write_difference_sum(Html& page, const std::vector<const TableDiff*>& tables) {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;
  for (const TableDiff* const table : tables) {
    added += table->added;
    removed += table->removed;
    changed += table->changed;
    reused += table->reused;
  }
  page.put(
      "<ul class=\"sum\"><li class=\"c\"><b>{}</b>changed</li><li "
      "class=\"a\"><b>{}</b>added</li><li class=\"d\"><b>{}</b>removed</li><li "
      "class=\"u\"><b>{}</b>slots re-used</li></ul>\n",
      grouped(changed), grouped(added), grouped(removed), grouped(reused));
}

void write_difference_notes(Html& page, const TableDiff& table) {
  if (table.schema.empty() && table.notes.empty()) return;
  page.raw("<ul>\n");
  std::size_t lines = 0;
  for (const SchemaChange& change : table.schema) {
    if (++lines > kMaxNotes) continue;
    const char* const verb = change.mark == '+'   ? "New field"
                             : change.mark == '-' ? "Field removed"
                                                  : "Field with another type";
    page.put("<li>{}: <code>{}</code> ", verb, short_shown(change.path, kCaptionWidth));
    if (!change.old_type.empty()) page.put("{} ", short_label(change.old_type, kCaptionWidth));
    if (!change.new_type.empty())
      page.put("{}{}", change.old_type.empty() ? "" : "&#8594; ",
               short_label(change.new_type, kCaptionWidth));
    if (!change.value.empty()) page.put(" = {}", short_shown(change.value, kCaptionWidth));
    page.raw(change.compared ? "</li>\n" : " (not compared)</li>\n");
  }
  for (const TableNote& note : table.notes) {
    if (++lines > kMaxNotes) continue;
    page.put("<li>{}", html_of(note.what));
    if (!note.old_value.empty())
      page.put(": {} &#8594; {}", short_label(note.old_value, kCaptionWidth),
               short_label(note.new_value, kCaptionWidth));
    if (!note.detail.empty()) page.put("; {}", short_label(note.detail, kRowWidth));
    page.raw("</li>\n");
  }
  if (lines > kMaxNotes) page.put("<li>and {} more</li>\n", lines - kMaxNotes);
  page.raw("</ul>\n");
}

void write_changes(Html& page, const Report& report) {
  std::vector<const TableDiff*> tables;
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < report.changes.size(); ++i) {
    tables.push_back(&report.changes[i].difference);
    if (tables.back()->differs()) differing.push_back(i);
  }
  page.section("changes", "What changed");
  const std::string all = count_text(tables.size(), "table");
  if (!report.not_compared.empty()) {
    page.verdict("bad", "? Not compared", short_label(report.not_compared, 2 * kRowWidth));
    return page.raw("</section>\n");
  }
  if (differing.empty()) {
    const auto hash = [&](std::size_t file) {
      return report.files[file].reader()->info().state_hash;
    };
    if (hash(0) == hash(1)) {
      page.verdict("", "&#10003; No difference", fmt::format("in {}.", all));
    } else {
      page.verdict("differs", "&#8800; Different",
                   fmt::format("The state hashes differ, but no difference was found in {}.", all));
    }
    return page.raw("</section>\n");
  }
  page.verdict("differs", "&#8800; Different", fmt::format("in {} of {}.", differing.size(), all));
  page.raw("<div class=\"card\">\n");
  write_difference_sum(page, tables);
  begin_difference_table(page);
  // Pictures for those that differ in the most records.
  std::vector<std::size_t> ranked = differing;
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return tables[a]->records() > tables[b]->records();
  });
  if (ranked.size() > kMaxPictures) ranked.resize(kMaxPictures);
  const auto is_pictured = [&](std::size_t table) {
    return std::find(ranked.begin(), ranked.end(), table) != ranked.end();
  };
  for (std::size_t i = 0; i < std::min(tables.size(), kMaxRows); ++i) {
    write_difference_row(page, *tables[i], is_pictured(i) ? fmt::format("change-{}", i) : "");
  }
  page.end_table();
  if (tables.size() > kMaxRows)
    page.put("<p class=\"muted\">and {}</p>\n", count_text(tables.size() - kMaxRows, "more table"));
  page.raw("</div>\n");
  for (const std::size_t table : differing) {
    if (is_pictured(table)) write_changed_table(page, report.changes[table], table, true);
  }
  page.raw("</section>\n");
}

}  // namespace hdb::inspect
