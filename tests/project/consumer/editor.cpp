// An editor that lists the tables of a file with the installed hdb::inspect alone.
#include <hdb/inspect.hpp>

#include <cstdio>
#include <utility>

#ifdef CEREAL_CEREAL_HPP_
#error "hdb/inspect.hpp includes cereal"
#endif

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto source = hdb::FileSource::open(argv[1]);
  if (!source) return 1;
  const auto reader = hdb::Reader::open(*std::move(source));
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.error().message().c_str());
    return 1;
  }
  for (const hdb::TableDescriptor& table : (*reader)->tables()) {
    std::printf("editor: %s has %d of %d slots live\n", table.name.c_str(),
                static_cast<int>(table.live_count), static_cast<int>(table.slot_count));
  }
  return 0;
}
