// Parses the command line with CLI11 and runs one command.
#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <limits>
#include <new>

#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "hdb/schema/constants.hpp"
#include "text.hpp"
#include "version.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kExitStatuses =
    "Exit status:\n"
    "  0  fine, no difference, valid\n"
    "  1  a finding: differ, invalid, not found\n"
    "  2  trouble: usage, input/output, damaged input, a limit\n"
    "  3  the file needs a newer reader\n";

std::string version_text() {
  return fmt::format("hdbinspect {} (format {}.{})", kVersion, format::kVersionMajor,
                     format::kVersionMinor);
}

// Accepts only these words; the description is what option_lines shows.
CLI::Validator one_of(const std::vector<std::string>& choices) {
  return {[choices](std::string& text) {
            if (std::find(choices.begin(), choices.end(), text) != choices.end())
              return std::string();
            const std::string near = nearest_word(text, choices);
            return fmt::format("'{}' is none of {}{}", text, fmt::join(choices, ", "),
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
          },
          fmt::format("{{{}}}", fmt::join(choices, ","))};
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
              return fmt::format("'{}' is no whole number", text);
            return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
          },
          ""};
}

void add_globals(CLI::App& app, Globals& globals) {
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("-V,--version", version_text(),
                       "Show the version of the tool and of the format");
  app.add_flag("-q,--quiet", globals.quiet,
               "No remarks; diff and validate print nothing, their exit status tells");
  app.add_flag("-v,--verbose", globals.verbose, "Print more");
  app.add_flag("--json", globals.json, "Print one JSON object a line");
  app.add_flag("--verify", globals.verify, "Read also what equal hashes would let it skip");
  app.add_option_function<std::string>(
         "--color",
         [&globals](const std::string& when) {
           globals.color = when == "always"  ? ColorMode::always
                           : when == "never" ? ColorMode::never
                                             : ColorMode::automatic;
         },
         "Colours; auto (default): on a terminal, unless NO_COLOR or TERM=dumb is set")
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}));
}

struct AddTarget {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* flag) const {
    return app.add_flag(option.names, *flag, option.help);
  }
  CLI::Option* operator()(std::string* text) const {
    return app.add_option(option.names, *text, option.help);
  }
  CLI::Option* operator()(std::vector<std::string>* texts) const {
    CLI::Option* const added = app.add_option(option.names, *texts, option.help);
    return option.is_argument() ? added : added->allow_extra_args(false);
  }
  CLI::Option* operator()(std::uint64_t* number) const {
    return app.add_option(option.names, *number, option.help)
        ->check(whole_number(option.least, option.most));
  }
};

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* const added = std::visit(AddTarget{app, option}, option.target);
  if (!option.value.empty()) added->type_name(option.value);
  if (!option.choices.empty()) added->check(one_of(option.choices));
  for (const std::string& other : option.excludes) added->excludes(app.get_option(other));
  added->required(option.required);
}

// `help` behind `begin`, in lines of at most 80 columns that start where it starts.
std::string wrapped(std::string_view begin, std::string_view help) {
  constexpr std::size_t kColumns = 80;
  std::string text;
  std::string line(begin);
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find(' ', at), help.size());
    const bool first = line.size() == begin.size();
    if (!first && line.size() + 1 + (end - at) > kColumns) {
      text += line + '\n';
      line.assign(begin.size(), ' ');
    } else if (!first) {
      line += ' ';
    }
    line += help.substr(at, end - at);
    at = end + 1;
  }
  return text + line + '\n';
}

// Help: usage, examples, options, in this order.
std::string option_lines(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    std::string name = option->get_name(false, true);
    // "LEVEL:{quick,full}" is shown as its choices, "N:INT in [1 - 9]" as N.
    std::string value = option->get_type_name();
    if (const std::size_t choices = value.find(":{"); choices != std::string::npos) {
      name += "=" + value.substr(choices + 2, value.size() - choices - 3);
      std::replace(name.begin() + 2, name.end(), ',', '|');
    } else if (option->get_items_expected_max() > 0 && !value.empty()) {
      name += " " + value.substr(0, value.find(':'));
    }
    if (const std::size_t comma = name.find(','); comma == 2) name.insert(comma + 1, " ");
    lines.emplace_back(name, option->get_description());
  }
  std::size_t names = 0;
  for (const auto& [name, help] : lines) names = std::max(names, name.size());
  std::string text;
  for (const auto& [name, help] : lines)
    text += wrapped("  " + pad_right(name, names) + "  ", help);
  return text;
}

std::string positional_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    text += " " + option->get_name(true);
    if (option->get_expected_max() > 1) text += "...";
  }
  return text;
}

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    out += (end == 0 ? "" : "  ") + std::string(lines.substr(0, end)) + '\n';
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return out;
}

std::string command_help(const CLI::App& root, const CLI::App& app, const Command& command) {
  const std::string options = option_lines(app);
  return fmt::format(
      "{}\n\nExamples:\n{}\nUsage: hdbinspect {} [OPTIONS]{}\n{}\nOptions of all commands:\n"
      "{}\n{}",
      command.summary(), indented(command.examples()), command.name(), positional_text(app),
      options.empty() ? options : "\nOptions:\n" + options, option_lines(root), kExitStatuses);
}

std::string command_list(const std::vector<std::unique_ptr<Command>>& commands) {
  TextTable list({false, false});
  for (const auto& command : commands)
    list.add({std::string(command->name()), std::string(command->summary())});
  list.add({"help", "This help, or that of a command: hdbinspect help diff"});
  return list.text(2);
}

std::string root_help(const CLI::App& root, const std::vector<std::unique_ptr<Command>>& commands) {
  return fmt::format(
      "hdbinspect reads, validates and compares hdb save files without the game's code.\n\n"
      "Examples:\n"
      "  $ hdbinspect info slot1.hdb                      its title, date and sizes\n"
      "  $ hdbinspect ls slot1.hdb                        its tables\n"
      "  $ hdbinspect get slot1.hdb monsters:1042@7       one record\n"
      "  $ hdbinspect diff slot1.hdb slot2.hdb            what changed, field by field\n"
      "  $ hdbinspect validate slot*.hdb                  which are damaged, and where\n"
      "\nUsage: hdbinspect [GLOBAL] COMMAND [OPTIONS] FILE...\n"
      "A FILE of - is standard input; -- ends the options.\n"
      "\nCommands:\n{}\nGlobal options:\n{}\n{}\n"
      "hdbinspect COMMAND --help tells more.\n",
      command_list(commands), option_lines(root), kExitStatuses);
}

ExitStatus unknown_command(const Messages& messages, const std::string& word,
                           const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  names.emplace_back("help");
  const std::string near = nearest_word(word, names);
  if (!near.empty()) {
    return messages.usage(fmt::format("no command '{}'; did you mean '{}'?", word, near),
                          "hdbinspect --help");
  }
  return messages.usage(fmt::format("no command '{}'", word), "hdbinspect --help");
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

ExitStatus unexpected_arguments(const Messages& messages, const CLI::App& root,
                                const std::vector<std::unique_ptr<Command>>& commands) {
  const auto chosen = root.get_subcommands();
  const std::vector<std::string> extras = root.remaining(true);
  const auto unknown = std::find_if(extras.begin(), extras.end(), is_option);
  const std::string word = unknown != extras.end() ? *unknown
                           : extras.empty()        ? std::string()
                                                   : extras.front();
  if (!is_option(word)) {
    if (chosen.empty()) return unknown_command(messages, word, commands);
    return messages.usage(fmt::format("one argument too many: '{}'", word),
                          fmt::format("hdbinspect {} --help", chosen.front()->get_name()));
  }
  const std::string help = chosen.empty()
                               ? std::string("hdbinspect --help")
                               : fmt::format("hdbinspect {} --help", chosen.front()->get_name());
  if (word.find('.') != std::string::npos && word.find('=') == std::string::npos) {
    return messages.usage(fmt::format("unknown option '{}'", word),
                          fmt::format("for a file of this name: ./{}, or -- before it", word));
  }
  std::vector<std::string> names;
  for (const CLI::App* app :
       {&root, chosen.empty() ? &root : static_cast<const CLI::App*>(chosen.front())}) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  const std::string near = nearest_word(word.substr(0, word.find('=')), names);
  return messages.usage(near.empty()
                            ? fmt::format("unknown option '{}'", word)
                            : fmt::format("unknown option '{}'; did you mean '{}'?", word, near),
                        help);
}

ExitStatus run_command(Command& command, const Globals& globals, bool takes_input) {
  Output out(STDOUT_FILENO, wants_color(globals.color, STDOUT_FILENO));
  const Messages messages(globals.quiet, &out);
  if (takes_input && ::isatty(STDIN_FILENO) == 1)
    messages.note("reading standard input, a terminal; Ctrl-C ends it");
  Context context{globals, out, messages};
  ExitStatus status = command.run(context);
  if (auto finished = out.finish(); !finished)
    status = worse(status, messages.error(finished.error()));
  return status;
}

ExitStatus print(std::string_view text, const Messages& messages) {
  Output out(STDOUT_FILENO, false);
  out.write(text);
  if (auto finished = out.finish(); !finished) return messages.error(finished.error());
  return ExitStatus::fine;
}

ExitStatus parse_and_run(int argc, const char* const* argv) {
  Globals globals;
  const auto commands = all_commands();
  CLI::App root("hdbinspect");
  add_globals(root, globals);
  root.require_subcommand(0, 1);
  root.fallthrough();
  std::vector<CLI::App*> apps;
  for (const auto& command : commands) {
    CLI::App* const app =
        root.add_subcommand(std::string(command->name()), std::string(command->summary()));
    app->set_help_flag();  // the root's --help serves all
    app->fallthrough();
    for (const Option& option : command->options()) add_option(*app, option);
    apps.push_back(app);
  }
  std::string topic;
  CLI::App* const help_app = root.add_subcommand("help");
  help_app->set_help_flag();
  help_app->fallthrough();
  help_app->add_option("COMMAND", topic);
  const auto chosen = [&]() -> std::size_t {
    for (std::size_t i = 0; i < apps.size(); ++i) {
      if (apps[i]->parsed()) return i;
    }
    return apps.size();
  };
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::size_t i = chosen();
    return print(
        i == apps.size() ? root_help(root, commands) : command_help(root, *apps[i], *commands[i]),
        Messages(false));
  } catch (const CLI::CallForVersion&) {
    return print(version_text() + '\n', Messages(false));
  } catch (const CLI::ExtrasError&) {
    return unexpected_arguments(Messages(globals.quiet), root, commands);
  } catch (const CLI::ParseError& error) {
    // An unknown option may be why an argument is missing.
    const std::vector<std::string> extras = root.remaining(true);
    if (std::any_of(extras.begin(), extras.end(), is_option))
      return unexpected_arguments(Messages(globals.quiet), root, commands);
    const std::size_t i = chosen();
    const std::string help = i == apps.size()
                                 ? "hdbinspect --help"
                                 : fmt::format("hdbinspect {} --help", commands[i]->name());
    return Messages(globals.quiet).usage(error.what(), help);
  }
  const Messages messages(globals.quiet);
  if (help_app->parsed()) {
    if (topic.empty() || topic == "help") return print(root_help(root, commands), messages);
    for (std::size_t i = 0; i < apps.size(); ++i) {
      if (topic == commands[i]->name())
        return print(command_help(root, *apps[i], *commands[i]), messages);
    }
    return unknown_command(messages, topic, commands);
  }
  const std::size_t i = chosen();
  if (i == apps.size())
    return messages.usage("give a command", "hdbinspect --help", command_list(commands));
  const bool takes_input = std::any_of(
      argv + 1, argv + argc, [](const char* word) { return word == std::string_view("-"); });
  return run_command(*commands[i], globals, takes_input);
}

}  // namespace

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_info());
  commands.push_back(make_ls());
  commands.push_back(make_schema());
  commands.push_back(make_get());
  commands.push_back(make_dump());
  commands.push_back(make_diff());
  commands.push_back(make_validate());
  commands.push_back(make_repair());
  commands.push_back(make_convert());
  commands.push_back(make_explain());
  return commands;
}

int run_command_line(int argc, const char* const* argv) {
  const Messages messages(false);
  try {
    return static_cast<int>(parse_and_run(argc, argv));
  } catch (const std::bad_alloc&) {
    return static_cast<int>(
        messages.usage("out of memory", "close other programs, or give the tool more memory"));
  } catch (const std::exception& error) {
    return static_cast<int>(messages.usage(fmt::format("unexpected failure: {}", error.what()),
                                           "report this as a bug"));
  }
}

}  // namespace hdb::inspect
