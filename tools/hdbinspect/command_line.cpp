// One run of hdbinspect: global options, the command, what it throws.
#include <algorithm>
#include <exception>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "command.hpp"
#include "input.hpp"
#include "interface/help.hpp"
#include "interface/layout.hpp"
#include "interface/parser.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Global options as they are typed.
struct GlobalWords {
  bool help = false;
  bool version = false;
  std::string color = "auto";
  std::string pager = "auto";
  std::string progress = "auto";
  std::string max_memory;
  bool no_limits = false;
};

OptionList global_options(Globals& globals, GlobalWords& words) {
  return {
      {"-h,--help", &words.help, "Show this help"},
      {"-V,--version", &words.version, "Show the version of the tool and of the format"},
      {"-q,--quiet", &globals.quiet,
       "Suppress notes; diff, compat and validate only set the exit status"},
      {"-v,--verbose", &globals.verbose, "Print more details"},
      {"--json", &globals.json, "Print one JSON object per line"},
      {"--verify", &globals.verify,
       "Also read data that could be skipped because its hashes are equal"},
      {"--full", &globals.full,
       "Show values of any size whole; without it diff, get, grep, log and blame show 4 KiB of "
       "each, and 1 MiB as JSON"},
      {"--color=auto|always|never", &words.color,
       "Use colours; auto (default): on a terminal, unless NO_COLOR or TERM=dumb is set"},
      {"--pager=auto|always|never", &words.pager,
       "Show text in a pager (HDB_PAGER, PAGER, else less); auto (default): on a terminal, what is "
       "longer than the screen. JSON, watch and commands with -o never use one"},
      {"--progress=auto|always|never", &words.progress,
       "Show a progress bar on standard error; auto (default): on a terminal, for work that takes "
       "more than half a second"},
      {"--max-memory SIZE",
       &words.max_memory,
       "Use at most this much memory, and refuse work that needs more: 512M, 2G (default: 1G)",
       {.check = [](const std::string& text) { return fault_of_size(text, kLeastMemoryBytes); }}},
      {"--no-limits", &words.no_limits,
       "Read and write files beyond the default limits, as a game with higher limits writes them; "
       "only --max-memory still holds"},
  };
}

When when_of(const std::string& word) {
  return word == "always" ? When::always : word == "never" ? When::never : When::automatic;
}

void take_words(Globals& globals, const GlobalWords& words) {
  globals.color = when_of(words.color);
  globals.pager = globals.json ? When::never : when_of(words.pager);
  set_progress_mode(when_of(words.progress), globals.quiet);
  const auto bytes = parse_size(words.max_memory);
  if (words.no_limits) raise_limits();
  limit_memory(bytes && *bytes >= kLeastMemoryBytes ? *bytes : kDefaultMemoryBytes);
}

ExitStatus run_command(Command& command, const Globals& globals, const Interface& all,
                       bool takes_input) {
  Output out(kStandardOutput, wants_color(globals.color, kStandardOutput), globals.pager);
  const Messages messages(globals, &out);
  if (takes_input && is_terminal(kStandardInput))
    messages.note("reading standard input from the terminal; press Ctrl-C to stop");
  Context context{globals, out, messages, all};
  ExitStatus status = command.run(context);
  if (auto finished = out.finish(); !finished)
    status = worse(status, messages.error(finished.error()));
  return status;
}

ExitStatus print(std::string_view text, const Globals& globals) {
  Output out(kStandardOutput, false, globals.pager);
  out.write(text);
  if (auto finished = out.finish(); !finished) return Messages(globals).error(finished.error());
  return ExitStatus::fine;
}

ExitStatus parse_and_run(int argc, const char* const* argv, Globals& globals) {
  GlobalWords words;
  const auto commands = all_commands();
  const Interface all = describe_interface(commands, global_options(globals, words));
  const Request request = parse_command_line(all, argc, argv);
  take_words(globals, words);
  switch (request.kind) {
    case Request::Kind::version: return print(all.version + '\n', globals);
    case Request::Kind::help: {
      const std::size_t width = help_columns(kStandardOutput);
      return print(request.command == Request::kNoCommand
                       ? root_help(all, width)
                       : command_help(all, all.commands[request.command], width),
                   globals);
    }
    case Request::Kind::mistake:
      return Messages(globals).usage(request.mistake.what, request.mistake.next,
                                     request.mistake.list);
    case Request::Kind::run: break;
  }
  const Option* const output = find_option(all, &all.commands[request.command], "--output");
  if (output != nullptr && !std::get<std::string*>(output->target)->empty())
    globals.pager = When::never;
  const bool takes_input = std::any_of(
      argv + 1, argv + argc, [](const char* word) { return word == std::string_view("-"); });
  return run_command(*commands[request.command], globals, all, takes_input);
}

}  // namespace

ExitStatus for_each_file(const Context& context, const std::vector<std::string>& files,
                         const std::function<ExitStatus(const Reader&, const std::string&)>& use) {
  ExitStatus status = ExitStatus::fine;
  for (const std::string& file : files) {
    if (context.out.closed()) break;
    const auto reader = open_reader(file);
    status = worse(status, reader ? use(**reader, file) : context.messages.error(reader.error()));
  }
  return status;
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {make_info,      make_ls,       make_schema,     make_get,     make_dump,    make_export,
        make_sql,       make_diff,     make_log,        make_blame,   make_bisect,  make_grep,
        make_plot,      make_watch,    make_open,       make_archive, make_compat,  make_validate,
        make_repair,    make_convert,  make_import,     make_set,     make_explain, make_report,
        make_git_setup, make_git_diff, make_completion, make_help}) {
    commands.push_back(make());
  }
  return commands;
}

int run_command_line(int argc, const char* const* argv) {
  Globals globals;
  const Messages messages(globals);
  try {
    return static_cast<int>(parse_and_run(argc, argv, globals));
  } catch (const std::bad_alloc&) {
    if (memory_limit() != 0) {
      return static_cast<int>(
          messages.usage(fmt::format("HDB-E0602 the command needs more memory than --max-memory={}",
                                     memory_limit_text()),
                         "give a larger --max-memory"));
    }
    return static_cast<int>(
        messages.usage("out of memory", "close other programs, or give the tool more memory"));
  } catch (const std::system_error& error) {
    return static_cast<int>(messages.usage(
        fmt::format("a system call failed: {}", error.what()),
        memory_limit() != 0 ? "give a --max-memory larger than " + memory_limit_text()
                            : "close other programs and try again"));
  } catch (const std::exception& error) {
    return static_cast<int>(messages.usage(fmt::format("unexpected failure: {}", error.what()),
                                           "report this as a bug"));
  }
}

}  // namespace hdb::inspect
