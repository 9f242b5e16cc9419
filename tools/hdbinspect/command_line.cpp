// Parses the command line with CLI11 and runs one command.
#include "command_line.hpp"

#include <algorithm>
#include <exception>
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

void add_globals(CLI::App& app, Globals& globals) {
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("-V,--version", version_text(),
                       "Show the version of the tool and of the format");
  app.add_flag("-q,--quiet", globals.quiet,
               "Print no data: the exit status tells (diff, validate); no remarks");
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
      ->check(CLI::IsMember({"auto", "always", "never"}));
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
    return app.add_option(option.names, *number, option.help);
  }
};

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* const added = std::visit(AddTarget{app, option}, option.target);
  if (!option.value.empty()) added->type_name(option.value);
  if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
  if (option.least > 0) added->check(CLI::Range(option.least, option.most));
  for (const std::string& other : option.excludes) added->excludes(app.get_option(other));
  added->required(option.required);
}

// Help: usage, examples, options, in this order.
std::string option_lines(const CLI::App& app) {
  TextTable lines({false, false});
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
    lines.add({name, option->get_description()});
  }
  return lines.text(2);
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
  return fmt::format(
      "{}\n\nExamples:\n{}\nUsage: hdbinspect {} [OPTIONS]{}\n\nOptions:\n{}\nOptions of all "
      "commands:\n{}\n{}",
      command.summary(), indented(command.examples()), command.name(), positional_text(app),
      option_lines(app), option_lines(root), kExitStatuses);
}

std::string root_help(const CLI::App& root, const std::vector<std::unique_ptr<Command>>& commands) {
  TextTable list({false, false});
  for (const auto& command : commands)
    list.add({std::string(command->name()), std::string(command->summary())});
  return fmt::format(
      "hdbinspect reads, validates and compares hdb save files without the game's code.\n\n"
      "Examples:\n"
      "  $ hdbinspect info slot1.hdb                      what it is and when it was saved\n"
      "  $ hdbinspect ls slot1.hdb                        its tables\n"
      "  $ hdbinspect get slot1.hdb monsters:1042@7       one record\n"
      "  $ hdbinspect diff slot1.hdb slot2.hdb            what changed, field by field\n"
      "  $ hdbinspect validate slot*.hdb                  which files are damaged, and where\n"
      "\nUsage: hdbinspect [GLOBAL] COMMAND [OPTIONS] FILE...\n"
      "A FILE of - is standard input; -- ends the options.\n"
      "\nCommands:\n{}\nGlobal options:\n{}\n{}\n"
      "hdbinspect COMMAND --help tells more.\n",
      list.text(2), option_lines(root), kExitStatuses);
}

ExitStatus unknown_command(const Messages& messages, const std::string& word,
                           const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  const std::string near = nearest_word(word, names);
  if (!near.empty()) {
    return messages.usage(fmt::format("no command '{}'; did you mean '{}'?", word, near),
                          "hdbinspect --help");
  }
  return messages.usage(fmt::format("no command '{}'", word), "hdbinspect --help");
}

ExitStatus unexpected_arguments(const Messages& messages, const CLI::App& root,
                                const std::vector<std::unique_ptr<Command>>& commands) {
  const auto chosen = root.get_subcommands();
  const std::vector<std::string> extras = root.remaining(true);
  const std::string word = extras.empty() ? std::string() : extras.front();
  if (chosen.empty()) {
    if (!word.starts_with('-')) return unknown_command(messages, word, commands);
    return messages.usage(fmt::format("unknown option '{}'", word), "hdbinspect --help");
  }
  const std::string help = fmt::format("hdbinspect {} --help", chosen.front()->get_name());
  if (!word.starts_with('-'))
    return messages.usage(fmt::format("one argument too many: '{}'", word), help);
  std::vector<std::string> names;
  for (const CLI::App* app : {&root, static_cast<const CLI::App*>(chosen.front())}) {
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

ExitStatus run_command(Command& command, const Globals& globals, const Messages& messages) {
  Output out(STDOUT_FILENO, wants_color(globals.color, STDOUT_FILENO));
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
    const std::size_t i = chosen();
    const std::string help = i == apps.size()
                                 ? "hdbinspect --help"
                                 : fmt::format("hdbinspect {} --help", commands[i]->name());
    return Messages(globals.quiet).usage(error.what(), help);
  }
  const Messages messages(globals.quiet);
  const std::size_t i = chosen();
  if (i == apps.size()) return messages.usage("give a command", "hdbinspect --help");
  return run_command(*commands[i], globals, messages);
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
