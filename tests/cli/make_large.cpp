// Writes a save file of about so many megabytes that compress badly: make_large FILE MEGABYTES.
#include <hdb/hdb.hpp>

#include <cereal/types/string.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

// Text of a quarter megabyte: slow to compress, and even the smallest row group has 16 MiB.
struct Diary {
  std::string text;
  std::uint64_t number = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text), CEREAL_NVP(number));
  }
};

constexpr std::size_t kTextBytes = std::size_t{256} << 10;

std::string text_of(std::uint64_t& state) {
  std::string text(kTextBytes, ' ');
  for (char& c : text) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    c = static_cast<char>('a' + (state >> 60));
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_large FILE MEGABYTES\n", stderr);
    return 2;
  }
  const std::uint64_t bytes = std::strtoull(argv[2], nullptr, 10) << 20;
  hdb::Database db;
  auto& diaries = db.create_table<Diary>("diaries");
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < bytes / kTextBytes; ++i) diaries.insert({text_of(state), i});
  hdb::SaveOptions options;
  options.write.codec = hdb::Codec::none;
  const auto saved = hdb::save(db.capture(), argv[1], options);
  if (saved && saved->outcome == hdb::SaveOutcome::durable) return 0;
  std::fprintf(stderr, "make_large: %s\n", saved ? "not durable" : saved.error().message().c_str());
  return 2;
}
