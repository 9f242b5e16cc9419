// An untyped blob table: insert, erase, resize, compaction, capture and loading.
#include "hdb/detail/core/blobs/blob_core.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/blobs/frozen_blobs.hpp"
#include "hdb/assert.hpp"

namespace hdb {

const char* BlobOptions::problem() const noexcept {
  constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 40;
  constexpr std::uint32_t kMaxAlignment = 4096;
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) {
    return "the alignment of a blob table must be a power of two from 1 to 4096";
  }
  if (capacity_bytes > kMaxCapacity || capacity_bytes % alignment != 0) {
    return "the capacity of a blob table must be a multiple of its alignment and at most 2^40 "
           "bytes";
  }
  return nullptr;
}

}  // namespace hdb

namespace hdb::detail {
namespace {

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

std::string block_text(std::uint32_t slot, std::uint64_t offset, std::uint64_t size) {
  return "the block of slot " + std::to_string(slot) + " (offset " + std::to_string(offset) +
         ", size " + std::to_string(size) + ") ";
}

}  // namespace

struct BlobCore::Filling {
  struct Place {
    std::uint64_t end;  // of the bytes that the block takes
    std::uint32_t slot;
  };
  std::mutex mutex;
  std::map<std::uint64_t, Place> by_offset;  // guarded by mutex
};

BlobCore::BlobCore(const std::shared_ptr<UndoLog>& log, const HandleLayout& layout,
                   const BlobOptions& options, const RecordOps& ops, std::size_t tail)
    : table_(log, layout, table_options(checked(options)), ops),
      buffer_(table_.log(), options.capacity_bytes, options.alignment),
      tail_(tail),
      options_(options) {}

BlobCore::~BlobCore() = default;

BlobCursor::BlobCursor(BlobCore& core) noexcept
    : core_(core), next_(core.first()), outer_(core.cursors_) {
  core.cursors_ = this;
}

BlobCursor::~BlobCursor() { core_.cursors_ = outer_; }

std::uint64_t BlobCore::taken_by(std::uint64_t size) const noexcept {
  const std::uint64_t mask = options_.alignment - 1;
  return size == 0 ? options_.alignment : (size + mask) & ~mask;
}

std::span<std::byte> BlobCore::edit_bytes(std::uint32_t slot) {
  const BlockPlace& block = tail(slot);
  buffer_.make_private(block.offset, block.offset + block.size);
  return {buffer_.private_at(block.offset), static_cast<std::size_t>(block.size)};
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
  void* const element = table_.prepare_insert_at(slot, generation, name);
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
  buffer_.make_private(offset, offset + taken);
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
  const BlockPlace block = tail(slot);
  if (block.previous != kNoBlock) static_cast<void>(edit_tail(block.previous));
  if (block.next != kNoBlock) static_cast<void>(edit_tail(block.next));
}

// Takes a block that was erased out of the order; its neighbours are owned.
void BlobCore::unlink(const BlockPlace& gone) noexcept {
  (gone.previous == kNoBlock ? first_ : edit_tail(gone.previous).next) = gone.next;
  (gone.next == kNoBlock ? last_ : edit_tail(gone.next).previous) = gone.previous;
}

void BlobCore::erase_slot(std::uint32_t slot) {
  const BlockPlace gone = tail(slot);
  const bool packs = options_.compaction == Compaction::at_release;
  edit_neighbours(slot);
  if (packs) {
    prepare_pack({gone.next, gone.offset});
  } else if (gone.next == kNoBlock) {  // the end falls over holes too
    buffer_.make_private(end_of(gone.previous), buffer_.end());
  } else {
    buffer_.make_private(gone.offset, gone.offset + gone.size);
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
  buffer_.make_private(0, buffer_.end());
  table_.clear();
  forget_blocks();
}

void BlobCore::reset() {
  buffer_.make_private(0, buffer_.end());
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
  table_.begin_change();
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
  buffer_.make_private(std::min(lowest, at), std::max(at, buffer_.end()));
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
  table_.begin_change();
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
  BlockPlace& block = edit_tail(slot);
  const std::uint64_t end = block.offset + taken_by(size);
  buffer_.make_private(block.offset + std::min(size, block.size), std::max(end, end_of(slot)));
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
  // Where the block would end beyond the buffer, packing moves it down and owns what it moves to.
  buffer_.make_private(
      offset(slot) + kept,
      std::min(offset(slot) + std::max(taken(slot), taken_now), buffer_.capacity()));
  prepare_pack(packing);
  allocated_ = allocated_ - taken(slot) + taken_now;
  pack(packing);
  BlockPlace& block = edit_tail(slot);
  block.size = size;
  buffer_.zero(block.offset + kept, block.offset + taken_now);
}

// --- capture and restore

FrozenTable BlobCore::freeze(const std::shared_ptr<const Moment>& moment) {
  FrozenTable frozen = table_.freeze(moment);
  frozen.blobs = std::make_shared<FrozenBlobs>(
      FrozenBlobs{buffer_.freeze(moment), first_, last_, allocated_, tail_});
  return frozen;
}

void BlobCore::prepare_thaw(const FrozenTable& frozen) {
  table_.prepare_thaw(frozen);
  buffer_.prepare_thaw(frozen.blobs->buffer);
}

void BlobCore::commit_thaw(const FrozenTable& frozen) noexcept {
  table_.commit_thaw(frozen);
  const FrozenBlobs& blobs = *frozen.blobs;
  buffer_.commit_thaw(blobs.buffer);
  first_ = blobs.first;
  last_ = blobs.last;
  allocated_ = blobs.allocated_bytes;
  set_cursors(kNoBlock);
}

void BlobCore::adopt(TableContent& content) noexcept {
  auto& other = static_cast<BlobCore&>(content);
  table_.adopt(other.table_);
  buffer_.adopt(other.buffer_);
  first_ = std::exchange(other.first_, kNoBlock);
  last_ = std::exchange(other.last_, kNoBlock);
  allocated_ = std::exchange(other.allocated_, 0);
  set_cursors(kNoBlock);
}

std::unique_ptr<TableContent> BlobCore::make_empty() const {
  return std::make_unique<BlobCore>(table_.log(), table_.policy().layout, options_, table_.ops(),
                                    tail_);
}

std::size_t BlobCore::logged_bytes() const noexcept {
  return table_.logged_bytes() + static_cast<std::size_t>(buffer_.end());
}

// --- loading, and the check of the invariants

void BlobCore::begin_fill(const SlotCounters& counters, std::uint64_t) {
  reset();
  filling_ = std::make_unique<Filling>();
  buffer_.begin_fill();
  table_.begin_fill(counters);
}

Status BlobCore::fill_block(std::uint32_t slot, std::uint64_t offset,
                            std::span<const std::byte> bytes) {
  HDB_REQUIRE(filling_ != nullptr, "call begin_fill before fill_block");
  const std::uint64_t size = bytes.size();
  const std::uint64_t capacity = buffer_.capacity();
  if (offset % options_.alignment != 0) {
    return fail(ErrorCode::bad_blobs, block_text(slot, offset, size) + "is not aligned");
  }
  if (offset > capacity || size > capacity - offset || taken_by(size) > capacity - offset) {
    return fail(ErrorCode::bad_blobs, block_text(slot, offset, size) + "reaches beyond the buffer");
  }
  {
    // Claimed before a byte is written: so two threads never write to one place.
    const std::lock_guard lock(filling_->mutex);
    auto& places = filling_->by_offset;
    const auto behind = places.lower_bound(offset);
    const std::uint64_t end = offset + taken_by(size);
    if ((behind != places.end() && behind->first < end) ||
        (behind != places.begin() && std::prev(behind)->second.end > offset)) {
      return fail(ErrorCode::bad_blobs, block_text(slot, offset, size) + "overlaps another block");
    }
    places.emplace_hint(behind, offset, Filling::Place{end, slot});
  }
  std::copy(bytes.begin(), bytes.end(), buffer_.private_at(offset));
  BlockPlace& block = *reinterpret_cast<BlockPlace*>(table_.filled_at(slot) + tail_);
  block.offset = offset;
  block.size = size;
  return {};
}

Status BlobCore::finish_fill() {
  HDB_REQUIRE(filling_ != nullptr, "call begin_fill before finish_fill");
  const std::unique_ptr<Filling> filling = std::move(filling_);
  const auto& places = filling->by_offset;
  const bool is_packed = options_.compaction == Compaction::at_release;
  std::uint64_t end = 0;
  std::uint64_t allocated = 0;
  std::uint32_t last = kNoBlock;
  for (const auto& [offset, place] : places) {
    BlockPlace& block = edit_tail(place.slot);
    if (block.offset != offset) {
      return fail(ErrorCode::bad_blobs,
                  block_text(place.slot, offset, block.size) + "is the second block of its slot");
    }
    if (is_packed && offset != end) {
      return fail(ErrorCode::bad_blobs,
                  block_text(place.slot, offset, block.size) + "lies after a gap");
    }
    std::fill(buffer_.private_at(end), buffer_.private_at(offset), std::byte{0});
    std::fill(buffer_.private_at(offset + block.size), buffer_.private_at(place.end), std::byte{0});
    block.previous = last;
    block.next = kNoBlock;
    (last == kNoBlock ? first_ : edit_tail(last).next) = place.slot;
    last = place.slot;
    allocated += place.end - offset;
    end = place.end;
  }
  if (places.size() != table_.counters().live_count) {
    return fail(ErrorCode::bad_blobs, std::to_string(places.size()) + " blocks were filled for " +
                                          std::to_string(table_.counters().live_count) +
                                          " live slots");
  }
  last_ = last;
  allocated_ = allocated;
  buffer_.set_filled(end);
  return {};
}

const char* BlobCore::check_invariants() const {
  if (const char* const broken = table_.check_invariants()) return broken;
  if (const char* const broken = buffer_.check()) return broken;
  const auto is_zero = [this](std::uint64_t begin, std::uint64_t end) {
    return std::all_of(buffer_.data() + begin, buffer_.data() + end,
                       [](std::byte byte) { return byte == std::byte{0}; });
  };
  std::uint64_t count = 0;
  std::uint64_t end = 0;
  std::uint64_t allocated = 0;
  std::uint32_t last = kNoBlock;
  for (std::uint32_t slot = first_; slot != kNoBlock; slot = next(slot)) {
    if (slot >= table_.counters().slot_count || !slot_tag::is_live(table_.slots().tag(slot)) ||
        previous(slot) != last || ++count > table_.counters().live_count) {
      return "V4: the order of the blocks";
    }
    const std::uint64_t begin = offset(slot);
    if (begin % options_.alignment != 0 || begin < end || end_of(slot) > buffer_.end()) {
      return "V5: the place of a block";
    }
    if (options_.compaction == Compaction::at_release && begin != end) {
      return "V5: a gap between packed blocks";
    }
    if (!is_zero(end, begin) || !is_zero(begin + size(slot), end_of(slot))) {
      return "V6: a byte outside all blocks is not zero";
    }
    allocated += taken(slot);
    end = end_of(slot);
    last = slot;
  }
  if (count != table_.counters().live_count || last != last_) return "V4: the order of the blocks";
  if (end != buffer_.end() || allocated != allocated_) return "V5: the bytes in use";
  return nullptr;
}

}  // namespace hdb::detail
