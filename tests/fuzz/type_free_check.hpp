// Reads bytes that may be anything through the type-free headers, as hdbinspect does.
#pragma once

#include <span>

#include "hdb/inspect/reader.hpp"

namespace hdb::fuzz {

/// Opens with the limits of limits_for, checks every block, reads and checks every group, row and
/// free list, and rewrites what is sound.
///
///   F5  What read_group accepts, the row decoder and the row hashes accept, and read_columns gives
///       in parts.
///   F6  What is sound can be rewritten; the copy has the same tables and metadata and is valid
///       (deep): its state hash is that of its content, not that of the file it was made from.
///   F7  Whatever the bytes are, salvage refuses with a reason, or gives an image whose file is
///       valid (deep, but for kept handles); of a sound file nothing is lost.
///
/// The first thing found wrong with the file, if any.
[[nodiscard]] Status check_type_free(std::span<const std::byte> bytes, bool verify_raw_hashes);

}  // namespace hdb::fuzz
