// What is wrong with a command line, and what to type instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

struct Mistake {
  std::string what;
  std::string next;
  std::string list = {};  ///< Lines to choose from.
};

[[nodiscard]] Mistake unknown_command(const Interface& all, const std::string& word);
/// As unknown_command, for `help WORD`, which takes topics too.
[[nodiscard]] Mistake unknown_topic(const Interface& all, const std::string& word);
/// Words that no option and no argument takes. `page`: the command that was found; null: none.
[[nodiscard]] Mistake unexpected_words(const Interface& all, const CommandPage* page,
                                       const std::vector<std::string>& words);
/// The command that prints the help for a mistake.
[[nodiscard]] std::string help_command(const CommandPage* page);
[[nodiscard]] bool is_option_word(std::string_view word);

}  // namespace hdb::inspect
