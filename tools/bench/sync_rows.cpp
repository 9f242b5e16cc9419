// sync_test_*: what each frame of a sync_test costs beyond the game's own work.
#include <cstddef>
#include <cstdint>

#include "bench.hpp"
#include "records.hpp"

#include "hdb/sync_test.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kVillagers = 100'000;
constexpr std::size_t kChanged = kVillagers / 100;
constexpr std::uint64_t kSteps = 60;

// A game in which one record in a hundred changes in each frame.
class Village {
 public:
  Village() : handles_(fill(bodies_, kVillagers, make_content)) {
    for (const std::uint32_t i : shuffled(kVillagers)) shuffled_.push_back(handles_[i]);
  }

  // Nanoseconds of a frame. The first frame passes all records through the file; it is included.
  double frame(bool is_random, bool through_file) {
    const auto& handles = is_random ? shuffled_ : handles_;
    SyncTestOptions options;
    options.first_frame = next_frame_;
    options.through_file = through_file;
    next_frame_ += kSteps;
    return time_each_ns(kSteps, [&] {
      const auto tested = sync_test(
          database_, [&](std::uint64_t frame) { move(handles, frame); }, kSteps, options);
      benchmark::DoNotOptimize(tested && !tested->divergence);
    });
  }

 private:
  void move(const HandlesOf<Body>& handles, std::uint64_t frame) {
    const std::size_t first = static_cast<std::size_t>(frame) % 100 * kChanged;
    for (std::size_t i = first; i < first + kChanged; ++i)
      bodies_.edit(handles[i])->position.x += 1;
  }

  Database database_;
  Table<Body>& bodies_ = database_.create_table<Body>("bodies");
  HandlesOf<Body> handles_;
  HandlesOf<Body> shuffled_;
  std::uint64_t next_frame_ = 0;
};

}  // namespace

void sync_rows(Bench& bench) {
  if (!bench.wants({"sync_test", "sync_test_file", "sync_test_random", "sync_test_file_random"}))
    return;
  Village village;
  bench.measure({.name = "sync_test",
                 .unit = "ms",
                 .note = "a frame; a run of 1 % of 100,000 records changes"},
                [&] { return village.frame(false, false); });
  bench.measure(
      {.name = "sync_test_file", .target = 2, .unit = "ms", .note = "the same, through a file"},
      [&] { return village.frame(false, true); });
  bench.measure({.name = "sync_test_random",
                 .unit = "ms",
                 .note = "a frame; a random 1 % of 100,000 records changes"},
                [&] { return village.frame(true, false); });
  bench.measure({.name = "sync_test_file_random", .unit = "ms", .note = "the same, through a file"},
                [&] { return village.frame(true, true); });
}

}  // namespace hdb::bench
