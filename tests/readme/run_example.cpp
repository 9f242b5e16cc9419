// Runs one example of a header comment in a new folder: PROGRAM NAME FIXTURES. slot1.hdb and
// slot2.hdb are before.hdb and after.hdb of the fixtures; damaged.hdb is slot1.hdb with one byte of
// a row group changed.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "readme/examples.hpp"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const auto example = all_examples().find(argc == 3 ? argv[1] : "");
  if (example == all_examples().end()) {
    std::fprintf(stderr, "usage: PROGRAM NAME FIXTURES; the names are:\n");
    for (const auto& [name, run] : all_examples()) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  const fs::path fixtures = fs::absolute(argv[2]);
  const fs::path folder = "example_" + example->first;
  fs::remove_all(folder);
  fs::create_directory(folder);
  fs::current_path(folder);
  fs::copy_file(fixtures / "before.hdb", "slot1.hdb");
  fs::copy_file(fixtures / "after.hdb", "slot2.hdb");
  fs::copy_file(fixtures / "before.hdb", "damaged.hdb");
  constexpr std::streamoff kInARowGroup = 1784;
  std::fstream damaged("damaged.hdb", std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekg(kInARowGroup);
  const int byte = damaged.get();
  damaged.seekp(kInARowGroup);
  damaged.put(static_cast<char>(byte ^ 1));
  damaged.close();
  std::signal(SIGABRT, [](int) { std::_Exit(1); });  // of assert, so that a test may expect it
  bool ended = false;
  example->second(ended);
  if (!ended) std::fprintf(stderr, "example %s: returned before its end\n", argv[1]);
  return ended ? 0 : 1;
}
