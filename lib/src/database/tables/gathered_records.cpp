// Records of a snapshot, on their way to a codec.
#include "base/sees_detail.hpp"
#include "database/tables/snapshot_data.hpp"

namespace hdb {

void GatheredRecords::begin(const SnapshotTable& table, std::size_t most) {
  release();
  frozen_ = &table.frozen;
  copies_ = table.codec->is_plain();
  with_positions_ = frozen_->is_dense();
  count_ = 0;
  if (slots_.size() >= most) return;
  for (std::vector<std::uint32_t>* const numbers : {&slots_, &generations_, &places_})
    numbers->resize(most);
}

void GatheredRecords::add(std::uint32_t slot) {
  const SlotEntry entry = frozen_->slots.entry(slot);
  add(slot, entry.tag, frozen_->is_dense() ? entry.position : slot);
}

// Neighbours are copied together.
void GatheredRecords::copy_records() {
  const std::size_t stride = frozen_->records.stride();
  if (bytes_.size() < count_ * stride) bytes_.resize(count_ * stride);
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= count_; ++end) {
    if (end != count_ && places_[end] == places_[end - 1] + 1) continue;
    frozen_->records.read(places_[begin], end - begin, bytes_.data() + begin * stride);
    begin = end;
  }
  const bool are_there =
      stride_ == stride && records_.size() >= count_ && records_.front() == bytes_.data();
  if (are_there) return;
  stride_ = stride;
  records_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) records_[i] = bytes_.data() + i * stride;
}

RecordBatch GatheredRecords::batch() {
  RecordBatch batch;
  if (copies_) {
    if (count_ != 0) copy_records();
    batch.records = std::span<const void* const>(records_).first(count_);
  } else {
    pin_ = std::make_unique<PagePin>(frozen_->records);
    batch.reader = this;
  }
  batch.slots = slots();
  batch.generations = std::span(generations_).first(count_);
  if (with_positions_) batch.positions = std::span(places_).first(count_);
  return batch;
}

}  // namespace hdb
