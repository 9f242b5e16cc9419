// Completions of commands, options and values, for three shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// What may replace the last of the words that follow `hdbinspect`: lines of a word, a tab and what
/// the word means. "@files" instead: the name of a file.
[[nodiscard]] std::string completion_words(const Interface& all,
                                           const std::vector<std::string>& words);

/// A script that asks hdbinspect for these words: to be sourced by bash (4 or later) or fish (3 or
/// later); for zsh a file `_hdbinspect` of fpath, which may be sourced after compinit too.
[[nodiscard]] std::string_view completion_script(std::string_view shell);

}  // namespace hdb::inspect
