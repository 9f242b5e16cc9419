// report: one page with pictures of a file, or of two and where they differ.
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "report/sections.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class ReportCommand final : public Command {
 public:
  ReportCommand() {
    describe(
        {"report",
         "Make an HTML page with pictures of one file, or of two",
         "$ hdbinspect report slot1.hdb -o slot1.html             what is in it\n"
         "$ hdbinspect report slot1.hdb slot2.hdb -o moves.html   where they differ\n"
         "\n"
         "The page is one file and loads nothing from elsewhere; any browser can show it. For a\n"
         "damaged file, the page shows all parts that can be read.",
         {{"-o,--output OUT",
           &output_,
           "The page; it must not be an input",
           {.required = true, .is_file = true}},
          {"--force", &force_, "Replace OUT if it exists"},
          {"A", &file_a_, "Save file", file_name()},
          {"[B]", &file_b_, "A later save of the same game", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    for (const std::string& input : inputs()) {
      if (auto checked = check_output(input, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    const ProgressScope progress("report", shown_name(!has_b() ? file_a_ : file_b_));
    Report report;
    for (const std::string& path : inputs()) {
      auto file = looked_over(path);
      if (!file) return context.messages.error(file.error());
      report.files.push_back(*std::move(file));
    }
    if (report.files.size() == 2) {
      if (auto compared = compare(report); !compared)
        return context.messages.error(compared.error());
    }
    const std::string page = report_page(report);
    if (auto written = write_text(page, output_); !written)
      return context.messages.error(written.error());
    bool sound = true;
    for (const ReportFile& file : report.files) sound = sound && file.overview.faults.empty();
    if (!context.globals.quiet) print(context, report, page.size(), sound);
    return sound ? ExitStatus::fine : ExitStatus::finding;
  }

 private:
  static Result<ReportFile> looked_over(const std::string& path) {
    ReadOptions read;
    read.accept_damaged_copies = true;
    auto reader = open_reader(path, read);
    if (!reader) return fail(std::move(reader.error()));
    auto found = overview(**reader, overview_options((*reader)->tables().size()));
    if (!found) return fail(with_file(std::move(found.error()), path));
    return ReportFile{path, *std::move(reader), *std::move(found)};
  }

  static Status compare(Report& report) {
    DiffOptions options;
    options.files = {report.files[0].path, report.files[1].path};
    const std::size_t bins = overview_options(report.shown().reader->tables().size()).max_slot_bins;
    auto changes = change_overview(*report.files[0].reader, *report.files[1].reader, options, bins);
    if (!changes) return fail(std::move(changes.error()));
    report.changes = *std::move(changes);
    return {};
  }

  void print(Context& context, const Report& report, std::size_t bytes, bool sound) const {
    const auto differing = [&] {
      std::uint64_t count = 0;
      for (const TableChangeMap& table : report.changes)
        count += table.difference.differs() ? 1 : 0;
      return count;
    }();
    if (context.globals.json) {
      JsonObject object("report");
      object.text("file", json_name(file_a_));
      if (has_b()) object.text("other", json_name(file_b_));
      object.text("output", json_name(output_)).number("output_bytes", bytes);
      object.number("tables", report.shown().reader->tables().size());
      if (has_b()) object.number("tables_differing", differing);
      return context.out.line(object.boolean("sound", sound).str());
    }
    std::string what = count_text(report.shown().reader->tables().size(), "table");
    if (has_b()) what += fmt::format(", {} of {} differ", differing, report.changes.size());
    if (!sound) what += ", damaged: only the readable parts";
    context.out.print("{}: {}, {}", escape_text(output_), what, size_text(bytes));
  }

  std::string output_;
  bool force_ = false;
  std::string file_a_;
  [[nodiscard]] bool has_b() const { return !file_b_.empty(); }
  [[nodiscard]] std::vector<std::string> inputs() const {
    if (!has_b()) return {file_a_};
    return {file_a_, file_b_};
  }
  std::string file_b_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace hdb::inspect
