// G13: the golden invalid files, in this process: so the coverage of the decoder counts them.
// tests/cli/invalid_files_test.py compares the bytes that the errors name, too.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "hdb/file_system.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"
#include "support/source_folder.hpp"

namespace hdb::test {
namespace {

// What validate says, or the rewrite of a file that may only be read.
std::string first_error(const std::string& path) {
  ValidationOptions options;
  options.level = ValidationLevel::deep;
  const Validation found = validate(FileSource::open(path).value(), options);
  if (found.trouble) return std::string(code_name(found.trouble->code));
  if (!found.findings.empty()) return std::string(code_name(found.findings.front().error.code));
  auto reader = Reader::open(FileSource::open(path).value());
  if (!reader) return std::string(code_name(reader.error().code));
  MemorySink sink;
  const auto report = write_image(*image_of(std::move(*reader)), sink);
  return report ? "no error" : std::string(code_name(report.error().code));
}

TEST(InvalidFiles, GiveTheErrorThatTheyAreNamedAfter) {
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("fixtures/invalid"))) {
    if (entry.path().extension() != ".hdb") continue;
    const std::string name = entry.path().stem().string();
    EXPECT_EQ(first_error(entry.path().string()), name);
    ++cases;
  }
  EXPECT_GE(cases, 40U);
}

}  // namespace
}  // namespace hdb::test
