// The option table and what is made of it: nothing that hdbinspect understands is missing in help,
// man page, completions.
#include "interface/interface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iomanip>
#include <set>
#include <sstream>

#include "command.hpp"
#include "interface/completion.hpp"
#include "interface/help.hpp"
#include "interface/layout.hpp"
#include "interface/parser.hpp"

namespace hdb::test::interface_test {
namespace {

using namespace hdb::inspect;  // NOLINT(google-build-using-namespace): the subject of the test
using ::testing::HasSubstr;
using ::testing::Not;

// The commands of hdbinspect and some of its global options.
struct World {
  std::vector<std::unique_ptr<Command>> commands = all_commands();
  bool help = false;
  bool version = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  std::string color = "auto";
  Interface all = describe_interface(commands, {{"-h,--help", &help, "Show this help"},
                                                {"-V,--version", &version, "Show the version"},
                                                {"-q,--quiet", &quiet, "No remarks"},
                                                {"-v,--verbose", &verbose, "More details"},
                                                {"--json", &json, "JSON"},
                                                {"--color=auto|always|never", &color, "Colours"}});

  Request parse(const std::vector<const char*>& words) const {
    std::vector<const char*> line{"hdbinspect"};
    line.insert(line.end(), words.begin(), words.end());
    return parse_command_line(all, static_cast<int>(line.size()), line.data());
  }
};

std::string without_breaks(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  std::string word;
  while (words >> word) all += word + " ";
  return all;
}

std::string roff_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return text;
}

TEST(Interface, EveryCommandAndOptionIsInTheHelp) {
  const World world;
  for (const std::size_t width : {40U, 80U, 100U}) {
    const std::string root = without_breaks(root_help(world.all, width));
    for (const CommandPage& page : world.all.commands) {
      EXPECT_THAT(root, HasSubstr(page.name + " " + page.summary.substr(0, 10)));
      const std::string help = without_breaks(command_help(world.all, page, width));
      for (const Option& option : page.options) {
        EXPECT_THAT(help, HasSubstr(option.text() + " " + option.help)) << page.name;
      }
      for (const Option& option : world.all.globals)
        EXPECT_THAT(help, HasSubstr(option.text() + " " + option.help)) << page.name;
    }
  }
}

TEST(Interface, NoLineOfAnyHelpIsWiderThanTheTerminal) {
  const World world;
  for (std::size_t width = 40; width <= 100; width += 5) {
    std::string text = root_help(world.all, width) + command_list(world.all, width);
    for (const CommandPage& page : world.all.commands) text += command_help(world.all, page, width);
    for (const Topic& topic : world.all.topics) text += topic_help(topic, width);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(Interface, HelpOrVersionOfACommandThatDoesNotExistIsAMistake) {
  const World world;
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"vaildate", "--help"},
                                             {"--help", "vaildate"},
                                             {"vaildate", "--version"},
                                             {"-q", "vaildate", "-h", "x.hdb"}}) {
    const Request request = world.parse(words);
    EXPECT_EQ(request.kind, Request::Kind::mistake);
    EXPECT_EQ(request.mistake.what, "no command 'vaildate'; did you mean 'validate'?");
  }
  EXPECT_EQ(world.parse({"--help"}).kind, Request::Kind::help);
  EXPECT_EQ(world.parse({"validate", "--help", "x.hdb"}).kind, Request::Kind::help);
  EXPECT_EQ(world.parse({"validate", "--version"}).kind, Request::Kind::version);
}

TEST(Interface, EveryCommandAndOptionIsInItsManPage) {
  const World world;
  const std::string main_page = man_page(world.all);
  for (const CommandPage& page : world.all.commands) {
    EXPECT_THAT(main_page, HasSubstr(roff_of("hdbinspect-" + page.name) + " (1)\n"));
    const std::string text = man_page(world.all, page);
    EXPECT_THAT(text, HasSubstr(roff_of("hdbinspect-" + page.name) + " \\- "));
    for (const Option& option : page.options)
      EXPECT_THAT(text, HasSubstr(".B " + roff_of(option.text()) + "\n")) << page.name;
  }
  for (const Option& option : world.all.globals)
    EXPECT_THAT(main_page, HasSubstr(".B " + roff_of(option.text()) + "\n"));
  for (const Topic& topic : world.all.topics) {
    EXPECT_THAT(main_page, HasSubstr(roff_of("hdbinspect-" + topic.name) + " (7)\n"));
    EXPECT_THAT(man_page(world.all, topic), HasSubstr(roff_of(topic.summary)));
  }
}

TEST(Interface, EveryCommandAndOptionIsCompleted) {
  const World world;
  const auto completed = [&](const std::vector<std::string>& words) {
    return "\n" + completion_words(world.all, words);
  };
  for (const CommandPage& page : world.all.commands) {
    EXPECT_THAT(completed({"--quiet", ""}), HasSubstr("\n" + page.name + "\t" + page.summary));
    EXPECT_THAT(completed({"help", ""}), HasSubstr("\n" + page.name + "\t"));
    const std::string options = completed({page.name, "-"});
    for (const Option& option : page.options) {
      if (option.is_argument()) continue;
      for (const std::string& name : option.names) {
        EXPECT_THAT(options, HasSubstr("\n" + name + "\t" + option.help)) << page.name;
        for (const std::string& choice : option.choices)
          EXPECT_THAT(completed({page.name, name, ""}), HasSubstr("\n" + choice + "\n"));
      }
    }
    for (const Option& option : world.all.globals)
      EXPECT_THAT(options, HasSubstr("\n" + option.main_name() + "\t")) << page.name;
  }
}

TEST(Interface, ValuesAreCompletedInEachForm) {
  const World world;
  const auto completed = [&](const std::vector<std::string>& words) {
    return completion_words(world.all, words);
  };
  EXPECT_EQ(completed({"validate", "--level", ""}), "quick\nfull\ndeep\n");
  EXPECT_EQ(completed({"validate", "--level=q"}), "--level=quick\n--level=full\n--level=deep\n");
  EXPECT_EQ(completed({"convert", "-o", ""}), "@files\n");
  EXPECT_EQ(completed({"diff", "a.hdb", ""}), "@files\n");
  EXPECT_EQ(completed({"diff", "--limit", "3"}), completed({"diff", ""}));
  EXPECT_EQ(completed({"diff", "a.hdb", "b.hdb", ""}), "");
  EXPECT_EQ(completed({"log", "a.hdb", ""}), "@files\n");
}

// The words after `hdbinspect` of a line that a shell reads, up to one of its operators.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> std::quoted(word, '\'');) {
    if (std::set<std::string>{"<", ">", "|", "||", "&&"}.contains(word)) break;
    words.push_back(word);
  }
  words.erase(words.begin());
  return words;
}

// Whether a remark became a part of the command: two blanks lie between them.
bool has_remark(const std::vector<std::string>& words) {
  std::size_t plain = 0;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    plain = is_plain ? plain + 1 : 0;
    if (plain > 2 || word.ends_with(',')) return true;
  }
  return false;
}

TEST(Interface, EveryExampleIsUnderstood) {
  std::size_t cases = 0;
  for (const std::unique_ptr<Command>& command : all_commands()) {
    for (const Example& example : command->page().examples) {
      if (!example.command.starts_with("hdbinspect ")) continue;  // within another command
      const std::vector<std::string> words = words_of(example.command);
      std::vector<const char*> line;
      for (const std::string& word : words) line.push_back(word.c_str());
      const World world;
      const Request request = world.parse(line);
      EXPECT_NE(request.kind, Request::Kind::mistake)
          << example.command << ": " << request.mistake.what;
      EXPECT_FALSE(has_remark(words)) << example.command;
      ++cases;
    }
  }
  EXPECT_GT(cases, 50U);
}

TEST(Interface, EveryCommandHasExamplesAndAnEntryOfItsOwn) {
  const World world;
  for (const CommandPage& page : world.all.commands) {
    EXPECT_FALSE(page.examples.empty()) << page.name;
    EXPECT_FALSE(page.summary.empty()) << page.name;
    for (const Example& example : page.examples)
      EXPECT_THAT(example.command, HasSubstr("hdbinspect"));
    for (const Option& option : page.options)
      EXPECT_FALSE(option.help.empty()) << option.main_name();
    EXPECT_EQ(world.all.find_command(page.name), &page) << "two commands of one name";
  }
}

TEST(Interface, AChoiceOutsideOfTheTableIsRefusedWithTheNearestOne) {
  const World world;
  const Request request = world.parse({"--color=alway", "ls", "x"});
  ASSERT_EQ(request.kind, Request::Kind::mistake);
  EXPECT_EQ(request.mistake.what,
            "--color: 'alway' is not one of auto, always, never; did you mean 'always'?");
}

TEST(Interface, AnEmptyNameOfAFileIsRefused) {
  const World world;
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"ls", ""}, {"report", "a", ""}, {"convert", "a", "-o", ""}}) {
    const Request request = world.parse(words);
    EXPECT_EQ(request.kind, Request::Kind::mistake) << words.front();
    EXPECT_THAT(request.mistake.what, HasSubstr("'' is not the name of a file"));
  }
}

TEST(Interface, ValuesAreTakenFromTheSameWordOrTheNext) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"ls", "--color=never", "x"},
        {"--color", "never", "ls", "x"},
        {"ls", "-q", "--color", "never", "--", "-x"}}) {
    const World world;
    EXPECT_EQ(world.parse(words).kind, Request::Kind::run);
    EXPECT_EQ(world.color, "never");
  }
}

TEST(Interface, AnOptionGivenTwiceOrAFlagWithAValueIsAMistake) {
  const World world;
  EXPECT_EQ(world.parse({"validate", "--level=full", "--level=deep", "x"}).mistake.what,
            "--level is given twice");
  EXPECT_EQ(world.parse({"ls", "--quiet=no", "x"}).mistake.what, "--quiet takes no value");
  EXPECT_EQ(world.parse({"dump", "-t", "a", "-t", "b", "-qq", "x"}).kind, Request::Kind::run);
}

TEST(Interface, HelpWinsOverWhatIsMissing) {
  const World world;
  const Request request = world.parse({"diff", "--help"});
  EXPECT_EQ(request.kind, Request::Kind::help);
  EXPECT_EQ(world.all.commands.at(request.command).name, "diff");
}

TEST(Layout, WordsThatFitInNoLineAreBroken) {
  EXPECT_EQ(wrapped("  ", "abcdefghij xy", 2, 6), "  abcd\n  efgh\n  ij\n  xy\n");
}

TEST(Layout, ALongCommandLineGoesOnAsAShellTakesIt) {
  EXPECT_EQ(example_lines({{"tool one two three", "does"}}, 16),
            "  $ tool one \\\n        two \\\n        three\n      does\n");
}

}  // namespace
}  // namespace hdb::test::interface_test
