// Which tables refer to which: the graph, and the same as a table.
#include <algorithm>
#include <map>

#include "report/pictures.hpp"
#include "report/sections.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxNodes = 36;
constexpr std::size_t kMaxNodeFields = 14;
constexpr std::size_t kMaxReferenceRows = 400;
constexpr std::size_t kMaxTargets = 3;

// The tables that a field names: the tables of its handles, else the table in its schema.
std::vector<ReferenceTarget> targets_of(const Reader& reader, const ReferenceCount& count) {
  if (!count.targets.empty()) return count.targets;
  const Field& root = reader.schemas()[reader.tables()[count.table].schema];
  for (const Column& column : columns_of(root)) {
    if (column.path != count.path || column.field->table.empty()) continue;
    for (std::size_t table = 0; table < reader.tables().size(); ++table) {
      if (reader.tables()[table].name == column.field->table) return {{.table = table}};
    }
  }
  return {};
}

struct Edges {
  std::vector<std::vector<ReferenceTarget>> targets;  // of each count
  std::vector<std::uint64_t> weight;                  // of each table: handles from and to it
  std::vector<bool> joined;
};

Edges edges_of(const ReportFile& file) {
  Edges edges;
  edges.weight.resize(file.reader()->tables().size());
  edges.joined.resize(file.reader()->tables().size());
  for (const ReferenceCount& count : file.overview.references) {
    edges.targets.push_back(targets_of(*file.reader(), count));
    edges.joined[count.table] = true;
    for (const ReferenceTarget& target : edges.targets.back()) {
      edges.joined[target.table] = true;
      edges.weight[target.table] += target.live + target.stale;
      edges.weight[count.table] += target.live + target.stale;
    }
  }
  return edges;
}

// The tables of the graph, those with the most handles, in the order of the file.
std::vector<std::size_t> nodes_of(const Edges& edges) {
  std::vector<std::size_t> tables;
  for (std::size_t i = 0; i < edges.joined.size(); ++i) {
    if (edges.joined[i]) tables.push_back(i);
  }
  std::stable_sort(tables.begin(), tables.end(),
                   [&](std::size_t a, std::size_t b) { return edges.weight[a] > edges.weight[b]; });
  if (tables.size() > kMaxNodes) tables.resize(kMaxNodes);
  std::sort(tables.begin(), tables.end());
  return tables;
}

std::vector<GraphNode> graph_of(const ReportFile& file, const Edges& edges,
                                const std::vector<std::size_t>& tables) {
  std::map<std::size_t, std::size_t> number;  // of the node of a table
  std::vector<GraphNode> nodes;
  for (const std::size_t table : tables) {
    const TableDescriptor& descriptor = file.reader()->tables()[table];
    number.emplace(table, nodes.size());
    nodes.push_back(
        {short_label(descriptor.name, 24), html_of(descriptor.name), descriptor.live_count});
  }
  for (std::size_t i = 0; i < file.overview.references.size(); ++i) {
    const ReferenceCount& count = file.overview.references[i];
    const auto from = number.find(count.table);
    if (from == number.end()) continue;
    GraphNode& node = nodes[from->second];
    if (node.fields.size() >= kMaxNodeFields) continue;
    GraphField& field = node.fields.emplace_back();
    field.path = short_label(count.path, 17);
    field.strong = count.strong;
    field.live = count.live;
    field.stale = count.stale;
    field.null = count.null;
    for (const ReferenceTarget& target : edges.targets[i]) {
      const auto to = number.find(target.table);
      if (to != number.end()) field.targets.push_back({to->second, target.live, target.stale});
    }
  }
  return nodes;
}

void write_reference_rows(Html& page, const ReportFile& file, const Edges& edges) {
  page.begin_folded_table("References",
                          {"Field", "Names", "Kind", "#Live", "#Stale", "#Null", "#Foreign"});
  const auto& references = file.overview.references;
  for (std::size_t i = 0; i < std::min(references.size(), kMaxReferenceRows); ++i) {
    const ReferenceCount& count = references[i];
    std::string names;
    std::size_t shown = 0;
    for (const ReferenceTarget& target : edges.targets[i]) {
      if (++shown > kMaxTargets) continue;
      names += names.empty() ? "" : ", ";
      names += bdi_label(file.reader()->tables()[target.table].name, kCaptionWidth);
    }
    if (shown > kMaxTargets) names += fmt::format(" and {} more", shown - kMaxTargets);
    page.row({fmt::format("{}<code>.{}</code>",
                          bdi_label(file.reader()->tables()[count.table].name, kCaptionWidth),
                          short_label(count.path, kCaptionWidth)),
              names.empty() ? "-" : names, count.strong ? "strong" : "weak", grouped(count.live),
              grouped(count.stale), grouped(count.null), grouped(count.foreign)});
  }
  page.end_folded_table();
  if (references.size() > kMaxReferenceRows) {
    page.put("<p class=\"muted\">The first {} of {} handle fields.</p>\n", kMaxReferenceRows,
             references.size());
  }
}

void write_stale(Html& page, const ReportFile& file) {
  std::size_t rows = 0;
  for (const ReferenceCount& count : file.overview.references) {
    if (count.stale == 0 || ++rows > kMaxNodes) continue;
    if (rows == 1) page.raw("<h3 style=\"margin:1.25rem 0 .25rem\">Stale handles</h3>\n<ul>\n");
    page.put("<li>{} in {}<code>.{}</code>{}; first <code>{}</code></li>\n", grouped(count.stale),
             short_label(file.reader()->tables()[count.table].name, kCaptionWidth),
             short_label(count.path, kCaptionWidth),
             count.strong ? " (strong: the records that they owned are gone)" : "",
             short_label(count.first_stale, kRowWidth));
  }
  if (rows != 0) page.raw("</ul>\n");
}

}  // namespace

void write_references(Html& page, const Report& report) {
  const ReportFile& file = report.shown();
  if (!file.overview.references_known) return;
  page.section("references", "References");
  page.raw("<div class=\"card\">\n");
  if (file.overview.references.empty()) {
    page.raw("<p class=\"muted\">No field of any table is a handle.</p>\n");
  } else {
    const Edges edges = edges_of(file);
    const std::vector<std::size_t> tables = nodes_of(edges);
    std::uint64_t live = 0;
    std::uint64_t stale = 0;
    for (const ReferenceCount& count : file.overview.references) {
      live += count.live;
      stale += count.stale;
    }
    const auto joined =
        static_cast<std::size_t>(std::count(edges.joined.begin(), edges.joined.end(), true));
    if (joined > tables.size()) {
      page.put("<p class=\"muted\">The {} tables with the most handles, of {}.</p>\n",
               tables.size(), joined);
    }
    draw_graph(
        page, graph_of(file, edges, tables),
        fmt::format("{} joined by {}: {} live, {} stale handles; the table below shows the same",
                    count_text(tables.size(), "table"),
                    count_text(file.overview.references.size(), "handle field"), grouped(live),
                    grouped(stale)));
    write_reference_rows(page, file, edges);
    write_stale(page, file);
  }
  page.raw("</div>\n</section>\n");
}

}  // namespace hdb::inspect
