// hdbinspect: reads, validates and compares snapshot files without the game's code.
#include <csignal>

#include "command_line.hpp"

int main(int argc, char** argv) {
  // A closed pipe is an error code of write(), not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  return hdb::inspect::run_command_line(argc, argv);
}
