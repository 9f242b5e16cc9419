// repair: a new, whole file of what is sound in a damaged one.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "command.hpp"
#include "compression.hpp"
#include "history/series.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "repair/lost_file.hpp"
#include "repair/report.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// More neighbours would take time and memory, and hardly have what the nearest lack.
constexpr std::size_t kMostNeighbours = 16;

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
         "$ hdbinspect repair slot1.hdb -o fixed.hdb --from saves/  take lost values from other "
         "saves\n"
         "$ hdbinspect repair slot1.hdb -o fixed.hdb --refs=drop    drop owners of lost records\n"
         "\n"
         "A record whose other fields are sound is kept, and the lost field gets its default: 0, "
         "null or empty.\n"
         "With --from, lost bytes come from the first save that has bytes with the same hash. Else "
         "the values of the same records (slot and generation) are taken, and reported as lost: "
         "from a save with the same fields in the table, in which at least half of the sound "
         "values "
         "of these records are equal; of several, from the one with the most equal values.",
         {{"-o,--output OUT", &output_, "The new file; it must not be the input", file_name()},
          {"--dry-run", &dry_run_, "Only show what would be lost", excludes({"--output"})},
          {"--from OTHER", &from_,
           "Other saves of the same game: a file, a folder, an archive, or ARCHIVE@WORLD; may be "
           "repeated. Of more than 16, those nearest by sequence number are used",
           file_name()},
          {"--drop-damaged", &drop_damaged_, "Drop the records that have a lost field"},
          {"--refs=null|keep|drop", &references_,
           "What to do with handles of lost records: null (default): set them to null; keep: leave "
           "them as stale handles; drop: also drop the records that hold strong handles to them"},
          {"--lost LOST", &lost_,
           "Write each lost record, handle and value to this file, one JSON object per line",
           file_name()},
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
    ExitStatus status = ExitStatus::fine;
    std::vector<Neighbour> neighbours = open_neighbours(context, **source, status);
    if (neighbours.empty() && !from_.empty()) return status;
    const std::size_t others = neighbours.size();
    auto salvaged = salvage_file(*std::move(source), lost, std::move(neighbours));
    if (!salvaged) return failed(context, std::move(salvaged.error()));
    for (const Error& error : salvaged->unusable_neighbours)
      status = worse(status, context.messages.error(error, "leave it out of --from"));
    if (others != 0 && salvaged->unusable_neighbours.size() == others) return status;
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
    const bool is_finding = salvaged->has_loss() || report.hash_differs;
    return worse(status, is_finding ? ExitStatus::finding : ExitStatus::fine);
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

  // Reports those that cannot be opened; none if an output is one of them.
  std::vector<Neighbour> open_neighbours(const Context& context, ByteSource& file,
                                         ExitStatus& status) const {
    std::vector<Neighbour> neighbours;
    if (from_.empty()) return neighbours;
    const OpenSeries series = open_series(context, from_, status, file_);
    if (!series.saves) return neighbours;
    std::vector<SeriesSave> saves = series.saves->saves();
    std::reverse(saves.begin(), saves.end());  // the newest first
    if (const auto info = read_info(file, read_limits())) {
      const auto distance = [&](const SeriesSave& save) {
        const std::uint64_t a = save.info.metadata.sequence;
        const std::uint64_t b = info->metadata.sequence;
        return std::max(a, b) - std::min(a, b);
      };
      std::stable_sort(saves.begin(), saves.end(), [&](const SeriesSave& a, const SeriesSave& b) {
        return distance(a) < distance(b);
      });
    }
    if (saves.size() > kMostNeighbours) {
      context.messages.note(fmt::format("{} of {} saves are used: those nearest to {}",
                                        kMostNeighbours, saves.size(), shown_name(file_)));
      saves.resize(kMostNeighbours);
    }
    for (const SeriesSave& save : saves) {
      const std::string path =
          archive_place(save.name) ? split_archive_place(save.name).archive : save.name;
      for (const std::string& output : {output_, lost_}) {
        const Status checked = output.empty() ? Status{} : check_output(path, output, true);
        if (checked) continue;
        status = context.messages.error(checked.error(), "give another file to -o or --lost");
        return {};
      }
      auto source = open_source(save.name);
      if (source) {
        neighbours.push_back({save.name, *std::move(source)});
      } else {
        status = worse(status, context.messages.error(source.error()));
      }
    }
    return neighbours;
  }

  Result<Salvage> salvage_file(std::unique_ptr<ByteSource> source, std::optional<LostFile>& lost,
                               std::vector<Neighbour> neighbours) const {
    SalvageOptions options;
    options.drops_damaged_records = drop_damaged_;
    options.limits = read_limits();
    options.references = references_ == "keep"   ? LostReferences::keep
                         : references_ == "drop" ? LostReferences::drop
                                                 : LostReferences::null;
    if (lost) {
      options.on_lost_slot = [&](const LostSlot& slot) { lost->add(slot); };
      options.on_lost_reference = [&](const LostReference& reference) { lost->add(reference); };
      options.on_lost_value = [&](const LostValue& value) { lost->add(value); };
    }
    return salvage(std::move(source), options, std::move(neighbours));
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
  std::vector<std::string> from_;
  bool drop_damaged_ = false;
  bool dry_run_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_repair() { return std::make_unique<Repair>(); }

}  // namespace hdb::inspect
