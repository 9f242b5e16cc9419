// Insert, erase, resize and compaction of an untyped blob table.
#include "hdb/detail/core/blobs/blob_core.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/blobs/blob_filling.hpp"
#include "hdb/assert.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxAlignment = 4096;

const BlobOptions& checked(const BlobOptions& options) noexcept {
  HDB_REQUIRE(options.problem() == nullptr, options.problem());
  return options;
}

TableOptions table_options(const BlobOptions& options) noexcept {
  return {.storage = Storage::stable,
          .free_list = options.free_list,
          .generations = options.generations,
          .overflow = options.overflow,
          .type_id = options.type_id,
          .page_bytes = options.page_bytes,
          .names = options.names,
          .scope = options.scope,
          .max_records = options.max_records};
}

// Whether `bytes` begin within the buffer.
bool lies_in(const BlobBuffer& buffer, std::span<const std::byte> bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data());
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return address >= begin && address - begin < buffer.capacity();
}

}  // namespace

const char* BlobOptions::problem() const noexcept {
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) {
    return "the alignment of a blob table must be a power of two from 1 to 4096";
  }
  if (capacity_bytes > kMaxCapacity || capacity_bytes % alignment != 0) {
    return "the capacity of a blob table must be a multiple of its alignment and at most 2^40 "
           "bytes";
  }
  return nullptr;
}

BlobCore::BlobCore(std::shared_ptr<PagePool> pool, const HandleLayout& layout,
                   const BlobOptions& options, const RecordOps& ops, std::size_t tail)
    : table_(pool, layout, table_options(checked(options)), ops),
      buffer_(pool, options.capacity_bytes, options.alignment),
      tail_(tail),
      options_(options),
      pool_(std::move(pool)) {}

BlobCore::~BlobCore() = default;

std::uint64_t BlobCore::taken_by(std::uint64_t size) const noexcept {
  const std::uint64_t mask = options_.alignment - 1;
  return size == 0 ? options_.alignment : (size + mask) & ~mask;
}

std::span<std::byte> BlobCore::edit_bytes(std::uint32_t slot) {
  const Tail& block = tail(slot);
  buffer_.own(block.offset, block.offset + block.size);
  return {buffer_.owned_at(block.offset), static_cast<std::size_t>(block.size)};
}

// Whether a block of `size` bytes has room, perhaps after compaction, once `given_back` bytes are.
Status BlobCore::check_room(std::uint64_t size, std::uint64_t given_back) const {
  const auto text = [size] { return "a block of " + std::to_string(size) + " bytes"; };
  if (size > buffer_.capacity() || taken_by(size) > buffer_.capacity()) {
    return fail(ErrorCode::blob_too_large, text() + " does not fit the buffer of " +
                                               std::to_string(buffer_.capacity()) + " bytes");
  }
  const std::uint64_t room = buffer_.capacity() - (allocated_ - given_back);
  if (taken_by(size) > room) {
    return fail(ErrorCode::blob_full,
                text() + " does not fit: " + std::to_string(room) + " bytes are free");
  }
  return {};
}

// --- insert and erase

Result<void*> BlobCore::prepare_insert(std::uint64_t size, std::span<const std::byte> content,
                                       std::string_view name) {
  if (auto room = check_room(size, 0); !room) return fail(std::move(room.error()));
  void* const element = table_.prepare_insert(name);
  if (element == nullptr)
    return fail(ErrorCode::table_full,
                "the table has no slot left for a block, or has BlobOptions::max_records blocks");
  prepare_block(size, content);
  return element;
}

Result<void*> BlobCore::prepare_revive(std::uint32_t slot, std::uint32_t generation,
                                       std::span<const std::byte> content, std::string_view name) {
  if (auto room = check_room(content.size(), 0); !room) return fail(std::move(room.error()));
  if (table_.slots().is_full())
    return fail(ErrorCode::table_full, "the table already has BlobOptions::max_records blocks");
  void* const element = table_.prepare_revive(slot, generation, name);
  prepare_block(content.size(), content);
  return element;
}

// Room for a new last block, when its element has some.
void BlobCore::prepare_block(std::uint64_t size, std::span<const std::byte> content) {
  const std::uint64_t taken = taken_by(size);
  pending_ = {size, content, taken > buffer_.capacity() - buffer_.end()};
  if (last_ != kNoBlock) static_cast<void>(edit_tail(last_));
  std::uint64_t offset = buffer_.end();
  if (pending_.compacts) {
    prepare_pack({first_, 0});
    offset = allocated_;
    if (!content.empty() && lies_in(buffer_, content)) {
      kept_content_.assign(content.begin(), content.end());
      pending_.content = kept_content_;
    }
  }
  buffer_.own(offset, offset + taken);
}

Slots::Next BlobCore::commit_insert() noexcept {
  if (pending_.compacts) pack({first_, 0});
  const std::uint64_t offset = buffer_.end();
  const std::uint64_t taken = taken_by(pending_.size);
  buffer_.extend(offset + taken);
  buffer_.write(offset, pending_.content);
  kept_content_.clear();
  const Slots::Next issued = table_.commit_insert();
  edit_tail(issued.slot) = {offset, pending_.size, last_, kNoBlock};
  (last_ == kNoBlock ? first_ : edit_tail(last_).next) = issued.slot;
  last_ = issued.slot;
  allocated_ += taken;
  for (BlobCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->outer_) {
    if (cursor->next_ == kNoBlock) cursor->next_ = issued.slot;
  }
  return issued;
}

void BlobCore::edit_neighbours(std::uint32_t slot) {
  const Tail block = tail(slot);
  if (block.previous != kNoBlock) static_cast<void>(edit_tail(block.previous));
  if (block.next != kNoBlock) static_cast<void>(edit_tail(block.next));
}

// Takes a block that was erased out of the order; its neighbours are owned.
void BlobCore::unlink(const Tail& gone) noexcept {
  (gone.previous == kNoBlock ? first_ : edit_tail(gone.previous).next) = gone.next;
  (gone.next == kNoBlock ? last_ : edit_tail(gone.next).previous) = gone.previous;
}

void BlobCore::erase_slot(std::uint32_t slot) {
  const Tail gone = tail(slot);
  const bool packs = options_.compaction == Compaction::at_release;
  edit_neighbours(slot);
  if (packs) {
    prepare_pack({gone.next, gone.offset});
  } else if (gone.next == kNoBlock) {  // the end falls over holes too
    buffer_.own(end_of(gone.previous), buffer_.end());
  } else {
    buffer_.own(gone.offset, gone.offset + gone.size);
  }
  table_.erase_slot(slot);
  for (BlobCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->outer_) {
    if (cursor->next_ == slot) cursor->next_ = gone.next;
  }
  unlink(gone);
  allocated_ -= taken_by(gone.size);
  if (packs) return pack({gone.next, gone.offset});
  if (gone.next == kNoBlock) return buffer_.shrink(end_of(last_));
  buffer_.zero(gone.offset, gone.offset + gone.size);
}

void BlobCore::clear() {
  buffer_.own(0, buffer_.end());
  table_.clear();
  forget_blocks();
}

void BlobCore::reset() {
  buffer_.own(0, buffer_.end());
  table_.reset();
  forget_blocks();
}

void BlobCore::forget_blocks() noexcept {
  buffer_.shrink(0);
  first_ = kNoBlock;
  last_ = kNoBlock;
  allocated_ = 0;
  filling_.reset();
  set_cursors(kNoBlock);
}

void BlobCore::set_cursors(std::uint32_t slot) noexcept {
  for (BlobCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->outer_) {
    cursor->next_ = slot;
  }
}

// --- compaction and resizing

void BlobCore::compact() {
  table_.require_not_busy();
  const Packing packing{first_, 0};
  prepare_pack(packing);
  pack(packing);
}

void BlobCore::prepare_pack(const Packing& packing) {
  std::uint64_t at = packing.at;
  std::uint64_t lowest = buffer_.end();
  for (std::uint32_t slot = packing.start; slot != kNoBlock; slot = next(slot)) {
    if (offset(slot) != at) {
      lowest = std::min({lowest, at, offset(slot)});
      static_cast<void>(edit_tail(slot));
    }
    at += slot == packing.changed ? packing.taken : taken(slot);
  }
  buffer_.own(std::min(lowest, at), std::max(at, buffer_.end()));
}

// Places rise along the order less and less, as each hole is closed: first some blocks move up, all
// behind them down. Those that move down go first, from the front, then the others from the back,
// and none is written over before it moved.
void BlobCore::pack(const Packing& packing) noexcept {
  const auto taken_then = [&](std::uint32_t slot) {
    return slot == packing.changed ? packing.taken : taken(slot);
  };
  std::uint64_t at = packing.at;
  std::uint32_t last_up = kNoBlock;
  std::uint64_t last_up_at = 0;
  for (std::uint32_t slot = packing.start; slot != kNoBlock; slot = next(slot)) {
    if (offset(slot) > at) {
      buffer_.move(offset(slot), at, taken(slot));
      edit_tail(slot).offset = at;
    } else if (offset(slot) < at) {
      last_up = slot;
      last_up_at = at;
    }
    at += taken_then(slot);
  }
  buffer_.extend(at);
  for (std::uint32_t slot = last_up; slot != kNoBlock && offset(slot) < last_up_at;) {
    buffer_.move(offset(slot), last_up_at, taken(slot));
    edit_tail(slot).offset = last_up_at;
    slot = previous(slot);
    if (slot != kNoBlock) last_up_at -= taken_then(slot);
  }
  buffer_.shrink(at);
}

Status BlobCore::resize(std::uint32_t slot, std::uint64_t size) {
  table_.require_not_busy();
  const std::uint64_t before = taken(slot);
  if (auto room = check_room(size, before); !room) return room;
  const std::uint32_t behind = next(slot);
  const std::uint64_t room =
      (behind == kNoBlock ? buffer_.capacity() : offset(behind)) - offset(slot);
  const bool leaves_hole = behind != kNoBlock && taken_by(size) < before;
  if (taken_by(size) <= room && !(leaves_hole && options_.compaction == Compaction::at_release)) {
    resize_in_place(slot, size);
  } else {
    resize_and_pack(slot, size);
  }
  return {};
}

void BlobCore::resize_in_place(std::uint32_t slot, std::uint64_t size) {
  Tail& block = edit_tail(slot);
  const std::uint64_t end = block.offset + taken_by(size);
  buffer_.own(block.offset + std::min(size, block.size), std::max(end, end_of(slot)));
  allocated_ = allocated_ - taken(slot) + taken_by(size);
  buffer_.zero(block.offset + size, block.offset + block.size);
  block.size = size;
  if (slot != last_) return;
  buffer_.extend(end);
  buffer_.shrink(end);
}

void BlobCore::resize_and_pack(std::uint32_t slot, std::uint64_t size) {
  const std::uint64_t taken_now = taken_by(size);
  const std::uint64_t kept = std::min(size, this->size(slot));
  const bool is_packed = options_.compaction == Compaction::at_release;
  const Packing packing = is_packed ? Packing{slot, offset(slot), slot, taken_now}
                                    : Packing{first_, 0, slot, taken_now};
  static_cast<void>(edit_tail(slot));
  buffer_.own(offset(slot) + kept, offset(slot) + std::max(taken(slot), taken_now));
  prepare_pack(packing);
  allocated_ = allocated_ - taken(slot) + taken_now;
  pack(packing);
  Tail& block = edit_tail(slot);
  block.size = size;
  buffer_.zero(block.offset + kept, block.offset + taken_now);
}

}  // namespace hdb
