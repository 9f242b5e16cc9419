// A program with the installed archive library: makes an archive, and lists it.
#include <hdb/archive.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto archive = hdb::Archive::open(argv[1], {.create = true});
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().message().c_str());
    return 1;
  }
  const auto saves = (*archive)->list();
  if (!saves) return 1;
  std::printf("archive: %zu saves\n", saves->size());
}
