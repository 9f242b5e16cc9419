// blame: for each field of a record the save that last wrote it.
#include <map>
#include <optional>

#include <fmt/format.h>

#include "command.hpp"
#include "history/follow.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Blame final : public Command {
 public:
  Blame() {
    describe(
        {"blame",
         "Show for each field of a record the save that last changed it",
         "$ hdbinspect blame saves/ monsters:1042@7         all fields\n"
         "$ hdbinspect blame saves/ 'monsters:1042@7.pos.*'  some of them\n"
         "$ hdbinspect blame slot*.hdb monsters:1042@7\n"
         "\n"
         "<= marks a value that the first save with the record already has: it is that old or "
         "older. Of a record that was erased, its last values are shown.\n" +
             std::string(kWhereNote),
         {{"-t,--table TABLE", &request_.table, "The table, if raw bits fit several tables"},
          {"WHERE", &request_.where, kWhereHelp, {.required = true, .is_file = true}},
          {"RECORD",
           &request_.name,
           "monsters:1042@7, monsters:1042@7.pos, monsters:1042 or 0x...; the path may be a glob",
           {.required = true}}}});
    request_.command = "blame";
  }

  ExitStatus run(Context& context) override {
    const ProgressScope progress("blame", request_.name);
    ExitStatus status = ExitStatus::fine;
    const auto followed = begin_following(context, request_, status);
    if (!followed) return status;
    const auto take = [&](const SeriesSave& save, const RecordStep& step,
                          const RecordFollower& follower) {
      if (follower.exists()) {
        last_ = &save;
        gone_ = nullptr;
        generation_ = step.generation;
      } else if (last_ != nullptr && gone_ == nullptr) {
        gone_ = &save;
      }
      if (step.event != RecordEvent::none && follower.exists())
        rewrite(context, save, step, follower);
    };
    status = worse(status, follow(context, request_, *followed, take));
    if (last_ != nullptr)
      context.globals.json ? print_json(context, *followed) : print_text(context, *followed);
    return status;
  }

 private:
  // A value, and the save that wrote it.
  struct Line {
    std::string path;
    std::string value;
    const SeriesSave* save = nullptr;
    bool or_earlier = false;
  };

  // Values that are as before keep their save.
  void rewrite(const Context& context, const SeriesSave& save, const RecordStep& step,
               const RecordFollower& follower) {
    std::map<std::string, Line> before;
    if (step.event == RecordEvent::changed) {
      for (Line& line : lines_) before.emplace(line.path, std::move(line));
    }
    lines_.clear();
    follower.for_each_value(
        [&](const std::string& path, const Value& value, const HandleNamer& namer) {
          const bool json = context.globals.json;
          const std::uint64_t most = max_value_bytes(context.globals, json);
          std::string text = json ? value_json(value, namer, most) : value_text(value, namer, most);
          const auto known = before.find(path);
          if (known != before.end() && known->second.value == text) {
            lines_.push_back(std::move(known->second));
          } else {
            lines_.push_back({path, std::move(text), &save, step.event == RecordEvent::found});
          }
        });
  }

  void print_text(Context& context, const Followed& followed) const {
    std::string head = context.out.paint(Style::heading, escape_text(followed.handle(generation_)));
    head += "   as of " + save_label(*last_);
    if (gone_ != nullptr) head += "; not in " + printable_text(gone_->name);
    context.out.line(head);
    TextTable table({false, false, false, false});
    for (const Line& line : lines_) {
      table.add({line.path, line.value, line.or_earlier ? "<=" : "  ", save_label(*line.save)});
    }
    context.out.write(table.text(2));
    if (context.globals.verbose) context.out.line(reading_text(followed.series));
  }

  void print_json(Context& context, const Followed& followed) const {
    for (const Line& line : lines_) {
      JsonObject object("blame");
      object.text("handle", followed.handle(generation_)).text("path", line.path);
      object.raw("value", line.value);
      add_save(*line.save, object).boolean("or_earlier", line.or_earlier);
      context.out.line(object.str());
    }
    JsonObject object("blame_summary");
    object.text("handle", followed.handle(generation_)).text("last_save", json_name(last_->name));
    if (gone_ != nullptr) object.text("gone_in", json_name(gone_->name));
    object.number("saves", followed.saves().size());
    object.number("bytes_read", *followed.series.bytes_read);
    context.out.line(object.number("file_bytes", followed.series.file_bytes).str());
  }

  FollowRequest request_;
  std::vector<Line> lines_;
  const SeriesSave* last_ = nullptr;  // that has the record
  const SeriesSave* gone_ = nullptr;  // the first one after it
  std::uint32_t generation_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_blame() { return std::make_unique<Blame>(); }

}  // namespace hdb::inspect
