// Completions of commands, options and values, as scripts of three shells.
#pragma once

#include <string>
#include <string_view>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// To be sourced by bash (4 or later); needs nothing else.
[[nodiscard]] std::string bash_completion(const Interface& all);
/// A file `_hdbinspect` for zsh's fpath; may be sourced after compinit too.
[[nodiscard]] std::string zsh_completion(const Interface& all);
/// To be sourced by fish (3 or later), or put into its folder of completions.
[[nodiscard]] std::string fish_completion(const Interface& all);

/// The text between single quotes as bash and zsh read it.
[[nodiscard]] std::string quoted_for_shell(std::string_view text);

}  // namespace hdb::inspect
