// repair: a new, whole file of what is sound in a damaged one.
#include <optional>

#include "command.hpp"
#include "compression.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "repair/lost_file.hpp"
#include "repair/report.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Repair final : public Command {
 public:
  Repair() {
    describe(
        {"repair",
         "Write the sound parts of a damaged file to a new file, and list what is lost",
         "$ hdbinspect repair slot1.hdb --dry-run                   what would be lost\n"
         "$ hdbinspect repair slot1.hdb -o fixed.hdb                a new file with the sound "
         "records\n"
         "$ hdbinspect repair slot1.hdb -o fixed.hdb --lost l.ndjson  also list each lost handle\n"
         "$ hdbinspect repair slot1.hdb -o fixed.hdb --refs=drop    drop owners of lost records",
         {{"-o,--output OUT", &output_, "The new file; it must not be the input", file_name()},
          {"--dry-run", &dry_run_, "Only show what would be lost", excludes({"--output"})},
          {"--refs=null|keep|drop", &references_,
           "What to do with handles of lost records: null (default): set them to null; keep: leave "
           "them as stale handles; drop: also drop the records that hold strong handles to them"},
          {"--lost LOST", &lost_,
           "Write each lost record and handle to this file, one JSON object per line", file_name()},
          {"--max-lost SIZE",
           &max_lost_,
           "Limit the size of LOST; its last line then counts what was left out (default: 256M "
           "plus "
           "64 bytes for each byte of FILE)",
           {.check = [](const std::string& text) { return fault_of_size(text, 0); }}},
          {"--force", &force_, "Replace OUT and LOST if they exist"},
          {"FILE", &file_, "Damaged save file", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (!dry_run_ && output_.empty()) {
      return context.messages.usage("-o OUT or --dry-run is required", "hdbinspect repair --help");
    }
    if (!max_lost_.empty() && lost_.empty())
      return context.messages.usage("--max-lost needs --lost LOST", "hdbinspect repair --help");
    if (Status checked = check_outputs(); !checked)
      return context.messages.error(checked.error(), "give another file to -o or --lost");
    const ProgressScope progress("repair", shown_name(file_));
    auto source = open_source(file_);
    if (!source) return failed(context, std::move(source.error()));
    std::optional<LostFile> lost;
    if (!lost_.empty()) {
      auto created = create_list(**source);
      if (!created) return context.messages.error(created.error());
      lost.emplace(*std::move(created));
    }
    auto salvaged = salvage_file(*std::move(source), lost);
    if (!salvaged) return failed(context, std::move(salvaged.error()));
    auto written = write(*salvaged->image);
    if (!written) {
      Error error = std::move(written.error());
      if (error.file.empty()) error = with_file(std::move(error), file_);
      return context.messages.error(error);
    }
    Unlisted unlisted;
    if (lost) {
      if (Status committed = lost->commit(); !committed)
        return context.messages.error(committed.error());
      unlisted = lost->unlisted();
    }
    RepairReport report{file_, dry_run_ ? "" : output_, *salvaged, *written, false, unlisted};
    report.hash_differs = !salvaged->has_loss() && salvaged->stored_state_hash &&
                          *salvaged->stored_state_hash != written->state_hash;
    if (!context.globals.quiet) {
      if (context.globals.json) {
        print_repair_json(report, context.out);
      } else {
        print_repair(report, context.out);
      }
    }
    return salvaged->has_loss() || report.hash_differs ? ExitStatus::finding : ExitStatus::fine;
  }

 private:
  [[nodiscard]] Status check_outputs() const {
    if (!dry_run_) {
      if (Status checked = check_output(file_, output_, force_); !checked) return checked;
    }
    if (lost_.empty()) return {};
    if (Status checked = check_output(file_, lost_, force_); !checked) return checked;
    if (dry_run_) return {};
    if (lost_ == output_) {
      return fail(Error{ErrorCode::bad_path, "-o and --lost are the same file", kNoOffset, "output",
                        lost_});
    }
    return check_output(output_, lost_, true);  // also under another name
  }

  // Without --max-lost: enough for real files, bounded for those that claim millions of records.
  Result<LostFile> create_list(ByteSource& source) const {
    constexpr std::uint64_t kAlways = std::uint64_t{256} << 20;
    constexpr std::uint64_t kPerFileByte = 64;
    const auto chosen = parse_size(max_lost_);
    if (chosen) return LostFile::create(lost_, *chosen);
    const auto size = source.size();
    if (!size) return fail(with_file(Error(size.error()), file_));
    return LostFile::create(lost_, kAlways + kPerFileByte * *size);
  }

  Result<Salvage> salvage_file(std::unique_ptr<ByteSource> source,
                               std::optional<LostFile>& lost) const {
    SalvageOptions options;
    options.limits = read_limits();
    options.references = references_ == "keep"   ? LostReferences::keep
                         : references_ == "drop" ? LostReferences::drop
                                                 : LostReferences::null;
    if (lost) {
      options.on_lost_slot = [&](const LostSlot& slot) { lost->add(slot); };
      options.on_lost_reference = [&](const LostReference& reference) { lost->add(reference); };
    }
    return salvage(std::move(source), options);
  }

  Result<WriteReport> write(const ImageSource& image) const {
    const WriteOptions write = Compression{}.write_options();
    if (!dry_run_) return write_file(image, output_, write);
    CountingSink sink;
    return write_image(image, sink, write);
  }

  ExitStatus failed(const Context& context, Error cause) const {
    const Error error = with_file(std::move(cause), file_);
    return context.messages.error(error, next_of(error));
  }

  // Whoever reads this has tried to repair the file already.
  static std::string next_of(const Error& error) {
    const std::string next = next_step_of(error);
    return next.substr(0, next.find(", or run hdbinspect repair"));
  }

  std::string file_;
  std::string output_;
  std::string lost_;
  std::string max_lost_;
  std::string references_ = "null";
  bool dry_run_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_repair() { return std::make_unique<Repair>(); }

}  // namespace hdb::inspect
