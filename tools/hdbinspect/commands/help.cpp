// help: the whole tool, a command, a topic, or the manual page.
#include <unistd.h>

#include "command.hpp"
#include "interface/help.hpp"
#include "interface/layout.hpp"
#include "interface/man_page.hpp"
#include "interface/mistakes.hpp"

namespace hdb::inspect {
namespace {

class Help final : public Command {
 public:
  std::string_view name() const override { return "help"; }
  std::string_view summary() const override {
    return "Show this help, or the help of a command or topic: hdbinspect help diff";
  }
  std::string_view examples() const override {
    return "$ hdbinspect help diff                  a command\n"
           "$ hdbinspect help names                 a topic\n"
           "$ hdbinspect help --man > hdbinspect.1  the manual page";
  }
  OptionList options() override {
    return {
        {.names = "--man", .target = &man_, .help = "Print the manual page (roff)"},
        {.names = "TOPIC",
         .target = &topic_,
         .help = "A command or a topic; without one, show the help of the tool",
         .completes = Completes::nothing},
    };
  }

  ExitStatus run(Context& context) override {
    const Interface& all = context.interface;
    const std::size_t width = help_columns(STDOUT_FILENO);
    if (man_) {
      context.out.write(man_page(all));
    } else if (topic_.empty()) {
      context.out.write(root_help(all, width));
    } else if (const CommandPage* const page = all.find_command(topic_)) {
      context.out.write(command_help(all, *page, width));
    } else if (const Topic* const topic = all.find_topic(topic_)) {
      context.out.write(topic_help(*topic, width));
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
