// One pass over the words; what the whole line lacks or has too much of is checked at its end.
#include "interface/parser.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "interface/help.hpp"
#include "interface/layout.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kHelp = "--help";
constexpr std::string_view kVersion = "--version";

bool is_option_word(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string fault_of_number(const Number& number, const std::string& text) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *number.value);
  const bool is_number = error != std::errc::invalid_argument && at == end;
  if (error == std::errc{} && is_number && *number.value >= number.least &&
      *number.value <= number.most)
    return {};
  if (number.most != Number{}.most) {
    return fmt::format("'{}' is not a whole number from {} to {}", text, number.least, number.most);
  }
  if (error == std::errc::result_out_of_range && is_number)
    return fmt::format("'{}' is larger than {}", text, number.most);
  return number.least == 0
             ? fmt::format("'{}' is not a whole number", text)
             : fmt::format("'{}' is not a whole number of at least {}", text, number.least);
}

// Sets the target; returns what is wrong with the value, or an empty text.
std::string set_value(const Option& option, const std::string& text) {
  const auto& choices = option.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
    return fmt::format("'{}' is not one of {}{}", text, fmt::join(choices, ", "),
                       did_you_mean(text, choices));
  }
  // A variable of a script that is not set: to treat the option as absent would do something else
  // than asked.
  if (text.empty() && !option.rules.may_be_empty)
    return option.rules.is_file ? "'' is not the name of a file" : "the value is empty";
  if (option.rules.check) {
    if (std::string fault = option.rules.check(text); !fault.empty()) return fault;
  }
  if (const auto* const number = std::get_if<Number>(&option.target))
    return fault_of_number(*number, text);
  if (auto* const* const one = std::get_if<std::string*>(&option.target)) **one = text;
  if (auto* const* const list = std::get_if<std::vector<std::string>*>(&option.target))
    (*list)->push_back(text);
  return {};
}

std::vector<std::string> command_names(const Interface& all) {
  std::vector<std::string> names;
  for (const CommandPage& page : all.commands) names.push_back(page.name);
  return names;
}

class Parser {
 public:
  explicit Parser(const Interface& all) : all_(all) {}

  Request parse(int argc, const char* const* argv) {
    bool options_ended = false;
    for (at_ = 1; at_ < argc; ++at_) {
      const std::string word = argv[at_];
      const bool has_next = at_ + 1 < argc;
      if (options_ended || !is_option_word(word)) {
        take_argument(word);
      } else if (word == "--") {
        options_ended = true;
      } else if (word.starts_with("--")) {
        const std::size_t sign = std::min(word.find('='), word.size());
        const std::string value = word.substr(std::min(sign + 1, word.size()));
        take_option(word, word.substr(0, sign), sign < word.size() ? &value : nullptr,
                    has_next ? argv[at_ + 1] : nullptr);
      } else {
        take_short_options(word, has_next ? argv[at_ + 1] : nullptr);
      }
    }
    return finish();
  }

 private:
  void fault(const std::string& text) {
    if (fault_.empty()) fault_ = text;
  }

  void take_argument(const std::string& word) {
    if (page_ != nullptr) {
      arguments_.push_back(word);
    } else if (unknown_command_.empty()) {
      page_ = all_.find_command(word);
      if (page_ == nullptr) unknown_command_ = word;
    }
  }

  // "-qv", "-n5", "-n 5".
  void take_short_options(const std::string& word, const char* next) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name{'-', word[i]};
      const std::string rest = word.substr(i + 1);
      const Option* const option = find_option(all_, page_, name);
      const bool has_value = option != nullptr && option->takes_value() && !rest.empty();
      take_option(word, name, has_value ? &rest : nullptr, next);
      if (option == nullptr || option->takes_value()) return;
    }
  }

  // `value`: the value in the word itself; null: the value is the next word.
  void take_option(const std::string& word, const std::string& name, const std::string* value,
                   const char* next) {
    const Option* const option = find_option(all_, page_, name);
    if (option == nullptr) {
      if (unknown_option_.empty()) unknown_option_ = word;
      return;
    }
    const bool is_new = given_.insert(option->main_name()).second;
    if (!option->takes_value()) {
      if (value != nullptr) fault(option->main_name() + " takes no value");
      *std::get<bool*>(option->target) = true;
      return;
    }
    if (!is_new && !option->repeats()) fault(option->main_name() + " is given twice");
    if (value != nullptr) return set(*option, *value);
    if (next == nullptr)
      return fault(fmt::format("{} needs a value: {}", option->main_name(), option->value));
    ++at_;
    set(*option, next);
  }

  void set(const Option& option, const std::string& text) {
    const std::string wrong = set_value(option, text);
    if (!wrong.empty()) fault(fmt::format("{}: {}", option.main_name(), wrong));
  }

  // Gives the arguments to the command; a list takes all that are left, except one for each
  // argument after the list.
  void set_arguments() {
    auto next = arguments_.begin();
    auto options_left = std::count_if(page_->options.begin(), page_->options.end(),
                                      [](const Option& option) { return option.is_argument(); });
    for (const Option& option : page_->options) {
      if (!option.is_argument()) continue;
      --options_left;
      while (next != arguments_.end()) {
        given_.insert(option.main_name());
        set(option, *next++);
        if (!option.repeats() || arguments_.end() - next <= options_left) break;
      }
    }
    if (next != arguments_.end()) fault(fmt::format("unexpected argument '{}'", *next));
  }

  void check_rules() {
    for (const Option& option : page_->options) {
      const bool is_given = given_.contains(option.main_name());
      if (option.rules.required && !is_given) fault(option.main_name() + " is required");
      for (const std::string& other : option.rules.excludes) {
        if (is_given && given_.contains(other))
          fault(fmt::format("{} excludes {}", other, option.main_name()));
      }
    }
  }

  [[nodiscard]] Mistake unknown_option() const {
    const std::string what = fmt::format("unknown option '{}'", unknown_option_);
    const std::string name = unknown_option_.substr(0, unknown_option_.find('='));
    if (name == unknown_option_ && name.find('.') != std::string::npos) {
      return {what,
              fmt::format("if '{0}' is the name of a file, write ./{0}, or put -- before the name",
                          name)};
    }
    std::vector<std::string> names;
    for (const Option* const option : options_of(all_, page_)) names.push_back(option->main_name());
    return {what + did_you_mean(name, names), help_command()};
  }

  [[nodiscard]] std::string help_command() const {
    return page_ == nullptr ? "hdbinspect --help"
                            : fmt::format("hdbinspect {} --help", page_->name);
  }

  // Help and version may be asked of a command line that lacks something.
  Request finish() {
    Request request;
    if (page_ != nullptr) request.command = static_cast<std::size_t>(page_ - all_.commands.data());
    const auto mistaken = [&](Mistake mistake) {
      request.kind = Request::Kind::mistake;
      request.mistake = std::move(mistake);
      return request;
    };
    if (!unknown_command_.empty()) {
      return mistaken({fmt::format("no command '{}'{}", unknown_command_,
                                   did_you_mean(unknown_command_, command_names(all_))),
                       help_command()});
    }
    if (given_.contains(kHelp) || given_.contains(kVersion)) {
      request.kind = given_.contains(kHelp) ? Request::Kind::help : Request::Kind::version;
      return request;
    }
    if (!unknown_option_.empty()) return mistaken(unknown_option());
    if (page_ == nullptr && fault_.empty()) {
      return mistaken(
          {"no command was given", help_command(), command_list(all_, help_columns(2))});
    }
    if (page_ != nullptr) {
      set_arguments();
      check_rules();
    }
    if (!fault_.empty()) return mistaken({fault_, help_command()});
    return request;
  }

  const Interface& all_;
  int at_ = 1;
  const CommandPage* page_ = nullptr;
  std::vector<std::string> arguments_;
  std::set<std::string, std::less<>> given_;  // main names
  std::string unknown_command_;
  std::string unknown_option_;
  std::string fault_;  // the first one
};

}  // namespace

std::vector<const Option*> options_of(const Interface& all, const CommandPage* page) {
  std::vector<const Option*> found;
  for (std::size_t i = 0; page != nullptr && i < page->options.size(); ++i) {
    if (!page->options[i].is_argument()) found.push_back(&page->options[i]);
  }
  for (const Option& option : all.globals) found.push_back(&option);
  return found;
}

const Option* find_option(const Interface& all, const CommandPage* page, std::string_view name) {
  for (const Option* const option : options_of(all, page)) {
    if (std::find(option->names.begin(), option->names.end(), name) != option->names.end())
      return option;
  }
  return nullptr;
}

Mistake unknown_topic(const Interface& all, const std::string& word) {
  std::vector<std::string> names = command_names(all);
  for (const Topic& topic : all.topics) names.push_back(topic.name);
  return {fmt::format("no command or topic '{}'{}", word, did_you_mean(word, names)),
          "hdbinspect --help"};
}

Request parse_command_line(const Interface& all, int argc, const char* const* argv) {
  return Parser(all).parse(argc, argv);
}

}  // namespace hdb::inspect
