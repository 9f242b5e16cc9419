// compat: whether a program with new schemas loads the saves of a program with old ones.
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"
#include "compat/schema_input.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/load_as.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Compat final : public Command {
 public:
  Compat() {
    describe(
        {"compat",
         "Check whether a new version of a game loads its old saves",
         "$ hdbinspect schema --format=json slot1.hdb > old.json   the schemas to commit\n"
         "$ hdbinspect compat old.json new.json                    old and new schemas\n"
         "$ hdbinspect compat slot1.hdb new.json                   an old save\n"
         "$ hdbinspect compat --values slot1.hdb new.json          what the load does with it\n"
         "$ hdbinspect compat --allow-loss old.json new.json       dropped values are fine\n"
         "\n"
         "OLD and NEW are save files or documents of schemas (hdbinspect schema --format=json, "
         "Database::schema_json). The question is: would a program whose tables have the schemas "
         "of NEW load a file whose tables have the schemas of OLD? The rules are those of "
         "Database::load.\n"
         "Verdicts: identical; readable; readable with loss (the load drops values); "
         "incompatible (the load fails). If OLD is a save file, its records are loaded, because "
         "some rules matter only for some values: a number may be too large for a narrower type, "
         "two keys of a map may be equal. A document has no values and counts as incompatible "
         "then.\n"
         "Save files do not store declarations and limits of records: use a document of the "
         "program as NEW.\n"
         "Exit status: 0 for identical and readable; 1 for the other two.",
         {{"--allow-loss", &allow_loss_, "Exit with 0 if the saves are readable with loss"},
          {"--values", &values_, "Load the records of the save file OLD, and show the report"},
          {"OLD", &old_, "Save file, or document of schemas", file_name()},
          {"NEW", &new_, "Save file, or document of schemas", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    const ProgressScope progress("compat", shown_name(old_));
    const auto old_side = open_schemas(old_);
    const auto new_side = open_schemas(new_);
    ExitStatus status = ExitStatus::fine;
    if (!old_side) status = worse(status, context.messages.error(old_side.error()));
    if (!new_side) status = worse(status, context.messages.error(new_side.error()));
    if (!old_side || !new_side) return status;
    is_save_ = old_side->reader != nullptr;
    if (values_ && !is_save_) {
      return context.messages.usage("--values needs a save file as OLD: a document has no values",
                                    "hdbinspect compat --help");
    }
    CompatReport report = compare_schemas(old_side->tables, new_side->tables);
    if (is_save_ && (values_ || is_undecided(report))) {
      if (Status tried = try_load(old_side->reader, new_side->tables, report); !tried)
        return context.messages.error(with_file(tried.error(), file_of(tried.error().code)));
    }
    if (!context.globals.quiet)
      context.globals.json ? print_json(context, report) : print_text(context, report);
    return is_accepted(report) ? ExitStatus::fine : ExitStatus::finding;
  }

 private:
  [[nodiscard]] bool is_accepted(const CompatReport& report) const {
    return report.verdict <= (allow_loss_ ? Compatibility::loss : Compatibility::readable);
  }

  [[nodiscard]] const std::string& file_of(ErrorCode code) const {
    return code == ErrorCode::bad_schema_document ? new_ : old_;
  }

  // Whether a load shows more than the schemas.
  static bool is_undecided(const CompatReport& report) {
    const auto is_refused = [](const CompatFinding& finding) {
      return finding.effect == Compatibility::incompatible && !finding.depends_on_values;
    };
    return !has_finding(report, is_refused);
  }

  // Loads the save, and notes what only its values show.
  Status try_load(const std::shared_ptr<const Reader>& save, const std::vector<TableSchema>& tables,
                  CompatReport& report) {
    LoadOptions options;
    options.threads = worker_threads();
    options.limits = read_limits();
    const auto loaded = load_as(save, tables, options);
    if (loaded) {
      summary_ = loaded->report.summary();
      for (TableCompat& table : report.tables) {
        const bool has_comparison = has_own_comparison(tables, table.name);
        for (CompatFinding& finding : table.findings) {
          // What the program's comparison takes for equal, only the program knows.
          if (finding.rule != CompatRule::keys_distinct || !has_comparison) conclude(finding);
        }
      }
      report.update_verdicts();
      return {};
    }
    const Error& error = loaded.error();
    if (error.code == ErrorCode::memory_budget && !values_ && !depends_on_values(report)) return {};
    if (error.code == ErrorCode::bad_schema_document || !is_refusal(error.code)) return fail(error);
    const std::string what = error.what + " (" + error.where + ")";
    if (has_other_versions(report)) {  // which code of the program may read
      summary_ = "only with the program's code for other class versions: " + escape_text(what);
      return {};
    }
    const auto says_so = [&](const CompatFinding& each) { return each.what == error.what; };
    if (has_finding(report, says_so)) return {};
    CompatFinding finding;
    finding.rule = CompatRule::load_refused;
    finding.effect = Compatibility::incompatible;
    finding.code = error.code;
    finding.what = what;
    report.findings.push_back(std::move(finding));
    report.update_verdicts();
    return {};
  }

  // Whether the error says that file and program do not fit; else the load could not be tried.
  static bool is_refusal(ErrorCode code) {
    return category_of(code) == ErrorCategory::mismatch || code == ErrorCode::duplicate_name ||
           code == ErrorCode::rename_conflict || code == ErrorCode::table_full ||
           code == ErrorCode::unknown_feature;
  }

  template <class Predicate>
  static bool has_finding(const CompatReport& report, const Predicate& predicate) {
    const auto is_in = [&](const auto& of) {
      return std::any_of(of.findings.begin(), of.findings.end(), predicate);
    };
    return is_in(report) || std::any_of(report.tables.begin(), report.tables.end(), is_in);
  }
  static bool has_other_versions(const CompatReport& report) {
    return has_finding(report, [](const CompatFinding& finding) {
      return finding.rule == CompatRule::class_version_raised ||
             finding.rule == CompatRule::class_version_lowered ||
             finding.rule == CompatRule::field_migrated;
    });
  }
  static bool depends_on_values(const CompatReport& report) {
    return has_finding(report,
                       [](const CompatFinding& finding) { return finding.depends_on_values; });
  }
  static bool has_own_comparison(const std::vector<TableSchema>& tables, const std::string& name) {
    return std::any_of(tables.begin(), tables.end(), [&](const TableSchema& table) {
      return table.table.name == name &&
             std::any_of(table.keys.begin(), table.keys.end(),
                         [](const FieldKeys& each) { return each.rule == KeyRule::compared; });
    });
  }

  // A finding that the values decided: the save loads.
  static void conclude(CompatFinding& finding) {
    const bool may_refuse =
        finding.depends_on_values || finding.rule == CompatRule::enumerators_added;
    if (!may_refuse) return;
    finding.depends_on_values = false;
    finding.effect = Compatibility::readable;
    finding.code.reset();
    finding.what += "; this file loads";
  }

  static std::string painted(const Context& context, Compatibility value) {
    const Style style = value == Compatibility::incompatible ? Style::bad
                        : value == Compatibility::loss       ? Style::changed
                                                             : Style::added;
    return context.out.paint(style, compatibility_name(value));
  }

  // One line for a difference, and one with what to do if old saves suffer.
  // Empty: there is nothing to do.
  [[nodiscard]] std::string next_step(const CompatFinding& finding) const {
    std::string next(compat_next_step(finding.rule));
    if (finding.effect < Compatibility::loss || next.empty()) return {};
    if (finding.depends_on_values && !is_save_)
      next += "; or give a save file as OLD, whose values are checked";
    return next;
  }

  void print_finding(Context& context, const std::string& place,
                     const CompatFinding& finding) const {
    context.out.print("{}: {}: {}: {}", place, painted(context, finding.effect),
                      compat_rule_name(finding.rule), escape_text(finding.what));
    if (const std::string next = next_step(finding); !next.empty())
      context.out.print("  next    {}", next);
  }

  void print_text(Context& context, const CompatReport& report) const {
    for (const TableCompat& table : report.tables) {
      const std::string name = escape_text(table.name);
      if (table.findings.empty())
        context.out.print("{}: {}", name, painted(context, table.verdict));
      for (const CompatFinding& finding : table.findings) {
        const std::string field = finding.field.empty() ? "" : "." + escape_text(finding.field);
        print_finding(context, name + field, finding);
      }
    }
    for (const CompatFinding& finding : report.findings)
      print_finding(context, "all tables", finding);
    context.out.print("{} -> {}: {}", printable_text(shown_name(old_)),
                      printable_text(shown_name(new_)), painted(context, report.verdict));
    if (values_ && !summary_.empty()) context.out.line(load_text(summary_));
  }

  [[nodiscard]] std::string findings_json(const std::vector<CompatFinding>& findings) const {
    JsonArray array;
    for (const CompatFinding& finding : findings) {
      JsonObject object;
      object.text("rule", compat_rule_name(finding.rule));
      object.text("verdict", compatibility_name(finding.effect));
      if (!finding.field.empty()) object.text("field", finding.field);
      object.text("what", finding.what);
      if (finding.effect == Compatibility::incompatible)
        object.boolean("depends_on_values", finding.depends_on_values);
      if (finding.code) object.text("error", code_id(*finding.code));
      if (const std::string next = next_step(finding); !next.empty()) object.text("next", next);
      array.raw(object.str());
    }
    return array.str();
  }

  void print_json(Context& context, const CompatReport& report) const {
    for (const TableCompat& table : report.tables) {
      context.out.line(JsonObject("compat_table")
                           .text("table", table.name)
                           .text("verdict", compatibility_name(table.verdict))
                           .raw("findings", findings_json(table.findings))
                           .str());
    }
    JsonObject object("compat");
    object.text("old", json_name(old_)).text("new", json_name(new_));
    object.text("verdict", compatibility_name(report.verdict));
    object.boolean("accepted", is_accepted(report));
    object.raw("findings", findings_json(report.findings));
    if (values_ && !summary_.empty()) object.text("load", summary_);
    context.out.line(object.str());
  }

  bool allow_loss_ = false;
  bool values_ = false;
  bool is_save_ = false;  // OLD
  std::string summary_;   // of the load, if there was one
  std::string old_;
  std::string new_;
};

}  // namespace

std::unique_ptr<Command> make_compat() { return std::make_unique<Compat>(); }

}  // namespace hdb::inspect
