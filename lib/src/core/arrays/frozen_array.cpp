// Reading the elements of a capture.
#include "core/arrays/frozen_array.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace hdb::detail {

FrozenArray::FrozenArray(const std::shared_ptr<const Moment>& moment, const ArrayCore& core,
                         std::size_t capacity)
    : core_(&core),
      page_count_((capacity + core.geometry().per_page() - 1) >> core.geometry().shift),
      capacity_(capacity) {
  if (moment != nullptr) see(moment, true);
}

void FrozenArray::see(const std::shared_ptr<const Moment>& moment, bool is_now) {
  if (core_ == nullptr) return;
  moment_ = moment;
  if (is_now && !core_->hashes().empty())
    hashes_ = std::make_shared<const std::vector<ArrayCore::PageHash>>(core_->hashes());
}

FrozenArray::~FrozenArray() {
  if (moment_ == nullptr || hashes_ == nullptr) return;
  const std::unique_ptr<std::byte[]> content(new (std::nothrow)
                                                 std::byte[core_->geometry().page_bytes()]);
  if (content == nullptr) return;
  for (std::size_t page = 0; page < std::min(page_count_, hashes_->size()); ++page) {
    const ArrayCore::PageHash& hash = (*hashes_)[page];
    if (hash.elements == 0) continue;
    read(page << shift(), hash.elements, content.get());
    core_->require_hash(page, content.get(), hash);
  }
}

void FrozenArray::read(std::uint64_t first, std::size_t count, void* out) const noexcept {
  PagePin pin(*this);
  auto* to = static_cast<std::byte*>(out);
  while (count != 0) {
    const std::size_t run = pin.run_at(first, count);
    std::memcpy(to, pin.at(first), run * stride());
    to += run * stride();
    first += run;
    count -= run;
  }
}

std::uint64_t FrozenArray::bytes_not_in(const FrozenArray& other) const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t page = 0; page < page_count_; ++page) {
    if (is_same_page(page, other)) continue;
    bytes += std::min(per_page(), capacity_ - (page << shift())) * stride();
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
  if (announcement_ != nullptr) {
    announcement_->reads_log.store(false, std::memory_order_release);
    announcement_->page.store(0, std::memory_order_release);
  }
  past_.clear();
  page_ = kNoPage;
}

void PagePin::move_to(std::uint64_t page) noexcept {
  HDB_ASSERT(page < array_.page_count(), "the element existed at the moment");
  const ArrayCore& core = *array_.core_;
  const auto index = static_cast<std::size_t>(page);
  const std::uint64_t moment = array_.moment_->number();
  if (announcement_ == nullptr) announcement_ = &core.log().announce();
  if (past_.blocks() != 0) announcement_->reads_log.store(false, std::memory_order_release);
  past_.clear();
  HDB_CAPTURE_STEP(announces);
  announcement_->page.store(core.page_key(index), std::memory_order_release);
  core.log().note_reading();
  HDB_CAPTURE_STEP(checks);
  if (core.word(index).epoch() > moment) core.log().find(core, index, moment, past_, announcement_);
  data_ = core.data() + (index << shift_) * stride_;
  page_ = page;
  first_ = page << shift_;
}

const std::byte* PagePin::past_at(std::uint64_t index_in_page) const noexcept {
  const PageGeometry& geometry = array_.core_->geometry();
  const auto index = static_cast<std::size_t>(index_in_page);
  const std::size_t block = geometry.block_of(index);
  if ((past_.blocks() & block_bit(block)) == 0) return data_ + index * stride_;
  return past_.content_of(block) + (index & (geometry.per_block() - 1)) * stride_;
}

std::size_t PagePin::run_at(std::uint64_t index, std::size_t count) noexcept {
  if (index >> shift_ != page_) move_to(index >> shift_);
  const PageGeometry& geometry = array_.core_->geometry();
  const std::size_t unit = past_.blocks() == 0 ? geometry.per_page() : geometry.per_block();
  return std::min(count, unit - (static_cast<std::size_t>(index) & (unit - 1)));
}

}  // namespace hdb::detail
