// Blocks by the directory, then by their heads.
#include "format/frame/block_scan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/columns/chunk.hpp"
#include "format/frame/layout.hpp"

namespace hdb::format {
namespace {

constexpr std::size_t kScanWindow = std::size_t{1} << 20;
// The sum of the squares of the sizes of indexes that are searched for a changed byte: 2 of 4 KiB,
// 50 of 800 bytes. Each byte is hashed 255 times as often: about a second in all.
constexpr std::uint64_t kMaxEffort = std::uint64_t{1} << 25;

std::uint64_t most_stored(std::uint8_t type) noexcept {
  const bool is_indexed =
      type == type_number(BlockType::rows) || type == type_number(BlockType::free_list);
  return is_indexed ? 2 * kMaxPartRawBytes : max_raw(type);
}

// Whether a block of this kind could be one of a file.
bool is_possible(const BlockInfo& block) noexcept {
  if (block.type == 0 || (block.flags & ~kKnownBlockFlags) != 0) return false;
  const bool has_flags = !is_known(block.type) || block.flags == flags_of(block.type);
  return has_flags && block.stored_bytes <= most_stored(block.type);
}

class BlockScan {
 public:
  BlockScan(OverlaySource& source, std::uint64_t file_bytes, const ReadLimits& limits)
      : source_(source), file_bytes_(file_bytes), limits_(limits), patience_(4 * file_bytes) {}

  Result<FoundFile> run() {
    if (Status status = read_header(); !status) return fail(std::move(status.error()));
    if (Status status = read_directory(); !status) return fail(std::move(status.error()));
    const bool complete =
        found_.directory_id && std::all_of(found_.blocks.begin(), found_.blocks.end(),
                                           [](const FoundBlock& block) { return block.is_sound; });
    if (complete) return std::move(found_);
    if (Status status = scan_gaps(); !status) return fail(std::move(status.error()));
    return std::move(found_);
  }

 private:
  Status read_header() {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes_, kHeaderBytes));
    buffer_.reset(size);
    if (Status status = source_.read_at(0, buffer_.bytes()); !status) return status;
    auto header = decode_header(buffer_.bytes());
    if (!header) {
      if (category_of(header.error().code) == ErrorCategory::newer) return fail(header.error());
      found_.frame_faults.push_back(std::move(header.error()));
      return {};
    }
    if ((header->features.read_only & ~kKnownReadOnly) != 0) {
      return fail(ErrorCode::read_only_feature,
                  "the file uses a feature that this version of hdb cannot rewrite", "header", 24);
    }
    found_.header = *header;
    return {};
  }

  Status read_directory() {
    const auto fault = [&](Error error) -> Status {
      found_.frame_faults.push_back(std::move(error));
      return {};
    };
    if (file_bytes_ < kHeaderBytes + kDirectoryHeadBytes + kFooterBytes) {
      return fault(error_at(file_bytes_, ErrorCode::truncated,
                            std::to_string(file_bytes_) + " bytes are too few for a whole file",
                            "footer"));
    }
    buffer_.reset(kFooterBytes);
    if (Status status = source_.read_at(file_bytes_ - kFooterBytes, buffer_.bytes()); !status)
      return status;
    auto footer = decode_footer(buffer_.bytes(), file_bytes_);
    if (!footer) return fault(std::move(footer.error()));
    found_.footer = *footer;
    if (footer->directory_bytes > limits_.max_directory_bytes) {
      return fail(ErrorCode::limit_exceeded,
                  "a directory of " + std::to_string(footer->directory_bytes) + " bytes" +
                      at_most(limits_.max_directory_bytes),
                  "footer", footer->directory_offset);
    }
    buffer_.reset(static_cast<std::size_t>(footer->directory_bytes));
    if (Status status = source_.read_at(footer->directory_offset, buffer_.bytes()); !status)
      return status;
    if (hash64(buffer_.bytes()) != footer->directory_hash) {
      return fault(error_at(footer->directory_offset, ErrorCode::directory_checksum,
                            "the hash of the directory does not match", "directory"));
    }
    const Hash128 id{load_le<std::uint64_t>(buffer_.data() + kDirectoryMagic.size()),
                     load_le<std::uint64_t>(buffer_.data() + kDirectoryMagic.size() + 8)};
    auto entries = decode_directory(buffer_.bytes(), footer->directory_offset, id, limits_);
    if (!entries) {
      const ErrorCategory category = category_of(entries.error().code);
      if (category == ErrorCategory::limit || category == ErrorCategory::newer)
        return fail(std::move(entries.error()));
      return fault(std::move(entries.error()));
    }
    found_.directory_id = id;
    for (const BlockInfo& entry : *entries) {
      if (Status status = look_at_entry(entry, id); !status) return status;
    }
    return {};
  }

  // A block that the directory lists. Its hash there vouches for the payload, whatever became of
  // the head.
  Status look_at_entry(const BlockInfo& entry, const Hash128& id) {
    FoundBlock block{entry, id, false, std::nullopt};
    if (!is_possible(entry)) {
      block.fault = error_at(entry.offset, ErrorCode::bad_directory,
                             "an entry does not describe a possible block", "directory");
    } else if (entry.offset > file_bytes_ || file_bytes_ - entry.offset < kBlockHeadBytes) {
      block.fault = error_at(entry.offset, ErrorCode::truncated,
                             "the block begins after the end of the file");
    } else {
      std::array<std::byte, kBlockHeadBytes> bytes;
      if (Status status = source_.read_at(entry.offset, bytes); !status) return status;
      const auto head = decode_block_head(bytes, entry.offset);
      const bool same = head && head->file_id == id && same_block(head->info, entry);
      if (Status status = look_at_payload(block); !status) return status;
      if (!same && block.is_sound) {
        // The hash in the directory vouches for the payload, or for the index of its chunks.
        source_.patch(entry.offset, encode_block_head({entry, id}));
        block.fault = error_at(entry.offset, ErrorCode::block_head_checksum,
                               "the block head is damaged; the directory has the same information");
      }
    }
    return add(std::move(block));
  }

  // Reads the payload into buffer_ and checks it; reports padding that is not zero.
  Status look_at_payload(FoundBlock& block) {
    const BlockInfo& info = block.info;
    const std::uint64_t begin = info.offset + kBlockHeadBytes;
    if (begin > file_bytes_ || info.stored_bytes > file_bytes_ - begin) {
      block.fault = error_at(info.offset, ErrorCode::truncated,
                             "the block reaches beyond the end of the file");
      return {};
    }
    buffer_.reset(static_cast<std::size_t>(info.stored_bytes));
    if (Status status = source_.read_at(begin, buffer_.bytes()); !status) return status;
    const bool is_put_right = put_index_right(info);
    if (Status status = check_payload(info, buffer_.bytes()); !status) {
      block.fault = std::move(status.error());
      return {};
    }
    block.is_sound = true;
    if (is_put_right) {
      block.fault = error_at(begin, ErrorCode::block_checksum,
                             "one byte of the column index is wrong; its hash shows the right one");
      return {};
    }
    const auto padding = static_cast<std::size_t>(aligned(info.stored_bytes) - info.stored_bytes);
    std::array<std::byte, kAlignment> bytes{};
    const std::span<std::byte> there = std::span(bytes).first(padding);
    if (Status status = source_.read_at(begin + info.stored_bytes, there); !status) return status;
    if (std::all_of(there.begin(), there.end(), [](std::byte b) { return b == std::byte{0}; }))
      return {};
    block.fault =
        error_at(begin + info.stored_bytes, ErrorCode::bad_geometry, "the padding is not zero");
    return {};
  }

  // The index is most of a small row group, and all its columns depend on it. If one byte of it
  // changed, only one other value of one byte has the hash.
  bool put_index_right(const BlockInfo& info) {
    if (info.type != type_number(BlockType::rows)) return false;
    const auto hashed = hashed_part(info, buffer_.bytes());
    if (!hashed || hash64(*hashed) == info.payload_hash) return false;
    const std::uint64_t effort = hashed->size() * hashed->size();
    if (effort > effort_) return false;
    effort_ -= effort;
    const std::span<std::byte> index = buffer_.bytes().first(hashed->size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::byte stored = index[i];
      for (unsigned change = 1; change < 256; ++change) {
        index[i] = stored ^ static_cast<std::byte>(change);
        if (hash64(index) != info.payload_hash) continue;
        source_.patch(info.offset + kBlockHeadBytes + i, index.subspan(i, 1));
        return true;
      }
      index[i] = stored;
    }
    return false;
  }

  Status add(FoundBlock block) {
    if (found_.blocks.size() >= limits_.max_blocks) {
      return fail(ErrorCode::limit_exceeded,
                  "the file has more than " + std::to_string(limits_.max_blocks) + " blocks",
                  "salvage", block.info.offset);
    }
    found_.blocks.push_back(std::move(block));
    return {};
  }

  // Tries what no sound block covers.
  Status scan_gaps() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sound;  // begin, end
    for (const FoundBlock& block : found_.blocks) {
      if (block.is_sound)
        sound.emplace_back(block.info.offset,
                           block.info.offset + kBlockHeadBytes + block.info.stored_bytes);
    }
    std::sort(sound.begin(), sound.end());
    std::uint64_t at = 0;
    for (const auto& [begin, end] : sound) {
      if (at < begin) {
        if (Status status = scan(at, begin); !status) return status;
      }
      at = std::max(at, end);
    }
    return scan(at, file_bytes_);
  }

  Status scan(std::uint64_t at, std::uint64_t end) {
    Bytes window;
    while (at < end && file_bytes_ - at >= kBlockHeadBytes) {
      window.resize(static_cast<std::size_t>(std::min<std::uint64_t>(
          {kScanWindow, file_bytes_ - at, end - at + kBlockHeadBytes - 1})));
      if (Status status = source_.read_at(at, window); !status) return status;
      const std::size_t last = window.size() - kBlockHeadBytes;  // where a head may begin
      std::size_t next = last + 1;
      for (std::size_t i = 0; i <= last;) {
        const void* const hit = std::memchr(window.data() + i, kBlockMarker.front(), last + 1 - i);
        if (hit == nullptr) break;
        i = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - window.data());
        if (at + i >= end) break;
        const auto head = decode_block_head(std::span(window).subspan(i, kBlockHeadBytes), at + i);
        if (!head || !is_possible(head->info)) {
          ++i;
          continue;
        }
        const auto size = look_at_head(*head);
        if (!size) return fail(size.error());
        if (*size > last - i) {  // continues after this window
          next = i;
          at += *size;
          break;
        }
        i += static_cast<std::size_t>(*size);
        next = std::max(next, i);
      }
      at += next;
    }
    return {};
  }

  // How far to continue after a head: over a sound block; into one that is not, for what it says of
  // its size may be wrong, or bytes may be missing.
  Result<std::uint64_t> look_at_head(const BlockHead& head) {
    FoundBlock block{head.info, head.file_id, false, std::nullopt};
    if (Status status = look_at_payload(block); !status) return fail(std::move(status.error()));
    const bool is_sound = block.is_sound;
    if (Status status = add(std::move(block)); !status) return fail(std::move(status.error()));
    // Where bytes are missing, what should be padding may be the next block.
    const std::uint64_t whole = kBlockHeadBytes + head.info.stored_bytes;
    if (is_sound) return whole;
    // Heads that claim large blocks over and over are read that often only.
    if (head.info.stored_bytes > patience_) return whole;
    patience_ -= head.info.stored_bytes;
    return std::uint64_t{kBlockHeadBytes};
  }

  OverlaySource& source_;
  std::uint64_t file_bytes_;
  const ReadLimits& limits_;
  std::uint64_t patience_;
  std::uint64_t effort_ = kMaxEffort;
  Buffer buffer_;
  FoundFile found_;
};

}  // namespace

Result<FoundFile> find_blocks(OverlaySource& source, std::uint64_t file_bytes,
                              const ReadLimits& limits) {
  return BlockScan(source, file_bytes, limits).run();
}

}  // namespace hdb::format
