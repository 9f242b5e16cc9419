// open: a page that reads saves, with the saves in it, in a browser.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "command.hpp"
#include "history/series.hpp"
#include "input.hpp"
#include "page/page.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "system/paths.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class OpenCommand final : public Command {
 public:
  OpenCommand() {
    describe(
        {"open",
         "Browse, search, compare and edit saves in a web browser",
         "$ hdbinspect open slot1.hdb              opens a browser\n"
         "$ hdbinspect open slot1.hdb slot2.hdb    two saves and what differs\n"
         "$ hdbinspect open saves/                 all saves of a folder, over time\n"
         "$ hdbinspect open slot1.hdb -o page.html    a page to pass on\n"
         "$ hdbinspect open                        a page that takes any save by drag and drop\n"
         "\n"
         "The page is one file with the saves in it and loads nothing from elsewhere; any "
         "browser of the last years shows it, on any system, without hdb. It checks each save "
         "as validate --level=deep does, and so does open: its exit status is 1 if a save is "
         "damaged. Edits stay in the page until they are downloaded as a new save.\n"
         "Without -o the page goes into a temporary folder that only its owner can read, and "
         "a browser shows it, if there is one. Together the saves may have 256 MiB; drop "
         "larger ones on the page.",
         {{"-o,--output OUT",
           &output_,
           "Write the page there, and open no browser; it must not be an input",
           {.is_file = true}},
          {"--force", &force_, "Replace OUT if it exists"},
          {"[FILE]", &where_, "Save files, folders of saves, archives", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    ExitStatus status = ExitStatus::fine;
    std::vector<std::string> paths;
    for (const std::string& where : where_) {
      if (!is_series(where)) {
        paths.push_back(where);
        continue;
      }
      const OpenSeries series = open_series(context, {where}, status);
      if (!series.saves) return worse(status, ExitStatus::trouble);
      for (const SeriesSave& save : series.saves->saves()) paths.push_back(save.name);
    }
    std::vector<std::string> inputs = paths;
    if (inputs.empty()) inputs.emplace_back();  // the output may be there all the same
    for (const std::string& input : inputs) {
      if (output_.empty()) break;
      if (auto checked = check_output(input, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    const auto page = page_of(context, paths, status);
    if (!page) return context.messages.error(page.error(), next_step_of_page(page.error()));
    std::string place = output_;
    if (place.empty()) {
      const std::string folder = make_private_folder();
      if (folder.empty()) {
        return context.messages.error(
            file_error("the temporary folder", ErrorCode::io_failed, "it cannot be made"),
            "give a file to -o");
      }
      place = folder + "/" + page_name(paths) + ".html";
    }
    if (auto written = write_text(*page, place); !written)
      return context.messages.error(written.error());
    const bool shown = output_.empty() && open_in_browser(place);
    print(context, place, page->size(), paths.size(), shown);
    return status;
  }

 private:
  static bool is_series(const std::string& where) {
    std::error_code ignored;
    return std::filesystem::is_directory(utf8_path(where), ignored) || is_archive(where);
  }

  static std::string page_name(const std::vector<std::string>& paths) {
    if (paths.size() != 1 || archive_place(paths.front()) || paths.front() == "-") return "saves";
    return utf8_text(utf8_path(paths.front()).stem());
  }

  // Reports damaged saves, which the page shows as far as it can read them.
  static Result<std::string> page_of(const Context& context, const std::vector<std::string>& paths,
                                     ExitStatus& status) {
    Page page;
    for (const std::string& path : paths) {
      const ProgressScope progress("open", shown_name(path), 3);
      const auto found = page.add_save(path);
      if (!found) return fail(found.error());
      if (found->is_valid()) continue;
      const ExitStatus shown = context.messages.error(
          with_file(found->trouble ? *found->trouble : found->findings.front().error, path));
      status = worse(status, found->trouble ? shown : ExitStatus::finding);
    }
    return std::move(page).finish();
  }

  static void print(Context& context, const std::string& place, std::uint64_t bytes,
                    std::size_t saves, bool shown) {
    if (context.globals.quiet) return;
    if (context.globals.json) {
      JsonObject object("page");
      object.text("output", json_name(place)).number("output_bytes", bytes);
      return context.out.line(object.number("saves", saves).boolean("shown", shown).str());
    }
    context.out.print("{}: {}, {}{}", printable_text(place), count_text(saves, "save"),
                      size_text(bytes), shown ? ", in a browser" : "");
  }

  std::string output_;
  bool force_ = false;
  std::vector<std::string> where_;
};

}  // namespace

std::unique_ptr<Command> make_open() { return std::make_unique<OpenCommand>(); }

}  // namespace hdb::inspect
