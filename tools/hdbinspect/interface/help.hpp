// Help on a terminal: examples first, then usage, options, exit statuses.
#pragma once

#include <string>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// `hdbinspect --help`, in lines of at most `width` columns; as the others.
[[nodiscard]] std::string root_help(const Interface& all, std::size_t width);
/// `hdbinspect COMMAND --help`.
[[nodiscard]] std::string command_help(const Interface& all, const CommandPage& page,
                                       std::size_t width);
/// `hdbinspect help TOPIC`.
[[nodiscard]] std::string topic_help(const Topic& topic, std::size_t width);
/// The commands with their summaries.
[[nodiscard]] std::string command_list(const Interface& all, std::size_t width);

}  // namespace hdb::inspect
