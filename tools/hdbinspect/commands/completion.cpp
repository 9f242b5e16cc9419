// completion: what a shell needs to complete commands, options and values.
#include "interface/completion.hpp"
#include "assets.hpp"
#include "command.hpp"

namespace hdb::inspect {
namespace {

class Completion final : public Command {
 public:
  Completion() {
    describe({"completion",
              "Print completions for a shell",
              "$ source <(hdbinspect completion bash)   in ~/.bashrc\n"
              "$ hdbinspect completion fish | source    in ~/.config/fish/config.fish\n"
              "$ hdbinspect completion zsh > ~/.zfunc/_hdbinspect\n"
              "\n"
              "zsh reads the file if its folder is in fpath before compinit runs.",
              {{"SHELL=bash|zsh|fish|words", &shell_, "The shell: bash, zsh or fish"},
               {"[WORD]",
                &words_,
                "With words instead of a shell: a command line after hdbinspect; print what may "
                "replace its last word, as the completions do",
                {.may_be_empty = true}}}});
  }

  ExitStatus run(Context& context) override {
    context.out.write(shell_ == "words" ? completion_words(context.interface, words_)
                                        : completion_script(shell_));
    return ExitStatus::fine;
  }

 private:
  std::string shell_;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace hdb::inspect
