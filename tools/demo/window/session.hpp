// A game that is played in a window, without the window: a tick in each frame, captures, saves, the
// way back, and what all of it costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <hdb/autosaver.hpp>
#include <hdb/hdb.hpp>
#include <hdb/history.hpp>
#include <map>
#include <string>

#include "game.hpp"

namespace demo {

/// Frames of the window in a second, each with a tick, and ticks from one capture to the next. All
/// missiles and sparks move in each tick and are copied after each capture, 0.9 MiB: a minute of
/// captures in each tick would take ten times the memory. The slider has a pixel for each capture.
inline constexpr std::uint64_t kFramesASecond = 60;
inline constexpr std::uint64_t kTicksACapture = 10;
/// The captures of the last minute, which can be rewound as far as memory allows.
inline constexpr std::size_t kCapturesKept = 60 * kFramesASecond / kTicksACapture;

/// What each of the last kFramesASecond ticks, captures or saves cost.
class Cost {
 public:
  void add(double value) { values_[next_++ % values_.size()] = value; }
  [[nodiscard]] double median() const;
  [[nodiscard]] double worst() const;

 private:
  std::array<double, kFramesASecond> values_{};
  std::size_t next_ = 0;
};

/// The rules are those of Game alone. Ticks are numbered from 0, a load is one; the history has the
/// captured ones. The ticks between them are played again where they are rewound.
class Session {
 public:
  /// A new game; saves go into `folder`; captures are kept in `history_bytes` at most. `wad` must
  /// outlive it. Throws: WadError, runtime_error.
  Session(const Wad& wad, const std::string& map, std::uint64_t seed, std::string folder,
          std::uint64_t history_bytes);

  /// A tick; a capture after kTicksACapture of them, and an autosave once in a second. Throws:
  /// runtime_error.
  void advance();
  /// Goes one tick back; false at the oldest capture. Throws: runtime_error.
  bool rewind();
  /// The game goes on from the capture that is shown: later ones are dropped. Throws:
  /// runtime_error.
  void continue_here();
  /// The browser restored a capture: brings back what is beside the database.
  void on_restore(std::uint64_t frame);

  /// Saves to the file of the quick save. Errors: as hdb::save.
  [[nodiscard]] hdb::Status save();
  /// Errors: as hdb::Database::load. Throws: as Game::after_load.
  [[nodiscard]] hdb::Status load();
  /// Plants the bug of the demo in a second game with the present state, and lets sync_test find
  /// it; returns its finding. Throws: runtime_error.
  [[nodiscard]] std::string find_planted_bug();

  [[nodiscard]] Game& game() noexcept { return game_; }
  [[nodiscard]] hdb::History& history() noexcept { return history_; }
  [[nodiscard]] const hdb::Autosaver& autosaver() const noexcept { return autosaver_; }
  /// The number of the present tick.
  [[nodiscard]] std::uint64_t tick() const noexcept { return tick_; }
  [[nodiscard]] hdb::Hash128 state_hash() { return game_.world.database.state_hash(); }
  /// The last costs in one line.
  [[nodiscard]] std::string costs() const;

 private:
  void record();

  const Wad& wad_;
  std::string folder_;
  Game game_;
  hdb::History history_;
  std::map<std::uint64_t, SoundSystem>
      sounds_;  // beside the database, in each frame of the history
  std::uint64_t tick_ = 0;
  Cost tick_us_, capture_us_, copied_kib_, autosave_us_;
  hdb::Autosaver autosaver_;  // the last member: it ends first
};

}  // namespace demo
