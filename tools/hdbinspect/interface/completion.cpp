// Finds the command and the option that the words so far lead to.
#include "interface/completion.hpp"

#include <fmt/format.h>

#include "interface/parser.hpp"

namespace hdb::inspect {
namespace {

void add_word(std::string& out, std::string_view word, std::string_view meaning) {
  out += fmt::format("{}\t{}\n", word, meaning);
}

// The values of an option or argument, each after `prefix`.
std::string values_of(const Option& option, const std::string& prefix) {
  if (option.rules.is_file) return "@files\n";
  std::string out;
  for (const std::string& choice : option.choices) out += prefix + choice + '\n';
  return out;
}

std::string option_words(const Interface& all, const CommandPage* page) {
  std::string out;
  for (const Option* const option : options_of(all, page)) {
    for (const std::string& name : option->names) add_word(out, name, option->help);
  }
  return out;
}

std::string command_words(const Interface& all) {
  std::string out;
  for (const CommandPage& page : all.commands) add_word(out, page.name, page.summary);
  return out;
}

// The values of the first argument that has any.
std::string argument_words(const Interface& all, const CommandPage& page) {
  std::string out;
  if (page.name == "help") {
    out = command_words(all);
    for (const Topic& topic : all.topics) add_word(out, topic.name, topic.summary);
  }
  for (const Option& option : page.options) {
    if (option.is_argument() && out.empty()) out = values_of(option, "");
  }
  return out;
}

}  // namespace

std::string completion_words(const Interface& all, const std::vector<std::string>& words) {
  const CommandPage* page = nullptr;
  const Option* option = nullptr;  // whose value the next word is
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (option != nullptr) {
      if (word != "=") option = nullptr;
    } else if (word.starts_with('-')) {
      option = find_option(all, page, word);
      if (option != nullptr && !option->takes_value()) option = nullptr;
    } else if (page == nullptr) {
      page = all.find_command(word);
    }
  }
  const std::string last = words.empty() ? "" : words.back();
  if (option != nullptr) return values_of(*option, "");
  const std::size_t sign = last.find('=');
  if (last.starts_with("--") && sign != std::string::npos) {
    option = find_option(all, page, last.substr(0, sign));
    return option == nullptr ? "" : values_of(*option, last.substr(0, sign + 1));
  }
  if (last.starts_with('-')) return option_words(all, page);
  return page == nullptr ? command_words(all) : argument_words(all, *page);
}

}  // namespace hdb::inspect
