// Reads the names, the manifests and the sizes of objects; no list of blocks and no object.
#include "archive/metrics.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "archive/thinning.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {
namespace {

struct Counts {
  std::uint64_t saves = 0;
  std::uint64_t raw_bytes = 0;
  std::int64_t newest_unix_ms = 0;  // 0: no save has a time

  void add(const ArchivedSave& save) {
    ++saves;
    raw_bytes += save.file_bytes;
    const std::int64_t time = has_time(save) ? save.metadata.date_unix_ms : 0;
    newest_unix_ms = newest_unix_ms == 0 ? time : std::max(newest_unix_ms, time);
  }
};

using Worlds = std::map<std::string, Counts>;

std::string seconds(std::int64_t unix_ms) {
  return fmt::format("{:.3f}", static_cast<double>(unix_ms) / 1000);
}

std::string head(std::string_view name, std::string_view help) {
  return fmt::format("# HELP hdb_archive_{0} {1}\n# TYPE hdb_archive_{0} gauge\n", name, help);
}

std::string gauge(std::string_view name, std::string_view help, const std::string& value) {
  return head(name, help) + fmt::format("hdb_archive_{} {}\n", name, value);
}

// The names of worlds have no character that needs an escape.
template <class ValueOf>
std::string gauges(const Worlds& worlds, std::string_view name, std::string_view help,
                   const ValueOf& value_of) {
  std::string text = worlds.empty() ? "" : head(name, help);
  for (const auto& [world, counts] : worlds)
    text += fmt::format("hdb_archive_{}{{world=\"{}\"}} {}\n", name, world, value_of(counts));
  return text;
}

}  // namespace

Result<std::string> archive_metrics(Archive& archive, const WorldFilter& fits, bool per_world,
                                    bool json, bool& is_damaged) {
  std::vector<ArchiveFault> faults;
  const auto saves = archive.list({}, &faults);
  if (!saves) return fail(saves.error());
  const auto objects = archive.backend().list(kChunkKeys);
  if (!objects && objects.error().code != ErrorCode::bad_archive) return fail(objects.error());
  is_damaged = !faults.empty() || !objects;
  const std::size_t listed = faults.size();
  std::erase_if(faults, [](const ArchiveFault& fault) { return fault.saves.empty(); });
  const bool may_lack_saves = listed != faults.size();
  std::uint64_t stored = 0;
  if (objects) {
    for (const ListedObject& object : *objects) stored += object.bytes;
  }
  Counts all;
  Worlds worlds;
  for (const ArchivedSave& save : *saves) {
    all.add(save);
    worlds[save.version.world].add(save);
  }
  const std::size_t world_count = worlds.size();
  std::erase_if(worlds, [&](const auto& each) { return !per_world || !fits(each.first); });
  if (json) {
    JsonObject counters("archive_metrics");
    counters.number("worlds", world_count)
        .number("saves", all.saves)
        .number("damaged_saves", faults.size())
        .boolean("may_lack_saves", may_lack_saves)
        .number("raw_bytes", all.raw_bytes);
    if (objects) counters.number("objects", objects->size()).number("stored_bytes", stored);
    counters.signed_number("newest_unix_ms", all.newest_unix_ms);
    std::string lines = counters.str() + '\n';
    for (const auto& [world, counts] : worlds) {
      lines += JsonObject("archive_world")
                   .text("world", world)
                   .number("saves", counts.saves)
                   .number("raw_bytes", counts.raw_bytes)
                   .signed_number("newest_unix_ms", counts.newest_unix_ms)
                   .str() +
               '\n';
    }
    return lines;
  }
  return gauge("worlds", "Worlds that have saves.", fmt::format("{}", world_count)) +
         gauge("saves", "Saves that can be listed.", fmt::format("{}", all.saves)) +
         gauge("damaged_saves", "Saves whose manifest cannot be read.",
               fmt::format("{}", faults.size())) +
         gauge("may_lack_saves", "1: the list of saves is damaged, and more saves may be lost.",
               may_lack_saves ? "1" : "0") +
         gauge("raw_bytes", "Bytes of all saves as files without compression.",
               fmt::format("{}", all.raw_bytes)) +
         (objects ? gauge("objects", "Objects that are stored, with those that are garbage.",
                          fmt::format("{}", objects->size())) +
                        gauge("stored_bytes", "Bytes of the objects that are stored.",
                              fmt::format("{}", stored))
                  : "") +
         gauge("newest_save_timestamp_seconds", "Time of the newest save; 0: no save has one.",
               seconds(all.newest_unix_ms)) +
         gauges(worlds, "world_saves", "Saves of a world.",
                [](const Counts& counts) { return counts.saves; }) +
         gauges(worlds, "world_raw_bytes", "Bytes of its saves as files without compression.",
                [](const Counts& counts) { return counts.raw_bytes; }) +
         gauges(worlds, "world_newest_save_timestamp_seconds",
                "Time of its newest save; 0: no save has one.",
                [](const Counts& counts) { return seconds(counts.newest_unix_ms); });
}

}  // namespace hdb::inspect
