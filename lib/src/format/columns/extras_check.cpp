// Names by their hashes, blocks in order of their offsets.
#include "format/columns/extras_check.hpp"

#include <algorithm>
#include <string>

#include "hdb/bytes.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::format {

Status ExtrasChecker::add_group(const RowGroup& group) {
  std::span<const Bytes> columns(group.columns);
  const std::size_t wanted =
      (table_.policy.names == RecordNames::none ? 0u : 2u) + (table_.blobs ? 3u : 0u);
  if (columns.size() < wanted) {
    return fail(ErrorCode::bad_lengths, "the columns of names or blobs are missing");
  }
  if (table_.policy.names != RecordNames::none) {
    if (auto added = add_names(columns[0], columns[1]); !added) return added;
    columns = columns.subspan(2);
  }
  return table_.blobs ? add_blocks(columns[0], columns[1]) : Status{};
}

Status ExtrasChecker::add_names(const Bytes& lengths, const Bytes& bytes) {
  std::span<const std::byte> rest(bytes);
  Bytes name;
  const std::byte* const end = lengths.data() + lengths.size();
  for (const std::byte* at = lengths.data(); at != end;) {
    std::uint64_t length = 0;
    at = load_varint(at, end, length);
    if (at == nullptr || length > rest.size())
      return fail(ErrorCode::bad_lengths, "the names do not match their lengths", "column '@name'");
    name.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(static_cast<std::size_t>(length));
    if (name.empty()) continue;
    if (table_.policy.names == RecordNames::ignore_case) {
      for (std::byte& c : name) c = lower_ascii(c);
    }
    if (names_.insert(hash128(name)).second) continue;
    constexpr std::size_t kShown = 64;
    std::string text(reinterpret_cast<const char*>(name.data()), std::min(name.size(), kShown));
    return fail(ErrorCode::bad_names, "two records have the name '" + text + "'", "column '@name'");
  }
  return {};
}

Status ExtrasChecker::add_blocks(const Bytes& offsets, const Bytes& lengths) {
  const BlobPolicy& blobs = *table_.blobs;
  const std::byte* const end = lengths.data() + lengths.size();
  const std::byte* offset_at = offsets.data();
  for (const std::byte* at = lengths.data(); at != end; offset_at += 8) {
    std::uint64_t size = 0;
    at = load_varint(at, end, size);
    if (at == nullptr || offset_at == offsets.data() + offsets.size())
      return fail(ErrorCode::bad_lengths, "the offsets do not match their lengths",
                  "column '@offset'");
    const auto offset = load_le<std::uint64_t>(offset_at);
    const bool fits = offset % blobs.alignment == 0 && size <= blobs.capacity_bytes &&
                      offset <= blobs.capacity_bytes - size;
    // Capacities are multiples of the alignment, and far below 2^64.
    const std::uint64_t taken = (std::max<std::uint64_t>(size, 1) + blobs.alignment - 1) /
                                blobs.alignment * blobs.alignment;
    if (!fits || taken > blobs.capacity_bytes - offset) {
      return fail(ErrorCode::bad_blobs,
                  "the block of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                      " is not aligned or reaches beyond the buffer",
                  "column '@offset'");
    }
    blocks_.emplace_back(offset, offset + taken);
  }
  return {};
}

Status ExtrasChecker::finish() {
  std::sort(blocks_.begin(), blocks_.end());
  std::uint64_t end = 0;
  for (const auto& [begin, block_end] : blocks_) {
    const bool hole = table_.blobs->compaction == Compaction::at_release && begin > end;
    if (begin < end || hole) {
      return fail(ErrorCode::bad_blobs,
                  "the block at " + std::to_string(begin) +
                      (hole ? " lies after a gap" : " overlaps another block"));
    }
    end = block_end;
  }
  return {};
}

}  // namespace hdb::format
