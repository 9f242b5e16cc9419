// hdbinspect: reads, validates and compares snapshot files without the game's code.
#include "command.hpp"
#include "signals.hpp"
#include "system/system.hpp"

int main(int argc, char** argv) {
  hdb::inspect::install_signal_handlers();
  const std::vector<std::string> words = hdb::inspect::prepare_process(argc, argv);
  if (words.empty()) return 2;
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  pointers.push_back(nullptr);
  const int status =
      hdb::inspect::run_command_line(static_cast<int>(words.size()), pointers.data());
  // By now nothing is left of what was being written.
  if (hdb::inspect::interrupted() != 0) hdb::inspect::end_by_signal();
  return status;
}
