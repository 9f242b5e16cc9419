// The command line: global options, commands, help with examples first, mistakes with a hint.
#pragma once

namespace hdb::inspect {

/// Runs hdbinspect with the arguments of main; returns the exit status.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace hdb::inspect
