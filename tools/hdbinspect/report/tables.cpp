// Each table: its policies, its slots, who had them, in which order they are used again.
#include <algorithm>

#include "hdb/inspect/text.hpp"
#include "hdb/schema.hpp"
#include "report/pictures.hpp"
#include "report/sections.hpp"

namespace hdb::inspect {
namespace {

void write_policies(Html& page, const TableDescriptor& table) {
  page.raw("<dl class=\"facts\">\n");
  page.fact("Live", grouped(table.live_count));
  if (table.policy.is_component) {
    page.fact("Owner", html_of_shown(escape_text(table.owner)));
    page.fact("Removal", html_of_shown(removal_name(table.policy.removal)));
    page.fact("Holes", grouped(table.hole_count));
  } else {
    page.fact("Free", grouped(table.free_count));
    page.fact("Retired", grouped(table.retired_count));
  }
  if (table.unissued_count() != 0 && !table.policy.is_component)
    page.fact("Unissued", grouped(table.unissued_count()));
  page.fact("Slots", grouped(table.slot_count));
  page.fact("Storage",
            html_of_shown(table.singleton ? "singleton" : storage_name(table.policy.storage)));
  page.fact("Handle", html_of_shown(layout_text(table.policy.layout)));
  if (!table.policy.is_component) {
    page.fact("Free list", html_of_shown(free_list_name(table.policy.free_list)));
    page.fact("Generations", html_of_shown(generations_name(table.policy.generations)));
    page.fact("After the last generation", html_of_shown(overflow_name(table.policy.overflow)));
  }
  page.fact("Highest generation", grouped(table.highest_generation));
  if (table.policy.generations == Generations::table_counter)
    page.fact("Counter", grouped(table.counter));
  if (table.policy.names != RecordNames::none)
    page.fact("Names", html_of_shown(names_name(table.policy.names)));
  if (table.blobs) page.fact("Blobs", html_of_shown(blobs_text(table.blobs)));
  if (table.type_id != 0) page.fact("Type id", grouped(table.type_id));
  if (!table.is_hashed()) page.fact("State hash", "not included");
  page.raw("</dl>\n");
}

void write_generations(Html& page, const TableOverview& table, std::string_view name) {
  std::uint64_t most = 1;
  for (const GenerationBin& bin : table.generations) most = std::max(most, bin.live + bin.vacant);
  page.raw("<div><h4>Generations</h4>\n");
  page.begin_table(
      {"Generation", "|Live, vacant", "#Live", "#Vacant"},
      fmt::format("Slots of {} by generation: the number of records they have held", name));
  const auto bar = [most](std::string_view kind, std::uint64_t count) {
    if (count == 0) return std::string();
    return fmt::format("<i class=\"{}\" style=\"width:{}%\"></i>", kind,
                       share(static_cast<double>(count), static_cast<double>(most)));
  };
  for (const GenerationBin& bin : table.generations) {
    const std::string color = fmt::format("k{}", generation_color(table.generations, bin.lowest));
    page.row({range_text(bin.lowest, bin.highest),
              "<span class=\"bar\">" + bar("vacant", bin.live + bin.vacant) + bar(color, bin.live) +
                  "</span>",
              grouped(bin.live), grouped(bin.vacant)});
  }
  page.end_table();
  page.raw("</div>\n");
}

void write_table(Html& page, const TableDescriptor& table, const TableOverview& overview) {
  const std::string name = short_label(table.name, kCaptionWidth);
  page.put(
      "<article class=\"card\" id=\"table-{}\">\n<h3 style=\"margin-bottom:.875rem\">{}</h3>\n",
      overview.table, bdi_of(table.name));
  write_policies(page, table);
  if (overview.slots.empty()) {
    page.raw("<p class=\"muted\">The table never had a record.</p>\n</article>\n");
    return;
  }
  page.raw("<h4>Slots</h4>\n");
  draw_slot_map(page, overview, name, table.slot_count);
  page.raw("<div class=\"pair\">\n");
  if (!overview.generations.empty()) write_generations(page, overview, name);
  if (overview.free_list.entries > 1 || overview.dense_order.entries > 1) {
    page.raw("<div>\n");
    if (overview.free_list.entries > 1) {
      page.raw("<h4>Free list: the slots that are used next</h4>\n");
      draw_order(page, overview.free_list, table.slot_count,
                 {"Free list", "Place in the list", "slot", "used first", "used last"}, name);
    }
    if (overview.dense_order.entries > 1) {
      page.raw("<h4>Dense order: the positions of the records</h4>\n");
      draw_order(page, overview.dense_order, table.position_count(),
                 {"Dense order", "Record, by slot", "position", "record of the lowest slot",
                  "record of the highest slot"},
                 name);
    }
    page.raw("</div>\n");
  }
  page.raw("</div>\n</article>\n");
}

}  // namespace

void write_tables(Html& page, const Report& report) {
  const ReportFile& file = report.shown();
  const std::vector<std::size_t> pictured = pictured_tables(file.overview);
  page.section("tables", "Tables and slots");
  if (file.reader()->tables().empty()) page.raw("<p class=\"muted\">The file has no tables.</p>\n");
  if (pictured.size() < file.reader()->tables().size()) {
    page.put("<p class=\"muted\">The {} tables with the most stored bytes, of {}.</p>\n",
             pictured.size(), file.reader()->tables().size());
  }
  for (const std::size_t table : pictured)
    write_table(page, file.reader()->tables()[table], file.overview.tables[table]);
  page.raw("</section>\n");
}

}  // namespace hdb::inspect
