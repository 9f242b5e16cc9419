// Fields that are copied between records and columns, in records whose other fields are visited.
#pragma once

#include <cstddef>
#include <vector>

namespace hdb::detail::record {

/// Bytes of a record that go to one place together.
struct PlainRun {
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// A field of the record itself.
struct PlacedField {
  bool is_placed = false;  ///< Else it is visited.
  /// The row bytes of this field and of the placed ones that follow it at once; empty if one of
  /// those before it has them.
  std::vector<PlainRun> row = {};
};

}  // namespace hdb::detail::record
