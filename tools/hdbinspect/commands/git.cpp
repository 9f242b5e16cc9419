// git-setup, git-diff: git shows which records changed in save files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "command.hpp"
#include "input.hpp"
#include "rewrite.hpp"
#include "system/paths.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kAttribute = "*.hdb diff=hdb";
constexpr std::string_view kSettings[][2] = {{"diff.hdb.textconv", "hdbinspect git-diff --text"},
                                             {"diff.hdb.command", "hdbinspect git-diff"}};

std::string trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin));
}

class GitSetup final : public Command {
 public:
  GitSetup() {
    describe(
        {"git-setup",
         "Make git diff, git show and git log -p show the records of save files",
         "$ hdbinspect git-setup              for the repository of this folder\n"
         "$ hdbinspect git-setup --global     for all repositories of this user\n"
         "$ hdbinspect git-setup --dry-run    what it would do\n"
         "$ hdbinspect git-setup --undo       take it back\n"
         "\n"
         "It sets diff.hdb.command and diff.hdb.textconv with git config, and adds the line "
         "'*.hdb diff=hdb' to the file .gitattributes of the repository, which you may commit; "
         "with --global to the file of core.attributesFile; a line of a repository, such as '*.hdb "
         "binary', hides that one, and is reported. git diff then prints what "
         "hdbinspect diff prints; git log -p and git show compare the lines of hdbinspect "
         "dump (with --ext-diff: as git diff). The settings are not part of a commit, so each "
         "clone needs its own git-setup.",
         {{"--global", &global_, "For all repositories of this user"},
          {"--undo", &undo_, "Remove what git-setup made; other settings stay"},
          {"--dry-run", &dry_run_, "Only print what would be done"}}});
  }

  ExitStatus run(Context& context) override {
    const std::string scope = global_ ? "--global" : "--local";
    const ProgramRun top = run_program(global_ ? Words{"git", "--version"}
                                               : Words{"git", "rev-parse", "--show-toplevel"});
    if (top.status != 0) {
      const bool is_missing = run_program({"git", "--version"}).status != 0;
      return context.messages.usage(
          is_missing ? "git cannot be run" : "git says: " + trimmed(top.output),
          is_missing ? "install git, or add its folder to PATH"
                     : "run it in the working tree of a repository, or give --global");
    }
    const std::string file =
        global_ ? global_attributes() : trimmed(top.output) + "/.gitattributes";
    if (ExitStatus status = change_attributes(context, file); status != ExitStatus::fine)
      return status;
    for (const auto& [name, value] : kSettings) {
      if (ExitStatus status = change_setting(context, scope, std::string(name), std::string(value));
          status != ExitStatus::fine)
        return status;
    }
    if (!undo_ && (global_ || !dry_run_)) note_hidden(context);
    if (!undo_ && run_program({"hdbinspect", "--version"}).status != 0)
      context.messages.note("git will not find hdbinspect: add its folder to PATH");
    return ExitStatus::fine;
  }

 private:
  using Words = std::vector<std::string>;

  static std::string global_attributes() {
    const ProgramRun chosen =
        run_program({"git", "config", "--global", "--path", "--get", "core.attributesFile"});
    if (chosen.status == 0) return trimmed(chosen.output);
    const char* const settings = std::getenv("XDG_CONFIG_HOME");
    if (settings != nullptr && *settings != '\0') return std::string(settings) + "/git/attributes";
    const char* const home = std::getenv("HOME");
    return std::string(home == nullptr ? "" : home) + "/.config/git/attributes";
  }

  // Adds the line or removes it; all other lines keep their bytes.
  ExitStatus change_attributes(Context& context, const std::string& path) const {
    std::string text;
    std::error_code error;
    const std::filesystem::path place = utf8_path(path);
    if (std::filesystem::exists(place, error)) {
      std::ifstream file;
      if (std::filesystem::is_regular_file(place, error)) file.open(place, std::ios::binary);
      if (file.is_open()) text.assign(std::istreambuf_iterator<char>(file), {});
      if (!file.is_open() || file.bad()) {
        return context.messages.error(file_error(path, ErrorCode::io_failed, "it cannot be read"),
                                      "make it a file that you may read");
      }
    }
    std::string kept;
    bool has_line = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const bool is_ours = trimmed(text.substr(at, end - at)) == kAttribute;
      has_line = has_line || is_ours;
      if (!is_ours || !undo_) kept += text.substr(at, end - at);
      at = end;
    }
    if (undo_ == has_line) {
      if (!undo_)
        kept += (kept.empty() || kept.ends_with('\n') ? "" : "\n") + std::string(kAttribute) + '\n';
      if (!dry_run_ && undo_ && kept.empty()) {
        std::filesystem::remove(place, error);
      } else if (!dry_run_) {
        std::filesystem::create_directories(place.parent_path(), error);
        if (Status written = write_text(kept, path); !written)
          return context.messages.error(written.error());
      }
    }
    print(context, undo_ != has_line, path, std::string(kAttribute), "");
    return ExitStatus::fine;
  }

  // Lines of the repository come before those of the user, lines of a folder before those above it.
  static void note_hidden(const Context& context) {
    namespace fs = std::filesystem;
    const ProgramRun top = run_program({"git", "rev-parse", "--show-toplevel"});
    const ProgramRun asked = run_program({"git", "check-attr", "diff", "--", "slot.hdb"});
    const std::size_t colon = asked.output.rfind(": ");
    if (top.status != 0 || asked.status != 0 || colon == std::string::npos) return;
    const std::string value = trimmed(asked.output.substr(colon + 2));
    if (value == "hdb" || value == "unspecified") return;
    std::vector<fs::path> files{utf8_path(
        trimmed(run_program({"git", "rev-parse", "--git-path", "info/attributes"}).output))};
    const fs::path highest = utf8_path(trimmed(top.output));
    std::error_code error;
    for (fs::path folder = fs::current_path(error);; folder = folder.parent_path()) {
      files.push_back(folder / ".gitattributes");
      if (folder == highest || folder == folder.parent_path()) break;
    }
    std::string place = "the attributes of git";
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
      std::ifstream lines(*file);
      std::string line;
      for (int number = 1; std::getline(lines, line); ++number) {
        const std::string text = ' ' + trimmed(line) + ' ';
        if (text.find("hdb ") == std::string::npos && text.find("* ") == std::string::npos)
          continue;
        for (const char* const name : {" binary ", " diff", " -diff ", " !diff "}) {
          if (text.find(name) != std::string::npos)
            place = fmt::format("'{}' in {}, line {}", trimmed(line), utf8_text(*file), number);
        }
      }
    }
    context.messages.note(
        fmt::format("in this repository diff is '{}' for *.hdb: add diff=hdb to the end of {}",
                    value, escape_text(place)));
  }

  // A value that is not of git-setup stays with --undo, else it is replaced and printed.
  ExitStatus change_setting(Context& context, const std::string& scope, const std::string& name,
                            const std::string& value) const {
    const ProgramRun before = run_program({"git", "config", scope, "--get", name});
    const std::string was = before.status == 0 ? trimmed(before.output) : std::string();
    const bool is_ours = was == value;
    if (undo_ == is_ours && !dry_run_) {
      Words words{"git", "config", scope, undo_ ? "--unset-all" : "--replace-all", name};
      if (!undo_) words.push_back(value);
      const ProgramRun done = run_program(words);
      if (done.status != 0) {
        return context.messages.usage("git config says: " + trimmed(done.output),
                                      "remove the cause and run hdbinspect git-setup again");
      }
    }
    print(context, undo_ != is_ours, name, value, is_ours ? "" : was);
    return ExitStatus::fine;
  }

  // `file` is a file of attributes or the name of a setting.
  void print(Context& context, bool is_done, const std::string& where, const std::string& value,
             const std::string& was) const {
    const std::string action = is_done ? (undo_ ? "absent" : "present") : undo_ ? "remove" : "add";
    if (context.globals.quiet) return;
    if (context.globals.json) {
      JsonObject object("git_setup");
      object.text("action", action).text("where", json_name(where)).text("value", value);
      if (!was.empty()) object.text("was", json_name(was));
      return context.out.line(object.boolean("dry_run", dry_run_).str());
    }
    context.out.print(
        "{}{:<8} {}: {}{}", dry_run_ && !is_done ? "would " : "", action, escape_text(where), value,
        was.empty() ? was : fmt::format(" ({}: {})", undo_ ? "stays" : "was", escape_text(was)));
  }

  bool global_ = false;
  bool undo_ = false;
  bool dry_run_ = false;
};

class GitDiff final : public Command {
 public:
  GitDiff() {
    describe(
        {"git-diff",
         "Show a change of a save file as git asks for it (see git-setup)",
         "$ git config diff.hdb.command 'hdbinspect git-diff'   git-setup does this\n"
         "\n"
         "git gives a path, then file, hash and mode of the old and the new version; after a "
         "rename the new path and what git says of it. A save that was added or deleted is "
         "shown by its tables. The exit status is 0 also for files that differ or cannot be "
         "read, because git ends at another one.",
         {{"--text", &text_,
           "Print the file WORD as text: the lines of hdbinspect dump; git log -p compares them"},
          {"WORD", &words_, "What git gives"}}});
  }

  ExitStatus run(Context& context) override {
    Output& out = context.out;
    out.never_page();
    const std::string& path = words_.front();
    if (text_) return show(context, {"hdbinspect", "dump", "--", path.c_str()});
    if (words_.size() == 1) {
      out.print("unmerged {}", escape_text(path));
      return ExitStatus::fine;
    }
    if (words_.size() < 7) {
      return context.messages.usage("git gives 7 words or more to its diff.hdb.command",
                                    "compare files with hdbinspect diff A B");
    }
    const std::string& before = words_[1];
    const std::string& after = words_[4];
    const bool is_added = before == kNone;
    const bool is_deleted = after == kNone;
    const bool color = wants_git_color(context);
    const auto heading = [&](const std::string& text) {
      out.line(color ? "\x1b[1m" + escape_text(text) + "\x1b[0m" : escape_text(text));
    };
    heading(fmt::format("diff --hdb a/{} b/{}", path, words_.size() > 7 ? words_[7] : path));
    if (is_added) heading("new file mode " + words_[6]);
    if (is_deleted) heading("deleted file mode " + words_[3]);
    if (!is_added && !is_deleted && words_[3] != words_[6])
      heading(fmt::format("old mode {}, new mode {}", words_[3], words_[6]));
    if (words_.size() > 8) {
      for (const std::string& line : split(words_[8], '\n')) {
        if (!line.empty()) heading(line);
      }
    }
    out.flush();
    std::vector<const char*> words{"hdbinspect", color ? "--color=always" : "--color=never"};
    if (is_added || is_deleted) {
      words.insert(words.end(), {"ls", "--", (is_added ? after : before).c_str()});
    } else {
      words.insert(words.end(), {"diff", "--", before.c_str(), after.c_str()});
    }
    return show(context, std::move(words));
  }

 private:
  static constexpr std::string_view kNone = "/dev/null";  // git's name of a missing version

  // git knows its own options, settings and pager.
  static bool wants_git_color(const Context& context) {
    const bool wanted = wants_color(context.globals.color, kStandardOutput);
    if (context.globals.color != When::automatic) return wanted;
    const ProgramRun asked = run_program({"git", "config", "--get-colorbool", "color.diff",
                                          is_terminal(kStandardOutput) ? "true" : "false"});
    return asked.status == 0 ? asked.output == "true\n" : wanted;
  }

  // git ends at a status that is not 0, and then shows nothing of other files either. It has a
  // pager of its own.
  static ExitStatus show(Context& context, std::vector<const char*> words) {
    words.insert(words.begin() + 1, "--pager=never");
    words.push_back(nullptr);
    take_files_of_git();
    const int status = run_command_line(static_cast<int>(words.size() - 1), words.data());
    if (status > static_cast<int>(ExitStatus::finding))
      context.out.line("not shown: the message is on standard error");
    return ExitStatus::fine;
  }

  bool text_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_git_setup() { return std::make_unique<GitSetup>(); }
std::unique_ptr<Command> make_git_diff() { return std::make_unique<GitDiff>(); }

}  // namespace hdb::inspect
