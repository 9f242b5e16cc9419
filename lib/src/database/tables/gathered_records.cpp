// Records of a snapshot, on their way to a codec.
#include "base/sees_detail.hpp"
#include "database/tables/snapshot_data.hpp"

namespace hdb {

void GatheredRecords::begin(const SnapshotTable& table) {
  release();
  frozen_ = &table.frozen;
  copies_ = table.codec->is_plain();
  slots_.clear();
  generations_.clear();
  places_.clear();
  bytes_.clear();
  run_begin_ = run_end_ = 0;
}

void GatheredRecords::add(std::uint32_t slot, std::uint32_t tag, std::uint64_t place) {
  slots_.push_back(slot);
  generations_.push_back(tag);
  if (!copies_) return places_.push_back(place);
  if (place != run_end_) {
    copy_run();
    run_begin_ = place;
  }
  run_end_ = place + 1;
}

void GatheredRecords::add(std::uint32_t slot) {
  const SlotEntry entry = frozen_->slots.entry(slot);
  add(slot, entry.tag, frozen_->is_dense() ? entry.position : slot);
}

void GatheredRecords::copy_run() {
  const FrozenArray& records = frozen_->records;
  const auto count = static_cast<std::size_t>(run_end_ - run_begin_);
  if (count == 0) return;
  const std::size_t size = bytes_.size();
  bytes_.resize(size + count * records.stride());
  records.read(run_begin_, count, bytes_.data() + size);
}

RecordBatch GatheredRecords::batch() {
  if (copies_) {
    copy_run();
    run_begin_ = run_end_ = 0;
    records_.resize(slots_.size());
    for (std::size_t i = 0; i < records_.size(); ++i)
      records_[i] = bytes_.data() + i * frozen_->records.stride();
    return {records_, slots_, generations_};
  }
  pin_ = std::make_unique<PagePin>(frozen_->records);
  return {{}, slots_, generations_, this};
}

}  // namespace hdb
