// validate: says whether files are sound, and where they are not.
#include <fmt/format.h>

#include "command.hpp"
#include "hdb/base/json.hpp"
#include "input.hpp"
#include "text.hpp"
#include "validation.hpp"

namespace hdb::inspect {
namespace {

class Validate final : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override {
    return "Say whether files are sound, and where they are not";
  }
  std::string_view examples() const override {
    return "$ hdbinspect validate slot1.hdb                 every hash and every record\n"
           "$ hdbinspect validate --level=quick slot*.hdb   header, directory, geometry\n"
           "$ hdbinspect validate -q slot1.hdb || echo bad  for scripts";
  }
  OptionList options() override {
    return {
        {.names = "--level",
         .target = &level_,
         .help =
             "quick: header, directory, footer, geometry; full: every hash and record (default)",
         .value = "LEVEL",
         .choices = {"quick", "full"}},
        {.names = "--max-errors",
         .target = &max_errors_,
         .help = "Stop after this many findings in a file (default 20)",
         .value = "N",
         .least = 1,
         .most = 1000000},
        {.names = "FILE", .target = &files_, .help = "Save files", .required = true},
    };
  }

  ExitStatus run(Context& context) override {
    ExitStatus status = ExitStatus::fine;
    for (const std::string& file : files_) {
      const Validation result = validate_file(file, level_ == "full", max_errors_);
      status = worse(status, result.status);
      if (!context.globals.quiet && context.globals.json) print_json(context, result, file);
      if (!context.globals.quiet && !context.globals.json) print_text(context, result, file);
      if (result.trouble) context.messages.error(*result.trouble);
    }
    return status;
  }

 private:
  void print_text(Context& context, const Validation& result, const std::string& file) const {
    const std::string shown = escape_text(shown_name(file));
    for (const Finding& finding : result.findings) {
      const Error& error = finding.error;
      std::string head = fmt::format("{} {}", code_id(error.code), code_name(error.code));
      if (error.offset != kNoOffset)
        head += fmt::format(" at 0x{:08x} ({})", error.offset, error.offset);
      if (finding.bytes != 0) head += ", " + count_text(finding.bytes, "byte");
      context.out.line(fmt::format("{}: {}", shown, context.out.paint(Style::bad, head)));
      std::string in = escape_text(error.where);
      const std::string what =
          escape_text(error.what.empty() ? std::string(code_text(error.code)) : error.what);
      in += in.empty() ? what : "; " + what;
      context.out.line(fmt::format("  in      {}", in));
      context.out.line(fmt::format("  effect  {}", finding.effect));
      context.out.line(fmt::format("  next    {}", escape_text(finding.next)));
    }
    if (result.stopped_early) {
      context.out.line(fmt::format("{}: stopped after {} findings; --max-errors raises the limit",
                                   shown, max_errors_));
    }
    if (result.findings.empty() && !result.trouble) {
      context.out.line(fmt::format(
          "{}: {} ({}): {}, {}, {}, state hash {}", shown, context.out.paint(Style::added, "valid"),
          level_, count_text(result.tables, "table"), count_text(result.records, "live record"),
          count_text(result.blocks, "block"), result.state_hash.hex()));
    }
  }

  void print_json(Context& context, const Validation& result, const std::string& file) const {
    for (const Finding& finding : result.findings) {
      const Error& error = finding.error;
      JsonObject object("finding");
      object.text("file", json_name(file))
          .text("id", code_id(error.code))
          .text("name", code_name(error.code));
      if (error.offset != kNoOffset) object.number("offset", error.offset);
      if (finding.bytes != 0) object.number("bytes", finding.bytes);
      object.text("in", error.where)
          .text("what", error.what.empty() ? code_text(error.code) : error.what);
      object.text("effect", finding.effect).text("next", finding.next);
      context.out.line(object.str());
    }
    if (result.trouble) {
      // Whether the file is valid is not known: neither true nor false would be right.
      const Error& error = *result.trouble;
      JsonObject object("error");
      object.text("file", json_name(file)).text("id", code_id(error.code));
      object.text("name", code_name(error.code));
      if (error.offset != kNoOffset) object.number("offset", error.offset);
      object.text("in", error.where)
          .text("what", error.what.empty() ? code_text(error.code) : error.what);
      return context.out.line(object.text("next", next_step_of(error)).str());
    }
    JsonObject object("validation");
    object.text("file", json_name(file)).text("level", level_);
    object.boolean("valid", result.findings.empty()).number("findings", result.findings.size());
    object.boolean("stopped_early", result.stopped_early);
    if (result.opened) {
      object.number("tables", result.tables)
          .number("records", result.records)
          .number("blocks", result.blocks);
      object.hash("state_hash", result.state_hash);
    }
    context.out.line(object.str());
  }

  std::string level_ = "full";
  std::uint64_t max_errors_ = 20;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_validate() { return std::make_unique<Validate>(); }

}  // namespace hdb::inspect
