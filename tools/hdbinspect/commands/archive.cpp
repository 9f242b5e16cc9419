// archive: puts saves into an archive, gets them out, and looks after it.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "archive/metrics.hpp"
#include "archive/place.hpp"
#include "archive/print.hpp"
#include "archive/thinning.hpp"
#include "command.hpp"
#include "compression.hpp"
#include "hdb/inspect/checks.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class ArchiveCommand final : public Command {
 public:
  ArchiveCommand() {
    describe(
        {"archive",
         "Keep many saves in one archive; read, check, copy, thin them out",
         "$ hdbinspect archive put saves.hdba auto*.hdb        into an archive, which put makes\n"
         "$ hdbinspect archive put saves.hdba a.hdb --world w  as a save of the world w\n"
         "$ hdbinspect archive list saves.hdba                 worlds, numbers, dates, titles\n"
         "$ hdbinspect archive get saves.hdba@w/7 -o out.hdb   one save as a file\n"
         "$ hdbinspect diff saves.hdba@w/6 saves.hdba@w/7      as the file of any command\n"
         "$ hdbinspect archive share saves.hdba                what takes how much space\n"
         "$ hdbinspect archive verify saves.hdba               checks every byte\n"
         "$ hdbinspect archive repair saves.hdba new.hdba      copies what can be read\n"
         "$ hdbinspect archive copy saves.hdba other.hdba      to another file or server\n"
         "$ hdbinspect archive remove saves.hdba w/7 w/..5     removes saves\n"
         "$ hdbinspect archive thin saves.hdba --keep-hourly 24 --keep-daily 30\n"
         "$ hdbinspect archive metrics saves.hdba              counters for Prometheus\n"
         "$ hdbinspect archive gc saves.hdba                   frees the space of removed saves\n"
         "\n"
         "An archive is a file NAME.hdba, or the URL of a PostgreSQL database: "
         "postgresql://USER@HOST:PORT/DATABASE. Columns that saves share are stored once, columns "
         "that changed a little as differences.\n"
         "A save is ARCHIVE@WORLD/NUMBER. ARCHIVE@WORLD is the last save of the world; if the "
         "archive has one world, ARCHIVE@NUMBER and ARCHIVE@latest are enough. list and share "
         "take ARCHIVE@WORLD too, remove ranges: WORLD/3..9, WORLD/..9, WORLD/3.., WORLD/..\n"
         "put takes the number of a save from its metadata, unless --number is given; without "
         "either, the next one. A number that is taken by another save is refused.\n"
         "thin keeps what any of its rules keeps, and always the last save of a world and saves "
         "without a time. A rule counts only hours, days, ... (in UTC) that have saves, and keeps "
         "the newest of each. With --max-bytes the oldest saves of all worlds go after that, until "
         "the rest fits; if it never does, nothing goes.\n"
         "copy makes the other archive if there is none, and skips saves that it has: it goes on "
         "where it ended.\n"
         "verify, list and metrics exit with 1 if they find damage, repair and copy if they cannot "
         "copy a save, remove if a range is empty, thin if --max-bytes cannot be kept.",
         {{"--world WORLD", &world_,
           "put: the world of the saves (default: world); thin, copy: only worlds that fit this "
           "glob; metrics: also counters of each of them"},
          {"--number N", Number{&number_, 1, std::numeric_limits<std::int64_t>::max()},
           "put: the number of the save; of one FILE"},
          {"-o,--output OUT", &output_, "get: the new file", file_name()},
          compression_.codec_option(),
          compression_.level_option(),
          {"--force", &force_, "get: replace OUT if it exists"},
          {"--keep-last N", Number{&rules_.last, 1}, "thin: keep the newest N saves of a world"},
          {"--keep-hourly N", Number{&rules_.hourly, 1}, "thin: keep one save of each of N hours"},
          {"--keep-daily N", Number{&rules_.daily, 1}, "thin: keep one save of each of N days"},
          {"--keep-weekly N", Number{&rules_.weekly, 1}, "thin: keep one save of each of N weeks"},
          {"--keep-monthly N", Number{&rules_.monthly, 1},
           "thin: keep one save of each of N months"},
          {"--max-bytes SIZE",
           &max_bytes_,
           "thin: the most that the saves may need in the archive: 500M, 20G",
           {.check = [](const std::string& text) { return fault_of_size(text, 1); }}},
          {"--dry-run", &dry_run_, "remove, thin, gc: only show what would go"},
          {"ACTION=put|get|list|share|verify|repair|copy|remove|thin|metrics|gc", &action_,
           "What to do"},
          {"ARCHIVE", &place_, "The file or URL of the archive, or a save or world of it",
           file_name()},
          {"[FILE]", &files_,
           "put: save files; repair, copy: the other archive; remove: saves WORLD/NUMBER",
           file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (auto mistake = find_mistake(); !mistake.empty())
      return context.messages.usage(mistake, "hdbinspect archive --help");
    if (action_ == "put") return run_put(context);
    if (action_ == "get") return run_get(context);
    if (action_ == "list") return run_list(context);
    if (action_ == "share") return run_share(context);
    if (action_ == "verify") return run_verify(context);
    if (action_ == "repair" || action_ == "copy") return run_copy(context);
    if (action_ == "remove") return run_remove(context);
    if (action_ == "thin") return run_thin(context);
    return action_ == "metrics" ? run_metrics(context) : run_gc(context);
  }

 private:
  [[nodiscard]] std::string find_mistake() const {
    const bool is_put = action_ == "put";
    const bool is_get = action_ == "get";
    const bool is_thin = action_ == "thin";
    const bool is_remove = action_ == "remove";
    const bool is_copy = action_ == "repair" || action_ == "copy";
    const bool has_rules = rules_ != KeepRules{} || !max_bytes_.empty();
    const bool has_version = !split_archive_place(place_).version.empty();
    if (is_put && files_.empty()) return "put needs at least one FILE";
    if (is_copy && files_.size() != 1) return action_ + " needs one FILE, the other archive";
    if (!is_put && !is_copy && !is_remove && !files_.empty()) return action_ + " takes no FILE";
    if (number_ != 0 && !is_put) return "--number belongs to put; write ARCHIVE@WORLD/NUMBER";
    if (!world_.empty() && !is_put && !is_thin && action_ != "copy" && action_ != "metrics")
      return "--world belongs to put, thin, copy and metrics; write ARCHIVE@WORLD";
    if (number_ != 0 && files_.size() > 1) return "--number is of one FILE";
    if (is_get != !output_.empty()) return is_get ? "get needs -o OUT" : "-o belongs to get";
    if (!compression_.codec.empty() && !is_get) return "--codec belongs to get";
    if (compression_.level != 0 && !is_get && !is_put) return "--level belongs to put and get";
    if (auto mistake = compression_.mistake(); !mistake.empty()) return mistake;
    if (force_ && !is_get) return "--force belongs to get";
    if (dry_run_ && !is_remove && !is_thin && action_ != "gc")
      return "--dry-run belongs to remove, thin and gc";
    if (is_thin != has_rules) {
      return is_thin ? "thin needs a rule: --keep-last, --keep-hourly, ... or --max-bytes"
                     : "--keep-... and --max-bytes belong to thin";
    }
    if (is_get && !has_version) return "get needs a save: ARCHIVE@WORLD/NUMBER";
    if (is_remove && !has_version && files_.empty())
      return "remove needs a save: WORLD/NUMBER or WORLD/FROM..TO";
    return {};
  }

  // The world after the @, or empty.
  ExitStatus open(Context& context, std::unique_ptr<Archive>& archive, std::string& world) const {
    const ArchivePlace place = split_archive_place(place_);
    auto opened = open_archive(place.archive);
    if (!opened) return context.messages.error(opened.error());
    archive = std::move(*opened);
    world = place.version;
    return ExitStatus::fine;
  }

  // As above, for what looks after a whole archive.
  ExitStatus open_whole(Context& context, std::unique_ptr<Archive>& archive) const {
    std::string world;
    const ExitStatus status = open(context, archive, world);
    if (status != ExitStatus::fine || world.empty()) return status;
    return context.messages.usage(action_ + " looks after a whole archive, not after one world",
                                  "hdbinspect archive --help");
  }

  ExitStatus run_put(Context& context) const {
    std::unique_ptr<Archive> archive;  // opened for the first readable save: none is left empty
    ExitStatus status = ExitStatus::fine;
    ArchivePutOptions options;
    if (!world_.empty()) options.world = world_;
    if (auto named = Archive::check_world(options.world); !named)
      return context.messages.error(named.error());
    for (const std::string& file : files_) {
      const ProgressScope progress("archive", shown_name(file));
      ReadOptions read;
      read.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
      const auto reader = open_reader(file, read);
      if (!reader) {
        status = worse(status, context.messages.error(reader.error()));
        continue;
      }
      if (!archive) {
        auto opened = open_archive(place_, true);
        if (!opened) return context.messages.error(opened.error());
        archive = std::move(*opened);
      }
      options.sequence = number_;
      options.write.threads = worker_threads();
      options.write.limits = read_limits();
      options.write.cancel = &interruption();
      options.write.level = compression_.write_options().level;
      options.approve = [&](const Hash128& computed) {
        return check_state_hash((*reader)->info(), computed);
      };
      const auto put = archive->put(*image_of(*reader), options);
      if (!put) {
        Error error = put.error();
        if (error.file.empty()) error = with_file(std::move(error), file);
        status = worse(status, context.messages.error(error));
        if (interrupted() != 0) break;
        continue;
      }
      print_put(context, file, archive->backend().place(), *put);
    }
    return status;
  }

  ExitStatus run_get(Context& context) const {
    if (auto checked = check_output(place_, output_, force_); !checked)
      return context.messages.error(checked.error(), "give another file to -o");
    ReadOptions read;
    read.verify_raw_hashes = true;
    const ProgressScope progress("get", shown_name(place_));
    const auto reader = open_reader(place_, read);
    if (!reader) return context.messages.error(reader.error());
    const auto written = write_file(*image_of(*reader), output_, compression_.write_options(),
                                    [&](const WriteReport& report) {
                                      return check_state_hash((*reader)->info(), report.state_hash);
                                    });
    if (!written) {
      Error error = written.error();
      if (error.file.empty()) error = with_file(std::move(error), place_);
      return context.messages.error(error);
    }
    if (context.globals.json) {
      context.out.line(JsonObject("archive_get")
                           .text("file", json_name(place_))
                           .text("output", json_name(output_))
                           .number("output_bytes", written->bytes)
                           .hash("state_hash", written->state_hash)
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print("{}: {}; state hash {}", printable_text(output_), size_text(written->bytes),
                        written->state_hash.hex());
    }
    return ExitStatus::fine;
  }

  ExitStatus run_list(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    std::vector<ArchiveFault> faults;
    const auto saves = archive->list(world, &faults);
    if (!saves) return context.messages.error(saves.error());
    if (saves->empty() && faults.empty() && !world.empty())
      return context.messages.error(archive->latest(world).error());
    print_saves(context, *saves);
    print_list_faults(context, faults);
    return faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_share(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    const auto sharing = archive->sharing(world);
    if (!sharing) return context.messages.error(sharing.error());
    print_sharing(context, *sharing);
    return ExitStatus::fine;
  }

  ExitStatus run_verify(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    const ProgressScope progress("verify", shown_name(place_));
    const auto check =
        archive->verify([](std::uint64_t, std::uint64_t) { return interrupted() == 0; });
    if (!check) return context.messages.error(check.error());
    for (const ArchiveFault& fault : check->faults) print_fault(context, fault);
    if (context.globals.json) {
      context.out.line(JsonObject("archive_check")
                           .number("saves", check->saves)
                           .number("objects", check->objects)
                           .number("bytes", check->bytes)
                           .number("faults", check->faults.size())
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print(
          "{}: {}, {} ({}): {}", printable_text(archive->backend().place()),
          count_text(check->saves, "save"), count_text(check->objects, "object"),
          size_text(check->bytes),
          check->faults.empty() ? "sound" : count_text(check->faults.size(), "fault"));
    }
    return check->faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_copy(Context& context) const {
    std::unique_ptr<Archive> archive;
    if (const auto status = open_whole(context, archive); status != ExitStatus::fine) return status;
    const auto fits = worlds_that_fit(*archive, world_);
    if (!fits) return context.messages.error(fits.error());
    const ProgressScope progress(action_, shown_name(place_));
    std::string other = files_.front();
    const auto copy = [&]() -> Result<ArchiveCopy> {
      if (action_ == "repair") return archive->repair(other);
      const auto target = open_archive(other, true);
      if (!target) return fail(target.error());
      other = (*target)->backend().place();  // without a password
      return archive->copy_to(**target, [&](const ArchiveVersion& save) {
        return interrupted() == 0 && (*fits)(save.world);
      });
    }();
    if (!copy) return context.messages.error(copy.error());
    std::vector<ArchiveFault> faults = copy->lost;
    for (const Error& error : copy->unlisted) faults.push_back({error, {}});
    print_list_faults(context, faults);
    if (context.globals.json) {
      context.out.line(JsonObject("archive_" + action_)
                           .text("file", json_name(other))
                           .number("saves", copy->saves)
                           .number("already_stored", copy->already_stored)
                           .number("lost", copy->lost.size())
                           .boolean("may_lack_saves", !copy->unlisted.empty())
                           .number("objects", copy->objects)
                           .number("bytes", copy->bytes)
                           .str());
    } else if (!context.globals.quiet) {
      const std::string there =
          copy->already_stored == 0 ? "" : fmt::format(", {} there before", copy->already_stored);
      context.out.print("{}: {} copied{}, {}{} {}; {} ({})", printable_text(other),
                        count_text(copy->saves, "save"), there, copy->lost.size(),
                        copy->unlisted.empty() ? "" : " and an unknown number",
                        action_ == "copy" ? "not copied" : "lost",
                        count_text(copy->objects, "object"), size_text(copy->bytes));
    }
    return faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_gc(Context& context) const {
    std::unique_ptr<Archive> archive;
    if (const auto status = open_whole(context, archive); status != ExitStatus::fine) return status;
    const auto garbage = archive->collect_garbage(dry_run_);
    if (!garbage) return context.messages.error(garbage.error());
    if (context.globals.json) {
      context.out.line(JsonObject("archive_garbage")
                           .boolean("dry_run", dry_run_)
                           .number("saves", garbage->saves)
                           .number("objects", garbage->objects)
                           .number("bytes", garbage->bytes)
                           .number("kept_objects", garbage->kept_objects)
                           .number("kept_bytes", garbage->kept_bytes)
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print("{}: {} {} ({}); {} ({}) in {} stay",
                        printable_text(archive->backend().place()),
                        dry_run_ ? "would free" : "freed", count_text(garbage->objects, "object"),
                        size_text(garbage->bytes), count_text(garbage->kept_objects, "object"),
                        size_text(garbage->kept_bytes), count_text(garbage->saves, "save"));
    }
    return ExitStatus::fine;
  }

  ExitStatus run_remove(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string text;
    if (const ExitStatus status = open(context, archive, text); status != ExitStatus::fine)
      return status;
    std::vector<std::string> texts = files_;
    if (!text.empty()) texts.push_back(text);
    std::set<ArchiveVersion> saves;
    for (const std::string& each : texts) {
      if (each.find('/') == std::string::npos) {
        return context.messages.usage("remove needs the whole name of a save",
                                      "write WORLD/NUMBER, or WORLD/.. for all saves of a world");
      }
      const auto found = find_versions(*archive, each);
      if (!found) {
        return context.messages.error(found.error(),
                                      found.error().code == ErrorCode::bad_name
                                          ? "write WORLD/3..9, WORLD/..9 or WORLD/3.."
                                          : "");
      }
      if (found->empty()) {
        context.messages.note(escape_text(each) +
                              ": no save has such a number; nothing is removed");
        return ExitStatus::finding;
      }
      saves.insert(found->begin(), found->end());
    }
    return remove(context, *archive, {saves.begin(), saves.end()});
  }

  ExitStatus remove(Context& context, Archive& archive,
                    const std::vector<ArchiveVersion>& saves) const {
    if (!dry_run_) {
      if (Status removed =
              saves.size() == 1 ? archive.remove(saves.front()) : archive.remove(saves);
          !removed)
        return context.messages.error(removed.error());
    }
    const std::string_view done = dry_run_ ? "would be removed" : "removed";
    for (const ArchiveVersion& save : saves) {
      if (context.globals.json) {
        context.out.line(JsonObject("archive_removal")
                             .text("world", save.world)
                             .number("number", save.sequence)
                             .boolean("dry_run", dry_run_)
                             .str());
      } else if (!context.globals.quiet) {
        context.out.print("{} {}", save.text(), done);
      }
    }
    if (!context.globals.json && !context.globals.quiet && !saves.empty()) {
      context.out.print("{} {}; archive gc frees what only {} needed",
                        count_text(saves.size(), "save"), done, saves.size() == 1 ? "it" : "they");
    }
    return ExitStatus::fine;
  }

  ExitStatus run_thin(Context& context) const {
    std::unique_ptr<Archive> archive;
    if (const auto status = open_whole(context, archive); status != ExitStatus::fine) return status;
    const auto fits = worlds_that_fit(*archive, world_);
    if (!fits) return context.messages.error(fits.error());
    std::vector<ArchiveFault> faults;
    auto saves = archive->list({}, &faults);
    if (!saves) return context.messages.error(saves.error());
    std::erase_if(*saves, [&](const ArchivedSave& save) { return !(*fits)(save.version.world); });
    Thinning thinning = thin(*saves, rules_);
    const std::uint64_t most = max_bytes_.empty() ? 0 : *parse_size(max_bytes_);
    if (most != 0) {
      const auto needed = thin_to_size(*archive, thinning, most);
      if (!needed) return context.messages.error(needed.error());
      if (*needed > most) {
        context.messages.note(fmt::format(
            "the last saves of the worlds and those without a time need {}, more than --max-bytes: "
            "nothing is removed; archive remove removes any save",
            size_text(*needed)));
        return ExitStatus::finding;
      }
    }
    print_list_faults(context, faults);
    std::vector<ArchiveVersion> removed;
    for (const ArchivedSave& save : thinning.removed) removed.push_back(save.version);
    if (const auto status = remove(context, *archive, removed); status != ExitStatus::fine)
      return status;
    const auto timeless = saves->size() - static_cast<std::size_t>(std::count_if(
                                              saves->begin(), saves->end(), has_time));
    const std::size_t kept = saves->size() - removed.size();
    if (context.globals.json) {
      context.out.line(JsonObject("archive_thinning")
                           .boolean("dry_run", dry_run_)
                           .number("removed", removed.size())
                           .number("kept", kept)
                           .number("without_time", timeless)
                           .number("faults", faults.size())
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print("{}: {} of {} {}{}", printable_text(archive->backend().place()), kept,
                        count_text(saves->size(), "save"), kept == 1 ? "stays" : "stay",
                        timeless == 0 ? "" : fmt::format(", {} without a time", timeless));
    }
    return faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_metrics(Context& context) const {
    std::unique_ptr<Archive> archive;
    if (const auto status = open_whole(context, archive); status != ExitStatus::fine) return status;
    const auto fits = worlds_that_fit(*archive, world_);
    if (!fits) return context.messages.error(fits.error());
    bool is_damaged = false;
    const auto text =
        archive_metrics(*archive, *fits, !world_.empty(), context.globals.json, is_damaged);
    if (!text) return context.messages.error(text.error());
    context.out.write(*text);
    return is_damaged ? ExitStatus::finding : ExitStatus::fine;
  }

  std::string action_;
  std::string place_;
  std::vector<std::string> files_;
  std::string world_;
  std::uint64_t number_ = 0;
  std::string output_;
  KeepRules rules_;
  std::string max_bytes_;
  Compression compression_;
  bool force_ = false;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_archive() { return std::make_unique<ArchiveCommand>(); }

}  // namespace hdb::inspect
