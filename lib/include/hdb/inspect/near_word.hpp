// "Did you mean": the word nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hdb {

/// The candidate nearest to a mistyped word, upper and lower case alike; empty when none is near.
/// Complexity: the candidates times the square of at most 64 bytes.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);
/// "; did you mean 'hp'?" for the nearest candidate; empty when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

}  // namespace hdb
