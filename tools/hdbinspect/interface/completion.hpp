// The words that the completions of all shells offer.
#pragma once

#include <string>
#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// What may replace the last of the words that follow `hdbinspect`: lines of a word, a tab and what
/// the word means. "@files" instead: the name of a file.
[[nodiscard]] std::string completion_words(const Interface& all,
                                           const std::vector<std::string>& words);

}  // namespace hdb::inspect
