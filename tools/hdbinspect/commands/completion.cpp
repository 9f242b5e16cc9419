// completion: what a shell needs to complete commands, options and values.
#include "interface/completion.hpp"
#include "command.hpp"

namespace hdb::inspect {
namespace {

class Completion final : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "Print completions for a shell"; }
  std::string_view examples() const override {
    return "$ source <(hdbinspect completion bash)   in ~/.bashrc\n"
           "$ hdbinspect completion fish | source    in ~/.config/fish/config.fish\n"
           "$ hdbinspect completion zsh > ~/.zfunc/_hdbinspect\n"
           "\n"
           "zsh reads the file if its folder is in fpath before compinit runs.";
  }
  OptionList options() override {
    return {{.names = "SHELL",
             .target = &shell_,
             .help = "The shell: bash, zsh or fish",
             .choices = {"bash", "zsh", "fish"},
             .required = true}};
  }

  ExitStatus run(Context& context) override {
    context.out.write(shell_ == "bash"  ? bash_completion(context.interface)
                      : shell_ == "zsh" ? zsh_completion(context.interface)
                                        : fish_completion(context.interface));
    return ExitStatus::fine;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace hdb::inspect
