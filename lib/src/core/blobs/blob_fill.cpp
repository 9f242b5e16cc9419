// Building a blob table from stored blocks, trusting none, and checking the invariants of one.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/blobs/blob_filling.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb {
namespace {

std::string block_text(std::uint32_t slot, std::uint64_t offset, std::uint64_t size) {
  return "the block of slot " + std::to_string(slot) + " (offset " + std::to_string(offset) +
         ", size " + std::to_string(size) + ") ";
}

}  // namespace

void BlobCore::begin_fill(const SlotCounters& counters) {
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
  std::copy(bytes.begin(), bytes.end(), buffer_.owned_at(offset));
  Tail& block = *reinterpret_cast<Tail*>(table_.filled_at(slot) + tail_);
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
    Tail& block = edit_tail(place.slot);
    if (block.offset != offset) {
      return fail(ErrorCode::bad_blobs,
                  block_text(place.slot, offset, block.size) + "is the second block of its slot");
    }
    if (is_packed && offset != end) {
      return fail(ErrorCode::bad_blobs,
                  block_text(place.slot, offset, block.size) + "lies after a gap");
    }
    std::fill(buffer_.owned_at(end), buffer_.owned_at(offset), std::byte{0});
    std::fill(buffer_.owned_at(offset + block.size), buffer_.owned_at(place.end), std::byte{0});
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

}  // namespace hdb
