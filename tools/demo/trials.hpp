// What cheap captures make possible, each tried on games of its own: autosaves in play, frames run
// twice, rollback in every frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "checks.hpp"

namespace demo {

inline constexpr std::uint32_t kAutosaveTicks = 50;
inline constexpr std::uint32_t kSyncTestTicks = 60;
inline constexpr std::uint32_t kRollbackTicks = 8;

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// One game played twice: without saves, and with an autosave into `folder` every kAutosaveTicks.
/// Both must end in the same state, and the newest file must hold the state of its tick.
[[nodiscard]] Check try_autosaves(const Wad& wad, const std::string& map, std::uint64_t seed,
                                  const std::string& folder);
/// Runs each of kSyncTestTicks ticks twice from one state. `with_bug`: the rules then depend on a
/// variable that is in no save, which must be found.
[[nodiscard]] Check try_sync(const Wad& wad, const std::string& map, std::uint64_t seed,
                             bool with_bug);
/// Goes kRollbackTicks back in each frame and plays them again. The game must end in the state of
/// one that never goes back.
[[nodiscard]] Check try_rollback(const Wad& wad, const std::string& map, std::uint64_t seed);

}  // namespace demo
