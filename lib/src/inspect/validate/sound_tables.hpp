// Which tables of a file are wholly sound: found on several threads, in one pass over their blocks.
#pragma once

#include <optional>
#include <vector>

#include "hdb/inspect/reader.hpp"

namespace hdb {

/// Reads and checks all blocks of each table: hashes, grammar, slots, names, blobs, free list,
/// dense order. Gives the hashes of the tables that are sound (zeros unless `with_hashes`), nothing
/// for the others; a second look reports what is wrong with them.
/// Memory: as for `validate`.
[[nodiscard]] std::vector<std::optional<TableHashes>> find_sound_tables(const Reader& reader,
                                                                        unsigned threads,
                                                                        bool with_hashes);

}  // namespace hdb
