// hdbinspect: reads, validates and compares snapshot files without the game's code.
#include <csignal>

#include <fcntl.h>

#include "command_line.hpp"

int main(int argc, char** argv) {
  // A closed pipe and a file-size limit are error codes of write(), not signals.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // A closed standard descriptor must not become that of a save file: what takes its place can
  // neither be read (0) nor be written (1, 2).
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1) {
      return 2;
    }
  }
  return hdb::inspect::run_command_line(argc, argv);
}
