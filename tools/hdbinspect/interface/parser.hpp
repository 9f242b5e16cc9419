// Reads a command line by the interface: sets the targets of its options, or says what is wrong.
#pragma once

#include <cstdint>

#include "interface/interface.hpp"

namespace hdb::inspect {

/// What is wrong with a command line, and what to type instead.
struct Mistake {
  std::string what;
  std::string next;
  std::string list = {};  ///< Lines to choose from.
};

/// The mistake in `help WORD`.
[[nodiscard]] Mistake unknown_topic(const Interface& all, const std::string& word);

/// What a command line asks for.
struct Request {
  enum class Kind : std::uint8_t { run, help, version, mistake };
  Kind kind = Kind::run;
  std::size_t command = kNoCommand;  ///< Into Interface::commands; none: help of the whole tool.
  Mistake mistake = {};

  static constexpr std::size_t kNoCommand = static_cast<std::size_t>(-1);
};

/// Sets the targets of the options given. Options of all commands may be before and after the
/// command; "--" ends the options.
[[nodiscard]] Request parse_command_line(const Interface& all, int argc, const char* const* argv);

/// The options that may be given: of the command (null: none yet) and of all commands.
[[nodiscard]] std::vector<const Option*> options_of(const Interface& all, const CommandPage* page);
/// The one with this name; null: none.
[[nodiscard]] const Option* find_option(const Interface& all, const CommandPage* page,
                                        std::string_view name);

}  // namespace hdb::inspect
