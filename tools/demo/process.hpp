// Runs another program without a shell and takes what it prints.
#pragma once

#include <string>
#include <vector>

namespace demo {

struct ProcessResult {
  int exit_status = -1;  ///< -1: it could not be started, or a signal ended it.
  std::string output;    ///< Standard output and standard error.
};

/// Runs `command` (a path, then its arguments) to its end.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command);

/// The path of this program.
[[nodiscard]] std::string own_path();

}  // namespace demo
