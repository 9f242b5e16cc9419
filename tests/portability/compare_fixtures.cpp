// compare_fixtures MADE GOLDEN: what make_fixtures wrote on this processor and system has the state
// hashes of the golden files, and the same bytes where nothing is compressed. make_fixtures no
// longer writes some of them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "hdb/hdb.hpp"

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Why the two files differ; empty: they do not.
std::string difference(const fs::path& made, const fs::path& golden) {
  const auto a = hdb::read_info(made.generic_string());
  if (!a) return a.error().message();
  const auto b = hdb::read_info(golden.generic_string());
  if (!b) return b.error().message();
  if (a->state_hash != b->state_hash)
    return "state hash " + a->state_hash.hex() + " instead of " + b->state_hash.hex();
  const std::string folder = made.parent_path().filename().string();
  const bool is_stored = folder == "ages" || folder == "series" ||
                         made.stem().string().find("stored") != std::string::npos;
  if (is_stored && content(made) != content(golden)) return "other bytes";
  return {};
}

bool is_written_no_longer(const fs::path& golden) {
  constexpr std::array kNames{"resources.hdb", "age_3.hdb", "age_4.hdb", "age_5.hdb"};
  return std::find(kNames.begin(), kNames.end(), golden.filename()) != kNames.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: compare_fixtures MADE GOLDEN (folders)\n", stderr);
    return 2;
  }
  int cases = 0;
  int failures = 0;
  for (const auto& entry : fs::recursive_directory_iterator(argv[2])) {
    const fs::path& golden = entry.path();
    if (golden.extension() != ".hdb" || golden.parent_path().filename() == "invalid" ||
        is_written_no_longer(golden)) {
      continue;
    }
    const fs::path made = argv[1] / golden.lexically_relative(argv[2]);
    const std::string text = difference(made, golden);
    ++cases;
    if (text.empty()) continue;
    ++failures;
    std::printf("%s: %s\n", made.generic_string().c_str(), text.c_str());
  }
  std::printf("G18 fixtures_made: cases=%d failures=%d\n", cases, failures);
  return failures == 0 && cases >= 18 ? 0 : 1;
}
