// G3: file systems that lack a call: every save works there, or is a stated error that changes
// nothing; the bytes are right, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "files/folder.hpp"
#include "files/lacks.hpp"
#include "hdb/atomic_file.hpp"

namespace hdb::test::lacks_test {
namespace {

using testing::HasSubstr;

std::string content(const ModelFileSystem& files, const std::string& name) {
  const auto found = files.state.names.find(name);
  return found == files.state.names.end() ? "(none)" : files.state.files[found->second].content;
}

std::string text_of(int save) { return sample_text(9000, static_cast<unsigned>(save)); }

// Three saves of a target, one after another.
void expect_saves(const LackingSystem& kind, const std::string& target, unsigned keep) {
  SCOPED_TRACE(testing::Message() << "without " << kind.name << ", a name of " << target.size()
                                  << " bytes, " << keep << " backups");
  ModelFileSystem files;
  files.lacks = kind.lacks;
  for (int save = 1; save <= 3; ++save) {
    const ModelState::Names before = files.state.names;
    const auto report =
        save_text(target, text_of(save),
                  {.keep = keep, .read_back = ReadBack::always, .file_system = &files});
    EXPECT_TRUE(files.all_closed());
    if (!report) {
      // Only a call that nothing can take the place of.
      EXPECT_TRUE(kind.lacks.rename_over != 0 && save > 1) << report.error().message();
      EXPECT_EQ(files.state.names, before);
      EXPECT_EQ(content(files, target), text_of(1));
      EXPECT_THAT(report.error().what, HasSubstr("rename failed"));
      continue;
    }
    EXPECT_EQ(content(files, target), text_of(save));
    EXPECT_EQ(report->outcome == SaveOutcome::durable, kind.lacks.sync_directory == 0);
    const bool backs_up = keep > 0 && save > 1;
    EXPECT_EQ(!report->done_without.what.empty(),
              kind.lacks.locks != 0 || (kind.lacks.links != 0 && backs_up))
        << report->done_without.message();
    // Backups cannot move up where nothing is renamed over, nor become durable.
    const auto backups = backup_paths(target, keep, &files);
    for (int back = 1; back < save && back <= static_cast<int>(keep); ++back) {
      EXPECT_EQ(content(files, backups[static_cast<std::size_t>(back - 1)]), text_of(save - back));
    }
    const auto expected = 1 + std::min<std::size_t>(keep, static_cast<std::size_t>(save - 1));
    EXPECT_EQ(files.state.names.size(), expected) << "something is left behind";
  }
}

TEST(Lacks, EverySaveWorksWithoutACallOrChangesNothing) {
  std::size_t cases = 0;
  for (const LackingSystem& kind : lacking_systems()) {
    for (const std::size_t size : {4UL, 101UL, 143UL}) {
      for (const unsigned keep : {0U, 1U, 2U}) {
        expect_saves(kind, std::string(size, 'n'), keep);
        ++cases;
      }
    }
  }
  std::printf("G3 file systems that lack a call: cases=%zu failures=%d\n", cases,
              HasFailure() ? 1 : 0);
}

TEST(Lacks, ANameThatIsTooLongIsRefusedBeforeTheWork) {
  ModelFileSystem files;
  files.lacks.longest_name = 143;
  const auto file = AtomicFile::create(std::string(144, 'n'), {.file_system = &files});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::bad_path);
  EXPECT_TRUE(files.state.names.empty());
}

}  // namespace
}  // namespace hdb::test::lacks_test
