// `complete` commands of fish, one a command, option and argument.
#include <fmt/format.h>

#include "interface/completion.hpp"

namespace hdb::inspect {
namespace {

std::string quoted_for_fish(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

void add_fish_options(std::string& out, const std::string& condition, const OptionList& options) {
  for (const Option& option : options) {
    if (option.is_argument()) continue;
    out += "complete -c hdbinspect" + condition;
    for (const std::string& name : names_of(option)) {
      const bool long_name = name.starts_with("--");
      out += fmt::format(" {} {}", long_name ? "-l" : "-s", name.substr(long_name ? 2 : 1));
    }
    if (takes_value(option)) out += completes_files(option) ? " -r -F" : " -x";
    if (!option.choices.empty())
      out +=
          fmt::format(" -a {}", quoted_for_fish(fmt::format("{}", fmt::join(option.choices, " "))));
    out += fmt::format(" -d {}\n", quoted_for_fish(option.help));
  }
}

}  // namespace

std::string fish_completion(const Interface& all) {
  std::string names;
  for (const CommandPage& page : all.commands) names += (names.empty() ? "" : " ") + page.name;
  std::string out =
      "# Completions of hdbinspect for fish; made by `hdbinspect completion fish`.\n"
      "complete -c hdbinspect -e\n"
      "# The first word that is the name of a command is the command.\n"
      "function __hdbinspect_command\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    if contains -- $word " +
      names +
      "\n"
      "      echo $word\n      return 0\n    end\n  end\n  return 1\nend\n"
      "function __hdbinspect_is\n  test (__hdbinspect_command; or echo none) = $argv[1]\nend\n"
      "complete -c hdbinspect -f\n";
  add_fish_options(out, "", all.globals);
  for (const CommandPage& page : all.commands) {
    out +=
        fmt::format("complete -c hdbinspect -n 'not __hdbinspect_command >/dev/null' -a {} -d {}\n",
                    quoted_for_fish(page.name), quoted_for_fish(page.summary));
    const std::string condition = fmt::format(" -n '__hdbinspect_is {}'", page.name);
    add_fish_options(out, condition, page.options);
    if (page.name == "help") {
      for (const CommandPage& other : all.commands) {
        out += fmt::format("complete -c hdbinspect{} -a {} -d {}\n", condition,
                           quoted_for_fish(other.name), quoted_for_fish(other.summary));
      }
      for (const Topic& topic : all.topics) {
        out += fmt::format("complete -c hdbinspect{} -a {} -d {}\n", condition,
                           quoted_for_fish(topic.name), quoted_for_fish(topic.summary));
      }
    }
    for (const Option& option : page.options) {
      if (!option.is_argument()) continue;
      if (!option.choices.empty()) {
        out += fmt::format("complete -c hdbinspect{} -a {}\n", condition,
                           quoted_for_fish(fmt::format("{}", fmt::join(option.choices, " "))));
      } else if (completes_files(option)) {
        out += fmt::format("complete -c hdbinspect{} -F\n", condition);
      }
    }
  }
  return out;
}

}  // namespace hdb::inspect
