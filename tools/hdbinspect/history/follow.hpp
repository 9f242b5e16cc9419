// What log, blame and plot have in common: a record that is followed through a series of saves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hdb/inspect/record_history.hpp"
#include "history/series.hpp"

namespace hdb::inspect {

/// A record as it was typed.
struct FollowRequest {
  std::vector<std::string> where;
  std::string name;   ///< monsters:1042@7, monsters:1042, 0x..., each with or without a path.
  std::string table;  ///< -t, for raw bits.
  std::string command;
};

/// Whether an argument has the form of a record, and is not the path of a file or folder.
[[nodiscard]] bool names_record(const std::string& text);

/// A record, and the saves that may have it.
struct Followed {
  OpenSeries series;
  FollowedRecord record;
  TableDescriptor table;  ///< As of the save in which its name was found.

  /// The handle with this generation; of generation 0 the slot: "monsters:1042".
  [[nodiscard]] std::string handle(std::uint32_t generation) const;
  /// The handle or slot that is followed, with the path: "monsters:1042@7.hp".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const std::vector<SeriesSave>& saves() const { return series.saves->saves(); }
};

/// Finds the saves, and the table and fields that the name means, in the newest save that has them.
/// Nothing: the reason was reported, and `status` says how bad it is.
[[nodiscard]] std::optional<Followed> begin_following(const Context& context,
                                                      const FollowRequest& request,
                                                      ExitStatus& status);

/// Called for each save that can be read, unless it has the table and none of the fields. Without
/// the table, the record does not exist.
using StepListener = std::function<void(const SeriesSave& save, const RecordStep& step,
                                        const RecordFollower& follower)>;

/// Goes through the saves, oldest first. Reports saves that cannot be read or were passed over, and
/// a record that no save has: a finding.
[[nodiscard]] ExitStatus follow(const Context& context, const FollowRequest& request,
                                const Followed& followed, const StepListener& listener);

}  // namespace hdb::inspect
