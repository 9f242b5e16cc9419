// grep: every save and record where a filter holds.
#include <limits>

#include <fmt/format.h>

#include "command.hpp"
#include "history/series.hpp"
#include "history/series_filter.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Grep final : public Command {
 public:
  Grep() {
    describe(
        {"grep",
         "Find the saves and records for which a filter is true",
         "$ hdbinspect grep saves/ 'hp < 0'                   each save and record\n"
         "$ hdbinspect grep saves/ -t monsters --count 'hp < 0'  the number in each save\n"
         "$ hdbinspect grep slot1.hdb slot2.hdb 'name ~ \"imp*\"'\n"
         "\n"
         "Prints the fields that the filter uses. For filters run hdbinspect help filters. The "
         "exit status is 1 if nothing was found.\n" +
             std::string(kWhereNote),
         {{"-t,--table TABLE", &tables_, "Only these tables (a name or a glob); may be repeated"},
          {"--count", &count_, "Only print the number of records in each save that has any"},
          {"--limit N", Number{&limit_}, "Print at most this many records", excludes({"--count"})},
          {"WHERE", &where_, kWhereHelp, {.required = true, .is_file = true}},
          {"EXPR", &expression_, "The filter", {.required = true}}}});
  }

  ExitStatus run(Context& context) override {
    SeriesFilter filter(context, tables_);
    if (!filter.parse(context, expression_, "grep")) return ExitStatus::trouble;
    const ProgressScope progress("grep", expression_);
    ExitStatus status = ExitStatus::fine;
    const OpenSeries series = open_series(context, where_, status);
    if (!series.saves) return status;
    const auto& saves = series.saves->saves();
    bool at_limit = false;
    for (std::size_t i = 0; i < saves.size() && !at_limit && !context.out.closed(); ++i) {
      const auto reader = open_save(context, *series.saves, i, status);
      if (!reader) continue;
      ++looked_at_;
      std::uint64_t found = 0;
      const auto searched = filter.find(
          *reader, saves[i].name, [&](const TableDescriptor& table, const RecordMatch& match) {
            at_limit = !count_ && limit_ == 0;
            if (at_limit) return false;
            ++found;
            if (!count_) print(context, saves[i], table, match);
            at_limit = !count_ && records_ + found >= limit_;
            return !at_limit && !context.out.closed();
          });
      if (!searched) status = worse(status, context.messages.error(searched.error()));
      records_ += found;
      if (found == 0) continue;
      ++saves_with_;
      if (count_) print_count(context, saves[i], found);
    }
    const ExitStatus fit = filter.report_misfits(context);
    status = worse(status, fit);
    if (fit == ExitStatus::fine) print_sum(context, series, at_limit);
    return worse(status, records_ == 0 && !at_limit ? ExitStatus::finding : ExitStatus::fine);
  }

 private:
  static void print(Context& context, const SeriesSave& save, const TableDescriptor& table,
                    const RecordMatch& match) {
    const std::string handle = handle_name(table, match.slot, match.generation);
    if (!context.globals.json) {
      std::string line =
          context.out.paint(Style::heading, printable_text(save.name)) + ": " + escape_text(handle);
      for (const auto& [path, value] : match.fields) line += fmt::format("  {}={}", path, value);
      return context.out.line(line);
    }
    JsonObject object("grep");
    add_save(save, object).text("table", table.name).text("handle", handle);
    JsonArray fields;
    for (const auto& [path, value] : match.fields)
      fields.raw(JsonObject().text("path", path).raw("value", value).str());
    context.out.line(object.raw("fields", fields.str()).str());
  }

  static void print_count(Context& context, const SeriesSave& save, std::uint64_t count) {
    if (!context.globals.json) return context.out.print("{}: {}", printable_text(save.name), count);
    JsonObject object("grep_count");
    context.out.line(add_save(save, object).number("records", count).str());
  }

  void print_sum(Context& context, const OpenSeries& series, bool at_limit) const {
    const std::size_t saves = series.saves->saves().size();
    if (context.globals.json) {
      JsonObject object("grep_summary");
      object.number("records", records_).number("saves_with", saves_with_).number("saves", saves);
      object.boolean("complete", !at_limit).number("bytes_read", *series.bytes_read);
      return context.out.line(object.number("file_bytes", series.file_bytes).str());
    }
    std::string text = fmt::format("found {} in {} of {}", count_text(records_, "record"),
                                   saves_with_, count_text(looked_at_, "save"));
    if (looked_at_ < saves) text += fmt::format("; {} not looked at", saves - looked_at_);
    if (at_limit) text += "; ended at --limit";
    if (context.globals.verbose) text += "; " + reading_text(series);
    context.messages.note(text);
  }

  bool count_ = false;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::string> tables_;
  std::vector<std::string> where_;
  std::string expression_;
  std::uint64_t records_ = 0;
  std::size_t saves_with_ = 0;
  std::size_t looked_at_ = 0;  // saves
};

}  // namespace

std::unique_ptr<Command> make_grep() { return std::make_unique<Grep>(); }

}  // namespace hdb::inspect
