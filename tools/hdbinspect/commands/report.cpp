// report: one page with pictures of a file, or of two and where they differ.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
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
         "The page is one file and loads nothing from elsewhere; any browser can show it. It says "
         "what validate --level=deep found, and of a damaged file shows the parts that can be "
         "read. The exit status is 1 if a file is damaged.",
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
    const ProgressScope progress("report", shown_name(!has_b() ? file_a_ : file_b_), 3);
    Report report;
    ExitStatus status = ExitStatus::fine;
    for (const std::string& path : inputs()) {
      auto file = looked_over(path);
      if (!file) return context.messages.error(file.error());
      report.files.push_back(*std::move(file));
      status = worse(status, report_faults(context, report.files.back()));
    }
    if (has_b()) status = worse(status, compare(context, report));
    const std::string page = report_page(report);
    if (auto written = write_text(page, output_); !written)
      return context.messages.error(written.error());
    if (!context.globals.quiet) print(context, report, page.size());
    return status;
  }

 private:
  // Errors: the file cannot be read at all.
  static Result<ReportFile> looked_over(const std::string& path) {
    auto source = open_source(path);
    if (!source) return fail(std::move(source.error()));
    ValidationOptions options;
    options.level = ValidationLevel::deep;
    options.threads = worker_threads();
    options.limits = read_limits();
    ReportFile file{path, validate(*std::move(source), options), {}};
    if (file.reader() == nullptr) return file;
    auto found = overview(*file.reader(), overview_options(file.reader()->tables().size()));
    if (found) {
      file.overview = *std::move(found);
    } else if (!file.validation.trouble) {
      file.validation.trouble = std::move(found.error());
    }
    if (const auto& trouble = file.validation.trouble;
        trouble && (category_of(trouble->code) == ErrorCategory::io ||
                    category_of(trouble->code) == ErrorCategory::cancelled))
      return fail(with_file(*trouble, path));
    return file;
  }

  // What keeps a file from being shown as a whole; damage of its parts is for the page.
  static ExitStatus report_faults(const Context& context, const ReportFile& file) {
    const Validation& found = file.validation;
    if (found.trouble) return context.messages.error(with_file(*found.trouble, file.path));
    if (file.is_sound()) return ExitStatus::fine;
    if (file.reader() == nullptr)
      context.messages.error(with_file(found.findings.front().error, file.path));
    return ExitStatus::finding;
  }

  static ExitStatus compare(const Context& context, Report& report) {
    for (const ReportFile& file : report.files) {
      if (file.reader() != nullptr) continue;
      report.not_compared = shown_name(file.path) + " cannot be opened";
      return ExitStatus::fine;  // which was reported
    }
    DiffOptions options;
    options.files = {report.files[0].path, report.files[1].path};
    const std::size_t bins =
        overview_options(report.shown().reader()->tables().size()).max_slot_bins;
    auto changes =
        change_overview(*report.files[0].reader(), *report.files[1].reader(), options, bins);
    if (changes) {
      report.changes = *std::move(changes);
      return ExitStatus::fine;
    }
    report.not_compared = changes.error().message();
    const ExitStatus status = context.messages.error(changes.error());
    const bool is_damage = category_of(changes.error().code) == ErrorCategory::corrupt;
    return is_damage ? ExitStatus::finding : status;
  }

  void print(Context& context, const Report& report, std::size_t bytes) const {
    const bool sound = std::all_of(report.files.begin(), report.files.end(),
                                   [](const ReportFile& file) { return file.is_sound(); });
    const Reader* const reader = report.shown().reader();
    const bool compared = has_b() && report.not_compared.empty();
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
      object.number("tables", reader == nullptr ? 0 : reader->tables().size());
      if (compared) object.number("tables_differing", differing);
      return context.out.line(object.boolean("sound", sound).str());
    }
    std::string what =
        reader == nullptr ? "only what is wrong" : count_text(reader->tables().size(), "table");
    if (compared) what += fmt::format(", {} of {} differ", differing, report.changes.size());
    if (has_b() && !compared) what += ", not compared";
    what += sound ? ", sound" : ", not sound";
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
