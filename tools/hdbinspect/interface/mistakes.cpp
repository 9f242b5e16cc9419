// Names the nearest thing that there is.
#include "interface/mistakes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text.hpp"

namespace hdb::inspect {
namespace {

Mistake no_such(std::string_view kind, const std::string& word,
                const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  std::string what = fmt::format("no {} '{}'", kind, word);
  if (!near.empty()) what += fmt::format("; did you mean '{}'?", near);
  return {std::move(what), "hdbinspect --help"};
}

std::vector<std::string> command_names(const Interface& all) {
  std::vector<std::string> names;
  for (const CommandPage& page : all.commands) names.push_back(page.name);
  return names;
}

}  // namespace

bool is_option_word(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string help_command(const CommandPage* page) {
  return page == nullptr ? std::string("hdbinspect --help")
                         : fmt::format("hdbinspect {} --help", page->name);
}

Mistake unknown_command(const Interface& all, const std::string& word) {
  return no_such("command", word, command_names(all));
}

Mistake unknown_topic(const Interface& all, const std::string& word) {
  std::vector<std::string> names = command_names(all);
  for (const Topic& topic : all.topics) names.push_back(topic.name);
  return no_such("command or topic", word, names);
}

Mistake unexpected_words(const Interface& all, const CommandPage* page,
                         const std::vector<std::string>& words) {
  const auto unknown = std::find_if(words.begin(), words.end(), is_option_word);
  const std::string word = unknown != words.end() ? *unknown
                           : words.empty()        ? std::string()
                                                  : words.front();
  if (!is_option_word(word)) {
    if (page == nullptr) return unknown_command(all, word);
    return {fmt::format("unexpected argument '{}'", word), help_command(page)};
  }
  if (word.find('.') != std::string::npos && word.find('=') == std::string::npos) {
    return {fmt::format("unknown option '{}'", word),
            fmt::format("if '{0}' is the name of a file, write ./{0}, or put -- before the name",
                        word)};
  }
  std::vector<std::string> names;
  const auto add = [&names](const OptionList& options) {
    for (const Option& option : options) {
      if (!option.is_argument() && main_name(option).starts_with("--"))
        names.push_back(main_name(option));
    }
  };
  add(all.globals);
  if (page != nullptr) add(page->options);
  const std::string near = nearest_word(word.substr(0, word.find('=')), names);
  std::string what = fmt::format("unknown option '{}'", word);
  if (!near.empty()) what += fmt::format("; did you mean '{}'?", near);
  return {std::move(what), help_command(page)};
}

}  // namespace hdb::inspect
