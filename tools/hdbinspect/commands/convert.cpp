// convert: the same state in another compression, or as a program of other schemas loads it.
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"
#include "compat/schema_input.hpp"
#include "compression.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/load_as.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Convert final : public Command {
 public:
  Convert() {
    describe(
        {"convert",
         "Write the same state with another compression, or in newer schemas",
         "$ hdbinspect convert slot1.hdb -o small.hdb --level 12    smaller, slower to write\n"
         "$ hdbinspect convert slot1.hdb -o plain.hdb --codec none  uncompressed\n"
         "$ hdbinspect convert slot1.hdb --estimate                 only show the size\n"
         "$ hdbinspect convert old.hdb --schema new.json -o new.hdb  as a newer game loads it\n"
         "\n"
         "With --schema, the new file is what a game whose tables have the schemas of NEW (a "
         "save file, or a document of schemas) would save after it loaded FILE. The load "
         "follows the rules of Database::load; its report is shown. New fields are zero or "
         "empty, for schemas do not hold a game's defaults, and a game's migrations do not "
         "run. Maps and sets whose keys were converted are sorted as std::map and std::set sort "
         "them; comparisons of a game are not known. The report says what was dropped.",
         {{"-o,--output OUT", &output_, "The new file; it must not be the input", file_name()},
          compression_.codec_option(),
          compression_.level_option(),
          {"--schema NEW", &schema_, "Write FILE in the schemas of NEW", file_name()},
          {"--unknown-values=refuse|default|drop", &unknown_values_,
           "With --schema, what becomes of enumerators and alternatives that NEW does not "
           "have: an error (default), a zero value, or their records are dropped"},
          {"--force", &force_, "Replace OUT if it exists"},
          {"--estimate", &estimate_, "Show how large the new file would be, and write nothing",
           excludes({"--output"})},
          {"FILE", &file_, "Save file", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (!estimate_ && output_.empty()) {
      return context.messages.usage("-o OUT or --estimate is required",
                                    "hdbinspect convert --help");
    }
    if (const std::string mistake = compression_.mistake(); !mistake.empty())
      return context.messages.usage(mistake, "hdbinspect convert --help");
    if (schema_.empty() && unknown_values_ != "refuse") {
      return context.messages.usage("--unknown-values needs --schema", "hdbinspect convert --help");
    }
    if (!estimate_) {
      for (const std::string& input : {file_, schema_}) {
        if (input.empty()) continue;
        if (auto checked = check_output(input, output_, force_); !checked)
          return context.messages.error(checked.error(), "give another file to -o");
      }
    }
    ReadOptions read;
    read.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
    ProgressScope progress("convert", shown_name(file_), 2);  // read, and written
    auto reader = open_reader(file_, read);
    if (!reader) return context.messages.error(reader.error());
    std::unique_ptr<ImageSource> image;
    if (schema_.empty()) {
      image = image_of(*reader);
    } else {
      auto loaded = load_in_schemas(*reader);
      if (!loaded) return context.messages.error(loaded.error());
      image = *std::move(loaded);
    }
    auto written = convert(**reader, *image, progress);
    if (!written) {
      Error error = std::move(written.error());
      if (error.file.empty()) error = with_file(std::move(error), file_);
      return context.messages.error(error);
    }
    if (!context.globals.quiet) print(context, (*reader)->info(), *written);
    if (!schema_.empty()) note_raised_versions(context, **reader, *image);
    return ExitStatus::fine;
  }

 private:
  // The state after a load. Each error names its file.
  Result<std::unique_ptr<ImageSource>> load_in_schemas(
      const std::shared_ptr<const Reader>& reader) {
    const auto schemas = open_schemas(schema_);
    if (!schemas) return fail(schemas.error());
    LoadOptions options;
    options.threads = worker_threads();
    options.limits = read_limits();
    options.verify_state_hash = true;
    options.unknown_values = unknown_values_ == "drop"      ? UnknownValue::drop_record
                             : unknown_values_ == "default" ? UnknownValue::use_default
                                                            : UnknownValue::refuse;
    auto loaded = load_as(reader, schemas->tables, options);
    if (!loaded) {
      const bool is_of_schemas = loaded.error().code == ErrorCode::bad_schema_document;
      return fail(with_file(std::move(loaded.error()), is_of_schemas ? schema_ : file_));
    }
    auto thumbnail = reader->read_thumbnail();
    if (!thumbnail) return fail(with_file(std::move(thumbnail.error()), file_));
    summary_ = loaded->report.summary();
    return loaded->snapshot.image(reader->info().metadata, *std::move(thumbnail));
  }

  Result<WriteReport> convert(const Reader& reader, const ImageSource& image,
                              ProgressScope& progress) const {
    WriteOptions write = compression_.write_options();
    write.on_progress = [&progress, bytes = reader.info().file_bytes,
                         shown = std::uint64_t{0}](const Progress& now) mutable {
      const std::uint64_t done =
          bytes * now.groups_done / std::max<std::uint64_t>(1, now.groups_total);
      progress.advance(done - shown);
      shown = done;
    };
    const auto approve = [&](const WriteReport& report) {
      if (!schema_.empty()) return Status();
      return check_state_hash(reader.info(), report.state_hash);
    };
    if (!estimate_) return write_file(image, output_, write, approve);
    CountingSink sink;
    auto written = write_image(image, sink, write);
    if (!written) return written;
    if (Status same = approve(*written); !same) return fail(std::move(same.error()));
    return written;
  }

  // A game takes records of its own class version for migrated.
  static void note_raised_versions(const Context& context, const Reader& reader,
                                   const ImageSource& image) {
    const auto version_of = [](const Field& record) {
      return record.versioned ? record.class_version : 0;
    };
    for (const TableDescriptor& table : image.tables()) {
      const auto old = std::find_if(reader.tables().begin(), reader.tables().end(),
                                    [&](const auto& each) { return each.name == table.name; });
      if (old == reader.tables().end()) continue;
      const std::uint32_t from = version_of(reader.schemas()[old->schema]);
      const std::uint32_t to = version_of(image.schemas()[table.schema]);
      if (from >= to) continue;
      context.messages.note(fmt::format(
          "the records of table '{}' have class version {} now instead of {}: a game that loads "
          "the new file runs no migration on them; if it declares one, let it load the old file",
          escape_text(table.name), to, from));
    }
  }

  void print(Context& context, const FileInfo& info, const WriteReport& written) const {
    if (context.globals.json) {
      JsonObject object("conversion");
      object.text("file", json_name(file_)).number("bytes", info.file_bytes);
      if (!estimate_) object.text("output", json_name(output_));
      object.number("output_bytes", written.bytes).hash("state_hash", written.state_hash);
      if (!schema_.empty()) object.text("schema", json_name(schema_)).text("load", summary_);
      return context.out.line(object.str());
    }
    const std::string what =
        estimate_ ? "the new file would be" : printable_text(shown_name(output_)) + " is";
    context.out.print("{}: {}; {} {}, with the {}state hash {}", printable_text(shown_name(file_)),
                      size_text(info.file_bytes), what, size_text(written.bytes),
                      schema_.empty() ? "same " : "", written.state_hash.hex());
    if (!schema_.empty()) context.out.line(load_text(summary_));
  }

  std::string file_;
  std::string output_;
  Compression compression_;
  std::string schema_;
  std::string unknown_values_ = "refuse";
  std::string summary_;  // of the load
  bool force_ = false;
  bool estimate_ = false;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace hdb::inspect
