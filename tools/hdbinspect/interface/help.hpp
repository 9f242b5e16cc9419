// Help: on a terminal (examples first, then usage, options, exit statuses) and as manual page.
#pragma once

#include <string>
#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// `hdbinspect --help`, in lines of at most `width` columns; as the others.
[[nodiscard]] std::string root_help(const Interface& all, std::size_t width);
/// `hdbinspect COMMAND --help`.
[[nodiscard]] std::string command_help(const Interface& all, const CommandPage& page,
                                       std::size_t width);
/// `hdbinspect help TOPIC`.
[[nodiscard]] std::string topic_help(const Topic& topic, std::size_t width);
/// The texts that `hdbinspect help TOPIC` prints, in the order in which the help lists them.
[[nodiscard]] std::vector<Topic> all_topics();
/// hdbinspect(1) as roff, for the `man` macros.
[[nodiscard]] std::string man_page(const Interface& all);
/// hdbinspect-COMMAND(1).
[[nodiscard]] std::string man_page(const Interface& all, const CommandPage& page);
/// hdbinspect-TOPIC(7).
[[nodiscard]] std::string man_page(const Interface& all, const Topic& topic);
/// The commands with their summaries.
[[nodiscard]] std::string command_list(const Interface& all, std::size_t width);

}  // namespace hdb::inspect
