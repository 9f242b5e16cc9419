// A bash function that finds the command among the words and offers what may follow.
#include <fmt/format.h>

#include "interface/completion.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kBegin =
    R"bash(# Completions of hdbinspect for bash; made by `hdbinspect completion bash`.
# Sets `values` to the possible values of an option or an argument: words, or @files, or @nothing.
)bash";

// `=` is a word of its own in COMP_WORDS, as it is in COMP_WORDBREAKS.
constexpr std::string_view kEnd = R"bash(
_hdbinspect() {
  local cur=${COMP_WORDS[COMP_CWORD]} option='' command='' values='' word='' i=1
  COMPREPLY=()
  while ((i < COMP_CWORD)); do
    word=${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      [[ $word == = ]] || option=''
    elif [[ $word == -* ]]; then
      _hdbinspect_value "$command" "$word"
      [[ -z $values ]] || option=$word
    elif [[ -z $command && $word != = ]]; then
      command=$word
    fi
    ((++i))
  done
  [[ $cur != = ]] || cur=''
  if [[ -n $option ]]; then
    _hdbinspect_value "$command" "$option"
  elif [[ $cur == -* ]]; then
    _hdbinspect_options "$command"
  elif [[ -z $command ]]; then
    values=$_hdbinspect_commands
  else
    _hdbinspect_argument "$command"
  fi
  case $values in
    @nothing) ;;
    @files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur") ;;
  esac
}
complete -F _hdbinspect hdbinspect
)bash";

std::string values_of(const Option& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, " "));
  return completes_files(option) ? "@files" : "@nothing";
}

std::string option_words(const OptionList& options) {
  std::string words;
  for (const Option& option : options) {
    if (option.is_argument()) continue;
    for (const std::string& name : names_of(option)) words += (words.empty() ? "" : " ") + name;
  }
  return words;
}

std::string value_cases(const std::string& command, const OptionList& options) {
  std::string cases;
  for (const Option& option : options) {
    if (option.is_argument() || !takes_value(option)) continue;
    for (const std::string& name : names_of(option)) {
      cases += fmt::format("    {}:{}) values={} ;;\n", command, name,
                           quoted_for_shell(values_of(option)));
    }
  }
  return cases;
}

// Values that the arguments of a command have in common: those of the first that has any.
std::string argument_values(const Interface& all, const CommandPage& page) {
  if (page.name == "help") {
    std::string words;
    for (const CommandPage& other : all.commands) words += other.name + " ";
    for (const Topic& topic : all.topics) words += topic.name + " ";
    return words;
  }
  std::string values = "@nothing";
  for (const Option& option : page.options) {
    if (option.is_argument() && values == "@nothing") values = values_of(option);
  }
  return values;
}

}  // namespace

std::string quoted_for_shell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string bash_completion(const Interface& all) {
  std::string commands;
  std::string options;
  std::string arguments;
  std::string values = value_cases("*", all.globals);
  for (const CommandPage& page : all.commands) {
    commands += (commands.empty() ? "" : " ") + page.name;
    options += fmt::format("    {}) values+={} ;;\n", page.name,
                           quoted_for_shell(" " + option_words(page.options)));
    values += value_cases(page.name, page.options);
    arguments += fmt::format("    {}) values={} ;;\n", page.name,
                             quoted_for_shell(argument_values(all, page)));
  }
  return std::string(kBegin) + "_hdbinspect_commands=" + quoted_for_shell(commands) +
         "\n_hdbinspect_options() {\n  values=" + quoted_for_shell(option_words(all.globals)) +
         "\n  case $1 in\n" + options + "  esac\n}\n" +
         "_hdbinspect_value() {\n  values=''\n  case $1:$2 in\n" + values + "  esac\n}\n" +
         "_hdbinspect_argument() {\n  values='@files'\n  case $1 in\n" + arguments + "  esac\n}\n" +
         std::string(kEnd);
}

}  // namespace hdb::inspect
