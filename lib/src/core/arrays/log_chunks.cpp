// The memory of log entries, and the index of those of a page.
#include "core/arrays/log_chunks.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "core/arrays/array_core.hpp"
#include "core/arrays/log_segment.hpp"
#include "core/arrays/page_pool.hpp"

namespace hdb::detail {
namespace {

constexpr std::size_t kEntryAlignment = PageGeometry::kLeastLogAlignment;
static_assert(alignof(LogEntry) <= kEntryAlignment);

std::size_t head_bytes(const ArrayCore& core) noexcept {
  return sizeof(LogEntry) + (core.geometry().ops.trivial ? 0 : sizeof(std::uint64_t));
}

}  // namespace

std::size_t LogEntry::size_for(const ArrayCore& core, std::size_t blocks) noexcept {
  const std::size_t slack = core.geometry().log_alignment - kEntryAlignment;
  const std::size_t content = blocks * core.geometry().block_bytes;
  return (head_bytes(core) + slack + content + kEntryAlignment - 1) & ~(kEntryAlignment - 1);
}

std::byte* LogEntry::content() noexcept {
  auto* const begin = reinterpret_cast<std::byte*>(this);
  const std::size_t head = head_bytes(*core);
  const std::size_t alignment = core->geometry().log_alignment;
  const auto address = reinterpret_cast<std::uintptr_t>(begin) + head;
  return begin + head + ((alignment - address) & (alignment - 1));
}

std::byte* LogEntry::content_of(std::size_t block) noexcept {
  const std::uint64_t before = blocks & blocks_below(block);
  return before == 0 ? content() : content() + count_blocks(before) * core->geometry().block_bytes;
}

void LogEntry::destroy_elements() noexcept {
  for_each_run(std::exchange(constructed(), 0), [this](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block)
      core->geometry().ops.destroy(content_of(block));
  });
}

// --- ChunkList

ChunkList::~ChunkList() {
  while (first_ != nullptr) {
    LogChunk* const chunk = std::exchange(first_, first_->next);
    if (chunk->has_objects) {
      chunk->for_each(LogChunk::kHeadBytes, [](LogEntry& entry) {
        if (!entry.core->geometry().ops.trivial) entry.destroy_elements();
      });
    }
    pool_->recycle(reinterpret_cast<std::byte*>(chunk), chunk->size_bytes);
  }
}

std::size_t ChunkList::used_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const LogChunk* chunk = first_; chunk != nullptr; chunk = chunk->next)
    bytes += chunk->used_bytes.load(std::memory_order_acquire) - LogChunk::kHeadBytes;
  return bytes;
}

std::size_t ChunkList::next_size(std::size_t bytes) noexcept {
  return std::bit_floor(std::clamp(bytes, kLeastChunk, kLargestChunk));
}

LogChunk& ChunkList::add(std::size_t entry_bytes, std::size_t first_bytes) {
  const std::size_t needed = std::bit_ceil(LogChunk::kHeadBytes + entry_bytes);
  const std::size_t size = std::max(needed, next_size(std::max(bytes_, first_bytes)));
  auto* const chunk = ::new (pool_->acquire(size)) LogChunk;
  chunk->size_bytes = size;
  (last_ == nullptr ? first_ : last_->next) = chunk;
  last_ = chunk;
  bytes_ += size;
  return *chunk;
}

void ChunkList::append(ChunkList&& other) noexcept {
  if (other.first_ == nullptr) return;
  (last_ == nullptr ? first_ : last_->next) = other.first_;
  last_ = std::exchange(other.last_, nullptr);
  other.first_ = nullptr;
  bytes_ += std::exchange(other.bytes_, 0);
}

ChunkList ChunkList::take_sealed() noexcept {
  ChunkList sealed(*pool_);
  if (first_ == last_) return sealed;
  sealed.swap(*this);
  LogChunk* before_last = sealed.first_;
  while (before_last->next != sealed.last_) before_last = before_last->next;
  before_last->next = nullptr;
  first_ = last_ = std::exchange(sealed.last_, before_last);
  bytes_ = last_->size_bytes;
  sealed.bytes_ -= bytes_;
  return sealed;
}

LogEntry* LogWriter::begin(ArrayCore& core, std::size_t page, std::uint64_t blocks,
                           std::uint64_t stamp) noexcept {
  LogEntry* const entry =
      begin_one(core, page, blocks, stamp, LogEntry::size_for(core, count_blocks(blocks)));
  if (entry != nullptr && !core.geometry().ops.trivial) chunk_->has_objects = true;
  return entry;
}

void LogWriter::add_chunk(const ArrayCore& core, std::uint64_t blocks, ChunkList& chunks,
                          std::size_t first_bytes) {
  chunk_ = &chunks.add(LogEntry::size_for(core, count_blocks(blocks)), first_bytes);
  used_ = LogChunk::kHeadBytes;
}

void LogWriter::reserve(PagePool& pool, std::size_t bytes) {
  // The first chunk has one of these sizes, and the others double it.
  for (std::size_t size = ChunkList::kLeastChunk; size < ChunkList::kLargestChunk; size *= 2) {
    if (size <= 2 * bytes) pool.reserve(size, 2);
  }
  pool.reserve(ChunkList::kLargestChunk, bytes / ChunkList::kLargestChunk);
}

// --- LogSegment

void LogSegment::index_entry(LogEntry& entry) {
  LoggedPage& page = index_[{entry.core, entry.page}];
  page.entries.push_back(&entry);
  page.blocks |= entry.blocks;
}

void LogSegment::index() {
  if (indexed_ == nullptr) indexed_ = chunks.first();
  for (LogChunk* chunk = indexed_; chunk != nullptr; chunk = chunk->next) {
    chunk->for_each(chunk->indexed_bytes, [&](LogEntry& entry) {
      index_entry(entry);
      chunk->indexed_bytes += entry.bytes;
    });
    indexed_ = chunk;
  }
}

bool LogSegment::try_index() noexcept {
#if defined(__cpp_exceptions)
  try {
    index();
  } catch (...) {  // no memory
    for (LogChunk* chunk = chunks.first(); chunk != nullptr; chunk = chunk->next)
      chunk->indexed_bytes = LogChunk::kHeadBytes;
    clear();
    return false;
  }
#else
  index();
#endif
  return true;
}

const LoggedPage* LogSegment::find(const ArrayCore& core, std::size_t page) {
  index();
  const auto found = index_.find({&core, page});
  return found == index_.end() ? nullptr : &found->second;
}

void LogSegment::append(LogSegment&& other) noexcept {
  for (LogChunk* chunk = other.chunks.first(); chunk != nullptr; chunk = chunk->next)
    chunk->indexed_bytes = LogChunk::kHeadBytes;
  chunks.append(std::move(other.chunks));
  other.clear();
}

void LogSegment::clear() noexcept {
  index_.clear();
  indexed_ = nullptr;
}

}  // namespace hdb::detail
