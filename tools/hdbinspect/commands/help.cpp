// help: the whole tool, a command, a topic, or the manual page.
#include "interface/help.hpp"
#include "command.hpp"
#include "interface/layout.hpp"
#include "interface/parser.hpp"
#include "system/system.hpp"

namespace hdb::inspect {
namespace {

class Help final : public Command {
 public:
  Help() {
    describe(
        {"help",
         "Show this help, or the help of a command or topic: hdbinspect help diff",
         "$ hdbinspect help diff                  a command\n"
         "$ hdbinspect help names                 a topic\n"
         "$ hdbinspect help --man > hdbinspect.1  the manual page\n"
         "$ hdbinspect help --man diff            that of a command or topic",
         {{"--man", &man_, "Print the manual page (roff)"},
          {"[TOPIC]", &topic_, "A command or a topic; without one, show the help of the tool"}}});
  }

  ExitStatus run(Context& context) override {
    const Interface& all = context.interface;
    const std::size_t width = help_columns(kStandardOutput);
    if (topic_.empty()) {
      context.out.write(man_ ? man_page(all) : root_help(all, width));
    } else if (const CommandPage* const page = all.find_command(topic_)) {
      context.out.write(man_ ? man_page(all, *page) : command_help(all, *page, width));
    } else if (const Topic* const topic = all.find_topic(topic_)) {
      context.out.write(man_ ? man_page(all, *topic) : topic_help(*topic, width));
    } else {
      const Mistake mistake = unknown_topic(all, topic_);
      return context.messages.usage(mistake.what, mistake.next);
    }
    return ExitStatus::fine;
  }

 private:
  bool man_ = false;
  std::string topic_;
};

}  // namespace

std::unique_ptr<Command> make_help() { return std::make_unique<Help>(); }

}  // namespace hdb::inspect
