// What the demo asks of the operating system: another program, its own path, and the words of the
// command line.
#pragma once

#include <string>
#include <vector>

namespace demo {

struct ProcessResult {
  int exit_status = -1;  ///< -1: no shell could be started, or a signal ended it.
  std::string output;    ///< Standard output and standard error.
};

/// Runs `command` (a path, then its arguments) to its end.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command);

/// The path of this program.
[[nodiscard]] std::string own_path();

/// The words of the command line as UTF-8.
[[nodiscard]] std::vector<std::string> command_line(int argc, char** argv);

}  // namespace demo
