// Reading the elements of a capture.
#include "hdb/detail/core/arrays/frozen_array.hpp"

#include <algorithm>
#include <cstring>

namespace hdb::detail {

FrozenArray::FrozenArray(std::shared_ptr<const Moment> moment, const ArrayCore& core,
                         std::size_t capacity)
    : moment_(std::move(moment)),
      core_(&core),
      page_count_((capacity + core.geometry().per_page() - 1) >> core.geometry().shift),
      capacity_(capacity) {
  if (!core.hashes().empty())
    hashes_ = std::make_unique<const std::vector<ArrayCore::PageHash>>(core.hashes());
}

FrozenArray::~FrozenArray() {
  if (moment_ == nullptr || hashes_ == nullptr) return;
  for (std::size_t page = 0; page < std::min(page_count_, hashes_->size()); ++page) {
    PagePin pin(*this);
    core_->require_hash(page, pin.at(page << shift()), (*hashes_)[page]);
  }
}

void FrozenArray::read(std::uint64_t first, std::size_t count, void* out) const noexcept {
  PagePin pin(*this);
  auto* to = static_cast<std::byte*>(out);
  while (count != 0) {
    const auto in_page = static_cast<std::size_t>(per_page() - (first & (per_page() - 1)));
    const std::size_t run = std::min(count, in_page);
    std::memcpy(to, pin.at(first), run * stride());
    to += run * stride();
    first += run;
    count -= run;
  }
}

std::uint64_t FrozenArray::bytes_not_in(const FrozenArray& other) const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t page = 0; page < page_count_; ++page) {
    const bool is_shared =
        core_ == other.core_ && page < other.page_count_ && stamp(page) == other.stamp(page);
    if (is_shared) continue;
    const std::size_t elements = std::min(per_page(), capacity_ - (page << shift()));
    bytes += core_->geometry().copy_bytes(elements);
  }
  return bytes;
}

PagePin::PagePin(const FrozenArray& array) noexcept
    : array_(array), shift_(array.shift()), stride_(array.stride()) {}

PagePin::~PagePin() {
  if (announcement_ == nullptr) return;
  release();
  announcement_->is_taken.store(false, std::memory_order_release);
}

void PagePin::release() noexcept {
  HDB_CAPTURE_STEP(withdraws);
  if (announcement_ != nullptr) announcement_->page.store(0, std::memory_order_release);
  page_ = kNoPage;
}

void PagePin::move_to(std::uint64_t page) noexcept {
  HDB_ASSERT(page < array_.page_count(), "the element existed at the moment");
  const ArrayCore& core = *array_.core_;
  const auto index = static_cast<std::size_t>(page);
  const std::uint64_t moment = array_.moment_->number();
  if (announcement_ == nullptr) announcement_ = &core.captures().announce();
  HDB_CAPTURE_STEP(announces);
  announcement_->page.store(core.page_key(index), std::memory_order_seq_cst);
  HDB_CAPTURE_STEP(checks);
  if (core.state(index).written.load(std::memory_order_seq_cst) <= moment) {
    data_ = core.data() + (index << shift_) * stride_;
  } else {
    announcement_->page.store(0, std::memory_order_release);
    data_ = core.find(index, moment)->data;
  }
  page_ = page;
  first_ = page << shift_;
}

}  // namespace hdb::detail
