// Free-list blocks in.
#include "format/read/free_list_block.hpp"

#include <bit>

namespace hdb::format {

Status read_free_list_block(const BlockSource& source, const BlockInfo& block, bool verify_raw_hash,
                            ChunkDecoder& scratch, std::span<std::uint32_t> out) {
  if (block.raw_bytes != out.size_bytes()) {
    return fail(ErrorCode::bad_free_list,
                std::to_string(block.raw_bytes) + " bytes do not fit " +
                    std::to_string(out.size()) + " entries",
                {}, block.offset);
  }
  const auto payload = source.read_block(block, true, scratch.block);
  if (!payload) return fail(payload.error());
  const auto entries = decode_index(*payload, block);
  if (!entries) return fail(entries.error());
  const ChunkEntry& entry = entries->front();
  if (entries->size() != 1 || entry.info.column != 0 || entry.info.piece != 0 || entry.width != 4) {
    return fail(ErrorCode::bad_chunk, "a free-list block must hold one chunk of 4-byte values", {},
                block.offset);
  }
  const auto stored = payload->subspan(static_cast<std::size_t>(entry.payload_offset));
  Status status = scratch.decode(entry, stored, std::as_writable_bytes(out), verify_raw_hash);
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint32_t& slot : out) slot = swap_bytes(slot);
  }
  return status;
}

}  // namespace hdb::format
