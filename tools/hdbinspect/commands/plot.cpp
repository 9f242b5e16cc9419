// plot: a page with the values of a record, or the counts of a table, over time.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "command.hpp"
#include "history/follow.hpp"
#include "history/growth.hpp"
#include "history/series_filter.hpp"
#include "input.hpp"
#include "page/page.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// A value has more text than the page shows.
constexpr std::uint64_t kPlotBytes = 1024;
// The most fields that a page shows.
constexpr std::size_t kMaxPlotFields = 24;

// A value from one save on.
struct PlotSample {
  std::size_t save = 0;
  bool exists = false;           // false: the value ends with this save
  std::optional<double> number;  // if it is a finite number
  std::string text;
};

struct PlotField {
  std::string path;
  bool is_number = true;
  std::vector<PlotSample> samples;  // one for each change
};

// What happened to the record in a save.
struct PlotEvent {
  std::size_t save = 0;
  const char* kind;
  std::string text;
};

struct Plot {
  std::string name;   // "monsters:1042@7.pos.*"
  std::string where;  // the saves, as they were typed
  std::vector<std::string> saves;
  std::vector<double> times;         // of the saves, ascending
  std::vector<std::string> moments;  // of the saves: "#12", "2026-11-21 05:43:49 UTC"
  std::vector<PlotField> fields;
  std::vector<PlotEvent> events;
  std::size_t fields_left_out = 0;
  std::size_t unread = 0;  // saves that could not be read
};

std::string json_of(const PlotField& field) {
  JsonArray samples;
  for (const PlotSample& sample : field.samples) {
    JsonArray entry;
    entry.raw(std::to_string(sample.save));
    if (sample.exists) {
      entry.raw(sample.number ? fmt::format("{}", *sample.number) : "null");
      entry.raw(json_text(sample.text));
    }
    samples.raw(entry.str());
  }
  JsonObject object;
  object.text("path", field.path).boolean("isNumber", field.is_number);
  return object.raw("samples", samples.str()).str();
}

// What the page's view of a history takes (tools/viewer/page/series.js).
std::string json_of(const Plot& plot, const std::string& by) {
  JsonArray saves;
  for (std::size_t i = 0; i < plot.saves.size(); ++i) {
    JsonObject save;
    save.text("name", json_name(plot.saves[i])).text("moment", plot.moments[i]);
    saves.raw(save.raw("time", fmt::format("{}", plot.times[i])).str());
  }
  JsonArray fields;
  for (const PlotField& field : plot.fields) fields.raw(json_of(field));
  JsonArray events;
  for (const PlotEvent& event : plot.events) {
    JsonObject object;
    object.number("save", event.save).text("kind", event.kind);
    events.raw(object.text("text", event.text).str());
  }
  JsonObject object;
  object.text("name", json_name(plot.name)).text("where", json_name(plot.where)).text("by", by);
  object.raw("saves", saves.str()).number("unread", plot.unread);
  object.number("fieldsLeftOut", plot.fields_left_out);
  return object.raw("fields", fields.str()).raw("events", events.str()).str();
}

// The number that a leaf is, if it can be drawn as one.
bool is_drawn_as_number(const Field& field) {
  if (field.kind == FieldKind::enumeration) return enumerators_of(field).empty();
  return field.kind >= FieldKind::i8 && field.kind <= FieldKind::f64;
}

std::optional<double> number_of(const Value& value) {
  if (!is_drawn_as_number(*value.field)) return std::nullopt;
  double number = 0;
  if (value.field->kind == FieldKind::f32 || value.field->kind == FieldKind::f64) {
    number = float_value(value.field->kind, value.bits);
  } else if (is_signed(*value.field)) {
    number = static_cast<double>(signed_bits(*value.field, value.bits));
  } else {
    number = static_cast<double>(value.bits);
  }
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

class PlotCommand final : public Command {
 public:
  PlotCommand() {
    describe(
        {"plot",
         "Make an HTML page of a record, or the counts of a table, over time",
         "$ hdbinspect plot saves/ monsters:1042@7.hp -o hp.html\n"
         "$ hdbinspect plot saves/ 'monsters:1042@7.pos.*' -o path.html\n"
         "$ hdbinspect plot saves/ monsters:1042@7 --by=play -o all.html\n"
         "$ hdbinspect plot saves/ monsters -o counts.html   live records, free and retired slots\n"
         "\n"
         "Numbers are lines, other values bands. The page is one file and loads nothing from "
         "elsewhere; any browser can show it.\n" +
             std::string(kWhereNote),
         {{"-o,--output OUT",
           &output_,
           "The page; it must not be an input",
           {.required = true, .is_file = true}},
          {"--force", &force_, "Replace OUT if it exists"},
          {"--by=auto|sequence|date|play|order", &by_,
           "What the horizontal axis is: sequence numbers, dates, play times, or the order alone; "
           "auto "
           "(default): the first of sequence and date that rises from save to save, else order"},
          {"-t,--table TABLE", &request_.table, "The table, if raw bits fit several tables"},
          {"WHERE", &request_.where, kWhereHelp, {.required = true, .is_file = true}},
          {"RECORD|TABLE",
           &request_.name,
           "monsters:1042@7, monsters:1042@7.hp, monsters:1042 or 0x...; the path may be a glob. "
           "Or a table (a name or a glob)",
           {.required = true}}}});
    request_.command = "plot";
  }

  ExitStatus run(Context& context) override {
    for (const std::string& input : request_.where) {
      if (auto checked = check_output(input, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    const ProgressScope progress("plot", request_.name);
    return names_record(request_.name) ? plot_record(context) : plot_tables(context);
  }

 private:
  ExitStatus plot_record(Context& context) {
    ExitStatus status = ExitStatus::fine;
    const auto followed = begin_following(context, request_, status);
    if (!followed) return status;
    if (!begin(context, followed->saves(), followed->name())) return ExitStatus::trouble;
    std::size_t looked_at = 0;
    const auto take = [&](const SeriesSave& save, const RecordStep& step,
                          const RecordFollower& follower) {
      ++looked_at;
      const auto number = static_cast<std::size_t>(&save - followed->saves().data());
      if (step.event == RecordEvent::none) return;
      add_event(*followed, number, step);
      add_values(number, follower);
    };
    const ExitStatus found = follow(context, request_, *followed, take);
    status = worse(status, found);
    return finish(context, status, looked_at);
  }

  ExitStatus plot_tables(Context& context) {
    ExitStatus status = ExitStatus::fine;
    const OpenSeries series = open_series(context, request_.where, status);
    if (!series.saves) return status;
    const auto& saves = series.saves->saves();
    if (!begin(context, saves, request_.name)) return ExitStatus::trouble;
    SeriesTables tables({request_.name});
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < saves.size() && !context.out.closed(); ++i) {
      const auto reader = open_save(context, *series.saves, i, status);
      if (!reader) continue;
      ++looked_at;
      std::set<std::string> seen;
      for (const std::size_t number : tables.choose(*reader, saves[i].name)) {
        const TableDescriptor& table = reader->tables()[number];
        for (const TableNumber& each : kTableNumbers) {
          const std::uint64_t value = table.*each.value;
          const std::string path = escape_text(table.name) + ' ' + each.name;
          seen.insert(path);
          add_sample(path, true, {i, true, static_cast<double>(value), std::to_string(value)});
        }
      }
      end_others(i, seen);
    }
    if (looked_at != 0 && !tables.has_all()) return worse(status, tables.report_unseen(context));
    return finish(context, status, looked_at);
  }

  // Whether the page can be begun; if not, the reason was reported.
  bool begin(const Context& context, const std::vector<SeriesSave>& saves,
             const std::string& name) {
    for (const SeriesSave& save : saves) {
      if (auto checked = check_output(save.name, output_, force_); !checked) {
        context.messages.error(checked.error(), "give another file to -o");
        return false;
      }
    }
    plot_.name = name;
    plot_.where = typed_where(request_.where);
    return set_times(context, saves);
  }

  ExitStatus finish(Context& context, ExitStatus status, std::size_t looked_at) {
    if (plot_.fields.empty() || context.out.closed()) return status;
    plot_.unread = plot_.saves.size() - looked_at;
    Page made;
    made.add_data("plot", json_of(plot_, by_));
    const std::string page = std::move(made).finish();
    if (auto written = write_text(page, output_); !written)
      return worse(status, context.messages.error(written.error()));
    if (!context.globals.quiet) print(context, page.size());
    return status;
  }

  // The times of the saves; false if they do not rise as --by needs it, which was reported.
  bool set_times(const Context& context, const std::vector<SeriesSave>& saves) {
    const auto times_by = [&](const std::string& by) {
      std::vector<double> times;
      for (const SeriesSave& save : saves) {
        const Metadata& metadata = save.info.metadata;
        times.push_back(by == "sequence" ? static_cast<double>(metadata.sequence)
                        : by == "date"   ? static_cast<double>(metadata.date_unix_ms)
                        : by == "play"   ? static_cast<double>(metadata.play_time_ms)
                                         : static_cast<double>(times.size()));
      }
      return times;
    };
    const auto fall_of = [](const std::vector<double>& times) {
      return std::adjacent_find(times.begin(), times.end(), std::greater_equal<>());
    };
    if (by_ == "auto") {
      for (const char* const by : {"sequence", "date", "order"}) {
        by_ = by;
        plot_.times = times_by(by_);
        if (fall_of(plot_.times) == plot_.times.end()) break;
      }
    } else {
      plot_.times = times_by(by_);
      const auto fall = fall_of(plot_.times);
      if (fall != plot_.times.end()) {
        const auto at = static_cast<std::size_t>(fall - plot_.times.begin());
        context.messages.usage(
            fmt::format("the {} does not rise from {} to {}", by_ == "play" ? "play time" : by_,
                        saves[at].name, saves[at + 1].name),
            "give --by=order");
        return false;
      }
    }
    plot_.saves = short_names(saves);
    for (const SeriesSave& save : saves) {
      plot_.moments.push_back(by_ == "play"   ? duration_text(save.info.metadata.play_time_ms)
                              : by_ == "date" ? date_text(save.info.metadata.date_unix_ms)
                              : save.info.metadata.sequence != 0
                                  ? fmt::format("#{}", save.info.metadata.sequence)
                                  : std::string());
    }
    return true;
  }

  void add_event(const Followed& followed, std::size_t save, const RecordStep& step) {
    switch (step.event) {
      case RecordEvent::born:
        plot_.events.push_back({save, "born", followed.handle(step.generation) + " was born"});
        return;
      case RecordEvent::erased:
        plot_.events.push_back(
            {save, "erased", followed.handle(step.old_generation) + " was erased"});
        return;
      case RecordEvent::reused:
        plot_.events.push_back(
            {save, "reused", followed.handle(step.generation) + " has the slot"});
        return;
      default: return;
    }
  }

  // Adds a sample to a field whose value is new.
  void add_sample(const std::string& path, bool may_be_line, PlotSample sample) {
    const auto [known, is_new] = places_.try_emplace(path, plot_.fields.size());
    if (is_new && plot_.fields.size() == kMaxPlotFields) {
      places_.erase(known);
      if (left_out_.insert(path).second) ++plot_.fields_left_out;
      return;
    }
    if (is_new) plot_.fields.push_back({path, true, {}});
    PlotField& field = plot_.fields[known->second];
    field.is_number = field.is_number && may_be_line;
    if (field.samples.empty() || !field.samples.back().exists ||
        field.samples.back().text != sample.text)
      field.samples.push_back(std::move(sample));
  }

  // The fields that a save does not have.
  void end_others(std::size_t save, const std::set<std::string>& seen) {
    for (PlotField& field : plot_.fields) {
      if (!seen.contains(field.path) && !field.samples.empty() && field.samples.back().exists)
        field.samples.push_back({save, false, {}, {}});
    }
  }

  void add_values(std::size_t save, const RecordFollower& follower) {
    std::set<std::string> seen;
    follower.for_each_value(
        [&](const std::string& path, const Value& value, const HandleNamer& namer) {
          seen.insert(path);
          // A value that is absent or not finite leaves a gap in a line.
          const bool is_empty = value.field->kind == FieldKind::optional;
          add_sample(path, is_empty || is_drawn_as_number(*value.field),
                     {save, true, number_of(value), value_text(value, namer, kPlotBytes)});
        });
    end_others(save, seen);
  }

  void print(Context& context, std::size_t bytes) const {
    std::size_t changes = 0;
    for (const PlotField& field : plot_.fields) changes += field.samples.size() - 1;
    if (context.globals.json) {
      JsonObject object("plot");
      object.text("name", plot_.name).text("output", json_name(output_));
      object.number("output_bytes", bytes).number("saves", plot_.saves.size());
      object.number("fields", plot_.fields.size());
      object.number("fields_left_out", plot_.fields_left_out).number("changes", changes);
      return context.out.line(object.text("by", by_).str());
    }
    context.out.print("{}: {}, {} in {}, {}", printable_text(output_),
                      count_text(plot_.fields.size(), "field"), count_text(changes, "change"),
                      count_text(plot_.saves.size(), "save"), size_text(bytes));
    if (plot_.fields_left_out != 0) {
      context.messages.note(
          fmt::format("the page has no room for {} more; name fewer, as in monsters:1042@7.pos",
                      count_text(plot_.fields_left_out, "field")));
    }
  }

  FollowRequest request_;
  std::string output_;
  bool force_ = false;
  std::string by_ = "auto";
  Plot plot_;
  std::map<std::string, std::size_t> places_;  // of fields, by path
  std::set<std::string> left_out_;
};

}  // namespace

std::unique_ptr<Command> make_plot() { return std::make_unique<PlotCommand>(); }

}  // namespace hdb::inspect
