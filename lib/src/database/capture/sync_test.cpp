// Each frame twice, compared by state hash; the second time perhaps from what a file keeps.
#include "hdb/sync_test.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/capture/save_load_round_trip.hpp"
#include "hdb/inspect/snapshot_diff.hpp"

namespace hdb {
namespace {

struct FrameRun {
  std::vector<Snapshot> after;  // each frame
  std::vector<Hash128> hashes;
};

class SyncTest {
 public:
  SyncTest(Database& database, const std::function<void(std::uint64_t)>& step,
           const SyncTestOptions& options)
      : database_(database), step_(step), options_(options) {}

  Result<SyncTestReport> run(std::uint64_t frames) {
    SyncTestReport report;
    while (report.frames < frames && !report.divergence) {
      const std::uint64_t count = std::min(options_.frames_again, frames - report.frames);
      if (auto compared = run_twice(count, report); !compared)
        return fail(std::move(compared.error()));
    }
    return report;
  }

 private:
  // One window of frames: forwards, back, forwards again up to the first difference.
  Status run_twice(std::uint64_t count, SyncTestReport& report) {
    const Snapshot start = database_.capture();
    const std::uint64_t first = options_.first_frame + report.frames;
    FrameRun once;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto stepped = step(first + i, i == 0 ? start : once.after[i - 1], once); !stepped) {
        return stepped;
      }
    }
    if (auto restored = database_.restore(start); !restored) return restored;
    if (options_.through_file) {
      if (auto passed = pass_through_file(start); !passed) return passed;
    }
    if (options_.on_restore) options_.on_restore(first);
    FrameRun again;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto stepped = step(first + i, i == 0 ? start : once.after[i - 1], again); !stepped) {
        return stepped;
      }
      if (again.hashes[i] == once.hashes[i]) {
        ++report.frames;
        continue;
      }
      const auto found = diff(once.after[i], again.after[i]);
      if (!found) return fail(found.error());
      report.divergence = {first + i,     once.hashes[i], again.hashes[i],
                           once.after[i], again.after[i], found->first()};
      break;
    }
    return database_.restore(once.after.back());
  }

  // Leaves the state `start` after an error.
  Status pass_through_file(const Snapshot& start) {
    Status passed;
    try {
      passed = file_pass_.run(start);
    } catch (...) {
      static_cast<void>(database_.restore(start));
      throw;
    }
    if (!passed) static_cast<void>(database_.restore(start));
    return passed;
  }

  // `before` is the state before the frame in the first run.
  Status step(std::uint64_t frame, const Snapshot& before, FrameRun& run) {
    try {
      step_(frame);
    } catch (...) {
      // A state just captured fits the database, so this fails only where memory ran out.
      static_cast<void>(database_.restore(before));
      throw;
    }
    run.after.push_back(database_.capture());
    const auto hash = run.after.back().try_state_hash();
    if (!hash) return fail(hash.error());
    run.hashes.push_back(*hash);
    return {};
  }

  Database& database_;
  const std::function<void(std::uint64_t)>& step_;
  const SyncTestOptions& options_;
  SaveLoadRoundTrip file_pass_;
};

}  // namespace

std::string Divergence::message() const {
  return "frame " + std::to_string(frame) + ": " +
         (difference.empty() ? "the state hashes differ" : difference);
}

Result<SyncTestReport> sync_test(Database& database,
                                 const std::function<void(std::uint64_t frame)>& step,
                                 std::uint64_t frames, const SyncTestOptions& options) {
  if (options.frames_again == 0) {
    return fail(ErrorCode::bad_options, "frames_again must be 1 or more", "sync_test");
  }
  return SyncTest(database, step, options).run(frames);
}

}  // namespace hdb
