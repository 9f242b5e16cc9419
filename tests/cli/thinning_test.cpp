// Which saves go when an archive is thinned out: against the texts of their times, and against what
// a collection leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "archive/thinning.hpp"
#include "files/folder.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "text.hpp"

namespace hdb::test::thinning_test {
namespace {

using inspect::KeepRules;
using inspect::thin;

constexpr std::int64_t kHour = 3'600'000;

ArchivedSave save(const std::string& world, std::uint64_t number, std::int64_t unix_ms) {
  ArchivedSave made;
  made.version = {world, number};
  made.metadata.date_unix_ms = unix_ms;
  return made;
}

std::set<ArchiveVersion> removed(const std::vector<ArchivedSave>& saves, const KeepRules& rules) {
  std::set<ArchiveVersion> versions;
  for (const ArchivedSave& each : thin(saves, rules).removed) versions.insert(each.version);
  return versions;
}

// Monday of the week of a time, by counting.
std::string week_of(std::int64_t unix_ms) {
  constexpr std::int64_t kMonday = 345'600'000;  // 1970-01-05
  std::int64_t week = (unix_ms - kMonday) / (168 * kHour);
  if ((unix_ms - kMonday) % (168 * kHour) < 0) --week;
  return inspect::date_text(kMonday + week * 168 * kHour);
}

TEST(Thin, KeepsTheNewestSaveOfEachPeriod) {
  Random random(3);
  for (std::size_t round = 0; round < 20 + scaled(300); ++round) {
    std::vector<ArchivedSave> saves;
    const std::int64_t spread = kHour << random.below(14);
    const std::int64_t start = random.below(2) == 0 ? -3 * kHour : 1'700'000'000'000;
    for (const char* const world : {"a", "b", "c"}) {
      const std::uint64_t count = 1 + random.below(60);
      for (std::uint64_t i = 1; i <= count; ++i) {
        const auto after =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(spread)));
        saves.push_back(save(world, i, random.below(20) == 0 ? 0 : start + after));
      }
    }
    const KeepRules rules{random.below(4), random.below(9), random.below(9), random.below(5),
                          1 + random.below(4)};
    std::set<ArchiveVersion> kept;
    for (const char* const world : {"a", "b", "c"}) {
      std::vector<ArchivedSave> newest_first;
      for (const ArchivedSave& each : saves) {
        if (each.version.world != world) continue;
        if (each.metadata.date_unix_ms == 0) kept.insert(each.version);
        if (each.metadata.date_unix_ms != 0) newest_first.push_back(each);
        if (&each == &saves.back() || (&each + 1)->version.world != world)
          kept.insert(each.version);
      }
      std::stable_sort(newest_first.begin(), newest_first.end(), [](auto& a, auto& b) {
        return std::pair(a.metadata.date_unix_ms, a.version.sequence) >
               std::pair(b.metadata.date_unix_ms, b.version.sequence);
      });
      std::map<std::size_t, std::set<std::string>> seen;
      for (const ArchivedSave& each : newest_first) {
        const std::int64_t time = each.metadata.date_unix_ms;
        const std::string text = inspect::date_text(time);
        const std::array<std::pair<std::string, std::uint64_t>, 5> periods{
            {{each.version.text(), rules.last},
             {text.substr(0, 13), rules.hourly},
             {text.substr(0, 10), rules.daily},
             {week_of(time), rules.weekly},
             {text.substr(0, 7), rules.monthly}}};
        for (std::size_t i = 0; i < periods.size(); ++i) {
          const auto& [period, most] = periods[i];
          if (seen[i].size() < most && seen[i].insert(period).second) kept.insert(each.version);
        }
      }
    }
    const auto gone = removed(saves, rules);
    for (const ArchivedSave& each : saves)
      EXPECT_NE(gone.contains(each.version), kept.contains(each.version)) << each.version.text();
  }
}

TEST(Thin, ATimeBeyondAnyCalendarIsNone) {
  std::vector<ArchivedSave> saves;
  for (const std::int64_t time : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                                  std::numeric_limits<std::int64_t>::max(), 5 * kHour, 9 * kHour})
    saves.push_back(save("a", saves.size() + 1, time));
  EXPECT_EQ(removed(saves, {.monthly = 1}), std::set<ArchiveVersion>({{"a", 4}}));
}

TEST(Thin, ToASizeLeavesWhatFits) {
  const Folder folder(fast_parent());
  Database db;
  auto& units = db.create_table<Unit>("units");
  for (int i = 0; i < 2000; ++i) units.insert({.hp = i, .x = i * 0.37});
  const auto archive = Archive::open(folder / "a.hdba", {.create = true});
  ASSERT_TRUE(archive);
  Random random(5);
  for (std::uint64_t i = 1; i <= 30; ++i) {
    for (int k = 0; k < 400; ++k)
      units.edit(units.handle_at(static_cast<std::size_t>(random.below(2000))))->x += 0.3;
    Metadata metadata;
    metadata.date_unix_ms = static_cast<std::int64_t>(1 + i * 37 % 90) * kHour;  // all differ
    ASSERT_TRUE(
        (*archive)->put(db.capture(), {.world = i % 3 == 0 ? "a" : "b", .sequence = i}, metadata));
  }
  for (std::size_t round = 0; round < 4; ++round) {
    const std::uint64_t most = (*archive)->collect_garbage()->kept_bytes * 9 / 10;
    auto thinning = thin(*(*archive)->list(), {});
    ASSERT_TRUE(thinning.removed.empty());
    const auto rest = inspect::thin_to_size(**archive, thinning, most);
    ASSERT_TRUE(rest);
    ASSERT_FALSE(thinning.removed.empty());
    const auto newest_of = [](auto& a, auto& b) {
      return a.metadata.date_unix_ms < b.metadata.date_unix_ms;
    };
    const auto& gone = thinning.removed;
    const auto newest = std::max_element(gone.begin(), gone.end(), newest_of);
    for (const ArchivedSave& each : thinning.kept)
      EXPECT_GE(each.metadata.date_unix_ms, newest->metadata.date_unix_ms);
    // The newest of them goes last: before, the rest did not fit.
    for (const ArchivedSave& each : gone) {
      if (each.version == newest->version) continue;
      ASSERT_TRUE((*archive)->remove(each.version));
    }
    EXPECT_GT((*archive)->collect_garbage()->kept_bytes, most);
    ASSERT_TRUE((*archive)->remove(newest->version));
    EXPECT_EQ((*archive)->collect_garbage()->kept_bytes, *rest);
    EXPECT_LE(*rest, most);
  }
}

}  // namespace
}  // namespace hdb::test::thinning_test
