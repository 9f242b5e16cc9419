// Reads a command line by the interface: fills the targets of its options.
#pragma once

#include <cstdint>

#include "interface/interface.hpp"
#include "interface/mistakes.hpp"

namespace hdb::inspect {

/// What a command line asks for.
struct Request {
  enum class Kind : std::uint8_t { run, help, version, mistake };
  Kind kind = Kind::run;
  std::size_t command = kNoCommand;  ///< Into Interface::commands; none: help of the whole tool.
  Mistake mistake = {};

  static constexpr std::size_t kNoCommand = static_cast<std::size_t>(-1);
};

/// Sets the targets of the options given.
[[nodiscard]] Request parse_command_line(const Interface& all, int argc, const char* const* argv);

}  // namespace hdb::inspect
