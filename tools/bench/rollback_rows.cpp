// rollback_8_frames: going back eight frames and running them again, as rollback games do every
// frame.
#include <cstddef>
#include <cstdint>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kObjects = 10'000;
constexpr std::uint64_t kFrames = 8;

// A game of objects that all move in each frame.
class Moving {
 public:
  Moving() { fill(bodies_, kObjects, make_body); }

  void step() {
    bodies_.edit_each_span([](const auto& span) {
      for (std::size_t i = 0; i < span.size(); ++i) span[i].position.x += 1;
    });
  }
  // The steps alone.
  double steps() {
    return time_ns([&] {
      for (std::uint64_t i = 0; i < kFrames; ++i) step();
    });
  }
  // Back eight frames, and forwards again; each frame is recorded, and its state hash told if so
  // wanted.
  double rollback(bool hashed) {
    while (history_.size() <= kFrames) next(false);
    return time_ns([&] {
      frame_ -= kFrames;
      const bool sound = history_.rewind(frame_).has_value();
      benchmark::DoNotOptimize(sound);
      for (std::uint64_t i = 0; i < kFrames; ++i) next(hashed);
    });
  }

 private:
  void next(bool hashed) {
    step();
    const bool sound = history_.record(++frame_).has_value();
    benchmark::DoNotOptimize(sound);
    if (hashed) benchmark::DoNotOptimize(history_.state_hash(frame_)->low);
  }

  Database database_;
  Table<Body>& bodies_ = database_.create_table<Body>("bodies");
  History history_{database_, {.frames = 2 * kFrames}};
  std::uint64_t frame_ = 0;
};

}  // namespace

void rollback_rows(Bench& bench) {
  if (!bench.wants({"rollback_8_frames", "rollback_8_frames_hashed"})) return;
  Moving game;
  bench.measure({.name = "rollback_8_frames",
                 .target = 2,
                 .unit = "ms",
                 .note = "10,000 objects, all move; without their steps"},
                [&] { return game.rollback(false) - game.steps(); });
  bench.measure({.name = "rollback_8_frames_hashed",
                 .unit = "ms",
                 .note = "and the state hash of each frame"},
                [&] { return game.rollback(true) - game.steps(); });
}

}  // namespace hdb::bench
