// The bytes of blobs: writing to private pages, capture and restore.
#include "hdb/detail/core/blobs/blob_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/blobs/frozen_blobs.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

RecordOps byte_ops(std::uint32_t alignment) noexcept {
  RecordOps ops = trivial_ops<std::byte>();
  ops.alignment = alignment;
  return ops;
}

}  // namespace

BlobBuffer::BlobBuffer(const std::shared_ptr<UndoLog>& log, std::uint64_t capacity,
                       std::uint32_t alignment)
    : capacity_(capacity), bytes_(log, byte_ops(alignment), Addresses::stay, capacity) {
  bytes_.grow_to(static_cast<std::size_t>(std::max<std::uint64_t>(capacity, 1)));
}

void BlobBuffer::extend(std::uint64_t end) noexcept {
  HDB_ASSERT(end <= capacity(), "the buffer's end lies within its capacity");
  if (end > clean_) {
    HDB_ASSERT(is_private(clean_, end), "a page is private before it is written");
    std::memset(private_at(clean_), 0, static_cast<std::size_t>(end - clean_));
    clean_ = end;
  }
  end_ = std::max(end_, end);
}

void BlobBuffer::shrink(std::uint64_t end) noexcept {
  zero(end, end_);
  end_ = std::min(end_, end);
}

void BlobBuffer::write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  HDB_ASSERT(is_private(offset, offset + bytes.size()), "a page is private before it is written");
  std::memmove(private_at(offset), bytes.data(), bytes.size());
}

void BlobBuffer::move(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept {
  HDB_ASSERT(is_private(to, to + count), "a page is private before it is written");
  std::memmove(private_at(to), data() + from, static_cast<std::size_t>(count));
}

void BlobBuffer::zero(std::uint64_t begin, std::uint64_t end) noexcept {
  if (begin >= end) return;
  HDB_ASSERT(is_private(begin, end), "a page is private before it is written");
  std::memset(private_at(begin), 0, static_cast<std::size_t>(end - begin));
}

// --- captures

FrozenBuffer BlobBuffer::freeze(const std::shared_ptr<const Moment>& moment) {
  return {bytes_.freeze(moment, static_cast<std::size_t>(end_)), end_};
}

void BlobBuffer::prepare_thaw(const FrozenBuffer& frozen) { bytes_.prepare_thaw(frozen.bytes()); }

// The bytes after the end are those of the capture, too, which may never have been used then: they
// become zero when they are used.
void BlobBuffer::commit_thaw(const FrozenBuffer& frozen) noexcept {
  bytes_.commit_thaw();
  end_ = frozen.size();
  clean_ = end_;
}

void BlobBuffer::adopt(BlobBuffer& other) noexcept {
  bytes_.adopt(other.bytes_);
  end_ = std::exchange(other.end_, 0);
  clean_ = std::exchange(other.clean_, 0);
}

void BlobBuffer::begin_fill() noexcept {
  HDB_ASSERT(end_ == 0, "an empty buffer is filled");
  clean_ = 0;
}

void BlobBuffer::set_filled(std::uint64_t end) noexcept {
  end_ = end;
  clean_ = end;
}

const char* BlobBuffer::check() const noexcept {
  if (end_ > clean_ || clean_ > capacity()) return "V2: the end of a blob buffer";
  const std::byte* const from = data() + end_;
  if (std::any_of(from, data() + clean_, [](std::byte byte) { return byte != std::byte{0}; })) {
    return "V2: a byte after the end is not zero";
  }
  return bytes_.check() ? nullptr : "V1: what the array knows of its memory";
}

}  // namespace hdb::detail
