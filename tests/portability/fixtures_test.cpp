// Golden files, which were written on 64-bit x86: on every processor and system they are sound,
// load, have the state hash that is recorded in them, and keep it when they are saved again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ages/ages.hpp"
#include "hdb/file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"
#include "support/source_folder.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::portability {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersions[] = {"fixtures/v0/", "fixtures/v0.10/"};

/// The golden files of all versions, but for those that need a newer reader.
std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const char* const version : kVersions) {
    for (const auto& entry : fs::recursive_directory_iterator(in_sources(version))) {
      const bool is_invalid = entry.path().parent_path().filename() == "invalid";
      if (entry.path().extension() == ".hdb" && !is_invalid) {
        files.push_back(entry.path().generic_string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Hash128 recorded_hash(const std::string& file) {
  const auto info = read_info(file);
  EXPECT_TRUE(info) << file << ": " << (info ? "" : info.error().message());
  return info ? info->state_hash : Hash128{};
}

/// Counts what a test looked at, for the line that tools/test.sh lists.
class Cases {
 public:
  explicit Cases(std::string name) : name_(std::move(name)) {}
  ~Cases() {
    const int failures = testing::Test::HasFailure() ? 1 : 0;
    std::printf("G18 %s: cases=%zu failures=%d\n", name_.c_str(), count_, failures);
  }
  Cases(const Cases&) = delete;
  Cases& operator=(const Cases&) = delete;
  void add() { ++count_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::string name_;
  std::size_t count_ = 0;
};

TEST(PortableFixtures, AreSoundAndHaveTheRecordedStateHash) {  // G18, G13
  Cases cases("fixtures_sound");
  for (const std::string& file : golden_files()) {
    SCOPED_TRACE(file);
    const Hash128 recorded = recorded_hash(file);
    auto source = FileSource::open(file);
    ASSERT_TRUE(source) << source.error().message();
    const Validation found = validate(std::move(*source), {.level = ValidationLevel::deep});
    EXPECT_TRUE(found.is_valid());
    ASSERT_TRUE(found.state_hash);
    EXPECT_EQ(*found.state_hash, recorded);
    cases.add();
  }
  EXPECT_GE(cases.count(), 18u);
}

TEST(PortableFixtures, OfAllAgesKeepTheirStateHashThroughLoadAndSave) {  // G18, G19
  Cases cases("ages_saved_again");
  for (int i = 0; i < 10; ++i) {
    const int age = i / 2 + 1;
    if (age >= 3 && i % 2 == 0) continue;  // the program writes another class version since
    const std::string file = in_sources(kVersions[i % 2]) + ages::file_name(age, false);
    SCOPED_TRACE(file);
    const Hash128 recorded = recorded_hash(file);
    const auto game = ages::opened(age);
    const auto loaded = game->db.load(file, {.verify_state_hash = true});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(game->db.state_hash(), recorded);
    MemorySink saved;
    const auto report = save(game->db.capture(), saved);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->state_hash, recorded);
    EXPECT_EQ(game->db.check_invariants(), nullptr);
    cases.add();
  }
}

// Every column is decoded, and filtered and compressed in each way.
TEST(PortableFixtures, KeepTheirStateHashWhenTheirColumnsAreWrittenAgain) {  // G18
  Cases cases("fixtures_rewritten");
  for (const std::string& file : golden_files()) {
    for (const Codec codec : {Codec::none, Codec::zstd}) {
      SCOPED_TRACE(file);
      auto source = FileSource::open(file);
      ASSERT_TRUE(source) << source.error().message();
      auto reader = Reader::open(std::move(*source));
      ASSERT_TRUE(reader) << reader.error().message();
      const auto image = image_of(std::shared_ptr<const Reader>(std::move(*reader)));
      MemorySink sink;
      WriteOptions options;
      options.codec = codec;
      const auto written = write_image(*image, sink, options);
      ASSERT_TRUE(written) << written.error().message();
      EXPECT_EQ(written->state_hash, recorded_hash(file));
      const Validation found =
          validate(std::make_unique<MemorySource>(sink.take()), {.level = ValidationLevel::deep});
      EXPECT_TRUE(found.is_valid());
      EXPECT_EQ(found.state_hash, recorded_hash(file));
      cases.add();
    }
  }
  EXPECT_GE(cases.count(), 72u);
}

TEST(PortableFixtures, TheProgramsOfAllAgesWriteTheGoldenBytes) {  // G18
  Cases cases("ages_bytes");
  for (int age = 1; age <= 5; ++age) {
    SCOPED_TRACE(age);
    const auto source =
        FileSource::open(in_sources("fixtures/v0.10/") + ages::file_name(age, false));
    ASSERT_TRUE(source) << source.error().message();
    Bytes golden((*source)->size().value());
    ASSERT_TRUE((*source)->read_at(0, golden));
    EXPECT_TRUE(ages::file_of(age) == golden) << "the bytes of the file depend on the machine";
    cases.add();
  }
}

}  // namespace
}  // namespace hdb::test::portability
