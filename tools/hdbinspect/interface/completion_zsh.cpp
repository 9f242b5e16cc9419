// A zsh function of _arguments specifications, one list a command.
#include <fmt/format.h>

#include "interface/completion.hpp"

namespace hdb::inspect {
namespace {

// Text inside of a specification: brackets and colons are its own.
std::string in_specification(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const Option& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return completes_files(option) ? "_files" : " ";
}

std::string specifications(const OptionList& options) {
  std::string out;
  for (const Option& option : options) {
    if (option.is_argument()) continue;
    const std::vector<std::string> names = names_of(option);
    for (const std::string& name : names) {
      std::string spec;
      if (repeats(option)) {
        spec = "*";
      } else if (names.size() > 1) {
        spec = fmt::format("({})", fmt::join(names, " "));
      }
      spec += name;
      if (takes_value(option)) spec += name.starts_with("--") ? "=" : "+";
      spec += fmt::format("[{}]", in_specification(option.help));
      if (takes_value(option)) {
        spec +=
            fmt::format(":{}:{}", in_specification(option.value.empty() ? "value" : option.value),
                        action_of(option));
      }
      out += "    " + quoted_for_shell(spec) + " \\\n";
    }
  }
  return out;
}

std::string argument_specifications(const Interface& all, const CommandPage& page) {
  std::string out;
  int number = 1;
  for (const Option& option : page.options) {
    if (!option.is_argument()) continue;
    std::string action = action_of(option);
    if (page.name == "help") {
      action = "(";
      for (const CommandPage& other : all.commands) action += other.name + " ";
      for (const Topic& topic : all.topics) action += topic.name + " ";
      action.back() = ')';
    }
    const std::string position = repeats(option) ? "*" : fmt::format("{}", number++);
    const std::string gap = option.required || repeats(option) ? ":" : "::";
    out += "    " +
           quoted_for_shell(position + gap + in_specification(option.names) + ":" + action) +
           " \\\n";
  }
  return out;
}

}  // namespace

std::string zsh_completion(const Interface& all) {
  std::string out =
      "#compdef hdbinspect\n"
      "# Completions of hdbinspect for zsh; made by `hdbinspect completion zsh`.\n"
      "_hdbinspect() {\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n"
      "  local -a globals=(\n";
  std::string globals = specifications(all.globals);
  // In an array the lines need no backslash.
  for (std::size_t at = 0; (at = globals.find(" \\\n", at)) != std::string::npos;)
    globals.erase(at, 2);
  out += globals + "  )\n  _arguments -C $globals '1:command:->command' '*::argument:->argument'\n";
  out += "  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandPage& page : all.commands) {
    out += "        " + quoted_for_shell(page.name + ":" + page.summary) + "\n";
  }
  out += "      )\n      _describe command commands ;;\n    argument)\n      case $line[1] in\n";
  for (const CommandPage& page : all.commands) {
    out += fmt::format("  {})\n  _arguments -S $globals \\\n", page.name);
    std::string specs = specifications(page.options) + argument_specifications(all, page);
    if (specs.ends_with(" \\\n")) specs.resize(specs.size() - 3);
    out += (specs.empty() ? std::string("    ") : specs) + " ;;\n";
  }
  return out +
         "      esac ;;\n  esac\n}\n"
         "if [[ $funcstack[1] == _hdbinspect ]]; then\n  _hdbinspect \"$@\"\nelse\n"
         "  compdef _hdbinspect hdbinspect\nfi\n";
}

}  // namespace hdb::inspect
