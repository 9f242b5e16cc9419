// Text in lines that fit a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// The width in which help is set: that of the terminal at `fd`, from 40 to 100; 80 for a file.
[[nodiscard]] std::size_t help_columns(int fd);

/// The words of `text` after `begin`, in lines of at most `width` columns; later lines begin with
/// `indent` blanks. Words that fit in no line are broken.
[[nodiscard]] std::string wrapped(std::string_view begin, std::string_view text, std::size_t indent,
                                  std::size_t width);

/// Paragraphs after `indent` blanks; blanks at the beginning of one are kept, also in its later
/// lines.
[[nodiscard]] std::string paragraphs(const std::vector<std::string>& texts, std::size_t indent,
                                     std::size_t width);

/// Names with their meanings beside them, or below where the terminal is narrow or the name is
/// long.
[[nodiscard]] std::string definitions(const std::vector<Meaning>& list, std::size_t width);

/// Command lines with what they do beside them, or below. A command line that is too long goes on
/// in the next line as a shell takes it.
[[nodiscard]] std::string example_lines(const std::vector<Example>& examples, std::size_t width);

}  // namespace hdb::inspect
