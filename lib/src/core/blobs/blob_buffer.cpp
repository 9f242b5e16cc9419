// Chunks of a blob buffer: displaced at the first write after a capture, read by captures, brought
// back.
#include "hdb/detail/core/blobs/blob_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

constexpr std::size_t chunks_below(std::uint64_t end) noexcept {
  return static_cast<std::size_t>((end + kBlobChunkBytes - 1) / kBlobChunkBytes);
}
constexpr std::uint64_t chunk_begin(std::size_t chunk) noexcept {
  return std::uint64_t{chunk} * kBlobChunkBytes;
}

// Gives up one reference to a chunk.
void drop(const BlobMemory& memory, std::size_t index, BlobChunk* chunk) noexcept {
  if (chunk->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (std::byte* const copy = chunk->copy.load(std::memory_order_relaxed)) {
    memory.pool->recycle(copy, memory.chunk_bytes(index));
  }
  delete chunk;
}

}  // namespace

// --- BlobMemory

BlobMemory::BlobMemory(std::shared_ptr<PagePool> pool_of_memory, std::uint64_t capacity_bytes,
                       std::uint32_t alignment)
    : pool(std::move(pool_of_memory)), capacity(capacity_bytes) {
  // The pool aligns to kPageAlignment only.
  const std::size_t slack = alignment > kPageAlignment ? alignment : 0;
  page_bytes = std::max<std::size_t>(static_cast<std::size_t>(capacity) + slack, kPageAlignment);
  page = pool->acquire(page_bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(page);
  const std::uintptr_t excess = address % alignment;
  data = page + (excess == 0 ? 0 : alignment - excess);
}

BlobMemory::~BlobMemory() { pool->recycle(page, page_bytes); }

std::size_t BlobMemory::chunk_bytes(std::size_t chunk) const noexcept {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(kBlobChunkBytes, capacity - chunk_begin(chunk)));
}

// --- FrozenBuffer

FrozenBuffer::~FrozenBuffer() {
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    drop(*memory_, chunk, chunks_[chunk]);
  }
}

void FrozenBuffer::swap(FrozenBuffer& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(chunks_, other.chunks_);
  std::swap(end_, other.end_);
}

std::uint64_t FrozenBuffer::bytes_not_in(const FrozenBuffer& other) const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    if (i < other.chunks_.size() && chunks_[i] == other.chunks_[i]) continue;
    if (chunks_[i]->copy.load(std::memory_order_acquire) != nullptr)
      bytes += memory_->chunk_bytes(i);
  }
  return bytes;
}

void FrozenBuffer::read(std::uint64_t offset, std::span<std::byte> out) const {
  HDB_REQUIRE(offset <= end_ && out.size() <= end_ - offset,
              "FrozenBuffer::read: the bytes are not within the capture");
  while (!out.empty()) {
    const auto index = static_cast<std::size_t>(offset / kBlobChunkBytes);
    const auto within = static_cast<std::size_t>(offset % kBlobChunkBytes);
    const std::size_t count = std::min(out.size(), kBlobChunkBytes - within);
    BlobChunk& chunk = *chunks_[index];
    const std::byte* copy = chunk.copy.load(std::memory_order_acquire);
    if (copy == nullptr) {
      // Under the lock the content either is still the live one, and stays so until the lock is
      // free, or has its copy.
      const std::lock_guard lock(chunk.mutex);
      copy = chunk.copy.load(std::memory_order_acquire);
      if (copy == nullptr) std::memcpy(out.data(), memory_->data + offset, count);
    }
    if (copy != nullptr) std::memcpy(out.data(), copy + within, count);
    out = out.subspan(count);
    offset += count;
  }
}

// --- BlobBuffer

BlobBuffer::BlobBuffer(std::shared_ptr<PagePool> pool, std::uint64_t capacity,
                       std::uint32_t alignment)
    : memory_(std::make_shared<BlobMemory>(std::move(pool), capacity, alignment)) {}

BlobBuffer::~BlobBuffer() { drop_chunks(); }

void BlobBuffer::drop_chunks() noexcept {
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    if (chunks_[chunk] != nullptr) drop(*memory_, chunk, chunks_[chunk]);
  }
  chunks_.clear();
}

void BlobBuffer::own(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  const std::size_t stop = std::min(chunks_below(end), chunks_.size());
  for (auto chunk = static_cast<std::size_t>(begin / kBlobChunkBytes); chunk < stop; ++chunk) {
    if (is_shared(chunk)) displace(chunk);
  }
}

// The copy is made and published without the lock, while readers may read the live bytes too. Then
// the lock is passed through once: a reader that began before is waited for, at most one chunk's
// copying; all others find the copy.
void BlobBuffer::displace(std::size_t index) {
  std::byte* const copy = memory_->pool->acquire(memory_->chunk_bytes(index));
  const std::uint64_t begin = chunk_begin(index);
  const std::uint64_t known = std::min<std::uint64_t>(memory_->chunk_bytes(index), clean_ - begin);
  std::memcpy(copy, memory_->data + begin, static_cast<std::size_t>(known));
  BlobChunk* const chunk = std::exchange(chunks_[index], nullptr);
  chunk->copy.store(copy, std::memory_order_release);
  { const std::lock_guard wait_for_the_reader(chunk->mutex); }
  drop(*memory_, index, chunk);
}

bool BlobBuffer::is_owned(std::uint64_t begin, std::uint64_t end) const noexcept {
  const std::size_t stop = begin < end ? std::min(chunks_below(end), chunks_.size()) : 0;
  for (auto chunk = static_cast<std::size_t>(begin / kBlobChunkBytes); chunk < stop; ++chunk) {
    if (is_shared(chunk)) return false;
  }
  return true;
}

void BlobBuffer::extend(std::uint64_t end) noexcept {
  HDB_ASSERT(end <= capacity(), "the buffer's end lies within its capacity");
  if (end > clean_) {
    HDB_ASSERT(is_owned(clean_, end), "a range is owned before it is written");
    std::memset(memory_->data + clean_, 0, static_cast<std::size_t>(end - clean_));
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
  HDB_ASSERT(is_owned(offset, offset + bytes.size()), "a range is owned before it is written");
  std::memmove(memory_->data + offset, bytes.data(), bytes.size());
}

void BlobBuffer::move(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept {
  HDB_ASSERT(is_owned(to, to + count), "a range is owned before it is written");
  std::memmove(memory_->data + to, memory_->data + from, static_cast<std::size_t>(count));
}

void BlobBuffer::zero(std::uint64_t begin, std::uint64_t end) noexcept {
  if (begin >= end) return;
  HDB_ASSERT(is_owned(begin, end), "a range is owned before it is written");
  std::memset(memory_->data + begin, 0, static_cast<std::size_t>(end - begin));
}

std::size_t BlobBuffer::used_chunks() const noexcept { return chunks_below(end_); }

void BlobBuffer::count_copies(std::vector<PagePool::PageCount>& counts) const {
  for (std::size_t chunk = 0; chunk < used_chunks(); ++chunk) {
    const std::size_t size_bytes = memory_->chunk_bytes(chunk);
    const auto known = std::find_if(
        counts.begin(), counts.end(),
        [size_bytes](const PagePool::PageCount& count) { return count.size_bytes == size_bytes; });
    if (known != counts.end()) {
      ++known->count;
    } else {
      counts.push_back({size_bytes, 1});
    }
  }
}

// --- captures

FrozenBuffer BlobBuffer::freeze() {
  const std::size_t count = used_chunks();
  if (chunks_.size() < count) chunks_.resize(count, nullptr);
  FrozenBuffer frozen;
  frozen.memory_ = memory_;
  frozen.end_ = end_;
  frozen.chunks_.reserve(count);
  for (std::size_t chunk = 0; chunk < count; ++chunk) {
    if (chunks_[chunk] == nullptr) chunks_[chunk] = new (std::nothrow) BlobChunk;
    if (chunks_[chunk] == nullptr) out_of_memory();
    chunks_[chunk]->references.fetch_add(1, std::memory_order_relaxed);
    frozen.chunks_.push_back(chunks_[chunk]);
  }
  return frozen;
}

// Whether the live chunk still is the captured one.
bool BlobBuffer::is_kept(const FrozenBuffer& frozen, std::size_t chunk) const noexcept {
  return frozen.memory_ == memory_ && chunks_[chunk] == frozen.chunks_[chunk];
}

void BlobBuffer::prepare_thaw(const FrozenBuffer& frozen) {
  HDB_REQUIRE(frozen.memory_ != nullptr && frozen.memory_->capacity == capacity(),
              "a capture must be restored into a blob table of the same capacity");
  const std::size_t count = frozen.chunks_.size();
  for (std::size_t chunk = 0; chunk < count; ++chunk) {
    if (!is_kept(frozen, chunk)) own(chunk_begin(chunk), chunk_begin(chunk + 1));
  }
  own(chunk_begin(count), end_);
}

void BlobBuffer::commit_thaw(const FrozenBuffer& frozen) noexcept {
  const std::size_t count = frozen.chunks_.size();
  for (std::size_t chunk = 0; chunk < count; ++chunk) {
    if (is_kept(frozen, chunk)) continue;
    const std::uint64_t begin = chunk_begin(chunk);
    const std::uint64_t stop = std::min(chunk_begin(chunk + 1), frozen.end_);
    frozen.read(begin, {memory_->data + begin, static_cast<std::size_t>(stop - begin)});
  }
  // A kept chunk is zero behind the captured end already.
  const bool last_is_kept = count != 0 && is_kept(frozen, count - 1);
  zero(last_is_kept ? chunk_begin(count) : frozen.end_, end_);
  end_ = frozen.end_;
  clean_ = std::max(clean_, end_);
}

void BlobBuffer::adopt(BlobBuffer& other) noexcept {
  drop_chunks();
  other.drop_chunks();
  memory_ = std::move(other.memory_);
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
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    if (chunks_[chunk] == nullptr) continue;
    if (chunks_[chunk]->copy.load() != nullptr) return "V1: a displaced chunk is still shared";
    if (is_shared(chunk) && chunk >= used_chunks()) return "V3: a shared chunk after the end";
  }
  return nullptr;
}

}  // namespace hdb::detail
