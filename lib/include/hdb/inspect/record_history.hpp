// RecordFollower: how a record changes from save to save. RecordSearch: which records match a
// filter, save after save. Both read only the columns that changed since the save before. For the
// history commands of hdbinspect and for editors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// What a RecordFollower follows.
struct FollowedRecord {
  std::string table;
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;  ///< 0: every record that is in the slot, one after another.
  /// A path or a path glob in the record, "pos.x", "pos.*", "items[3].name"; empty: all fields.
  std::string fields = {};
};

/// What happened to a followed record since the save before.
enum class RecordEvent : std::uint8_t {
  none,      ///< Nothing: it did not change, or still does not exist.
  found,     ///< It exists in the first save.
  born,      ///< It exists, and did not in the save before.
  changed,   ///< A field has another value than in the save before.
  erased,    ///< It does not exist any more; its slot holds no record, or its table is gone.
  reused,    ///< Its slot holds another record.
  no_table,  ///< The save does not have the table; the record did not exist before, either.
  no_field,  ///< The record of the save has none of the fields, and was passed over.
};

/// What a save says about a followed record.
struct RecordStep {
  RecordEvent event = RecordEvent::none;
  std::uint32_t old_generation = 0;  ///< Generation in the slot before; 0 if it was empty.
  std::uint32_t generation = 0;      ///< Generation in the slot; 0 if it is empty.
  /// changed: the fields that differ. found, born, and reused where every record of the slot is
  /// followed: all fields, without old values. Else empty.
  std::vector<FieldChange> fields;
};

/// The options of a RecordFollower and of a RecordSearch.
struct FollowOptions {
  bool json = false;                                      ///< Values as JSON instead of text.
  std::uint64_t max_value_bytes = kWholeValues;           ///< As for value_text.
  std::uint64_t max_row_values = RowDecoder::kMaxValues;  ///< As for RowDecoder.
  bool read_all = false;  ///< Also read columns whose hashes are as in the save before.
};

/// The fields of a record schema that `fields` names, as FollowedRecord::fields: indices into
/// columns_of(root) in ascending order; empty if there are none.
[[nodiscard]] HDB_INSPECT_API std::vector<std::uint32_t> followed_columns(
    const Field& root, const std::string& fields);

/// Follows one record, or one slot, from save to save.
///
/// Errors of `next`: damage in what is read; I/O; limits. The follower then compares the next save
/// with the last one that it could read.
/// Complexity of `next`: linear in the blocks of the save, if the block of the record has the same
/// content as in the save before. Else reads the index of the block; and the slot columns and those
/// of the fields, if their raw hashes differ.
///
/// Example:
/// @code
/// hdb::RecordFollower monster({.table = "monsters", .slot = 2, .generation = 1, .fields = "hp"});
/// for (const char* const path : {"slot1.hdb", "slot2.hdb"}) {
///   auto reader = hdb::Reader::open(hdb::FileSource::open(path).value());
///   if (!reader) return;
///   const auto step = monster.next(std::move(*reader));
///   if (!step) return;
///   if (step->event == hdb::RecordEvent::changed)
///     assert(step->fields[0].old_value == "100" && step->fields[0].new_value == "85");
/// }
/// assert(monster.exists());
/// @endcode
//
//   RF1 What `next` reports is what a comparison of all values of both saves would report: unread
//       data is data with equal hashes.
//   RF2 After an error nothing of the follower changed.
class HDB_INSPECT_API RecordFollower {
 public:
  explicit RecordFollower(FollowedRecord record, const FollowOptions& options = {});
  ~RecordFollower();
  RecordFollower(const RecordFollower&) = delete;
  RecordFollower& operator=(const RecordFollower&) = delete;

  /// Looks at the next save. Requires: `reader` is not null.
  [[nodiscard]] Result<RecordStep> next(std::shared_ptr<const Reader> reader);
  /// Whether the record exists in the last save that was looked at and not passed over.
  [[nodiscard]] bool exists() const noexcept;
  /// Calls `leaf` with each value that is followed, as of that save, and with its path in the
  /// record; as hdb::for_each_leaf. `namer` names the handles in them. No call if the record does
  /// not exist.
  void for_each_value(const std::function<void(const std::string& path, const Value& leaf,
                                               const HandleNamer& namer)>& leaf) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A record for which a filter is true.
struct RecordMatch {
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;
  /// Paths and values of the fields that the filter uses. Safe to print.
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Applies one filter to save after save, and looks only at what changed.
//
//   RS1 `find` reports what a look at every record would report.
class HDB_INSPECT_API RecordSearch {
 public:
  /// The most matches that are kept for the next save; those of further row groups are found again.
  static constexpr std::size_t kMaxKept = std::size_t{1} << 18;

  explicit RecordSearch(const FollowOptions& options = {});
  ~RecordSearch();
  RecordSearch(const RecordSearch&) = delete;
  RecordSearch& operator=(const RecordSearch&) = delete;

  /// Calls `found` with each record of the table for which `filter` is true, in ascending order of
  /// slots, until it returns false.
  /// Requires: table < reader.tables().size(); `filter` is bound to that table, in all calls from
  /// one expression.
  /// Errors: damage in what is read; I/O; limits.
  /// Complexity: linear in the blocks of the save, in the matches, and in the row groups in which
  /// the slots or a column of the filter changed since the last call for a table of this name.
  [[nodiscard]] Status find(const Reader& reader, std::size_t table, const RecordFilter& filter,
                            const std::function<bool(const RecordMatch&)>& found);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hdb
