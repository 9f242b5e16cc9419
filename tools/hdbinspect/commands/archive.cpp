// archive: puts saves into an archive, gets them out, and looks after it.
#include <algorithm>

#include <fmt/format.h>

#include "archive/place.hpp"
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
         "Keep many saves in one archive; list, read, check and remove them",
         "$ hdbinspect archive put saves.hdba auto*.hdb        into an archive, which put makes\n"
         "$ hdbinspect archive put saves.hdba a.hdb --world w  as a save of the world w\n"
         "$ hdbinspect archive list saves.hdba                 worlds, numbers, dates, titles\n"
         "$ hdbinspect archive get saves.hdba@w/7 -o out.hdb   one save as a file\n"
         "$ hdbinspect diff saves.hdba@w/6 saves.hdba@w/7      as the file of any command\n"
         "$ hdbinspect archive share saves.hdba                what takes how much space\n"
         "$ hdbinspect archive verify saves.hdba               checks every byte\n"
         "$ hdbinspect archive repair saves.hdba new.hdba      copies what can be read\n"
         "$ hdbinspect archive remove saves.hdba@w/7           removes a save\n"
         "$ hdbinspect archive gc saves.hdba                   frees the space of removed saves\n"
         "\n"
         "An archive is a file NAME.hdba, or the URL of a PostgreSQL database: "
         "postgresql://USER@HOST:PORT/DATABASE. Columns that saves share are stored once, columns "
         "that changed a little as differences.\n"
         "A save is ARCHIVE@WORLD/NUMBER. ARCHIVE@WORLD is the last save of the world; if the "
         "archive has one world, ARCHIVE@NUMBER and ARCHIVE@latest are enough. list and share "
         "take ARCHIVE@WORLD too.\n"
         "put takes the number of a save from its metadata, unless --number is given; without "
         "either, the next one. A number that is taken by another save is refused.\n"
         "verify and list exit with 1 if they find damage, repair if it cannot copy a save.",
         {{"--world WORLD", &world_, "put: the world of the saves (default: world)"},
          {"--number N", Number{&number_, 1}, "put: the number of the save; of one FILE"},
          {"-o,--output OUT", &output_, "get: the new file", file_name()},
          compression_.codec_option(),
          compression_.level_option(),
          {"--force", &force_, "get: replace OUT if it exists"},
          {"--dry-run", &dry_run_, "gc: only show what would be freed"},
          {"ACTION=put|get|list|share|verify|repair|remove|gc", &action_, "What to do"},
          {"ARCHIVE", &place_, "The file or URL of the archive, or a save or world of it",
           file_name()},
          {"[FILE]", &files_, "put: save files; repair: the new archive", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (auto mistake = find_mistake(); !mistake.empty())
      return context.messages.usage(mistake, "hdbinspect archive --help");
    if (action_ == "put") return run_put(context);
    if (action_ == "get") return run_get(context);
    if (action_ == "list") return run_list(context);
    if (action_ == "share") return run_share(context);
    if (action_ == "verify") return run_verify(context);
    if (action_ == "repair") return run_repair(context);
    return action_ == "gc" ? run_gc(context) : run_remove(context);
  }

 private:
  [[nodiscard]] std::string find_mistake() const {
    const bool is_put = action_ == "put";
    const bool is_get = action_ == "get";
    const bool has_version = !split_archive_place(place_).version.empty();
    if (is_put && files_.empty()) return "put needs at least one FILE";
    const bool is_repair = action_ == "repair";
    if (is_repair && files_.size() != 1) return "repair needs one FILE, the new archive";
    if (!is_put && !is_repair && !files_.empty()) return action_ + " takes no FILE";
    if (!is_put && (!world_.empty() || number_ != 0))
      return "--world and --number belong to put; write ARCHIVE@WORLD/NUMBER";
    if (number_ != 0 && files_.size() > 1) return "--number is of one FILE";
    if (is_get != !output_.empty()) return is_get ? "get needs -o OUT" : "-o belongs to get";
    if (force_ && !is_get) return "--force belongs to get";
    if (dry_run_ && action_ != "gc") return "--dry-run belongs to gc";
    if ((is_get || action_ == "remove") && !has_version)
      return action_ + " needs a save: ARCHIVE@WORLD/NUMBER";
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

  ExitStatus run_put(Context& context) const {
    auto archive = open_archive(place_, true);
    if (!archive) return context.messages.error(archive.error());
    ExitStatus status = ExitStatus::fine;
    for (const std::string& file : files_) {
      const ProgressScope progress("archive", shown_name(file));
      ReadOptions read;
      read.verify_raw_hashes = true;  // what is damaged must not look sound afterwards
      const auto reader = open_reader(file, read);
      if (!reader) {
        status = worse(status, context.messages.error(reader.error()));
        continue;
      }
      ArchivePutOptions options;
      if (!world_.empty()) options.world = world_;
      options.sequence = number_;
      options.write.threads = worker_threads();
      options.write.limits = read_limits();
      options.write.cancel = &interruption();
      options.write.level = static_cast<int>(compression_.level);
      options.approve = [&](const Hash128& computed) {
        return check_state_hash((*reader)->info(), computed);
      };
      const auto put = (*archive)->put(*image_of(*reader), options);
      if (!put) {
        Error error = put.error();
        if (error.file.empty()) error = with_file(std::move(error), file);
        status = worse(status, context.messages.error(error));
        if (interrupted() != 0) break;
        continue;
      }
      print_put(context, file, *put);
    }
    return status;
  }

  void print_put(Context& context, const std::string& file, const ArchivePut& put) const {
    if (context.globals.json) {
      context.out.line(JsonObject("archive_put")
                           .text("file", json_name(file))
                           .text("world", put.version.world)
                           .number("number", put.version.sequence)
                           .boolean("already_stored", put.already_stored)
                           .number("raw_bytes", put.raw_bytes)
                           .number("new_objects", put.new_objects)
                           .number("new_bytes", put.new_bytes)
                           .hash("state_hash", put.state_hash)
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print(
          "{}: {}@{}: {}", escape_text(shown_name(file)), escape_text(place_), put.version.text(),
          put.already_stored ? "was there"
                             : fmt::format("{}, {}", count_text(put.new_objects, "new object"),
                                           size_text(put.new_bytes)));
    }
  }

  ExitStatus run_get(Context& context) const {
    if (auto checked = check_output(place_, output_, force_); !checked)
      return context.messages.error(checked.error(), "give another file to -o");
    ReadOptions read;
    read.verify_raw_hashes = true;
    const ProgressScope progress("get", place_);
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
      context.out.print("{}: {}; state hash {}", escape_text(output_), size_text(written->bytes),
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
    if (context.globals.json) {
      for (const ArchivedSave& save : *saves) {
        context.out.line(JsonObject("archive_save")
                             .text("world", save.version.world)
                             .number("number", save.version.sequence)
                             .text("title", save.metadata.title)
                             .signed_number("date_unix_ms", save.metadata.date_unix_ms)
                             .number("play_time_ms", save.metadata.play_time_ms)
                             .number("file_bytes", save.file_bytes)
                             .number("new_objects", save.new_objects)
                             .number("new_bytes", save.new_bytes)
                             .hash("state_hash", save.state_hash)
                             .str());
      }
      for (const ArchiveFault& fault : faults) print_fault(context, fault);
      return faults.empty() ? ExitStatus::fine : ExitStatus::finding;
    }
    TextTable table({false, false, true, true, false, false});
    table.add({"SAVE", "DATE", "PLAY TIME", "NEW", "STATE HASH", "TITLE"});
    for (const ArchivedSave& save : *saves) {
      const Metadata& metadata = save.metadata;
      table.add({save.version.text(),
                 metadata.date_unix_ms == 0 ? "-" : date_text(metadata.date_unix_ms),
                 duration_text(metadata.play_time_ms), size_text(save.new_bytes),
                 save.state_hash.hex().substr(0, 8),
                 metadata.title.empty() ? "(none)" : quote_text(metadata.title)});
    }
    if (!saves->empty()) context.out.write(table.fitted(context.out.columns()));
    for (const ArchiveFault& fault : faults) print_fault(context, fault);
    return faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_share(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    const auto sharing = archive->sharing(world);
    if (!sharing) return context.messages.error(sharing.error());
    if (context.globals.json) {
      for (const ArchiveShare& share : sharing->shares) {
        context.out.line(JsonObject("archive_share")
                             .text("table", share.table)
                             .text("field", share.field)
                             .number("references", share.references)
                             .number("raw_bytes", share.raw_bytes)
                             .number("objects", share.objects)
                             .number("stored_bytes", share.stored_bytes)
                             .str());
      }
      context.out.line(JsonObject("archive_sharing")
                           .number("saves", sharing->saves)
                           .number("raw_bytes", sharing->raw_bytes)
                           .number("stored_bytes", sharing->stored_bytes)
                           .str());
      return ExitStatus::fine;
    }
    context.out.print("{}: {} uncompressed, stored in {}", count_text(sharing->saves, "save"),
                      size_text(sharing->raw_bytes), size_text(sharing->stored_bytes));
    TextTable table({false, true, true, true, true});
    table.add({"FIELD", "STORED", "SHARE", "OBJECTS", "REFERENCES"});
    for (const ArchiveShare& share : sharing->shares) {
      const double part = 100.0 * static_cast<double>(share.stored_bytes) /
                          static_cast<double>(std::max<std::uint64_t>(1, sharing->stored_bytes));
      const std::string name = share.table.empty() ? share.field : share.table + "." + share.field;
      table.add({escape_text(name), size_text(share.stored_bytes), fmt::format("{:.1f} %", part),
                 fmt::format("{}", share.objects), fmt::format("{}", share.references)});
    }
    context.out.write(table.fitted(context.out.columns()));
    return ExitStatus::fine;
  }

  ExitStatus run_verify(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    const ProgressScope progress("verify", place_);
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
          "{}: {}, {} ({}): {}", escape_text(place_), count_text(check->saves, "save"),
          count_text(check->objects, "object"), size_text(check->bytes),
          check->faults.empty() ? "sound" : count_text(check->faults.size(), "fault"));
    }
    return check->faults.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  ExitStatus run_repair(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    if (!world.empty()) {
      return context.messages.usage("repair copies a whole archive, not one world",
                                    "hdbinspect archive repair ARCHIVE NEW");
    }
    const ProgressScope progress("repair", place_);
    const auto repair = archive->repair(files_.front());
    if (!repair) return context.messages.error(repair.error());
    for (const ArchiveFault& fault : repair->lost) print_fault(context, fault);
    if (context.globals.json) {
      context.out.line(JsonObject("archive_repair")
                           .text("file", json_name(files_.front()))
                           .number("saves", repair->saves)
                           .number("lost", repair->lost.size())
                           .number("objects", repair->objects)
                           .number("bytes", repair->bytes)
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print("{}: {} copied, {} lost; {} ({})", escape_text(files_.front()),
                        count_text(repair->saves, "save"), repair->lost.size(),
                        count_text(repair->objects, "object"), size_text(repair->bytes));
    }
    return repair->lost.empty() ? ExitStatus::fine : ExitStatus::finding;
  }

  static void print_fault(Context& context, const ArchiveFault& fault) {
    if (context.globals.json) {
      JsonObject object("archive_fault");
      add_error(fault.error, object);
      JsonArray saves;
      for (const ArchiveVersion& save : fault.saves) saves.raw(json_text(save.text()));
      context.out.line(
          object.text("file", json_name(fault.error.file)).raw("saves", saves.str()).str());
      return;
    }
    if (context.globals.quiet) return;
    context.out.print("{} {}", context.out.paint(Style::bad, code_id(fault.error.code)),
                      escape_text(fault.error.message()));
    std::string saves;
    for (const ArchiveVersion& save : fault.saves)
      saves += (saves.empty() ? "" : ", ") + save.text();
    context.out.print("  needed by {}", saves.empty() ? "no save" : saves);
  }

  ExitStatus run_gc(Context& context) const {
    std::unique_ptr<Archive> archive;
    std::string world;
    if (const ExitStatus status = open(context, archive, world); status != ExitStatus::fine)
      return status;
    if (!world.empty()) {
      return context.messages.usage("gc looks after a whole archive, not after one world",
                                    "hdbinspect archive gc ARCHIVE");
    }
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
      context.out.print("{}: {} {} ({}); {} ({}) in {} stay", escape_text(place_),
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
    if (text.find('/') == std::string::npos) {
      return context.messages.usage("remove needs the whole name of a save",
                                    "hdbinspect archive remove ARCHIVE@WORLD/NUMBER");
    }
    const auto version = find_version(*archive, text);
    if (!version) return context.messages.error(version.error());
    if (Status removed = archive->remove(*version); !removed)
      return context.messages.error(removed.error());
    if (context.globals.json) {
      context.out.line(JsonObject("archive_removal")
                           .text("world", version->world)
                           .number("number", version->sequence)
                           .str());
    } else if (!context.globals.quiet) {
      context.out.print("{} removed; archive gc frees what only it needed", version->text());
    }
    return ExitStatus::fine;
  }

  std::string action_;
  std::string place_;
  std::vector<std::string> files_;
  std::string world_;
  std::uint64_t number_ = 0;
  std::string output_;
  Compression compression_;
  bool force_ = false;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_archive() { return std::make_unique<ArchiveCommand>(); }

}  // namespace hdb::inspect
