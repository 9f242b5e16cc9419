// G1: a crash at any call of a save, with any loss that a power cut may cause, leaves the old or
// the new save.
//
// Some saves of one target run on a model file system. After each call that changes something, the
// test makes every state that a crash there can leave, and looks at what the target's name leads
// to, and at which backups are left.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <random>

#include "files/folder.hpp"
#include "files/model_file_system.hpp"
#include "files/wrapped_file_system.hpp"

namespace hdb::test {
namespace {

constexpr std::size_t kBlockBytes = 18000;
constexpr std::size_t kSaveBytes = 4 * kBlockBytes;  // 4 blocks
constexpr int kMaxSaves = 4;

std::string version(int number) { return sample_text(kSaveBytes, static_cast<unsigned>(number)); }

// Which versions the target may show; 0 is "no file".
struct Expected {
  int oldest = 0;
  int newest = 0;
  int oldest_backup =
      1;  ///< Until the target shows `newest`, this version and all between are left in some form.
};

struct Count {
  std::size_t states = 0;
  std::size_t failures = 0;
};

// What becomes of a file's bytes that were not synced.
using Loss = std::function<void(std::string& content, std::size_t synced_bytes)>;

void zero(std::string& content, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, content.size()); ++i) content[i] = '\0';
}

// Dropped, zeroed, torn at every multiple of 512 bytes (4096 are among them), and random sectors
// lost.
std::vector<Loss> all_losses() {
  std::vector<Loss> losses{[](std::string&, std::size_t) {}};
  for (std::size_t cut = 0; cut < kSaveBytes; cut += 512) {
    losses.push_back([cut](std::string& content, std::size_t synced) {
      if (content.size() > std::max(cut, synced)) content.resize(std::max(cut, synced));
    });
    losses.push_back([cut](std::string& content, std::size_t synced) {
      zero(content, std::max(cut, synced), content.size());
    });
    losses.push_back(
        [cut](std::string& content, std::size_t synced) { zero(content, synced, cut); });
  }
  for (const std::size_t sector : {std::size_t{512}, std::size_t{4096}}) {
    for (unsigned seed = 0; seed < 32; ++seed) {
      losses.push_back([=](std::string& content, std::size_t synced) {
        std::mt19937 random(seed);
        for (std::size_t at = 0; at < content.size(); at += sector) {
          if (random() % 2 == 0) zero(content, std::max(at, synced), at + sector);
        }
      });
    }
  }
  return losses;
}

class CrashCheck {
 public:
  // Makes every state that a crash in `state` can leave.
  void crash(const ModelState& state, const Expected& expected) {
    judge(state.names, state.files, expected, true);  // killed: the system lives on
    const bool any_data = std::any_of(state.files.begin(), state.files.end(), [](const auto& file) {
      return file.synced_bytes < file.content.size();
    });
    const std::size_t losses = any_data ? losses_.size() : 1;
    auto changes = state.unsynced;
    std::erase_if(changes, is_of_lock);
    for (std::size_t subset = 0; subset < std::size_t{1} << changes.size(); ++subset) {
      ModelState::Names names = state.synced_names;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        if ((subset >> i) & 1) ModelState::apply(changes[i], names);
      }
      for (std::size_t loss = 0; loss < losses; ++loss) {
        auto files = state.files;
        for (auto& file : files) {
          if (file.synced_bytes < file.content.size())
            losses_[loss](file.content, file.synced_bytes);
        }
        judge(names, files, expected, false);
      }
    }
  }

  [[nodiscard]] const Count& count() const { return count_; }

 private:
  // Whether a lock file is there after a power cut makes no difference: nobody holds it.
  static bool is_of_lock(const ModelState::NameChange& change) {
    return (change.added ? change.added->first : change.removed).ends_with(".hdb.lock");
  }

  void judge(const ModelState::Names& names, const std::vector<ModelState::File>& files,
             const Expected& expected, bool killed) {
    ++count_.states;
    const int target = version_at(names, files, "slot");
    bool sound = target >= expected.oldest && target <= expected.newest;
    if (target != expected.newest || killed) {
      // Backups are moved when the new file is safe. Only the oldest goes, and nothing goes by a
      // crash alone.
      const int first =
          target == expected.newest ? expected.oldest_backup + 1 : expected.oldest_backup;
      for (int version = std::max(first, 1); version < expected.newest; ++version) {
        sound = sound && is_left(names, files, version);
      }
    }
    for (const char* backup : {"slot.1", "slot.2"}) {
      const int found = version_at(names, files, backup);
      sound = sound && found >= 0 && found <= expected.newest;
    }
    if (!sound) ++count_.failures;
  }

  // Whether any name leads to this whole version.
  bool is_left(const ModelState::Names& names, const std::vector<ModelState::File>& files,
               int version) const {
    return std::any_of(names.begin(), names.end(), [&](const auto& entry) {
      return files[entry.second].content == versions_[static_cast<std::size_t>(version)];
    });
  }

  // 0: no file; -1: not a whole version.
  int version_at(const ModelState::Names& names, const std::vector<ModelState::File>& files,
                 const std::string& name) const {
    const auto found = names.find(name);
    if (found == names.end()) return 0;
    const std::string& content = files[found->second].content;
    for (int number = 1; number <= kMaxSaves; ++number) {
      if (content == versions_[static_cast<std::size_t>(number)]) return number;
    }
    return -1;
  }

  std::vector<std::string> versions_{"", version(1), version(2), version(3), version(4)};
  std::vector<Loss> losses_ = all_losses();
  Count count_;
};

struct Plan {
  unsigned keep = 0;
  bool has_links = true;
  /// A call that is reported as done without being done; `nth` of each save, from 1. Ends at the
  /// first failure.
  std::optional<Call> left_out = {};
  int nth = 1;
};

Count crash_everywhere(const Plan& plan) {
  ModelFileSystem model;
  if (!plan.has_links) model.lacks.links = EPERM;
  WrappedFileSystem files(model);
  int seen = 0;
  files.before = [&](Call call) -> std::optional<int> {
    if (call == plan.left_out && ++seen == plan.nth) return 0;
    return std::nullopt;
  };
  CrashCheck check;
  Expected expected;
  const int keep = static_cast<int>(plan.keep);
  for (int number = 1; number <= std::clamp(keep + 2, 3, kMaxSaves); ++number) {
    seen = 0;
    model.history.assign(1, model.state);
    expected.newest = number;
    expected.oldest_backup = keep == 0 ? number : number - 1 - keep;
    const auto report =
        save_text("slot", version(number),
                  {.keep = plan.keep, .buffer_bytes = 0, .file_system = &files}, kBlockBytes);
    EXPECT_TRUE(report);
    EXPECT_TRUE(model.all_closed());
    for (const ModelState& state : model.history) {
      check.crash(state, expected);
      if (plan.left_out && check.count().failures > 0) return check.count();
    }
    // Reported as durable: from here on nothing older may show.
    if (report && report->outcome == SaveOutcome::durable) expected.oldest = number;
    check.crash(model.state, expected);
  }
  return check.count();
}

void expect_safe(const Plan& plan, const char* name) {
  const Count count = crash_everywhere(plan);
  std::printf("G1 %s: cases=%zu failures=%zu\n", name, count.states, count.failures);
  EXPECT_EQ(count.failures, 0u);
  EXPECT_GE(count.states, 10000u);
}

TEST(CrashModel, EveryCrashLeavesTheOldOrTheNewSave) { expect_safe({}, "plain"); }

TEST(CrashModel, EveryCrashWithOneBackupLeavesTheOldOrTheNewSave) {
  expect_safe({.keep = 1}, "with one backup");
}

TEST(CrashModel, EveryCrashWithBackupsLeavesTheOldOrTheNewSave) {
  expect_safe({.keep = 2}, "with backups");
}

TEST(CrashModel, EveryCrashWithCopiedBackupsLeavesTheOldOrTheNewSave) {
  expect_safe({.keep = 2, .has_links = false}, "with copied backups");
}

// The test can fail: without any one of the calls that make a save safe, there are states that
// break the promise.
TEST(CrashModel, LeavingOutAnySyncOrTheRenameIsNoticed) {
  const struct {
    const char* name;
    Plan plan;
  } mutants[] = {
      {"fsync of the new file", {.left_out = Call::sync_file}},
      {"fsync of the folder", {.left_out = Call::sync_directory}},
      {"rename", {.left_out = Call::rename}},
      {"fsync of the new file, with backups", {.keep = 1, .left_out = Call::sync_file}},
      {"fsync of the folder, with backups", {.keep = 1, .left_out = Call::sync_directory}},
      {"fsync of a copied backup",
       {.keep = 1, .has_links = false, .left_out = Call::sync_file, .nth = 2}},
  };
  for (const auto& mutant : mutants) {
    const Count count = crash_everywhere(mutant.plan);
    std::printf("G1 without %s: noticed within %zu states\n", mutant.name, count.states);
    EXPECT_GT(count.failures, 0u) << mutant.name;
  }
}

// After a crash anywhere the next save works, and what the crash left behind is gone.
TEST(CrashModel, NextSaveAfterAnyCrashCleansUp) {
  ModelFileSystem model;
  std::size_t cases = 0;
  const AtomicFileOptions options{.keep = 2, .buffer_bytes = 0, .file_system = &model};
  for (int number = 1; number <= 2; ++number) {
    ASSERT_TRUE(save_text("slot", version(number), options, kBlockBytes));
  }
  const std::vector<ModelState> history = model.history;
  for (const ModelState& state : history) {
    model.restart(state.names, state.files);
    ASSERT_TRUE(save_text("slot", version(3), options, kBlockBytes));
    for (const auto& [name, file] : model.state.names)
      EXPECT_EQ(name.find(".hdb."), name.npos) << name;
    EXPECT_EQ(model.state.files[model.state.names.at("slot")].content, version(3));
    ++cases;
  }
  std::printf("G1 saves after a crash: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace hdb::test
