// One command of hdbinspect: its options and what it does. Each lives in a file of commands/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One line for the list of commands.
  [[nodiscard]] virtual std::string_view summary() const = 0;
  /// Lines "$ command what it does", shown first in the help; behind an empty line paragraphs of
  /// notes, one a line.
  [[nodiscard]] virtual std::string_view examples() const = 0;
  /// What it takes; the targets live as long as the command.
  [[nodiscard]] virtual OptionList options() = 0;
  [[nodiscard]] virtual ExitStatus run(Context& context) = 0;
};

// The commands; `all_commands` lists them in the order of the help.
[[nodiscard]] std::unique_ptr<Command> make_info();
[[nodiscard]] std::unique_ptr<Command> make_ls();
[[nodiscard]] std::unique_ptr<Command> make_schema();
[[nodiscard]] std::unique_ptr<Command> make_get();
[[nodiscard]] std::unique_ptr<Command> make_dump();
[[nodiscard]] std::unique_ptr<Command> make_diff();
[[nodiscard]] std::unique_ptr<Command> make_validate();
[[nodiscard]] std::unique_ptr<Command> make_repair();
[[nodiscard]] std::unique_ptr<Command> make_convert();
[[nodiscard]] std::unique_ptr<Command> make_import();
[[nodiscard]] std::unique_ptr<Command> make_explain();
[[nodiscard]] std::unique_ptr<Command> make_report();
[[nodiscard]] std::unique_ptr<Command> make_completion();
[[nodiscard]] std::unique_ptr<Command> make_help();
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace hdb::inspect
