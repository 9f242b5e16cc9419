// validate: says whether files are sound, and where they are not.
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "command.hpp"
#include "folder.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/save.hpp"
#include "input.hpp"
#include "later.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Validate final : public Command {
 public:
  Validate() {
    describe(
        {"validate",
         "Check whether files are sound, and show where they are damaged",
         "$ hdbinspect validate slot1.hdb                 every hash and every record\n"
         "$ hdbinspect validate --level=quick slot*.hdb   header, directory, geometry\n"
         "$ hdbinspect validate --level=deep slot1.hdb    the state hash and every handle too\n"
         "$ hdbinspect validate saves/                    a line for each bad save, and a sum\n"
         "$ hdbinspect validate -v slot1.hdb              also what later versions of hdb added\n"
         "$ hdbinspect validate -q slot1.hdb || echo bad  for scripts\n"
         "\n"
         "In a folder, files that are not hdb saves are skipped; a file NAME.hdb is always "
         "checked, and a dead link, a pipe or a folder of such a name is named as not checked. "
         "Folders inside it are not searched.",
         {{"--level=quick|full|deep", &level_,
           "quick: header, directory, footer, geometry; full: every hash and record (default); "
           "deep: the state hash and every handle too"},
          {"--max-errors N", Number{&max_errors_, 1, 1000000},
           "Stop after this many findings in a file (default 20)"},
          {"FILE", &files_, "Save files, or folders of saves", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    ExitStatus status = ExitStatus::fine;
    for (const std::string& file : files_) {
      std::error_code error;
      status = worse(status, std::filesystem::is_directory(utf8_path(file), error)
                                 ? check_folder(context, file)
                                 : check_file(context, file, nullptr));
    }
    return status;
  }

 private:
  // The saves of a folder, counted.
  struct Sum {
    std::size_t saves = 0;
    std::size_t damaged = 0;
    std::size_t unchecked = 0;  // trouble: I/O, a limit, a newer format
    std::size_t others = 0;     // files that are not saves
    std::string first_bad;
  };

  ExitStatus check_file(Context& context, const std::string& file, Sum* sum) const {
    const Validation result = validate_file(file);
    ExitStatus status = result.findings.empty() ? ExitStatus::fine : ExitStatus::finding;
    if (result.trouble) status = worse(status, status_of(*result.trouble));
    if (sum != nullptr) {
      ++sum->saves;
      if (result.trouble) ++sum->unchecked;
      if (!result.trouble && !result.is_valid()) ++sum->damaged;
      if (sum->first_bad.empty() && !result.is_valid()) sum->first_bad = file;
    }
    if (!context.globals.quiet && context.globals.json) {
      print_json(context, result, file);
    } else if (!context.globals.quiet && (sum == nullptr || context.globals.verbose)) {
      print_text(context, result, file);
    } else if (!context.globals.quiet && !result.findings.empty()) {
      print_line(context, result, file);
    }
    if (result.trouble) context.messages.error(*result.trouble);
    return status;
  }

  ExitStatus check_folder(Context& context, const std::string& folder) const {
    const auto names = names_in(folder);
    if (!names) return context.messages.error(names.error());
    Sum sum;
    ExitStatus status = ExitStatus::fine;
    for (std::size_t i = 0; i < names->size() && !context.out.closed(); ++i) {
      const std::string path = path_in(folder, (*names)[i]);
      // A save that lost its first bytes is damaged, and has its name still.
      const auto info =
          is_save_name((*names)[i]) ? Result<FileInfo>() : read_info(path, read_limits());
      if (!info && info.error().code == ErrorCode::bad_signature) {
        ++sum.others;
      } else {
        status = worse(status, check_file(context, path, &sum));
      }
    }
    if (context.out.closed()) return status;
    if (sum.saves == 0)
      return worse(status, context.messages.error(no_save_in(folder, sum.others), kGiveFolder));
    if (!context.globals.quiet) print_sum(context, folder, sum);
    return status;
  }

  static void print_sum(Context& context, const std::string& folder, const Sum& sum) {
    const std::size_t sound = sum.saves - sum.damaged - sum.unchecked;
    if (context.globals.json) {
      JsonObject object("validation_sum");
      object.text("folder", json_name(folder)).number("saves", sum.saves).number("sound", sound);
      object.number("damaged", sum.damaged).number("unchecked", sum.unchecked);
      return context.out.line(object.number("others", sum.others).str());
    }
    std::string line =
        fmt::format("{}: {} sound, {} damaged", count_text(sum.saves, "save"), sound, sum.damaged);
    if (sum.unchecked != 0) line += fmt::format(", {} not checked", sum.unchecked);
    if (sum.others != 0) line += fmt::format("; {} skipped", count_text(sum.others, "other file"));
    context.out.line(line);
    if (!sum.first_bad.empty())
      context.out.print("  next    hdbinspect validate {}", typed_path(sum.first_bad));
  }

  [[nodiscard]] Validation validate_file(const std::string& file) const {
    Validation result;
    const ProgressScope progress("validate", shown_name(file), level_ == "deep" ? 2 : 1);
    auto source = open_source(file);
    if (!source) {
      result.trouble = std::move(source.error());
      return result;
    }
    ValidationOptions options;
    options.level = level_ == "quick"  ? ValidationLevel::quick
                    : level_ == "deep" ? ValidationLevel::deep
                                       : ValidationLevel::full;
    options.max_findings = static_cast<std::size_t>(max_errors_);
    options.threads = worker_threads();
    options.limits = read_limits();
    result = validate(*std::move(source), options);
    if (result.trouble) *result.trouble = with_file(*std::move(result.trouble), file);
    return result;
  }

  // Whoever reads this has validated the file already.
  static std::string next_of(const Finding& finding, const std::string& file) {
    const std::string next = next_step_of(with_file(Error(finding.error), shown_name(file)));
    return next.substr(0, next.find("; hdbinspect validate"));
  }

  static std::string head_of(const Finding& finding) {
    const Error& error = finding.error;
    std::string head = fmt::format("{} {}", code_id(error.code), code_name(error.code));
    if (error.offset != kNoOffset)
      head += fmt::format(" at 0x{:08x} ({})", error.offset, error.offset);
    return finding.bytes == 0 ? head : head + ", " + count_text(finding.bytes, "byte");
  }

  // A bad save among many.
  static void print_line(Context& context, const Validation& result, const std::string& file) {
    const Finding& first = result.findings.front();
    const std::size_t more = result.findings.size() - 1;
    context.out.print("{}: {}; {}{}", printable_text(file),
                      context.out.paint(Style::bad, head_of(first)), first.effect,
                      more == 0 ? "" : fmt::format("; {} more", count_text(more, "finding")));
  }

  void print_text(Context& context, const Validation& result, const std::string& file) const {
    const std::string shown = printable_text(shown_name(file));
    for (const Finding& finding : result.findings) {
      const Error& error = finding.error;
      context.out.print("{}: {}", shown, context.out.paint(Style::bad, head_of(finding)));
      std::string in = printable_text(error.where);
      const std::string what =
          printable_text(error.what.empty() ? std::string(code_text(error.code)) : error.what);
      in += in.empty() ? what : "; " + what;
      context.out.print("  in      {}", in);
      context.out.print("  effect  {}", finding.effect);
      context.out.print("  next    {}", next_of(finding, file));
    }
    if (result.stopped_early) {
      context.out.print("{}: stopped after {} findings; raise the limit with --max-errors", shown,
                        max_errors_);
    }
    if (result.findings.empty() && !result.trouble) {
      context.out.print(
          "{}: {} ({}): {}, {}, {}, state hash {}", shown, context.out.paint(Style::added, "valid"),
          level_, count_text(result.tables, "table"), count_text(result.records, "live record"),
          count_text(result.blocks, "block"),
          result.state_hash ? result.state_hash->hex() : "not checked");
    }
    print_references(context, result);
    if (lists_additions(context, result)) print_additions(context.out, additions_in(result));
  }

  static bool lists_additions(const Context& context, const Validation& result) {
    return context.globals.verbose && result.reader != nullptr;
  }

  // Of heads of known blocks only if the validation read these blocks.
  [[nodiscard]] std::vector<Addition> additions_in(const Validation& result) const {
    return additions_of(*result.reader,
                        level_ == "quick" ? Heads::of_unknown_blocks : Heads::of_all_blocks);
  }

  static void print_references(Context& context, const Validation& result) {
    TextTable lines({false, true, true, true, true});
    for (const ReferenceCount& count : result.references) {
      lines.add(
          {escape_text(result.table_names[count.table] + "." + count.path),
           fmt::format("{} live", count.live), fmt::format("{} stale", count.stale),
           fmt::format("{} null", count.null),
           count.foreign == 0 ? "" : fmt::format("{} of a table not in the file", count.foreign)});
    }
    context.out.write(lines.text(2));
    for (const ReferenceCount& count : result.references) {
      if (count.conflict.empty()) continue;
      context.out.print("  note: table {}: {}; a program loads such a file only with equal layouts",
                        escape_text(result.table_names[count.table]), escape_text(count.conflict));
    }
  }

  static void print_references_json(Context& context, const Validation& result,
                                    const std::string& file) {
    for (const ReferenceCount& count : result.references) {
      JsonObject object("references");
      object.text("file", json_name(file)).text("table", result.table_names[count.table]);
      object.text("field", count.path).boolean("strong", count.strong);
      object.number("live", count.live).number("stale", count.stale);
      object.number("null", count.null).number("foreign", count.foreign);
      if (count.stale != 0) object.text("first_stale", count.first_stale);
      if (!count.conflict.empty()) object.text("conflict", count.conflict);
      context.out.line(object.str());
    }
  }

  void print_json(Context& context, const Validation& result, const std::string& file) const {
    for (const Finding& finding : result.findings) {
      JsonObject object("finding");
      add_error(finding.error, object.text("file", json_name(file)));
      if (finding.bytes != 0) object.number("bytes", finding.bytes);
      object.text("effect", finding.effect).text("next", next_of(finding, file));
      context.out.line(object.str());
    }
    if (result.trouble) {
      // Whether the file is valid is not known: neither true nor false would be right.
      JsonObject object("error");
      add_error(*result.trouble, object.text("file", json_name(file)));
      return context.out.line(object.text("next", next_step_of(*result.trouble)).str());
    }
    print_references_json(context, result, file);
    JsonObject object("validation");
    object.text("file", json_name(file)).text("level", level_);
    object.boolean("valid", result.findings.empty()).number("findings", result.findings.size());
    object.boolean("stopped_early", result.stopped_early);
    if (result.reader != nullptr) {
      object.number("tables", result.tables)
          .number("records", result.records)
          .number("blocks", result.blocks);
      if (result.state_hash) object.hash("state_hash", *result.state_hash);
    }
    if (lists_additions(context, result)) object.raw("later", additions_json(additions_in(result)));
    context.out.line(object.str());
  }

  std::string level_ = "full";
  std::uint64_t max_errors_ = 20;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_validate() { return std::make_unique<Validate>(); }

}  // namespace hdb::inspect
