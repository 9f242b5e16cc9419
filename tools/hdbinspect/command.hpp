// One command of hdbinspect: its options and what it does. Each lives in a file of commands/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "option.hpp"
#include "output.hpp"

namespace hdb::inspect {

struct Interface;

/// What a running command works with.
struct Context {
  const Globals& globals;
  Output& out;
  const Messages& messages;
  const Interface& interface;  ///< All commands and options, for help and completions.
};

/// A command line to type, and what it does (may be empty).
struct Example {
  std::string command;
  std::string remark;
};

/// What a command takes and what its help says.
struct CommandPage {
  CommandPage() = default;
  /// `text`: lines "$ command  what it does", shown first in the help; after an empty line
  /// paragraphs of notes, one a line.
  CommandPage(std::string name, std::string summary, std::string_view text, OptionList options);

  /// The words of a usage line after `hdbinspect`.
  [[nodiscard]] std::string usage() const;

  std::string name;
  std::string summary;  ///< One line for the list of commands.
  std::vector<Example> examples;
  std::vector<std::string> notes;  ///< Paragraphs; one that begins with a blank keeps its blanks.
  OptionList options;              ///< Arguments too, in the order in which they are given.
};

class Command {
 public:
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// The targets of its options live as long as the command.
  [[nodiscard]] const CommandPage& page() const noexcept { return page_; }
  [[nodiscard]] virtual ExitStatus run(Context& context) = 0;

 protected:
  Command() = default;
  /// Called once, by the constructor of each command.
  void describe(CommandPage page) { page_ = std::move(page); }

 private:
  CommandPage page_;
};

/// Opens each file and passes it to `use`; the worst status of all.
[[nodiscard]] ExitStatus for_each_file(
    const Context& context, const std::vector<std::string>& files,
    const std::function<ExitStatus(const Reader& reader, const std::string& file)>& use);

// The commands; `all_commands` lists them in the order of the help.
[[nodiscard]] std::unique_ptr<Command> make_info();
[[nodiscard]] std::unique_ptr<Command> make_ls();
[[nodiscard]] std::unique_ptr<Command> make_schema();
[[nodiscard]] std::unique_ptr<Command> make_get();
[[nodiscard]] std::unique_ptr<Command> make_dump();
[[nodiscard]] std::unique_ptr<Command> make_diff();
[[nodiscard]] std::unique_ptr<Command> make_export();
[[nodiscard]] std::unique_ptr<Command> make_sql();
[[nodiscard]] std::unique_ptr<Command> make_log();
[[nodiscard]] std::unique_ptr<Command> make_blame();
[[nodiscard]] std::unique_ptr<Command> make_bisect();
[[nodiscard]] std::unique_ptr<Command> make_grep();
[[nodiscard]] std::unique_ptr<Command> make_plot();
[[nodiscard]] std::unique_ptr<Command> make_compat();
[[nodiscard]] std::unique_ptr<Command> make_validate();
[[nodiscard]] std::unique_ptr<Command> make_repair();
[[nodiscard]] std::unique_ptr<Command> make_convert();
[[nodiscard]] std::unique_ptr<Command> make_import();
[[nodiscard]] std::unique_ptr<Command> make_set();
[[nodiscard]] std::unique_ptr<Command> make_watch();
[[nodiscard]] std::unique_ptr<Command> make_open();
[[nodiscard]] std::unique_ptr<Command> make_archive();
[[nodiscard]] std::unique_ptr<Command> make_git_setup();
[[nodiscard]] std::unique_ptr<Command> make_git_diff();
[[nodiscard]] std::unique_ptr<Command> make_explain();
[[nodiscard]] std::unique_ptr<Command> make_report();
[[nodiscard]] std::unique_ptr<Command> make_completion();
[[nodiscard]] std::unique_ptr<Command> make_help();
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

/// Runs hdbinspect with the arguments of main; returns the exit status.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace hdb::inspect
