// Captures of an untyped blob table: taking and restoring one, and taking over a loaded state.
#include <utility>

#include "core/blobs/blob_filling.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb {

FrozenBlobs BlobCore::freeze() {
  FrozenBlobs frozen;
  frozen.table = table_.freeze();
  frozen.buffer = buffer_.freeze();
  frozen.first = first_;
  frozen.last = last_;
  frozen.allocated_bytes = allocated_;
  frozen.tail = tail_;
  return frozen;
}

void BlobCore::prepare_thaw(const FrozenBlobs& frozen) {
  table_.prepare_thaw(frozen.table);
  buffer_.prepare_thaw(frozen.buffer);
}

void BlobCore::thaw(const FrozenBlobs& frozen) {
  prepare_thaw(frozen);
  table_.thaw(frozen.table);
  buffer_.thaw(frozen.buffer);
  first_ = frozen.first;
  last_ = frozen.last;
  allocated_ = frozen.allocated_bytes;
  set_cursors(kNoBlock);
}

void BlobCore::adopt(BlobCore& other) noexcept {
  table_.adopt(other.table_);
  buffer_.adopt(other.buffer_);
  first_ = std::exchange(other.first_, kNoBlock);
  last_ = std::exchange(other.last_, kNoBlock);
  allocated_ = std::exchange(other.allocated_, 0);
  set_cursors(kNoBlock);
}

std::unique_ptr<BlobCore> BlobCore::make_empty() const {
  return std::make_unique<BlobCore>(pool_, table_.policy().layout, options_, table_.ops(), tail_);
}

void BlobCore::count_pages(std::vector<PagePool::PageCount>& counts) const {
  table_.count_pages(counts);
  buffer_.count_copies(counts);
}

}  // namespace hdb
