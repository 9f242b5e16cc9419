// What makes a save big: bytes by table and field, raw and stored.
#include <algorithm>

#include "report/pictures.hpp"
#include "report/sections.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxBoxes = 14;
constexpr std::size_t kMaxCells = 12;
constexpr std::size_t kMaxTableRows = 200;
constexpr std::size_t kMaxFieldRows = 40;
constexpr std::size_t kMaxFieldTables = 60;

std::string rate_text(std::uint64_t raw, std::uint64_t stored) {
  if (raw == 0 || stored == 0) return "-";
  return fmt::format("{:.1f} : 1", static_cast<double>(raw) / static_cast<double>(stored));
}

TreemapItem item(std::string label, std::uint64_t stored, std::uint64_t whole) {
  return {std::move(label), fmt::format("{}, {}", size_text(stored), percent_text(stored, whole)),
          static_cast<double>(stored)};
}

std::vector<TreemapItem> boxes_of(const ReportFile& file, const std::vector<std::size_t>& order) {
  const std::uint64_t whole = file.reader()->info().file_bytes;
  std::vector<TreemapItem> items;
  std::uint64_t rest = 0;
  for (const std::size_t table : order) {
    const TableOverview& entry = file.overview.tables[table];
    if (entry.stored_bytes == 0) continue;
    if (items.size() >= kMaxBoxes) {
      rest += entry.stored_bytes;
      continue;
    }
    items.push_back(
        item(short_label(file.reader()->tables()[table].name, 40), entry.stored_bytes, whole));
    std::uint64_t others = 0;
    for (const FieldBytes& part : entry.bytes) {
      if (part.stored == 0) continue;
      if (items.back().parts.size() >= kMaxCells) {
        others += part.stored;
      } else {
        items.back().parts.push_back(item(short_label(part.path, 40), part.stored, whole));
      }
    }
    if (others != 0) items.back().parts.push_back(item("other fields", others, whole));
  }
  if (rest != 0) items.push_back(item("other tables", rest, whole));
  std::uint64_t none = 0;
  for (const FieldBytes& part : file.overview.others) none += part.stored;
  if (none != 0) {
    items.push_back(item("the file itself", none, whole));
    for (const FieldBytes& part : file.overview.others)
      items.back().parts.push_back(item(html_of(part.path), part.stored, whole));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const TreemapItem& a, const TreemapItem& b) { return a.weight > b.weight; });
  return items;
}

void size_row(Html& page, std::string_view name, std::uint64_t raw, std::uint64_t stored,
              std::uint64_t most, std::uint64_t whole, bool with_rate = true) {
  page.row({name,
            fmt::format("<span class=\"bar\"><i class=\"r\" style=\"width:{}%\"></i><i "
                        "style=\"width:{}%\"></i></span>",
                        share(static_cast<double>(raw), static_cast<double>(most)),
                        share(static_cast<double>(stored), static_cast<double>(most))),
            size_text(stored), percent_text(stored, whole), size_text(raw),
            with_rate ? rate_text(raw, stored) : "-"});
}

void begin_size_table(Html& page, std::string_view what) {
  page.begin_table({what, "|Stored, of raw", "#Stored", "#Of the file", "#Raw", "#Rate"});
}

void write_fields(Html& page, const TableOverview& table, std::string_view name,
                  std::uint64_t whole) {
  page.put("<details><summary>Fields of {}</summary>\n", name);
  begin_size_table(page, "Field");
  std::uint64_t most = 1;
  for (const FieldBytes& part : table.bytes) most = std::max({most, part.raw, part.stored});
  std::uint64_t raw = 0;
  std::uint64_t stored = 0;
  for (std::size_t i = 0; i < table.bytes.size(); ++i) {
    const FieldBytes& part = table.bytes[i];
    if (i >= kMaxFieldRows) {
      raw += part.raw;
      stored += part.stored;
      continue;
    }
    const bool field = part.of == BytesOf::field;
    size_row(
        page,
        field ? "<code>" + short_label(part.path, kCaptionWidth) + "</code>" : html_of(part.path),
        part.raw, part.stored, most, whole, part.of != BytesOf::heads);
  }
  if (table.bytes.size() > kMaxFieldRows) {
    size_row(page, count_text(table.bytes.size() - kMaxFieldRows, "more field"), raw, stored, most,
             whole);
  }
  page.end_table();
  page.raw("</details>\n");
}

}  // namespace

void write_sizes(Html& page, const Report& report) {
  const ReportFile& file = report.shown();
  const std::uint64_t whole = file.reader()->info().file_bytes;
  const std::vector<std::size_t> order = tables_by_size(file.overview);
  page.section("sizes", "What takes the space");
  page.put(
      "<p class=\"muted\">{} in the file{}. Each area is proportional to the stored bytes of a "
      "table and, inside, of a field.</p>\n<div class=\"card\">\n",
      size_text(whole), report.files.size() == 2 ? " of the later save" : "");
  draw_treemap(page, boxes_of(file, order),
               "Stored bytes by table and field; the table below shows the same in numbers");
  page.raw("<h3 style=\"margin:1.5rem 0 .5rem\">By table</h3>\n");
  begin_size_table(page, "Table");
  std::uint64_t most = 1;
  for (const TableOverview& table : file.overview.tables)
    most = std::max({most, table.raw_bytes, table.stored_bytes});
  std::uint64_t raw = 0;
  std::uint64_t stored = 0;
  std::size_t rows = 0;
  for (const std::size_t index : order) {
    const TableOverview& table = file.overview.tables[index];
    if (++rows > kMaxTableRows) {
      raw += table.raw_bytes;
      stored += table.stored_bytes;
      continue;
    }
    size_row(page, bdi_label(file.reader()->tables()[index].name, kRowWidth), table.raw_bytes,
             table.stored_bytes, most, whole);
  }
  if (rows > kMaxTableRows)
    size_row(page, count_text(rows - kMaxTableRows, "more table"), raw, stored, most, whole);
  for (const FieldBytes& part : file.overview.others) {
    size_row(page, "<span class=\"muted\">" + html_of(part.path) + "</span>", part.raw, part.stored,
             most, whole, false);
  }
  page.end_table();
  rows = 0;
  for (const std::size_t index : order) {
    const TableOverview& table = file.overview.tables[index];
    if (table.bytes.empty() || ++rows > kMaxFieldTables) continue;
    write_fields(page, table, short_label(file.reader()->tables()[index].name, kCaptionWidth),
                 whole);
  }
  page.raw("</div>\n</section>\n");
}

}  // namespace hdb::inspect
