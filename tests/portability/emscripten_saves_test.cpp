// Saves by a program of WebAssembly without threads, which has the files of this machine
// (Emscripten's option NODERAWFS).
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"

namespace hdb::test::emscripten_saves_test {
namespace {

namespace fs = std::filesystem;

// A folder of its own, and a table in which a record counts the saves.
class EmscriptenSaves : public testing::Test {
 protected:
  EmscriptenSaves() { fs::create_directories(folder_); }
  ~EmscriptenSaves() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::int32_t loaded(const std::string& file) {
    units_.clear();
    const auto report = db_.load(file, {.threads = 4, .verify_state_hash = true});
    EXPECT_TRUE(report) << report.error().message();
    return report ? units_.at(unit_).hp : 0;
  }

  std::string folder_ = fs::current_path().generic_string() + "/emscripten_saves";
  Database db_;
  Table<Unit>& units_ = db_.create_table<Unit>("units");
  Handle<Unit> unit_ = units_.insert(Unit{});
};

TEST_F(EmscriptenSaves, ReplaceTheirFileAndKeepBackups) {
  SaveOptions options;
  options.file.keep = 2;
  for (std::int32_t i = 1; i <= 4; ++i) {
    units_.edit(unit_)->hp = i;
    const auto saved = save(db_.capture(), path("slot.hdb"), options);
    ASSERT_TRUE(saved) << saved.error().message();
    EXPECT_EQ(saved->outcome, SaveOutcome::durable);
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 3u) << "the save, two backups and no temporary file";
  EXPECT_EQ(loaded(path("slot.hdb")), 4);
}

TEST_F(EmscriptenSaves, EndWithinTheCallOfSaveAsync) {
  units_.edit(unit_)->hp = 7;
  SaveOptions options;
  options.write.threads = 4;
  const Saving saving = save_async(db_.capture(), path("slot.hdb"), options);
  EXPECT_TRUE(saving.done());
  ASSERT_TRUE(saving.result()) << saving.result().error().message();
  units_.edit(unit_)->hp = 8;
  EXPECT_EQ(loaded(path("slot.hdb")), 7);
}

TEST_F(EmscriptenSaves, EndWithinTheCallOfAnAutosaver) {
  Autosaver saver;
  for (std::int32_t i = 1; i <= 3; ++i) {
    units_.edit(unit_)->hp = i;
    const Saving saving = saver.save(db_.capture(), path("auto.hdb"));
    EXPECT_TRUE(saving.done());
    ASSERT_TRUE(saving.result()) << saving.result().error().message();
  }
  EXPECT_EQ(loaded(path("auto.hdb")), 3);
}

}  // namespace
}  // namespace hdb::test::emscripten_saves_test
