// The handles that records of a file hold: each with its place, and what it names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// A handle in a live record.
class Reference {
 public:
  std::size_t table = 0;  ///< The record's.
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;
  const Field* field = nullptr;  ///< The handle's.
  std::uint64_t bits = 0;        ///< 0: null.

  /// Where in the record it stands: "target", "grudges[3]", "by_name[2].value"; escaped for a
  /// terminal.
  [[nodiscard]] std::string path() const;

 private:
  friend class ReferenceWalk;
  struct Step {
    const Value* value;
    std::uint64_t child;
  };
  const std::vector<Step>* steps_ = nullptr;
};

/// Calls `visit` with every handle in the live records of a table, null ones too, in rising order
/// of slots; the reference is good until it returns. It returns whether to go on.
/// Errors: damage that is met on the way. Complexity: reads the columns that hold handles, and
/// those that tell how many.
/// Memory: a row group.
[[nodiscard]] Status for_each_reference(const Reader& reader, std::size_t table,
                                        const std::function<bool(const Reference&)>& visit);

/// The same for row groups that were decoded already.
class GroupReferences {
 public:
  /// `root` is the schema of the table, which must outlive this.
  GroupReferences(const Field& root, std::size_t table);
  /// The columns that hold handles, rising; none: the table has no handles.
  [[nodiscard]] const std::vector<std::uint32_t>& handle_columns() const noexcept {
    return handle_columns_;
  }
  /// The columns of a group that `visit` looks at: these and those that tell how many there are.
  [[nodiscard]] const std::vector<std::uint32_t>& needed_columns() const noexcept {
    return decoder_.needed_columns();
  }
  /// Calls `visit` with every handle in the live records of `group`, as for_each_reference does.
  /// False when `visit` wants no more.
  /// Errors: bad_lengths, bad_value, limit_exceeded.
  [[nodiscard]] Result<bool> visit(const RowGroup& group,
                                   const std::function<bool(const Reference&)>& visit);

 private:
  std::size_t table_;
  std::vector<std::uint32_t> handle_columns_;
  RowDecoder decoder_;
  Value row_;
};

/// How many handles of a field name a record of one table.
struct ReferenceTarget {
  std::size_t table = 0;
  std::uint64_t live = 0;
  std::uint64_t stale = 0;
};

/// What the handles of one field name.
struct ReferenceCount {
  std::size_t table = 0;  ///< The table whose records hold them.
  std::string path;       ///< As a column's: "target", "grudges[]".
  bool strong = false;
  std::uint64_t live = 0;
  std::uint64_t stale = 0;
  std::uint64_t null = 0;
  std::uint64_t foreign = 0;  ///< Of no table of the file.
  std::vector<ReferenceTarget>
      targets;              ///< By rising table; more than one where handles carry type ids.
  std::string first_stale;  ///< The first stale one: "things:3@1.target names things:9@2".
  std::uint64_t first_stale_slot = 0;  ///< Of the record that holds it.
};

/// Resolves every handle of a file: by the field's table, else by the type id.
/// Errors: damage that is met on the way. Memory: a row group, and four bytes a slot of the tables
/// that handles name.
[[nodiscard]] Result<std::vector<ReferenceCount>> count_references(const Reader& reader);

}  // namespace hdb
