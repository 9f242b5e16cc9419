// rollback_8_frames*: the work of a rollback game that goes back eight frames.
#include <array>
#include <cstddef>
#include <cstdint>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kObjects = 10'000;
constexpr std::size_t kFrames = 8;

// A game of objects that all move in each frame.
class Moving {
 public:
  Moving() { fill(bodies_, kObjects, make_content); }

  // Eight frames, each captured before its objects move; then back to the oldest, and the moves of
  // the next frame. With `hashed`, the state hash of each frame is computed too.
  double rollback(bool hashed) {
    return time_ns([&] {
      for (Snapshot& frame : frames_) {
        frame = database_.capture();
        if (hashed) benchmark::DoNotOptimize(frame.state_hash().low);
        move();
      }
      benchmark::DoNotOptimize(database_.restore(frames_.front()).has_value());
      move();
    });
  }

 private:
  void move() {
    bodies_.edit_each_span([](const auto& span) {
      for (std::size_t i = 0; i < span.size(); ++i) span[i].position.x += 1;
    });
  }

  Database database_;
  Table<Body>& bodies_ = database_.create_table<Body>("bodies");
  std::array<Snapshot, kFrames> frames_;  // those of the run before stay open until replaced
};

}  // namespace

void rollback_rows(Bench& bench) {
  if (!bench.wants({"rollback_8_frames", "rollback_8_frames_hashed"})) return;
  Moving game;
  bench.measure({.name = "rollback_8_frames",
                 .unit = "ms",
                 .note = "10,000 records move and a capture, 8 times; restore; they move again"},
                [&] { return game.rollback(false); });
  bench.measure({.name = "rollback_8_frames_hashed",
                 .unit = "ms",
                 .note = "and the state hash of each frame"},
                [&] { return game.rollback(true); });
}

}  // namespace hdb::bench
