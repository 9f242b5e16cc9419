// set: a save file with some fields changed.
#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "compression.hpp"
#include "diff/report.hpp"
#include "dump/selection.hpp"
#include "edit/edited_image.hpp"
#include "edit/field_edit.hpp"
#include "hdb/inspect/diff.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Set final : public Command {
 public:
  Set() {
    describe(
        {"set",
         "Change fields of records, in a new file",
         "$ hdbinspect set slot1.hdb monsters:42@1.gold=481 -o rich.hdb    one record\n"
         "$ hdbinspect set slot1.hdb 'monsters[hp < 0].hp=0' -o alive.hdb  all that fit a filter\n"
         "$ hdbinspect set slot1.hdb 'monsters[*].target=null' -o calm.hdb  all records\n"
         "$ hdbinspect set a.hdb monsters:42.pos.x=1.5 monsters:42.mood=angry -o b.hdb\n"
         "$ hdbinspect set slot1.hdb 'monsters:42@1.path=[1, 2, 3]' -o c.hdb\n"
         "$ hdbinspect set slot1.hdb \"shops:3@1.stock['sword']=5\" -o d.hdb   the value of a key\n"
         "\n"
         "Prints what differs afterwards. The edits are made one after another: a filter sees what "
         "earlier ones changed. If one cannot be made, nothing is written.\n"
         "VALUE is a number, true, false, a text, the name of an enumerator, a handle, null, or "
         "JSON as dump --exact prints it. A handle must be that of a live record.\n"
         "An optional takes the value that it holds, null, or that JSON: [null] is an optional "
         "that holds a null handle or an optional without a value. A text in an optional that "
         "begins with [ needs double quotes.\n"
         "No value of a field is checked against the rules of the game.",
         {{"-o,--output OUT",
           &output_,
           "The new file; it must not be the input",
           {.required = true, .is_file = true}},
          {"-n,--max-records N", Number{&max_records_},
           "Show at most this many of the changed records (default 20)"},
          compression_.codec_option(),
          compression_.level_option(),
          {"--force", &force_, "Replace OUT if it exists"},
          {"FILE", &file_, "Save file", file_name()},
          {"EDIT", &texts_, "HANDLE.FIELD=VALUE or 'TABLE[FILTER].FIELD=VALUE'"}}});
  }

  ExitStatus run(Context& context) override {
    if (const std::string mistake = compression_.mistake(); !mistake.empty())
      return context.messages.usage(mistake, "hdbinspect set --help");
    if (auto checked = check_output(file_, output_, force_); !checked)
      return context.messages.error(checked.error(), "give another file to -o");
    ReadOptions read;
    read.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
    ProgressScope progress("set", shown_name(file_), 2);  // read, and written
    const auto reader = open_reader(file_, read);
    if (!reader) return context.messages.error(reader.error());
    std::deque<FieldEdit> edits;
    for (const std::string& text : texts_) {
      FieldEdit& edit = edits.emplace_back();
      if (auto parsed = parse_edit(**reader, text, edit); !parsed)
        return report(context, parsed.error(), edit);
      if (edits.size() > 1 && edit.filter && edit.filter->follows_handles()) {
        return context.messages.usage(
            fmt::format("'{}': a filter that goes through handles sees the records of FILE, not "
                        "what earlier edits changed",
                        escape_text(text)),
            "put this edit first, or into a command of its own");
      }
      if (auto checked = check_records(**reader, edit); !checked)
        return refuse(context, checked.error());
    }
    const auto image = image_of(*reader);
    std::deque<EditedImage> layers;
    for (const FieldEdit& edit : edits)
      layers.emplace_back(layers.empty() ? *image : layers.back(), edit);
    const auto written = write_file(layers.back(), output_, compression_.write_options(),
                                    [&](const WriteReport&) { return check_found(layers, edits); });
    if (!written) {
      Error error = written.error();
      const bool is_renamed = std::any_of(edits.begin(), edits.end(), [](const FieldEdit& edit) {
        return edit.path.empty() || edit.path == "@name";
      });
      // What the input does not have is not its damage.
      if (category_of(error.code) == ErrorCategory::corrupt && is_sound(*image)) {
        const bool is_name = error.code == ErrorCode::bad_names && is_renamed;
        error.code = is_name ? ErrorCode::duplicate_name : ErrorCode::invalid_value;
      }
      return refuse(context, std::move(error));
    }
    for (std::size_t i = 0; i < edits.size(); ++i)
      note_equal_keys(context, **reader, edits[i], layers[i].made_equal());
    return print(context, **reader, *written);
  }

 private:
  // Whether the input can be written without the edits.
  static bool is_sound(const ImageSource& image) {
    CountingSink sink;
    return write_image(image, sink, Compression{"none"}.write_options()).has_value();
  }

  // Files do not say which containers of the game take equal keys.
  static void note_equal_keys(const Context& context, const Reader& reader, const FieldEdit& edit,
                              const EntriesPaths& paths) {
    const TableDescriptor& table = reader.tables()[edit.table];
    for (const auto& [path, is_map] : paths) {
      context.messages.note(
          fmt::format("{}.{}: the edit makes {} equal; a game that has a {} there refuses the save",
                      escape_text(table.name), escape_text(path), is_map ? "keys" : "elements",
                      is_map ? "std::map" : "std::set"));
    }
  }

  static Status check_found(const std::deque<EditedImage>& layers,
                            const std::deque<FieldEdit>& edits) {
    for (std::size_t i = 0; i < edits.size(); ++i) {
      if (layers[i].has_found()) continue;
      return fail(ErrorCode::not_found, fmt::format("'{}': no record fits; nothing was written",
                                                    escape_text(edits[i].text)));
    }
    return {};
  }

  // An error with an offset is one of the filter.
  [[nodiscard]] ExitStatus report(const Context& context, const Error& error,
                                  const FieldEdit& edit) const {
    const bool is_spelling = error.code == ErrorCode::bad_name;
    const std::string next = is_spelling ? "hdbinspect set --help"
                                         : fmt::format("hdbinspect schema {}", typed_path(file_));
    if (dumping::is_filter_fault(error)) {
      return dumping::report_filter_error(context, error, edit.filter_text, file_, next,
                                          "the filter");
    }
    return is_spelling ? context.messages.usage(error.what, next)
                       : context.messages.error(with_file(error, file_), next);
  }

  // What the file does not have is a finding.
  [[nodiscard]] ExitStatus refuse(const Context& context, Error error) const {
    const bool is_absent = error.code == ErrorCode::not_found;
    if (error.file.empty()) error = with_file(std::move(error), file_);
    const std::string next =
        is_absent ? fmt::format("hdbinspect dump {}", typed_path(file_)) : std::string();
    const ExitStatus shown = context.messages.error(error, next);
    return is_absent ? ExitStatus::finding : shown;
  }

  ExitStatus print(Context& context, const Reader& before, const WriteReport& written) {
    if (context.globals.quiet) return ExitStatus::fine;
    const auto after = open_reader(output_);
    if (!after) return context.messages.error(after.error());
    const bool json = context.globals.json;
    auto report =
        json ? json_report(context.out) : text_report(context.out, context.globals.verbose);
    std::uint64_t shown = 0;
    std::uint64_t not_shown = 0;
    DiffOptions options;
    options.files = {file_, output_};
    options.json = json;
    options.max_value_bytes = max_value_bytes(context.globals, json);
    options.max_row_values = max_row_values();
    options.stop = [&] { return context.out.closed(); };
    options.on_table = [&](const TableDiff& table) {
      if (table.differs()) report->table(table);  // the others are equal
    };
    options.on_record = [&](const RecordDiff& record) {
      if (shown++ < max_records_) return report->record(record);
      ++not_shown;
    };
    const auto difference = diff(before, **after, options);
    if (!difference) return context.messages.error(difference.error());
    report->finish(not_shown);
    if (json) {
      JsonObject object("edit");
      object.text("file", json_name(file_)).text("output", json_name(output_));
      object.number("records", shown).number("output_bytes", written.bytes);
      context.out.line(object.hash("state_hash", written.state_hash).str());
    } else {
      context.out.print("{} is {}, with {} changed and the state hash {}",
                        printable_text(shown_name(output_)), size_text(written.bytes),
                        count_text(shown, "record"), written.state_hash.hex());
    }
    return ExitStatus::fine;
  }

  std::string file_;
  std::vector<std::string> texts_;
  std::string output_;
  std::uint64_t max_records_ = 20;
  Compression compression_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_set() { return std::make_unique<Set>(); }

}  // namespace hdb::inspect
