// The head of a report: what file it is, whether it is sound, and the page around all parts.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "input.hpp"
#include "output.hpp"
#include "report/pictures.hpp"
#include "report/sections.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxPictureBytes = std::size_t{384} << 10;
constexpr std::size_t kMaxValues = 64;
constexpr std::size_t kMaxValueBytes = 2048;

std::string title_of(const ReportFile& file) {
  const std::string title =
      file.reader() == nullptr ? std::string() : file.reader()->info().metadata.title;
  return title.empty() ? shown_name(file.path) : title;
}

// A text of at most so many bytes; what is longer ends with how long it is.
std::string bounded(std::string_view text) {
  if (text.size() <= kMaxValueBytes) return bdi_of(text);
  return bdi_of(text.substr(0, kMaxValueBytes)) +
         fmt::format("&#8230; ({})", size_text(text.size()));
}

std::string base64(const Bytes& bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? kLetters[three >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

std::string picture_of(const ReportFile& file) {
  if (file.reader() == nullptr) return {};
  const auto thumbnail = file.reader()->read_thumbnail();
  if (!thumbnail || thumbnail->size() > kMaxPictureBytes) return {};
  const std::string_view type = image_type(*thumbnail);
  if (type.empty()) return {};
  return fmt::format("<img alt=\"The thumbnail of the save\" src=\"data:{};base64,{}\"/>\n", type,
                     base64(*thumbnail));
}

std::uint64_t records_in(const Reader& reader) {
  std::uint64_t records = 0;
  for (const TableDescriptor& table : reader.tables()) records += table.live_count;
  return records;
}

void write_fault(Html& page, const Error& fault, std::string_view effect) {
  page.put("<li><code>{}</code> {}{}{}</li>\n", code_id(fault.code),
           short_label(fault.message(), 2 * kRowWidth), effect.empty() ? "" : " &#8212; ",
           short_label(effect, kRowWidth));
}

void write_verdict(Html& page, const ReportFile& file, bool named) {
  const Validation& found = file.validation;
  const std::string name = named ? bdi_of(shown_name(file.path)) + ": " : std::string();
  if (file.is_sound()) {
    return page.verdict("", "&#10003; Sound",
                        name +
                            "every hash, record, slot, free list and handle and the state hash "
                            "were checked (<code>hdbinspect validate --level=deep</code>).");
  }
  const std::string path = html_of(typed_path(file.path));
  const std::string shown = file.reader() == nullptr
                                ? "The file cannot be opened, so nothing of it is shown."
                                : "The parts that can be read are shown.";
  if (!found.findings.empty() || !file.overview.faults.empty()) {
    const bool may_be_foreign =
        !found.findings.empty() && found.findings.front().error.code == ErrorCode::bad_signature;
    page.verdict(
        "bad",
        may_be_foreign ? "&#10007; Not a save, or its beginning is damaged" : "&#10007; Damaged",
        fmt::format(
            "{}{}{} found. {} Next: load a backup, or "
            "<code>hdbinspect repair {} -o {}</code>",
            name, count_text(std::max(found.findings.size(), file.overview.faults.size()), "fault"),
            found.stopped_early ? " and more" : "", shown, path,
            html_of(typed_path(repaired_name(file.path)))));
  } else {
    page.verdict("bad", "? Not checked",
                 fmt::format("{}Whether the file is sound is not known. {}", name, shown));
  }
  page.raw("<ul class=\"faults\">\n");
  for (const Finding& finding : found.findings) write_fault(page, finding.error, finding.effect);
  for (std::size_t i = 0; found.findings.empty() && i < file.overview.faults.size(); ++i)
    write_fault(page, file.overview.faults[i], {});
  if (found.trouble) {
    write_fault(page, *found.trouble, {});
    page.put("<li>Next: {}</li>\n",
             short_label(next_step_of(with_file(*found.trouble, file.path)), kRowWidth));
  }
  page.raw("</ul>\n");
}

void write_facts(Html& page, const ReportFile& file) {
  if (file.reader() == nullptr) return;
  const FileInfo& info = file.reader()->info();
  const Metadata& metadata = info.metadata;
  page.raw("<dl class=\"facts\">\n");
  if (metadata.date_unix_ms != 0) page.fact("Saved", date_text(metadata.date_unix_ms));
  if (metadata.play_time_ms != 0) page.fact("Play time", duration_text(metadata.play_time_ms));
  if (metadata.sequence != 0) page.fact("Number", grouped(metadata.sequence));
  page.fact("Size", size_text(info.file_bytes));
  page.fact("Tables", grouped(file.reader()->tables().size()));
  page.fact("Records", grouped(records_in(*file.reader())));
  page.fact("Format", fmt::format("{}.{}", info.version_major, info.version_minor));
  std::size_t shown = 0;
  for (const auto& [name, value] : metadata.values) {
    if (++shown > kMaxValues) break;
    page.fact(bounded(name), bounded(value));
  }
  if (metadata.values.size() > kMaxValues)
    page.fact("More metadata", count_text(metadata.values.size() - kMaxValues, "value"));
  const bool is_checked = file.validation.state_hash == info.state_hash;
  page.fact("State hash",
            fmt::format("<code>{}</code>{}", info.state_hash.hex(),
                        is_checked ? "" : " as stored: it was not checked, or does not match"),
            true);
  page.raw("</dl>\n");
}

}  // namespace

OverviewOptions overview_options(std::size_t tables) {
  OverviewOptions options;
  const std::size_t pictures = std::clamp<std::size_t>(tables, 1, kMaxPictures);
  options.max_slot_bins = std::clamp<std::size_t>(kMaxBinsOfPage / pictures, 64, 1024);
  if (tables > kMaxPictures) options.max_slot_bins = 256;  // memory, too, is bounded
  options.max_order_bins = 200;
  return options;
}

std::vector<std::size_t> tables_by_size(const FileOverview& overview) {
  std::vector<std::size_t> tables(overview.tables.size());
  std::iota(tables.begin(), tables.end(), std::size_t{0});
  std::stable_sort(tables.begin(), tables.end(), [&](std::size_t a, std::size_t b) {
    return overview.tables[a].stored_bytes > overview.tables[b].stored_bytes;
  });
  return tables;
}

std::vector<std::size_t> pictured_tables(const FileOverview& overview) {
  std::vector<std::size_t> tables = tables_by_size(overview);
  if (tables.size() > kMaxPictures) tables.resize(kMaxPictures);
  std::sort(tables.begin(), tables.end());
  return tables;
}

void write_head(Html& page, const Report& report) {
  const bool two = report.files.size() == 2;
  page.raw("<section aria-label=\"The file\">\n");
  for (const ReportFile& file : report.files) {
    page.raw("<div class=\"card\">\n");
    if (two) {
      page.put("<h2 style=\"margin:0 0 .75rem\">{}: {}</h2>\n",
               &file == &report.files.front() ? "Before" : "After", bdi_of(title_of(file)));
    }
    write_verdict(page, file, two);
    write_facts(page, file);
    page.raw("</div>\n");
  }
  page.raw("</section>\n");
}

std::string report_page(const Report& report) {
  const bool two = report.files.size() == 2;
  const ReportFile& shown = report.shown();
  std::string heading = bdi_of(title_of(report.files.front()));
  std::string title = title_of(report.files.front());
  std::string where = "<p class=\"where\">" + bdi_of(shown_name(report.files.front().path));
  if (two) {
    heading += " &#8594; " + bdi_of(title_of(report.files.back()));
    title += " -> " + title_of(report.files.back());
    where += " &#8594; " + bdi_of(shown_name(report.files.back().path));
  }
  where += "</p>\n";
  std::string links = two ? "<a href=\"#changes\">What changed</a>" : "";
  const bool is_open = shown.reader() != nullptr;
  if (is_open)
    links += "<a href=\"#sizes\">What takes the space</a><a href=\"#tables\">Tables and slots</a>";
  if (shown.overview.references_known) links += "<a href=\"#references\">References</a>";
  Html page;
  begin_page(page, title, heading, where, links, picture_of(shown));
  write_head(page, report);
  if (two) write_changes(page, report);
  if (is_open) {
    write_sizes(page, report);
    write_tables(page, report);
    write_references(page, report);
  }
  end_page(page);
  return page.take();
}

}  // namespace hdb::inspect
