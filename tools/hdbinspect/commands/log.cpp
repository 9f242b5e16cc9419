// log: a line for each save; every save in which a record or a field changed; what only grows.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "command.hpp"
#include "history/follow.hpp"
#include "history/growth.hpp"
#include "history/save_lines.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::string_view event_name(RecordEvent event) {
  switch (event) {
    case RecordEvent::found: return "found";
    case RecordEvent::born: return "born";
    case RecordEvent::changed: return "changed";
    case RecordEvent::erased: return "erased";
    case RecordEvent::reused: return "reused";
    default: return "none";
  }
}

class Log final : public Command {
 public:
  Log() {
    describe(
        {"log",
         "Show what changed from save to save: tables, or a record or field",
         "$ hdbinspect log saves/                        a line for each save: what changed\n"
         "$ hdbinspect log saves/ --leaks                tables and free lists that only grow\n"
         "$ hdbinspect log saves/ monsters:1042@7.hp     each value and the save where it begins\n"
         "$ hdbinspect log saves/ monsters:1042@7        all fields: birth, changes, end\n"
         "$ hdbinspect log saves/ 'monsters:1042@7.pos.*'\n"
         "$ hdbinspect log saves/ monsters:1042          every record that was in the slot\n"
         "$ hdbinspect log slot1.hdb slot2.hdb monsters:1042@7\n"
         "\n"
         "In the line of a save, monsters 12 +3 -4 ~117 R1 are the live records, and how many were "
         "added, removed, changed or re-used the slot of another. On a terminal a line is cut to "
         "its width (-v: whole lines).\n"
         "Marks of a record: = exists in the first save, + born, ~ changed, - erased, R the slot "
         "has another record.\n"
         "--leaks looks at live records, free and retired slots and all slots of each table, and "
         "lists what never falls. The exit status is then 1.\n"
         "Columns with the same hash as in the save before are not read; -v prints how much was "
         "read.\n" +
             std::string(kWhereNote),
         {{"--leaks", &leaks_, "List the numbers of tables that only grow"},
          {"--grew N", Number{&grew_, 1},
           "With --leaks: what grew in at least N saves (default: in a quarter of them, at least "
           "3)"},
          {"-t,--table TABLE", &request_.table,
           "Only this table (a name or a glob); with a RECORD: the table of raw bits"},
          {"WHERE", &request_.where, kWhereHelp, {.required = true, .is_file = true}},
          {"[RECORD]", &request_.name,
           "monsters:1042@7, monsters:1042@7.hp, monsters:1042 or 0x...; the path may be a "
           "glob"}}});
    request_.command = "log";
  }

  ExitStatus run(Context& context) override {
    // The last word is a record or one more place.
    std::error_code error;
    if (!request_.name.empty() && !names_record(request_.name)) {
      const std::string& word = request_.name;
      if (!is_archive(word) && !archive_place(word) && word != "-" &&
          !std::filesystem::exists(utf8_path(word), error)) {
        return context.messages.usage(
            fmt::format("'{}' is not a file or folder, and not a record like monsters:1042@7",
                        word),
            "for a table: hdbinspect log WHERE -t TABLE");
      }
      request_.where.push_back(std::exchange(request_.name, {}));
    }
    if (grew_ != 0 && !leaks_)
      return context.messages.usage("--grew needs --leaks", "hdbinspect log --help");
    if (leaks_ && !request_.name.empty())
      return context.messages.usage("--leaks takes no record", "hdbinspect log --help");
    return request_.name.empty() ? log_saves(context) : log_record(context);
  }

 private:
  // Without a record: lines of all saves, or what grows in them.
  ExitStatus log_saves(Context& context) {
    const ProgressScope progress("log", typed_where(request_.where));
    ExitStatus status = ExitStatus::fine;
    const OpenSeries series = open_series(context, request_.where, status);
    if (!series.saves) return status;
    const auto& saves = series.saves->saves();
    const std::vector<std::string> names = short_names(saves);
    std::vector<std::string> patterns;
    if (!request_.table.empty()) patterns.push_back(request_.table);
    SeriesTables tables(patterns);
    SaveLines lines(context, patterns);
    GrowthSearch growth;
    // A misspelt name is reported before any line.
    bool any = false;
    for (std::size_t i = 0; i < saves.size() && !tables.has_all(); ++i) {
      const auto reader = series.saves->open(i);
      any = any || reader;
      if (reader) static_cast<void>(tables.choose(**reader, saves[i].name));
    }
    if (any && !tables.has_all()) return worse(status, tables.report_unseen(context));
    if (!leaks_) lines.begin(saves);
    for (std::size_t i = 0; i < saves.size() && !context.out.closed(); ++i) {
      auto reader = open_save(context, *series.saves, i, status);
      if (!reader) continue;
      ++looked_at_;
      if (!leaks_) {
        status = worse(status, lines.next(saves[i], names[i], std::move(reader)));
        continue;
      }
      for (const std::size_t table : tables.choose(*reader, saves[i].name))
        growth.look(reader->tables()[table], i);
    }
    if (looked_at_ == 0 || context.out.closed()) return status;
    if (leaks_) return worse(status, print_leaks(context, growth, names));
    if (context.globals.json) return status;
    std::string sum =
        fmt::format("{}, {} with changes", count_text(looked_at_, "save"), lines.changed());
    if (context.globals.verbose) sum += "; " + reading_text(series);
    context.out.line(sum);
    return status;
  }

  ExitStatus print_leaks(Context& context, const GrowthSearch& growth,
                         const std::vector<std::string>& names) {
    const std::size_t steps = looked_at_ - 1;
    const std::size_t least = grew_ != 0 ? grew_ : std::max<std::size_t>(3, (steps + 3) / 4);
    if (steps < least) {
      return context.messages.usage(
          fmt::format("{} can show at most {}, and {} are wanted", count_text(looked_at_, "save"),
                      count_text(steps, "rise"), least),
          "give more saves, or a smaller --grew");
    }
    const auto found = growth.found(least);
    TextTable lines({false, false, true, false, true, false});
    lines.add({"TABLE", "NUMBER", "FROM", "TO", "GREW IN", "SINCE"});
    for (const auto& [key, each] : found) {
      const auto& [table, number] = key;
      if (context.globals.json) {
        JsonObject object("log_leak");
        object.text("table", table).text("number", kTableNumbers[number].name);
        object.number("first", each.first).number("last", each.last);
        object.number("rises", each.rises).number("saves", looked_at_);
        context.out.line(object.text("since", json_name(names[each.since])).str());
      }
      lines.add({escape_text(table), kTableNumbers[number].name, fmt::format("{}", each.first),
                 fmt::format("{} (+{})", each.last, each.last - each.first),
                 fmt::format("{} of {} saves", each.rises, steps),
                 printable_text(names[each.since])});
    }
    if (!context.globals.json && !found.empty())
      context.out.write(lines.fitted(context.out.columns()));
    if (!context.globals.json) {
      context.out.print("{} only {} in {} (at least {})",
                        found.empty() ? "no number" : count_text(found.size(), "number"),
                        found.size() > 1 ? "grow" : "grows", count_text(looked_at_, "save"),
                        count_text(least, "rise"));
    }
    if (!context.globals.json && !found.empty()) {
      context.out.print("  next    hdbinspect plot {} {} -o growth.html",
                        typed_where(request_.where), shell_word(found.front().first.first));
    }
    return found.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus log_record(Context& context) {
    const ProgressScope progress("log", request_.name);
    ExitStatus status = ExitStatus::fine;
    const auto followed = begin_following(context, request_, status);
    if (!followed) return status;
    const auto show = [&](const SeriesSave& save, const RecordStep& step, const RecordFollower&) {
      ++looked_at_;
      if (step.event == RecordEvent::none) return;
      if (step.event != RecordEvent::found) ++changes_;
      if (!std::exchange(any_, true) && !context.globals.json)
        context.out.line(context.out.paint(Style::heading, escape_text(followed->name())));
      context.globals.json ? print_json(context, *followed, save, step)
                           : print_text(context, *followed, save, step);
    };
    status = worse(status, follow(context, request_, *followed, show));
    print_sum(context, *followed);
    return status;
  }

  static std::string what_happened(const Followed& followed, const RecordStep& step) {
    const std::string now = escape_text(followed.handle(step.generation));
    const bool all = followed.record.generation == 0;
    switch (step.event) {
      case RecordEvent::found: return all ? "= " + now : "= in the first save";
      case RecordEvent::born:
        if (step.old_generation == 0) return "+ born" + (all ? ": " + now : std::string());
        return "+ born in the slot of " + escape_text(followed.handle(step.old_generation));
      case RecordEvent::changed: return "~ " + count_text(step.fields.size(), "change");
      case RecordEvent::erased: return "- erased";
      case RecordEvent::reused: return "R slot re-used by " + now;
      default: return {};
    }
  }

  static Style style_of(RecordEvent event) {
    switch (event) {
      case RecordEvent::born: return Style::added;
      case RecordEvent::erased: return Style::removed;
      case RecordEvent::reused: return Style::changed;
      default: return Style::heading;
    }
  }

  static void print_text(Context& context, const Followed& followed, const SeriesSave& save,
                         const RecordStep& step) {
    context.out.line(context.out.paint(
        style_of(step.event),
        fmt::format("@@ {}  {}", save_label(save), what_happened(followed, step))));
    std::size_t paths = 0;
    for (const FieldChange& field : step.fields) paths = std::max(paths, display_width(field.path));
    for (const FieldChange& field : step.fields) {
      std::string line = pad_right(field.path, paths);
      if (step.event == RecordEvent::changed) {
        line += fmt::format("  {} -> {}", field.old_value.value_or("(none)"),
                            field.new_value.value_or("(none)"));
      } else {
        line += "  " + field.new_value.value_or("");
      }
      const std::string& note = field.note.empty() ? field.change : field.note;
      if (!note.empty()) line += fmt::format("   ({})", escape_text(note));
      context.out.line("   " + line);
    }
  }

  static void print_json(Context& context, const Followed& followed, const SeriesSave& save,
                         const RecordStep& step) {
    JsonObject object("log_change");
    add_save(save, object).text("event", event_name(step.event));
    if (step.old_generation != 0) object.text("old_handle", followed.handle(step.old_generation));
    if (step.generation != 0) object.text("handle", followed.handle(step.generation));
    JsonArray fields;
    for (const FieldChange& field : step.fields) {
      JsonObject entry;
      entry.text("path", field.path);
      if (field.old_value) entry.raw("old", *field.old_value);
      if (field.new_value) entry.raw("new", *field.new_value);
      if (!field.note.empty()) entry.text("note", field.note);
      fields.raw(entry.str());
    }
    if (!step.fields.empty()) object.raw("fields", fields.str());
    context.out.line(object.str());
  }

  void print_sum(Context& context, const Followed& followed) const {
    if (!context.globals.json) {
      if (!any_) return;
      std::string line =
          fmt::format("{} in {}", count_text(changes_, "change"), count_text(looked_at_, "save"));
      if (context.globals.verbose) line += "; " + reading_text(followed.series);
      return context.out.line(line);
    }
    JsonObject object("log_summary");
    object.text("name", followed.name()).number("changes", changes_);
    object.number("saves", followed.saves().size()).number("looked_at", looked_at_);
    object.number("bytes_read", *followed.series.bytes_read);
    context.out.line(object.number("file_bytes", followed.series.file_bytes).str());
  }

  FollowRequest request_;
  bool leaks_ = false;
  std::uint64_t grew_ = 0;
  std::size_t looked_at_ = 0;
  std::size_t changes_ = 0;
  bool any_ = false;  // something was printed
};

}  // namespace

std::unique_ptr<Command> make_log() { return std::make_unique<Log>(); }

}  // namespace hdb::inspect
