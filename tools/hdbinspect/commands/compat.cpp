// compat: whether a program with new schemas loads the saves of a program with old ones.
#include <fmt/format.h>

#include "command.hpp"
#include "compat/schema_input.hpp"
#include "compat/value_check.hpp"
#include "hdb/inspect/compat.hpp"
#include "input.hpp"
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
         "$ hdbinspect compat --allow-loss old.json new.json       dropped values are fine\n"
         "\n"
         "OLD and NEW are save files or documents of schemas (hdbinspect schema --format=json, "
         "Database::schema_json). The question is: would a program whose tables have the schemas "
         "of NEW load a file whose tables have the schemas of OLD? The rules are those of "
         "Database::load.\n"
         "Verdicts: identical; readable; readable with loss (the load drops values); "
         "incompatible (the load fails). If numbers become narrower, the load fails only for "
         "values that do not fit: the values of a save file are checked, and a document counts as "
         "incompatible.\n"
         "Save files do not store declarations and limits of records: use a document of the "
         "program as NEW.\n"
         "Exit status: 0 for identical and readable; 1 for the other two.",
         {{"--allow-loss", &allow_loss_, "Exit with 0 if the saves are readable with loss"},
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
    CompatReport report = compare_schemas(old_side->tables, new_side->tables);
    if (old_side->reader != nullptr) {
      if (Status checked = check_values(*old_side->reader, report); !checked)
        return context.messages.error(with_file(std::move(checked.error()), old_));
    }
    if (!context.globals.quiet)
      context.globals.json ? print_json(context, report) : print_text(context, report);
    return is_accepted(report) ? ExitStatus::fine : ExitStatus::finding;
  }

 private:
  [[nodiscard]] bool is_accepted(const CompatReport& report) const {
    return report.verdict <= (allow_loss_ ? Compatibility::loss : Compatibility::readable);
  }

  static std::string painted(const Context& context, Compatibility value) {
    const Style style = value == Compatibility::incompatible ? Style::bad
                        : value == Compatibility::loss       ? Style::changed
                                                             : Style::added;
    return context.out.paint(style, compatibility_name(value));
  }

  // One line for a difference, and one with what to do if old saves suffer.
  static void print_finding(Context& context, const std::string& place,
                            const CompatFinding& finding) {
    context.out.print("{}: {}: {}: {}", place, painted(context, finding.effect),
                      compat_rule_name(finding.rule), escape_text(finding.what));
    const std::string_view next = compat_next_step(finding.rule);
    if (finding.effect >= Compatibility::loss && !next.empty())
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
    context.out.print("{} -> {}: {}", escape_text(shown_name(old_)), escape_text(shown_name(new_)),
                      painted(context, report.verdict));
  }

  static std::string findings_json(const std::vector<CompatFinding>& findings) {
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
      const std::string_view next = compat_next_step(finding.rule);
      if (finding.effect >= Compatibility::loss && !next.empty()) object.text("next", next);
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
    context.out.line(JsonObject("compat")
                         .text("old", json_name(old_))
                         .text("new", json_name(new_))
                         .text("verdict", compatibility_name(report.verdict))
                         .boolean("accepted", is_accepted(report))
                         .raw("findings", findings_json(report.findings))
                         .str());
  }

  bool allow_loss_ = false;
  std::string old_;
  std::string new_;
};

}  // namespace

std::unique_ptr<Command> make_compat() { return std::make_unique<Compat>(); }

}  // namespace hdb::inspect
