// What hdbinspect understands, as data: parsing, help, man page and completions all come from it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace hdb::inspect {

/// A text of its own: `hdbinspect help NAME`.
struct Topic {
  std::string name;
  std::string summary;
  /// Paragraphs, as CommandPage::notes; an empty one is a blank line.
  std::vector<std::string> text;
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

}  // namespace hdb::inspect
