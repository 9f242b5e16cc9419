// log: every save in which a record or a field changed.
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "history/follow.hpp"
#include "input.hpp"
#include "progress.hpp"
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
         "Show each save in which a record or field changed",
         "$ hdbinspect log saves/ monsters:1042@7.hp     each value and the save where it begins\n"
         "$ hdbinspect log saves/ monsters:1042@7        all fields: birth, changes, end\n"
         "$ hdbinspect log saves/ 'monsters:1042@7.pos.*'\n"
         "$ hdbinspect log saves/ monsters:1042          every record that was in the slot\n"
         "$ hdbinspect log slot1.hdb slot2.hdb monsters:1042@7\n"
         "\n"
         "Marks of a save: = exists in the first one, + born, ~ changed, - erased, R the slot has "
         "another record.\n"
         "Columns with the same hash as in the save before are not read; -v prints how much was "
         "read.\n" +
             std::string(kWhereNote),
         {{"-t,--table TABLE", &request_.table, "The table, if raw bits fit several tables"},
          {"WHERE", &request_.where, kWhereHelp, {.required = true, .is_file = true}},
          {"RECORD",
           &request_.name,
           "monsters:1042@7, monsters:1042@7.hp, monsters:1042 or 0x...; the path may be a glob",
           {.required = true}}}});
    request_.command = "log";
  }

  ExitStatus run(Context& context) override {
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

 private:
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
  std::size_t looked_at_ = 0;
  std::size_t changes_ = 0;
  bool any_ = false;  // something was printed
};

}  // namespace

std::unique_ptr<Command> make_log() { return std::make_unique<Log>(); }

}  // namespace hdb::inspect
