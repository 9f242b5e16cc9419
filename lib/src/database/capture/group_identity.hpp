// What proves that a row group of two captures is the same: the stamps of the pages that it was
// read from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "database/tables/snapshot_data.hpp"

namespace hdb {

/// See ImageSource::group_identity; slots [begin, end). False for blob tables, whose bytes have no
/// stamps.
///
/// The numbers are: pool, end, how many stamps follow, which values a load kept, the arrays of
/// slots, records and names; the stamps of the pages of slots (generations, states, positions) and
/// of names over these slots; then number and stamp of each page with records of these slots. Equal
/// stamps of a page of one array are equal bytes, so equal slots, so records at equal places; and
/// those pages are equal too.
///
/// Complexity: O(pages) where `last` has the same stamps of slots, else a look at each slot of a
/// dense table.
[[nodiscard]] bool group_identity(const SnapshotTable& table, std::uint64_t begin,
                                  std::uint64_t end, std::span<const std::uint64_t> last,
                                  std::vector<std::uint64_t>& out);

}  // namespace hdb
