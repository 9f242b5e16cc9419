// Sets the interface as help.
#include "interface/help.hpp"

#include "interface/layout.hpp"

namespace hdb::inspect {
namespace {

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? std::string() : "\n" + std::string(title) + ":\n" + text;
}

std::string option_list(const OptionList& options, bool arguments, std::size_t width) {
  std::vector<Meaning> list;
  for (const Option& option : options) {
    if (option.is_argument() == arguments) list.push_back({option.text(), option.help});
  }
  return definitions(list, width);
}

}  // namespace

std::string command_list(const Interface& all, std::size_t width) {
  std::vector<Meaning> list;
  for (const CommandPage& page : all.commands) list.push_back({page.name, page.summary});
  return definitions(list, width);
}

std::string root_help(const Interface& all, std::size_t width) {
  std::vector<Meaning> topics;
  for (const Topic& topic : all.topics) topics.push_back({topic.name, topic.summary});
  return wrapped("", all.purpose, 0, width) +
         section("Examples", example_lines(all.examples, width)) + "\n" +
         wrapped("Usage: ", "hdbinspect [GLOBAL] COMMAND [OPTIONS] FILE...", 7, width) +
         wrapped("", "If FILE is -, standard input is read; -- ends the options.", 0, width) +
         section("Commands", command_list(all, width)) +
         section("Global options", option_list(all.globals, false, width)) +
         section("Topics (hdbinspect help TOPIC)", definitions(topics, width)) +
         section("Exit status", definitions(all.exit_statuses, width)) + "\n" +
         wrapped("", "Run hdbinspect COMMAND --help for more.", 0, width);
}

std::string command_help(const Interface& all, const CommandPage& page, std::size_t width) {
  const std::string notes = paragraphs(page.notes, 2, width);
  return wrapped("", page.summary, 0, width) +
         section("Examples", example_lines(page.examples, width)) +
         (notes.empty() ? notes : "\n" + notes) + "\n" +
         wrapped("Usage: ", "hdbinspect " + page.usage(), 7, width) +
         section("Arguments", option_list(page.options, true, width)) +
         section("Options", option_list(page.options, false, width)) +
         section("Options of all commands", option_list(all.globals, false, width)) +
         section("Exit status", definitions(all.exit_statuses, width));
}

std::string topic_help(const Topic& topic, std::size_t width) {
  return wrapped("", topic.summary, 0, width) + "\n" + paragraphs(topic.text, 0, width);
}

}  // namespace hdb::inspect
