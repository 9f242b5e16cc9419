// report: a page with what is in a file, or in two and where they differ; and whether they are
// sound.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/validate.hpp"
#include "input.hpp"
#include "page/page.hpp"
#include "progress.hpp"
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
         "The page is that of hdbinspect open, with pictures of what takes the space, of slots, "
         "free lists and references. Of a damaged file it shows the parts that can be read. The "
         "exit status is 1 if a file is damaged: report checks as validate --level=deep does.",
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
    Page page;
    std::vector<Validation> found;
    ExitStatus status = ExitStatus::fine;
    for (const std::string& path : inputs()) {
      auto added = page.add_save(path);
      if (!added) return context.messages.error(added.error(), next_step_of_page(added.error()));
      found.push_back(*std::move(added));
      status = worse(status, report_faults(context, found.back(), path));
    }
    std::optional<Compared> compared;
    if (has_b()) {
      compared = compare(context, found, status);
      page.begin_with("view=changes");
    }
    const std::string text = std::move(page).finish();
    if (auto written = write_text(text, output_); !written)
      return context.messages.error(written.error());
    if (!context.globals.quiet) print(context, found, compared, text.size());
    return status;
  }

 private:
  struct Compared {
    std::uint64_t tables = 0;
    std::uint64_t differing = 0;
  };

  // What keeps a file from being shown as a whole; damage of its parts is for the page.
  static ExitStatus report_faults(const Context& context, const Validation& found,
                                  const std::string& path) {
    if (found.trouble) return context.messages.error(with_file(*found.trouble, path));
    if (found.is_valid()) return ExitStatus::fine;
    if (found.reader == nullptr)
      context.messages.error(with_file(found.findings.front().error, path));
    return ExitStatus::finding;
  }

  // None if they cannot be compared, which was reported.
  std::optional<Compared> compare(const Context& context, const std::vector<Validation>& found,
                                  ExitStatus& status) const {
    if (!found[0].reader || !found[1].reader) return std::nullopt;
    DiffOptions options;
    options.files = {file_a_, file_b_};
    options.records = false;
    options.fields = false;
    Compared compared;
    options.on_table = [&](const TableDiff& table) {
      ++compared.tables;
      compared.differing += table.differs() ? 1 : 0;
    };
    const auto difference = diff(*found[0].reader, *found[1].reader, options);
    if (difference) return compared;
    const ExitStatus trouble = context.messages.error(difference.error());
    const bool is_damage = category_of(difference.error().code) == ErrorCategory::corrupt;
    status = worse(status, is_damage ? ExitStatus::finding : trouble);
    return std::nullopt;
  }

  void print(Context& context, const std::vector<Validation>& found,
             const std::optional<Compared>& compared, std::size_t bytes) const {
    const bool sound = std::all_of(found.begin(), found.end(),
                                   [](const Validation& each) { return each.is_valid(); });
    // The later one, unless only the other can be opened.
    const Reader* const reader = (found.back().reader ? found.back() : found.front()).reader.get();
    if (context.globals.json) {
      JsonObject object("report");
      object.text("file", json_name(file_a_));
      if (has_b()) object.text("other", json_name(file_b_));
      object.text("output", json_name(output_)).number("output_bytes", bytes);
      object.number("tables", reader == nullptr ? 0 : reader->tables().size());
      if (compared) object.number("tables_differing", compared->differing);
      return context.out.line(object.boolean("sound", sound).str());
    }
    std::string what =
        reader == nullptr ? "only what is wrong" : count_text(reader->tables().size(), "table");
    if (compared) what += fmt::format(", {} of {} differ", compared->differing, compared->tables);
    if (has_b() && !compared) what += ", not compared";
    what += sound ? ", sound" : ", not sound";
    context.out.print("{}: {}, {}", printable_text(output_), what, size_text(bytes));
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
