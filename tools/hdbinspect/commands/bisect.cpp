// bisect: the first save where a filter holds.
#include <map>
#include <optional>

#include <fmt/format.h>

#include "command.hpp"
#include "history/series.hpp"
#include "history/series_filter.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// What a search knows about the saves so far.
struct Bounds {
  std::optional<std::size_t> before;  // the last save that does not match, of those looked at
  std::optional<std::size_t> first;   // the first one that does
};

class Bisect final : public Command {
 public:
  Bisect() {
    describe(
        {"bisect",
         "Find the first save in which a filter is true for any record",
         "$ hdbinspect bisect saves/ 'hp < 0'             every save up to the first\n"
         "$ hdbinspect bisect saves/ -t monsters 'hp < 0'\n"
         "$ hdbinspect bisect saves/ --halve 'hp < 0'     10 looks at 1000 saves\n"
         "\n"
         "Looks at every save, oldest first, and reads the columns that changed since the save "
         "before. --halve is faster, but right only if the filter stays true in every save after "
         "the first one, as for damage that nothing repairs. For filters run hdbinspect help "
         "filters. The exit status is 1 if no save was found.\n" +
             std::string(kWhereNote),
         {{"-t,--table TABLE", &tables_, "Only these tables (a name or a glob); may be repeated"},
          {"--halve", &halve_,
           "Halve the saves that are left with each look: fast, but an earlier match may be "
           "missed"},
          {"WHERE", &where_, kWhereHelp, {.required = true, .is_file = true}},
          {"EXPR", &expression_, "The filter", {.required = true}}}});
  }

  ExitStatus run(Context& context) override {
    SeriesFilter filter(context, tables_);
    if (!filter.parse(context, expression_, "bisect")) return ExitStatus::trouble;
    const ProgressScope progress("bisect", expression_);
    ExitStatus status = ExitStatus::fine;
    const OpenSeries series = open_series(context, where_, status);
    if (!series.saves) return status;
    const auto look = [&](std::size_t save) {
      return matches(context, series, filter, save, status);
    };
    const std::size_t count = series.saves->saves().size();
    Bounds bounds = halve_ ? search_by_halves(count, look) : search_all(count, look);
    // What halving skipped may have the names that it did not see.
    if (halve_ && !filter.has_all_names()) bounds = search_all(count, look);
    if (context.out.closed()) return status;
    const ExitStatus fit = filter.report_misfits(context);
    if (fit != ExitStatus::fine) return worse(status, fit);
    if (looked_at_ == 0) return status;  // no save could be read, which was reported
    print(context, series, bounds);
    return worse(status, bounds.first ? ExitStatus::fine : ExitStatus::finding);
  }

 private:
  struct Match {
    std::string table;
    std::string handle;
    RecordMatch record;
  };

  // Whether the save has a match; nothing if it cannot be read.
  std::optional<bool> matches(const Context& context, const OpenSeries& series,
                              SeriesFilter& filter, std::size_t save, ExitStatus& status) {
    if (const auto known = known_.find(save); known != known_.end()) return known->second;
    std::optional<bool>& answer = known_[save];
    if (context.out.closed()) return answer;
    const auto reader = open_save(context, *series.saves, save, status);
    if (!reader) return answer;
    bool any = false;
    const auto searched = filter.find(
        *reader, series.saves->saves()[save].name,
        [&](const TableDescriptor& table, const RecordMatch& match) {
          any = true;
          matches_[save] = {table.name, handle_name(table, match.slot, match.generation), match};
          return false;
        });
    if (!searched) {
      status = worse(status, context.messages.error(searched.error()));
      return answer;
    }
    ++looked_at_;
    answer = any;
    return answer;
  }

  template <class Look>
  static Bounds search_all(std::size_t count, const Look& look) {
    Bounds bounds;
    for (std::size_t i = 0; i < count && !bounds.first; ++i) {
      const auto answer = look(i);
      if (answer) (*answer ? bounds.first : bounds.before) = i;
    }
    return bounds;
  }

  // Saves that cannot be read are left out: the one nearest to the middle is looked at instead.
  template <class Look>
  static Bounds search_by_halves(std::size_t count, const Look& look) {
    Bounds bounds;
    std::size_t end = count;
    while (end != 0 && !look(end - 1)) --end;
    if (end == 0) return bounds;
    if (!*look(end - 1)) {
      bounds.before = end - 1;
      return bounds;
    }
    bounds.first = end - 1;
    std::size_t begin = 0;
    while (!look(begin)) ++begin;
    if (*look(begin)) {
      bounds.first = begin;
      return bounds;
    }
    bounds.before = begin;
    for (;;) {
      const std::size_t low = *bounds.before;
      const std::size_t high = *bounds.first;
      const std::size_t middle = low + (high - low) / 2;
      std::optional<std::size_t> chosen;
      for (std::size_t step = 0; !chosen && step < high - low; ++step) {
        if (middle + step < high && middle + step > low && look(middle + step))
          chosen = middle + step;
        if (!chosen && middle > low + step && look(middle - step)) chosen = middle - step;
      }
      if (!chosen) return bounds;
      (*look(*chosen) ? bounds.first : bounds.before) = *chosen;
    }
  }

  // The saves before `end` that halving did not look at.
  [[nodiscard]] std::size_t skipped_before(std::size_t end) const {
    std::size_t skipped = 0;
    for (std::size_t i = 0; i < end; ++i) skipped += known_.contains(i) ? 0 : 1;
    return skipped;
  }

  void print(Context& context, const OpenSeries& series, const Bounds& bounds) const {
    const auto& saves = series.saves->saves();
    if (context.globals.json) return print_json(context, series, bounds);
    const std::string of =
        fmt::format("{} of {} looked at", looked_at_, count_text(saves.size(), "save"));
    const std::size_t skipped = skipped_before(bounds.first.value_or(saves.size()));
    const std::string skipping =
        skipped == 0 ? "" : fmt::format("; {} skipped by --halve", skipped);
    if (!bounds.first) {
      return context.out.print("no match in {}{}; {}",
                               skipped == 0 ? "any save" : save_label(saves[*bounds.before]),
                               skipping, of);
    }
    context.out.line(context.out.paint(Style::heading, save_label(saves[*bounds.first])) +
                     (bounds.before ? "   the first save with a match"
                                    : "   the oldest save has a match already") +
                     skipping);
    const Match& match = matches_.at(*bounds.first);
    std::string line = "  " + escape_text(match.handle);
    for (const auto& [path, value] : match.record.fields)
      line += fmt::format("  {}={}", path, value);
    context.out.line(line);
    if (bounds.before) {
      context.out.print("  no match in {}", save_label(saves[*bounds.before]));
      if (*bounds.first - *bounds.before > 1) {
        context.out.print("  {} between them cannot be read",
                          count_text(*bounds.first - *bounds.before - 1, "save"));
      }
    }
    context.out.line(context.globals.verbose ? of + "; " + reading_text(series) : of);
  }

  void print_json(Context& context, const OpenSeries& series, const Bounds& bounds) const {
    const auto& saves = series.saves->saves();
    JsonObject object("bisect");
    object.boolean("found", bounds.first.has_value());
    if (bounds.first) {
      add_save(saves[*bounds.first], object);
      const Match& match = matches_.at(*bounds.first);
      object.text("table", match.table).text("handle", match.handle);
      JsonArray fields;
      for (const auto& [path, value] : match.record.fields)
        fields.raw(JsonObject().text("path", path).raw("value", value).str());
      object.raw("fields", fields.str());
    }
    if (bounds.before) object.text("before", json_name(saves[*bounds.before].name));
    object.number("looked_at", looked_at_).number("saves", saves.size());
    object.number("skipped", skipped_before(bounds.first.value_or(saves.size())));
    object.number("bytes_read", *series.bytes_read);
    context.out.line(object.number("file_bytes", series.file_bytes).str());
  }

  bool halve_ = false;
  std::vector<std::string> tables_;
  std::vector<std::string> where_;
  std::string expression_;
  std::map<std::size_t, std::optional<bool>> known_;
  std::map<std::size_t, Match> matches_;
  std::size_t looked_at_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_bisect() { return std::make_unique<Bisect>(); }

}  // namespace hdb::inspect
