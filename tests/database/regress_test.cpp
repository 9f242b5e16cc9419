// G12: the files of past findings, loaded again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "files/folder.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect.hpp"
#include "hdb/save_directory.hpp"
#include "support/allocation_watch.hpp"
#include "support/source_folder.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::regress_test {
namespace {

const std::string kRegress = in_sources("fixtures/regress/");
constexpr std::size_t kFewBytes = std::size_t{16} << 20;

// The record of the files' only table.
struct Row {
  std::int32_t a = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};

// The expected result of each file: the name of an error, or "loads".
std::map<std::string, std::string> findings() {
  std::map<std::string, std::string> expected;
  std::ifstream file(kRegress + "findings.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name;
    words >> name >> expected[name];
  }
  return expected;
}

template <class T>
std::string result_of(const Result<T>& result) {
  return result ? "loads" : std::string(code_name(result.error().code));
}

TEST(Regress, EachFileGivesItsResultAndTheDatabaseStaysUsable) {
  const auto expected = findings();
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRegress)) {
    if (entry.path().extension() != ".hdb") continue;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.contains(name)) << "findings.txt lacks it";
    for (const bool is_singleton : {false, true}) {
      Database db;
      Table<Row>* rows = is_singleton ? nullptr : &db.create_table<Row>("t");
      if (is_singleton) static_cast<void>(db.singleton<Row>("t"));
      if ((name.find("singleton") != std::string::npos) != is_singleton) continue;
      reset_largest_allocation();
      const auto loaded = db.load(entry.path().string());
      EXPECT_LT(largest_allocation(), kFewBytes);
      EXPECT_EQ(result_of(loaded), expected.at(name)) << (loaded ? "" : loaded.error().message());
      EXPECT_EQ(db.check_invariants(), nullptr);
      if (!loaded) {
        EXPECT_THAT(loaded.error().message(), testing::Not(testing::HasSubstr("\x1b")));
      } else if (rows != nullptr) {
        EXPECT_EQ(rows->size(), 1U);
      }
      ++cases;
    }
  }
  EXPECT_EQ(cases, expected.size());
  std::printf("G12: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

// A tool that repairs them takes no more memory than others, and writes sound files.
TEST(Regress, EachFileIsRepairedOrRefused) {
  std::size_t cases = 0;
  for (const auto& [name, result] : findings()) {
    SCOPED_TRACE(name);
    reset_largest_allocation();
    Result<Salvage> salvaged = salvage(FileSource::open(kRegress + name + ".hdb").value());
    if (salvaged) {
      MemorySink sink;
      const auto written = write_image(*salvaged->image, sink);
      EXPECT_TRUE(written) << written.error().message();
      EXPECT_TRUE(validate(std::make_unique<MemorySource>(sink.take())).is_valid());
    }
    EXPECT_LT(largest_allocation(), kFewBytes);
    ++cases;
  }
  std::printf("G12 repaired: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(Regress, AFolderWithTheLastSequenceNumberIsSavedTo) {
  const Folder folder;
  put(folder / "quick-1.hdb", get(kRegress + "last_sequence_number.hdb"));
  std::filesystem::last_write_time(
      folder / "quick-1.hdb",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  Database db;
  auto& rows = db.create_table<Row>("t");
  rows.insert({});
  rows.insert({});
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves);
  ASSERT_TRUE(saves->save(db.capture(), "hero"));
  rows.clear();
  const auto loaded = saves->load_newest(db);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->entry.name, "hero");
  EXPECT_EQ(rows.size(), 2U);
}

}  // namespace
}  // namespace hdb::test::regress_test
