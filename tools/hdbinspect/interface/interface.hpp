// What hdbinspect understands, as data: parsing, help, man page and completions all come from it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "option.hpp"

namespace hdb::inspect {

/// A command line to type, and what it does (may be empty).
struct Example {
  std::string command;
  std::string remark;
};

/// A command as its help tells it.
struct CommandPage {
  std::string name;
  std::string summary;
  std::vector<Example> examples;
  std::vector<std::string> notes;  ///< Paragraphs; one that begins with a blank keeps its blanks.
  OptionList options;              ///< Arguments too, in the order in which they are given.
};

/// A text of its own: `hdbinspect help NAME`.
struct Topic {
  std::string name;
  std::string summary;
  std::vector<std::string>
      text;  ///< Paragraphs, as CommandPage::notes; an empty one is a blank line.
};

/// A name and what it means: an exit status, a variable of the environment.
struct Meaning {
  std::string name;
  std::string text;
};

struct Interface {
  std::string version;  ///< "hdbinspect 0.1.0 (format 0.4)"
  std::string purpose;
  std::vector<Example> examples;
  OptionList globals;
  std::vector<CommandPage> commands;  ///< In the order of all_commands().
  std::vector<Topic> topics;
  std::vector<Meaning> exit_statuses;
  std::vector<Meaning> environment;

  [[nodiscard]] const CommandPage* find_command(std::string_view name) const;
  [[nodiscard]] const Topic* find_topic(std::string_view name) const;
};

/// The interface that these commands and global options make.
[[nodiscard]] Interface describe_interface(const std::vector<std::unique_ptr<Command>>& commands,
                                           OptionList globals);

/// "-t" and "--table" of "-t,--table".
[[nodiscard]] std::vector<std::string> names_of(const Option& option);
/// The long name where there is one.
[[nodiscard]] std::string main_name(const Option& option);
/// Whether it is followed by a value; arguments are values.
[[nodiscard]] bool takes_value(const Option& option);
/// Whether it may be given more than once.
[[nodiscard]] bool repeats(const Option& option);
/// "quick|full|deep", "N"; empty for a flag.
[[nodiscard]] std::string value_text(const Option& option);
/// "-t, --table TABLE", "--level=quick|full|deep".
[[nodiscard]] std::string option_text(const Option& option);
/// "FILE...", "[ERROR...]".
[[nodiscard]] std::string argument_text(const Option& option);
/// Whether a shell completes it by the names of files.
[[nodiscard]] bool completes_files(const Option& option);
/// The word that follows `hdbinspect` in a usage line, with options and arguments behind it.
[[nodiscard]] std::string usage_text(const CommandPage& page);

}  // namespace hdb::inspect
