// hdbinspect: reads, validates and compares snapshot files without the game's code.
#include <fcntl.h>

#include "command.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  hdb::inspect::install_signal_handlers();
  // A closed standard descriptor must not become that of a save file: what takes its place can
  // neither be read (0) nor be written (1, 2).
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1) {
      return 2;
    }
  }
  const int status = hdb::inspect::run_command_line(argc, argv);
  // By now nothing is left of what was being written.
  if (hdb::inspect::interrupted() != 0) hdb::inspect::end_by_signal();
  return status;
}
