// Finds the command and the option that the words so far lead to.
#include "interface/completion.hpp"

#include <optional>

#include <fmt/format.h>

#include "interface/file_words.hpp"
#include "interface/parser.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

void add_word(std::string& out, std::string_view word, std::string_view meaning) {
  out += fmt::format("{}\t{}\n", word, meaning);
}

// The kind of names of a file that an option or argument takes, by its word in the help.
std::optional<FileWord> file_word_of(const Option& option) {
  const std::string_view word = option.is_argument() ? option.main_name() : option.value;
  if (word == "TABLE") return FileWord::table;
  if (word == "FIELD") return FileWord::field;
  if (word == "HANDLE|PATH" || word.starts_with("RECORD")) return FileWord::record;
  if (word == "EDIT") return FileWord::edit;
  if (word == "WORLD") return FileWord::world;
  if (option.rules.is_file) return FileWord::save;
  return std::nullopt;
}

// The values of an option or argument that `begin` may become, each after `prefix`. `given` are the
// arguments before.
std::string values_of(const Option& option, const std::string& prefix, const std::string& begin,
                      const std::vector<std::string>& given) {
  std::string out;
  if (const auto kind = file_word_of(option)) {
    for (const std::string& word : split(file_words(*kind, begin, given), '\n'))
      if (!word.empty()) out += prefix + word + '\n';
  }
  if (option.rules.is_file && out.empty()) return "@files\n";
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

// The values of the arguments that may come after those given.
std::string argument_words(const Interface& all, const CommandPage& page, const std::string& begin,
                           const std::vector<std::string>& given) {
  if (page.name == "help") {
    std::string out = command_words(all);
    for (const Topic& topic : all.topics) add_word(out, topic.name, topic.summary);
    return out;
  }
  std::string out;
  std::size_t left = given.size();
  for (const Option& option : page.options) {
    if (!option.is_argument()) continue;
    // After an argument that repeats, the next word is another one of it or begins the next.
    const bool is_next = left == 0;
    if (is_next || option.repeats()) out += values_of(option, "", begin, given);
    if (is_next) break;
    left = option.repeats() ? 0 : left - 1;
  }
  return out;
}

}  // namespace

std::string completion_words(const Interface& all, const std::vector<std::string>& words) {
  const CommandPage* page = nullptr;
  const Option* option = nullptr;  // whose value the next word is
  std::vector<std::string> given;  // the arguments
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (option != nullptr) {
      option = nullptr;
    } else if (word.size() > 1 && word.starts_with('-')) {
      option = find_option(all, page, word);
      if (option != nullptr && !option->takes_value()) option = nullptr;
    } else if (page == nullptr) {
      page = all.find_command(word);
    } else {
      given.push_back(word);
    }
  }
  const std::string last = words.empty() ? "" : words.back();
  if (option != nullptr) return values_of(*option, "", last, given);
  const std::size_t sign = last.find('=');
  if (last.starts_with("--") && sign != std::string::npos) {
    option = find_option(all, page, last.substr(0, sign));
    return option == nullptr
               ? ""
               : values_of(*option, last.substr(0, sign + 1), last.substr(sign + 1), given);
  }
  if (last.starts_with('-')) return option_words(all, page);
  return page == nullptr ? command_words(all) : argument_words(all, *page, last, given);
}

}  // namespace hdb::inspect
