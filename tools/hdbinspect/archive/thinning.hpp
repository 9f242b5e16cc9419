// Which saves go when an archive is thinned out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hdb/archive.hpp"

namespace hdb::inspect {

/// How many saves of each world stay: the newest ones, and the newest of each of the newest hours,
/// days, weeks (from Monday) and months in UTC that have saves. A save may count for several.
struct KeepRules {
  std::uint64_t last = 0;
  std::uint64_t hourly = 0;
  std::uint64_t daily = 0;
  std::uint64_t weekly = 0;
  std::uint64_t monthly = 0;

  friend bool operator==(const KeepRules&, const KeepRules&) = default;
};

/// Saves by what becomes of them, in the order of Archive::list.
struct Thinning {
  std::vector<ArchivedSave> removed;
  std::vector<ArchivedSave> kept;
  std::vector<ArchivedSave> bound;  ///< Never go: the last of a world, and those without a time.
};

/// Whether the time of a save is known, and is one of a calendar.
[[nodiscard]] bool has_time(const ArchivedSave& save) noexcept;

/// Divides saves, which are in the order of Archive::list. Without rules, all are kept.
[[nodiscard]] Thinning thin(std::span<const ArchivedSave> saves, const KeepRules& rules);

/// Removes more, the oldest of all worlds first, until those that stay need at most `max_bytes` of
/// the archive. Returns what they need: more, if those that never go need more.
/// Errors: those of Archive::added_bytes.
[[nodiscard]] Result<std::uint64_t> thin_to_size(Archive& archive, Thinning& thinning,
                                                 std::uint64_t max_bytes);

}  // namespace hdb::inspect
