// Writes the golden files of all ages into a folder: make_ages FOLDER. See fixtures/make.sh.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ages.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_ages FOLDER (which exists)\n", stderr);
    return 2;
  }
  for (int age = 1; age <= 5; ++age) {
    const hdb::Bytes bytes = hdb::test::ages::file_of(age);
    const auto path = std::filesystem::path(argv[1]) / hdb::test::ages::file_name(age);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      std::fprintf(stderr, "make_ages: cannot write %s\n", path.c_str());
      return 2;
    }
  }
  return 0;
}
