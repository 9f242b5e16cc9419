// convert: the same state in another compression.
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"
#include "compression.hpp"
#include "hdb/inspect/checks.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Convert final : public Command {
 public:
  Convert() {
    describe({"convert",
              "Write the same state with another compression",
              "$ hdbinspect convert slot1.hdb -o small.hdb --level 12    smaller, slower to write\n"
              "$ hdbinspect convert slot1.hdb -o plain.hdb --codec none  uncompressed\n"
              "$ hdbinspect convert slot1.hdb --estimate                 only show the size",
              {{"-o,--output OUT", &output_, "The new file; it must not be the input", file_name()},
               compression_.codec_option(),
               compression_.level_option(),
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
    if (!estimate_) {
      if (auto checked = check_output(file_, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    ReadOptions read;
    read.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
    ProgressScope progress("convert", shown_name(file_), 2);  // read, and written
    auto reader = open_reader(file_, read);
    if (!reader) return context.messages.error(reader.error());
    auto written = convert(*reader, progress);
    if (!written) {
      Error error = std::move(written.error());
      if (error.file.empty()) error = with_file(std::move(error), file_);
      return context.messages.error(error);
    }
    if (!context.globals.quiet) print(context, (*reader)->info(), *written);
    return ExitStatus::fine;
  }

 private:
  Result<WriteReport> convert(const std::shared_ptr<const Reader>& reader,
                              ProgressScope& progress) const {
    WriteOptions write = compression_.write_options();
    write.on_progress = [&progress, bytes = reader->info().file_bytes,
                         shown = std::uint64_t{0}](const Progress& now) mutable {
      const std::uint64_t done =
          bytes * now.groups_done / std::max<std::uint64_t>(1, now.groups_total);
      progress.advance(done - shown);
      shown = done;
    };
    const auto image = image_of(reader);
    const auto approve = [&](const WriteReport& report) {
      return check_state_hash(reader->info(), report.state_hash);
    };
    if (!estimate_) return write_file(*image, output_, write, approve);
    CountingSink sink;
    auto written = write_image(*image, sink, write);
    if (!written) return written;
    if (Status same = approve(*written); !same) return fail(std::move(same.error()));
    return written;
  }

  void print(Context& context, const FileInfo& info, const WriteReport& written) const {
    if (context.globals.json) {
      JsonObject object("conversion");
      object.text("file", json_name(file_)).number("bytes", info.file_bytes);
      if (!estimate_) object.text("output", json_name(output_));
      object.number("output_bytes", written.bytes).hash("state_hash", written.state_hash);
      return context.out.line(object.str());
    }
    const std::string what =
        estimate_ ? "the new file would be" : escape_text(shown_name(output_)) + " is";
    context.out.print("{}: {}; {} {}, with the same state hash {}", escape_text(shown_name(file_)),
                      size_text(info.file_bytes), what, size_text(written.bytes),
                      written.state_hash.hex());
  }

  std::string file_;
  std::string output_;
  Compression compression_;
  bool force_ = false;
  bool estimate_ = false;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace hdb::inspect
