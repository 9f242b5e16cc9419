// References: the handles that records of a file hold, where they are, and what they name. For
// hdbinspect get --refs, validation and editors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// A handle in a live record.
class Reference {
 public:
  std::size_t table = 0;         ///< The table of the record.
  std::uint64_t slot = 0;        ///< The slot of the record.
  std::uint32_t generation = 0;  ///< The generation of the record.
  const Field* field = nullptr;  ///< The field of the handle.
  std::uint64_t bits = 0;        ///< The bits of the handle; 0: null.

  /// The place of the handle in the record: "target", "grudges[3]", "by_name[2].value". Escaped for
  /// a terminal.
  [[nodiscard]] HDB_INSPECT_API std::string path() const;

 private:
  friend class ReferenceWalk;
  struct Step {
    const Value* value;
    std::uint64_t child;
  };
  const std::vector<Step>* steps_ = nullptr;
};

/// Calls `visit` with each handle in the live records of a table, null handles included, in
/// ascending order of slots, until `visit` returns false. The reference is valid during the call.
///
/// Errors: as Reader::read_columns.
/// Complexity: reads the columns with handles, and the lengths, presence and tags necessary to find
/// them. Memory: a row group.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const hdb::HandleNamer namer((*reader)->tables());
/// std::string found;
/// const auto visit = [&](const hdb::Reference& reference) {
///   const std::string name = namer.name(*reference.field, reference.bits);
///   if (name == "monsters:7@1") found = reference.path();
///   return found.empty();  // whether to go on
/// };
/// if (!hdb::for_each_reference(**reader, 1, visit)) return;
/// assert(found == "target");  // of monsters:2@1
/// @endcode
[[nodiscard]] HDB_INSPECT_API Status for_each_reference(
    const Reader& reader, std::size_t table, const std::function<bool(const Reference&)>& visit);

/// Visits the handles in decoded row groups of one table.
class GroupReferences {
 public:
  /// `root` is the schema of table `table`. Requires: `root` outlives this object.
  HDB_INSPECT_API GroupReferences(const Field& root, std::size_t table);
  /// The columns that hold handles, in ascending order; empty if the table has no handles.
  [[nodiscard]] const std::vector<std::uint32_t>& handle_columns() const noexcept {
    return handle_columns_;
  }
  /// The columns that visit needs, in ascending order: handle_columns(), and the lengths, presence
  /// and tags necessary to find the handles.
  [[nodiscard]] const std::vector<std::uint32_t>& needed_columns() const noexcept {
    return decoder_.needed_columns();
  }
  /// Calls `visit` with each handle in the live records of `group`, as for_each_reference does.
  /// Returns false if `visit` returned false.
  /// Errors: bad_lengths, bad_value, limit_exceeded.
  [[nodiscard]] HDB_INSPECT_API Result<bool> visit(
      const RowGroup& group, const std::function<bool(const Reference&)>& visit);

 private:
  std::size_t table_;
  std::vector<std::uint32_t> handle_columns_;
  RowDecoder decoder_;
  Value row_;
};

/// The handles of one field, counted by what they name.
struct ReferenceCount {
  std::size_t table = 0;  ///< The table whose records hold the handles.
  std::string path;       ///< The path of the field: "target", "grudges[]".
  bool strong = false;
  std::uint64_t live = 0;
  std::uint64_t stale = 0;
  std::uint64_t null = 0;
  std::uint64_t foreign = 0;  ///< No table of the file can have issued them.
  std::string first_stale;    ///< The first stale handle: "things:3@1.target names things:9@2".
  std::uint64_t first_stale_slot = 0;  ///< The slot of the record that holds it.
  /// Why no handle of the field can name a record although the file has the table: its handles have
  /// another layout. Empty if they can. Such a file is valid, but hardly what a program meant.
  std::string conflict;
};

/// Resolves all handles of a file, by the table of their field or by their type id, and counts them
/// by field.
/// Errors: as Reader::read_columns. Memory: a row group, and 4 bytes for each slot of tables that
/// handles name.
[[nodiscard]] HDB_INSPECT_API Result<std::vector<ReferenceCount>> count_references(
    const Reader& reader);

}  // namespace hdb
