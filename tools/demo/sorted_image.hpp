// The control: rewrites a save with every free list sorted, through the type-free Image.
#pragma once

#include <hdb/error.hpp>
#include <string>

namespace demo {

/// Writes `to`: the same records, slots and generations as `from`, but free lists in rising order.
[[nodiscard]] hdb::Status write_with_sorted_free_lists(const std::string& from,
                                                       const std::string& to);

/// What the free list of one table looks like.
struct FreeListShape {
  std::size_t size = 0;
  std::size_t descents =
      0;  ///< Neighbours in falling order; neither 0 nor size - 1 when it is unsorted.
};
[[nodiscard]] hdb::Result<FreeListShape> free_list_shape(const std::string& file,
                                                         const std::string& table);

}  // namespace demo
