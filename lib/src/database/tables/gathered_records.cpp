// Records of a snapshot, on their way to a codec.
#include <algorithm>

#include "base/using_detail.hpp"
#include "database/tables/snapshot_data.hpp"

namespace hdb {

void GatheredRecords::begin(const SnapshotTable& table, std::size_t most) {
  release();
  frozen_ = &table.frozen;
  copies_ = table.codec->is_plain();
  with_positions_ = frozen_->is_dense();
  count_ = 0;
  // A thread keeps this object after bad_alloc: only the last one shows that all have room.
  if (places_.size() >= most) return;
  for (std::vector<std::uint32_t>* const numbers : {&slots_, &generations_, &places_})
    numbers->resize(most);
}

void GatheredRecords::add(std::uint32_t slot) {
  const SlotEntry entry = frozen_->slots.entry(slot);
  add(slot, entry.tag, frozen_->is_dense() ? entry.position : slot);
}

void GatheredRecords::add_all(std::uint64_t first_slot, std::span<const std::uint32_t> generations,
                              std::span<const std::uint32_t> positions) noexcept {
  count_ = generations.size();
  for (std::size_t i = 0; i < count_; ++i) slots_[i] = static_cast<std::uint32_t>(first_slot + i);
  std::copy(generations.begin(), generations.end(), generations_.begin());
  const std::span<const std::uint32_t> places =
      positions.empty() ? std::span<const std::uint32_t>(slots_).first(count_) : positions;
  std::copy(places.begin(), places.end(), places_.begin());
}

// Neighbours are copied together.
void GatheredRecords::copy(std::size_t first, std::size_t count, std::byte* to) {
  const std::size_t stride = frozen_->records.stride();
  const std::size_t last = first + count;
  for (std::size_t begin = first; begin != last;) {
    std::size_t end = begin + 1;
    while (end != last && places_[end] == places_[end - 1] + 1) ++end;
    const std::size_t run = end - begin;
    frozen_->records.read(places_[begin], run, to);
    to += run * stride;
    begin = end;
  }
}

RecordBatch GatheredRecords::batch() {
  if (!copies_) pin_ = std::make_unique<PagePin>(frozen_->records);
  RecordBatch batch;
  batch.reader = this;
  batch.slots = slots();
  batch.generations = std::span(generations_).first(count_);
  if (with_positions_) batch.positions = std::span(places_).first(count_);
  return batch;
}

}  // namespace hdb
