// Compares one table of two files slot by slot, reading only the columns that differ.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hdb/format/reader.hpp"
#include "names.hpp"

namespace hdb::inspect {

enum class Mark : char { added = '+', removed = '-', changed = '~', reused = 'R' };

/// One field that differs, as text or as JSON.
struct FieldChange {
  std::string path;
  std::optional<std::string> old_value;  ///< Nothing: an element that was not there.
  std::optional<std::string> new_value;  ///< Nothing: an element that is not there any more.
  std::string change;                    ///< "+2.75" between numbers.
  std::string note;                      ///< "monsters:77@2 was removed".
};

struct RecordDiff {
  Mark mark = Mark::changed;
  std::uint64_t slot = 0;
  std::uint32_t old_generation = 0;
  std::uint32_t new_generation = 0;
  std::vector<FieldChange> fields;
};

/// A difference of a table outside of its records.
struct TableNote {
  std::string what;  ///< "free list", "counter", "dense order", "overflow", ...
  std::string old_value;
  std::string new_value;
  std::string detail;  ///< "first difference at entry 3: slot 17 -> slot 22".
};

struct TableDiff {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;
  std::vector<TableNote> notes;
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t stored_differently = 0;  ///< Blocks of equal content whose stored bytes differ.

  [[nodiscard]] std::uint64_t records() const noexcept {
    return added + removed + changed + reused;
  }
  [[nodiscard]] bool differs() const noexcept { return records() != 0 || !notes.empty(); }
};

/// What to compare.
struct TableDiffOptions {
  bool fields = true;     ///< Which fields differ, or only that they do.
  bool json = false;      ///< FieldChange holds JSON.
  bool read_all = false;  ///< Read columns even where their hashes are equal.
  std::function<void(const RecordDiff&)> on_record;  ///< Called in rising order of slots.
  std::function<bool()> stop;                        ///< Asked between row groups.
};

/// One file's side of a comparison.
struct TableSide {
  const Reader* reader = nullptr;
  std::size_t table = 0;
  std::string file;  ///< For errors.
};

/// Memory: one row group of each file, and the free lists where they differ.
[[nodiscard]] Result<TableDiff> diff_tables(const TableSide& a, const TableSide& b,
                                            const TableDiffOptions& options);

/// The differences of two descriptors: policies, counters, slots.
[[nodiscard]] std::vector<TableNote> descriptor_notes(const TableDescriptor& a,
                                                      const TableDescriptor& b);
/// The difference of two free lists, if there is one.
[[nodiscard]] Result<std::optional<TableNote>> free_list_note(const TableSide& a,
                                                              const TableSide& b);

/// The value of the plain field `path`, where block heads and a few bytes show that it is the same
/// in all records; else empty.
[[nodiscard]] Result<std::string> constant_value(const TableSide& side, const std::string& path);

}  // namespace hdb::inspect
