// Gathers what the commands say about themselves, and what holds for all of them.
#include "interface/interface.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "interface/topics.hpp"
#include "version.hpp"

namespace hdb::inspect {
namespace {

// "$ command   what it does": two blanks or more stand between the two.
Example example_of(std::string_view line) {
  line.remove_prefix(line.starts_with("$ ") ? 2 : 0);
  const std::size_t gap = line.find("  ");
  if (gap == std::string_view::npos) return {std::string(line), {}};
  const std::size_t remark = line.find_first_not_of(' ', gap);
  return {std::string(line.substr(0, gap)),
          remark == std::string_view::npos ? std::string() : std::string(line.substr(remark))};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

CommandPage page_of(Command& command) {
  CommandPage page;
  page.name = command.name();
  page.summary = command.summary();
  bool notes = false;
  for (const std::string_view line : lines_of(command.examples())) {
    if (line.empty() && !notes) {
      notes = true;
    } else if (notes) {
      page.notes.emplace_back(line);
    } else {
      page.examples.push_back(example_of(line));
    }
  }
  page.options = command.options();
  return page;
}

}  // namespace

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
  for (const auto& command : commands) all.commands.push_back(page_of(*command));
  all.topics = all_topics();
  all.exit_statuses = {
      {"0", "success: no difference, valid"},
      {"1",
       "a finding: the files differ, a file is invalid, a record was not found, a repair lost "
       "data"},
      {"2", "trouble: wrong usage, input or output failed, damaged input, a limit was exceeded"},
      {"3", "this version cannot read the file: its format is newer, or an older draft"},
  };
  all.environment = {
      {"NO_COLOR", "If set, no colours are used, unless --color asks for them."},
      {"TERM", "If dumb, no colours and no progress bar are used, unless an option asks for them."},
      {"TMPDIR", "The folder that holds standard input while it is read (default /tmp)."},
  };
  return all;
}

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  std::string_view left = option.names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    names.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return names;
}

std::string main_name(const Option& option) {
  const std::vector<std::string> names = names_of(option);
  const auto found = std::find_if(names.begin(), names.end(),
                                  [](const std::string& name) { return name.starts_with("--"); });
  return found == names.end() ? names.front() : *found;
}

bool takes_value(const Option& option) {
  return option.is_argument() || !std::holds_alternative<bool*>(option.target);
}

bool repeats(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}

std::string value_text(const Option& option) {
  if (!takes_value(option)) return {};
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  return option.value.empty() ? std::string("VALUE") : option.value;
}

std::string option_text(const Option& option) {
  std::string text = fmt::format("{}", fmt::join(names_of(option), ", "));
  if (!takes_value(option)) return text;
  const bool long_name = text.find("--") != std::string::npos;
  return text + (!option.choices.empty() && long_name ? "=" : " ") + value_text(option);
}

std::string argument_text(const Option& option) {
  const std::string text = option.names + (repeats(option) ? "..." : "");
  return option.required ? text : "[" + text + "]";
}

bool completes_files(const Option& option) {
  if (option.completes != Completes::by_name) return option.completes == Completes::files;
  constexpr std::array<std::string_view, 8> kFileWords{"FILE", "OUT", "A",   "B",
                                                       "OLD",  "NEW", "DIR", "PATH"};
  const std::string_view word = option.is_argument() ? option.names : option.value;
  // "F.ndjson" is the name of a file too.
  return option.choices.empty() &&
         (word.find('.') != std::string_view::npos ||
          std::find(kFileWords.begin(), kFileWords.end(), word) != kFileWords.end());
}

std::string usage_text(const CommandPage& page) {
  std::string text = page.name + " [OPTIONS]";
  for (const Option& option : page.options) {
    if (option.is_argument()) text += " " + argument_text(option);
  }
  return text;
}

}  // namespace hdb::inspect
