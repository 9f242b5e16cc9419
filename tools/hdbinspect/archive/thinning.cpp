// Rules over times, as those of restic and borg; then a limit of bytes.
#include "archive/thinning.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

namespace hdb::inspect {
namespace {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

Time time_of(const ArchivedSave& save) {
  return Time(std::chrono::milliseconds(save.metadata.date_unix_ms));
}

bool is_older(const ArchivedSave& a, const ArchivedSave& b) {
  if (a.metadata.date_unix_ms != b.metadata.date_unix_ms)
    return a.metadata.date_unix_ms < b.metadata.date_unix_ms;
  return a.version < b.version;
}

// What the rules keep of a world.
class Keeper {
 public:
  explicit Keeper(std::span<const ArchivedSave> saves) : saves_(saves), kept_(saves.size()) {
    for (std::size_t i = 0; i < saves.size(); ++i) {
      if (has_time(saves[i])) newest_first_.push_back(i);
    }
    std::sort(newest_first_.begin(), newest_first_.end(),
              [&](std::size_t a, std::size_t b) { return is_older(saves[b], saves[a]); });
  }

  // Keeps the newest save of each of the newest `count` periods.
  template <class PeriodOf>
  void keep(std::uint64_t count, const PeriodOf& period_of) {
    std::optional<std::int64_t> last;
    for (const std::size_t i : newest_first_) {
      if (count == 0) return;
      const std::int64_t period = period_of(time_of(saves_[i]));
      if (period == last) continue;
      last = period;
      kept_[i] = true;
      --count;
    }
  }

  [[nodiscard]] std::vector<bool> by(const KeepRules& rules) && {
    using namespace std::chrono;
    if (rules == KeepRules{}) return std::vector<bool>(saves_.size(), true);
    std::int64_t number = 0;
    keep(rules.last, [&](Time) { return ++number; });
    keep(rules.hourly, [](Time time) { return floor<hours>(time).time_since_epoch().count(); });
    keep(rules.daily, [](Time time) { return floor<days>(time).time_since_epoch().count(); });
    keep(rules.weekly, [](Time time) {  // 1970 began on a Thursday
      return floor<weeks>(time + days(3)).time_since_epoch().count();
    });
    keep(rules.monthly, [](Time time) {
      const year_month_day date(floor<days>(time));
      return int{date.year()} * 12 + static_cast<int>(unsigned{date.month()});
    });
    return std::move(kept_);
  }

 private:
  std::span<const ArchivedSave> saves_;
  std::vector<std::size_t> newest_first_;
  std::vector<bool> kept_;
};

}  // namespace

bool has_time(const ArchivedSave& save) noexcept {
  using namespace std::chrono;
  constexpr Time kFirst{sys_days{year{1} / 1 / 1}};
  constexpr Time kEnd{sys_days{year{10000} / 1 / 1}};
  return save.metadata.date_unix_ms != 0 && time_of(save) >= kFirst && time_of(save) < kEnd;
}

Thinning thin(std::span<const ArchivedSave> saves, const KeepRules& rules) {
  Thinning thinning;
  while (!saves.empty()) {
    const auto end = std::find_if(saves.begin(), saves.end(), [&](const ArchivedSave& save) {
      return save.version.world != saves.front().version.world;
    });
    const auto world = saves.first(static_cast<std::size_t>(end - saves.begin()));
    const std::vector<bool> kept = Keeper(world).by(rules);
    for (std::size_t i = 0; i < world.size(); ++i) {
      auto& list = i + 1 == world.size() || !has_time(world[i]) ? thinning.bound
                   : kept[i]                                    ? thinning.kept
                                                                : thinning.removed;
      list.push_back(world[i]);
    }
    saves = saves.subspan(world.size());
  }
  return thinning;
}

Result<std::uint64_t> thin_to_size(Archive& archive, Thinning& thinning, std::uint64_t max_bytes) {
  auto& kept = thinning.kept;
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return is_older(b, a); });
  std::vector<ArchiveVersion> versions;
  for (const auto* const list : {&thinning.bound, &kept}) {
    for (const ArchivedSave& save : *list) versions.push_back(save.version);
  }
  const auto added = archive.added_bytes(versions);
  if (!added) return fail(added.error());
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (; count < versions.size(); ++count) {
    if (count >= thinning.bound.size() && bytes + (*added)[count] > max_bytes) break;
    bytes += (*added)[count];
  }
  for (std::size_t i = count; i < versions.size(); ++i)
    thinning.removed.push_back(kept[i - thinning.bound.size()]);
  kept.resize(count - thinning.bound.size());
  for (auto* const list : {&kept, &thinning.removed}) {
    std::sort(list->begin(), list->end(),
              [](const auto& a, const auto& b) { return a.version < b.version; });
  }
  return bytes;
}

}  // namespace hdb::inspect
