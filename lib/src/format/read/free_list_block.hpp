// The entries of one block of a free list.
#pragma once

#include <span>

#include "format/frame/block_source.hpp"

namespace hdb::format {

/// Fills `out` with the entries of a block, which must be as many.
/// Errors: bad_free_list, bad_chunk, and those of reading blocks and chunks.
[[nodiscard]] Status read_free_list_block(const BlockSource& source, const BlockInfo& block,
                                          bool verify_raw_hash, ChunkDecoder& scratch,
                                          std::span<std::uint32_t> out);

}  // namespace hdb::format
