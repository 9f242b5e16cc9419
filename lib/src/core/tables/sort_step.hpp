// Sorting a dense table in steps. Private to core.
#pragma once

#include <cstdint>

#include "core/tables/place_mover.hpp"
#include "hdb/detail/core/tables/sort_work.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"

namespace hdb::detail {

/// Continues the sort of the first `live_count` records that `work` describes until about `budget`
/// comparisons and moves are spent. True when the records are sorted. Wherever a comparison throws
/// or memory runs out, the next call repeats that piece of work.
bool sort_step(const FlatArray& records, std::uint32_t live_count, PlaceMover mover,
               const RecordOrder& order, std::uint64_t budget, SortWork& work);

}  // namespace hdb::detail
