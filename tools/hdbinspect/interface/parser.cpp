// The options of the interface as those of CLI11.
#include "interface/parser.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "interface/help.hpp"
#include "interface/layout.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Accepts only these words.
CLI::Validator one_of(const std::vector<std::string>& choices) {
  return {[choices](std::string& text) {
            if (std::find(choices.begin(), choices.end(), text) != choices.end())
              return std::string();
            const std::string near = nearest_word(text, choices);
            return fmt::format("'{}' is not one of {}{}", text, fmt::join(choices, ", "),
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
          },
          ""};
}

// Accepts digits alone: strtoull would take -1 for a huge number.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && at == end && value >= least && value <= most)
              return std::string();
            if (most == std::numeric_limits<std::uint64_t>::max())
              return fmt::format("'{}' is not a whole number", text);
            return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Validator checked_by(const std::function<std::string(const std::string&)>& check) {
  return {[check](std::string& text) { return check(text); }, ""};
}

// A variable of a script that is not set: to take it for an option that is not given would do
// something else than asked.
CLI::Validator not_empty() {
  return {[](std::string& text) {
            return text.empty() ? std::string("'' is not the name of a file") : std::string();
          },
          ""};
}

struct AddTarget {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* flag) const { return app.add_flag(option.names, *flag); }
  CLI::Option* operator()(std::string* text) const { return app.add_option(option.names, *text); }
  CLI::Option* operator()(std::vector<std::string>* texts) const {
    CLI::Option* const added = app.add_option(option.names, *texts);
    return option.is_argument() ? added : added->allow_extra_args(false);
  }
  CLI::Option* operator()(std::uint64_t* number) const {
    return app.add_option(option.names, *number)->check(whole_number(option.least, option.most));
  }
};

void add_options(CLI::App& app, const OptionList& options) {
  for (const Option& option : options) {
    CLI::Option* const added = std::visit(AddTarget{app, option}, option.target);
    if (!option.choices.empty()) added->check(one_of(option.choices));
    if (completes_files(option)) added->check(not_empty());
    if (option.check) added->check(checked_by(option.check));
    for (const std::string& other : option.excludes) added->excludes(app.get_option(other));
    added->required(option.required);
  }
}

// What the user typed of an option is not known to the exception, but its name stands first.
std::string told_by(const CLI::ParseError& error, const Interface& all, const CommandPage* page) {
  const std::string what = error.what();
  if (error.get_name() != "ArgumentMismatch") return what;
  const std::string name = what.substr(0, what.find(':'));
  const auto find = [&name](const OptionList& options) -> const Option* {
    const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return !option.is_argument() && main_name(option) == name;
    });
    return found == options.end() ? nullptr : &*found;
  };
  const Option* option = page == nullptr ? nullptr : find(page->options);
  if (option == nullptr) option = find(all.globals);
  if (option == nullptr) return what;
  return fmt::format("{} needs a value: {}", name, value_text(*option));
}

Request mistaken(Mistake mistake) {
  Request request;
  request.kind = Request::Kind::mistake;
  request.mistake = std::move(mistake);
  return request;
}

}  // namespace

Request parse_command_line(const Interface& all, int argc, const char* const* argv) {
  bool help = false;
  bool version = false;
  CLI::App root("hdbinspect");
  root.set_help_flag();
  add_options(root, all.globals);
  root.require_subcommand(0, 1);
  root.fallthrough();
  std::vector<CLI::App*> apps;
  for (const CommandPage& page : all.commands) {
    CLI::App* const app = root.add_subcommand(page.name);
    app->set_help_flag();  // the root's --help serves all
    app->fallthrough();
    add_options(*app, page.options);
    apps.push_back(app);
  }
  // Both are asked of a command line that may lack what is required: they come first.
  for (const Option& option : all.globals) {
    if (main_name(option) == "--help") {
      root.remove_option(root.get_option("--help"));
      root.set_help_flag(option.names);
    } else if (main_name(option) == "--version") {
      root.remove_option(root.get_option("--version"));
      root.set_version_flag(option.names, all.version);
    }
  }
  Request request;
  const auto page = [&]() -> const CommandPage* {
    for (std::size_t i = 0; i < apps.size(); ++i) {
      if (!apps[i]->parsed()) continue;
      request.command = i;
      return &all.commands[i];
    }
    return nullptr;
  };
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    help = true;
  } catch (const CLI::CallForVersion&) {
    version = true;
  } catch (const CLI::ExtrasError&) {
    return mistaken(unexpected_words(all, page(), root.remaining(true)));
  } catch (const CLI::ParseError& error) {
    // An unknown option may be why an argument is missing.
    const std::vector<std::string> extras = root.remaining(true);
    if (std::any_of(extras.begin(), extras.end(), is_option_word))
      return mistaken(unexpected_words(all, page(), extras));
    return mistaken({told_by(error, all, page()), help_command(page())});
  }
  const bool has_command = page() != nullptr;
  if (help && !has_command) {
    // Help for a command that does not exist.
    const std::vector<std::string> extras = root.remaining(true);
    const auto word = std::find_if_not(extras.begin(), extras.end(), is_option_word);
    if (word != extras.end()) return mistaken(unknown_command(all, *word));
  }
  if (version) {
    request.kind = Request::Kind::version;
  } else if (help) {
    request.kind = Request::Kind::help;
  } else if (!has_command) {
    return mistaken(
        {"no command was given", "hdbinspect --help", command_list(all, help_columns(2))});
  }
  return request;
}

}  // namespace hdb::inspect
