// Gathers what the commands say about themselves, and what holds for all of them.
#include "interface/interface.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "interface/help.hpp"
#include "text.hpp"
#include "version.hpp"

namespace hdb::inspect {
namespace {

// "$ command   what it does": separated by two blanks or more.
Example example_of(std::string_view line) {
  line.remove_prefix(line.starts_with("$ ") ? 2 : 0);
  const std::size_t gap = line.find("  ");
  if (gap == std::string_view::npos) return {std::string(line), {}};
  const std::size_t remark = line.find_first_not_of(' ', gap);
  return {std::string(line.substr(0, gap)),
          remark == std::string_view::npos ? std::string() : std::string(line.substr(remark))};
}

}  // namespace

CommandPage::CommandPage(std::string own_name, std::string own_summary, std::string_view text,
                         OptionList own_options)
    : name(std::move(own_name)), summary(std::move(own_summary)), options(std::move(own_options)) {
  bool in_notes = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty() && !in_notes) {
      in_notes = true;
    } else if (in_notes) {
      notes.emplace_back(line);
    } else {
      examples.push_back(example_of(line));
    }
  }
}

std::string CommandPage::usage() const {
  std::string text = name + " [OPTIONS]";
  for (const Option& option : options) {
    if (!option.is_argument()) continue;
    const std::string argument = option.text() + (option.repeats() ? "..." : "");
    text += option.rules.required ? ' ' + argument : " [" + argument + ']';
  }
  return text;
}

const CommandPage* Interface::find_command(std::string_view name) const {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const CommandPage& page) { return page.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

const Topic* Interface::find_topic(std::string_view name) const {
  const auto found = std::find_if(topics.begin(), topics.end(),
                                  [&](const Topic& topic) { return topic.name == name; });
  return found == topics.end() ? nullptr : &*found;
}

Interface describe_interface(const std::vector<std::unique_ptr<Command>>& commands,
                             OptionList globals) {
  Interface all;
  all.version = fmt::format("hdbinspect {} (format {}.{})", kVersion, format::kVersionMajor,
                            format::kVersionMinor);
  all.purpose = "hdbinspect reads, validates and compares hdb save files without the game's code.";
  all.examples = {
      {"hdbinspect info slot1.hdb", "its title, date and sizes"},
      {"hdbinspect ls slot1.hdb", "its tables"},
      {"hdbinspect get slot1.hdb monsters:1042@7", "one record"},
      {"hdbinspect diff slot1.hdb slot2.hdb", "what changed, field by field"},
      {"hdbinspect validate slot*.hdb", "which are damaged, and where"},
  };
  all.globals = std::move(globals);
  for (const auto& command : commands) all.commands.push_back(command->page());
  all.topics = all_topics();
  all.exit_statuses = {
      {"0", "success: no difference, valid"},
      {"1",
       "a finding: the files differ, a file is invalid, a record was not found, old saves do not "
       "load, a repair lost "
       "data"},
      {"2", "trouble: wrong usage, input or output failed, damaged input, a limit was exceeded"},
      {"3", "this version cannot read the file: its format is newer, or a draft before 0.9"},
  };
  all.environment = {
      {"HDB_PAGER, PAGER",
       "The pager, a command for the shell; the first that is set counts, and cat or nothing is "
       "none. Not on Windows."},
      {"LESS", "Options of less; if it is not set, the pager gets FRX."},
      {"LINES", "Rows of a terminal whose size is unknown."},
      {"NO_COLOR", "If set, no colours are used, unless --color asks for them."},
      {"TERM",
       "If dumb, no colours, pager and progress bar are used, unless an option asks for them."},
      {"TMPDIR", "The folder that holds standard input while it is read (default /tmp)."},
  };
  return all;
}

}  // namespace hdb::inspect
