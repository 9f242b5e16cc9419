// What the exit status of every command means.
#pragma once

#include "hdb/error.hpp"

namespace hdb::inspect {

enum class ExitStatus : int {
  fine = 0,     ///< Fine, no difference, valid.
  finding = 1,  ///< Differ, invalid, not found.
  trouble = 2,  ///< Usage, I/O, damaged input where a sound one is needed, a limit.
  newer = 3,    ///< A newer reader is needed.
};

/// The worse of two, in the order trouble, newer, finding, fine.
[[nodiscard]] constexpr ExitStatus worse(ExitStatus a, ExitStatus b) noexcept {
  constexpr int kRank[] = {0, 1, 3, 2};
  return kRank[static_cast<int>(a)] >= kRank[static_cast<int>(b)] ? a : b;
}

/// The status of a command that needs a sound file and met `error`.
[[nodiscard]] inline ExitStatus status_of(const Error& error) noexcept {
  if (error.code == ErrorCode::not_found) return ExitStatus::finding;
  return category_of(error.code) == ErrorCategory::newer ? ExitStatus::newer : ExitStatus::trouble;
}

}  // namespace hdb::inspect
