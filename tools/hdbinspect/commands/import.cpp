// import: a save file from the lines of `dump --exact`.
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"
#include "compression.hpp"
#include "exact/importer.hpp"
#include "exact/line_reader.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// The bytes of a file or of standard input, one after another.
LineReader::Read stream_of(const std::string& path, ByteSource* source) {
  if (path == "-") return read_standard_input;
  return [source, at = std::uint64_t{0}](std::span<std::byte> out) mutable -> Result<std::size_t> {
    const auto size = source->size();
    if (!size) return fail(size.error());
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), *size - at)));
    if (Status read = source->read_at(at, out); !read) return fail(std::move(read.error()));
    at += out.size();
    return out.size();
  };
}

class Import final : public Command {
 public:
  Import() {
    describe(
        {"import",
         "Make a save file from the output of dump --exact",
         "$ hdbinspect dump --exact slot1.hdb > slot1.ndjson   everything, for editing\n"
         "$ hdbinspect import slot1.ndjson -o edited.hdb       a save file from it\n"
         "$ hdbinspect import slot1.ndjson -o same.hdb --expect-same   if unedited\n"
         "\n"
         "If you edit the lines, also update the counts in exact_table and exact_end, the free "
         "lists and the dense positions.\n"
         "schema/EXACT_DUMP.md describes the lines.",
         {{"-o,--output OUT",
           &output_,
           "The new file; it must not be the input",
           {.required = true, .is_file = true}},
          {"--expect-same", &expect_same_,
           "If the state hash differs from that of the dumped file, write nothing and exit with 1"},
          compression_.codec_option(),
          compression_.level_option(),
          {"--force", &force_, "Replace OUT if it exists"},
          {"FILE", &file_, "Output of dump --exact", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (const std::string mistake = compression_.mistake(); !mistake.empty())
      return context.messages.usage(mistake, "hdbinspect import --help");
    if (auto checked = check_output(file_, output_, force_); !checked)
      return context.messages.error(checked.error(), "give another file to -o");
    const ProgressScope progress("import", shown_name(file_));
    ExactImporter importer(read_limits());
    auto image = read(importer);
    if (!image) return context.messages.error(with_file(image.error(), file_));
    const std::optional<DumpedFile> dumped = importer.dumped_file();
    if (expect_same_ && !dumped) {
      return context.messages.error(
          file_error(file_, ErrorCode::bad_exact_dump,
                     "the last line of the dump has no state hash", "--expect-same"),
          "leave --expect-same out, or dump the file again: hdbinspect dump --exact");
    }
    bool differs = false;
    std::string edited;
    WriteOptions options = compression_.write_options();
    // The same state may have the same id. Another one must not.
    if (expect_same_) options.file_id = dumped->file_id;
    const auto written = write(**image, options, [&](const WriteReport& report) -> Status {
      differs = dumped && dumped->state_hash != report.state_hash;
      if (!differs || !expect_same_) return {};
      edited = difference(dumped->state_hash, report.state_hash);
      return fail(ErrorCode::state_hash_mismatch, edited);
    });
    if (!written) {
      if (edited.empty()) return context.messages.error(written.error());
      context.messages.note(edited + "; nothing was written because of --expect-same");
      return ExitStatus::finding;
    }
    print(context, *written, dumped);
    if (differs) context.messages.note(difference(dumped->state_hash, written->state_hash));
    return ExitStatus::fine;
  }

 private:
  [[nodiscard]] std::string difference(const Hash128& dumped, const Hash128& state_hash) const {
    return fmt::format(
        "{}: the state is not that of the dumped file: the state hash is {}, and that file had {}",
        printable_text(shown_name(file_)), state_hash.hex(), dumped.hex());
  }

  Result<std::unique_ptr<SpooledImage>> read(ExactImporter& importer) const {
    std::unique_ptr<ByteSource> source;
    if (file_ != "-") {
      auto opened = open_source(file_);
      if (!opened) return fail(std::move(opened.error()));
      source = std::move(*opened);
    }
    LineReader lines(stream_of(file_, source.get()));
    for (;;) {
      const auto line = lines.next();
      if (!line) return fail(line.error());
      if (line->data() == nullptr) return importer.finish();
      if (Status added = importer.add_line(line->data(), line->size()); !added)
        return fail(std::move(added.error()));
    }
  }

  Result<WriteReport> write(const SpooledImage& image, const WriteOptions& options,
                            const std::function<Status(const WriteReport&)>& approve) const {
    auto written = write_file(image, output_, options, approve);
    if (written || !written.error().file.empty()) return written;
    // The writer refuses the content of the lines, not a damaged file.
    Error error = with_file(written.error(), file_);
    if (category_of(error.code) == ErrorCategory::corrupt &&
        error.code != ErrorCode::state_hash_mismatch)
      error.code = ErrorCode::bad_exact_dump;
    return fail(std::move(error));
  }

  void print(Context& context, const WriteReport& written,
             const std::optional<DumpedFile>& dumped) const {
    if (context.globals.quiet) return;
    if (context.globals.json) {
      JsonObject object("import");
      object.text("file", json_name(file_)).text("output", json_name(output_));
      object.number("output_bytes", written.bytes).hash("state_hash", written.state_hash);
      if (dumped) object.boolean("same_state", dumped->state_hash == written.state_hash);
      return context.out.line(object.str());
    }
    context.out.print("{} is {}, with {}state hash {}", printable_text(shown_name(output_)),
                      size_text(written.bytes),
                      dumped && dumped->state_hash == written.state_hash ? "the same " : "the ",
                      written.state_hash.hex());
  }

  std::string file_;
  std::string output_;
  Compression compression_;
  bool force_ = false;
  bool expect_same_ = false;
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<Import>(); }

}  // namespace hdb::inspect
