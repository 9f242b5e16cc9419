// watch: a line for each save that appears or changes in a folder.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "folder.hpp"
#include "hdb/save.hpp"
#include "history/save_lines.hpp"
#include "history/series.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

namespace fs = std::filesystem;

class Watch final : public Command {
 public:
  Watch() {
    describe(
        {"watch",
         "Print a line when a save appears or changes in a folder",
         "$ hdbinspect watch saves/                 until Ctrl-C: what each save changed\n"
         "$ hdbinspect watch saves/ --fields -t monsters\n"
         "$ hdbinspect watch saves/ -n 1            wait for the next save\n"
         "$ hdbinspect watch saves/ --json | jq .changes\n"
         "\n"
         "The lines are those of hdbinspect log; each save is compared with the one before. The "
         "saves that are there already are not printed. A file that cannot be read yet is "
         "reported once and tried again. Backups and copies of a save are not new saves.",
         {{"--records", &records_, "Also print the records that differ"},
          {"--fields", &fields_, "Also print the fields that differ", excludes({"--records"})},
          {"-t,--table TABLE", &tables_, "Only these tables (a name or a glob); may be repeated"},
          {"-n,--saves N", Number{&count_, 1}, "End after this many saves"},
          {"FOLDER",
           &folder_,
           "The folder that saves are written to",
           {.required = true, .is_file = true}}}});
  }

  ExitStatus run(Context& context) override {
    context.out.never_page();
    SaveLines lines(context, tables_,
                    fields_    ? SaveLines::Details::fields
                    : records_ ? SaveLines::Details::records
                               : SaveLines::Details::none);
    ExitStatus status = ExitStatus::fine;
    bool is_first = true;
    while (!context.out.closed() && (count_ == 0 || lines.printed() < count_)) {
      const auto begin = std::chrono::steady_clock::now();
      auto found = scan(context);
      if (!found) return context.messages.error(found.error(), kGiveFolder);
      if (is_first) {
        status = start(context, *found, lines);
        if (status != ExitStatus::fine) return status;
        is_first = false;
      } else {
        for (const SeriesSave& save : *found) {
          if (context.out.closed() || (count_ != 0 && lines.printed() == count_)) break;
          status = worse(status, print(context, save, lines));
        }
      }
      note_other_files(context, std::exchange(others_, {}));
      // At most a tenth of the time goes into looking.
      const auto took = std::chrono::steady_clock::now() - begin;
      if (count_ == 0 || lines.printed() < count_)
        std::this_thread::sleep_for(std::max<std::chrono::nanoseconds>(kPause, 9 * took));
    }
    for (const auto& [name, file] : files_) status = worse(status, file.status);
    return status;
  }

 private:
  static constexpr std::chrono::milliseconds kPause{250};

  // A file as it was last seen.
  struct File {
    fs::file_time_type time;
    std::uintmax_t bytes = 0;
    ExitStatus status = ExitStatus::fine;  // else it could not be read, which was reported
    bool is_other = false;                 // it has the name of a save, but is not one
  };

  // The saves that are new since the last scan, oldest first. Errors: the folder cannot be listed.
  Result<std::vector<SeriesSave>> scan(const Context& context) {
    const auto names = names_in(folder_);
    if (!names) return fail(names.error());
    std::vector<SeriesSave> found;
    std::map<std::string, File> files;
    for (const std::string& name : *names) {
      if (context.out.closed()) break;
      const std::string path = path_in(folder_, name);
      const fs::path place = utf8_path(path);
      std::error_code gone;
      std::error_code ignored;
      File file;
      file.time = fs::last_write_time(place, gone);
      file.bytes = fs::file_size(place, ignored);
      const bool is_dead_link = gone && fs::is_symlink(place, ignored);
      if (gone && !is_dead_link) continue;
      const auto known = files_.find(name);
      const bool was_read = known != files_.end() && known->second.status == ExitStatus::fine;
      const bool was_other = known != files_.end() && known->second.is_other;
      if (was_read && known->second.time == file.time && known->second.bytes == file.bytes) {
        file.is_other = was_other;
      } else {
        auto info = read_info(path, read_limits());
        if (info && ids_.insert(info->file_id.hex()).second) {
          found.push_back({path, *std::move(info)});
        } else if (!info && info.error().code == ErrorCode::bad_signature) {
          file.is_other = is_save_name(name);
          if (file.is_other && !was_other) others_.push_back(path);
        } else if (!info && (is_dead_link || info.error().code != ErrorCode::file_not_found)) {
          file.status = status_of(info.error());
          if (known == files_.end() || was_read)
            static_cast<void>(context.messages.error(with_file(info.error(), path)));
        }
      }
      files.emplace(name, file);
    }
    files_ = std::move(files);
    std::sort(found.begin(), found.end(), is_earlier);
    return found;
  }

  // The newest save that is there already is what the next one is compared with.
  // Trouble: it lacks a table that was named, which was reported.
  ExitStatus start(const Context& context, const std::vector<SeriesSave>& saves,
                   SaveLines& lines) const {
    std::string newest;
    for (std::size_t i = saves.size(); i-- > 0 && newest.empty();) {
      auto reader = open_reader(saves[i].name);
      if (!reader) continue;
      newest = fmt::format("; the newest is {}", saves[i].name);
      SeriesTables tables(tables_);
      static_cast<void>(tables.choose(**reader, saves[i].name));
      if (!tables.has_all()) return tables.report_unseen(context);
      lines.start_after(saves[i], *std::move(reader));
    }
    context.messages.note(fmt::format("watching {}: {}{}; Ctrl-C ends it", folder_,
                                      count_text(saves.size(), "save"), newest));
    lines.begin(saves);
    context.out.flush();
    return ExitStatus::fine;
  }

  static ExitStatus print(const Context& context, const SeriesSave& save, SaveLines& lines) {
    auto reader = open_reader(save.name);
    if (!reader) return context.messages.error(reader.error());
    const SeriesSave now{save.name, (*reader)->info()};
    const ExitStatus status =
        lines.next(now, save.name.substr(save.name.rfind('/') + 1), *std::move(reader));
    context.out.flush();
    return status;
  }

  bool records_ = false;
  bool fields_ = false;
  std::uint64_t count_ = 0;  // 0: without end
  std::vector<std::string> tables_;
  std::string folder_;
  std::map<std::string, File> files_;  // by name
  std::vector<std::string> others_;    // to report: named like saves, but not saves
  std::set<std::string> ids_;          // of the saves seen so far
};

}  // namespace

std::unique_ptr<Command> make_watch() { return std::make_unique<Watch>(); }

}  // namespace hdb::inspect
