// Captures of pages: where elements lie in a page, sharing all pages of an array, and taking them
// over again.
#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "core/arrays/page_content.hpp"
#include "hdb/detail/core/arrays/paged_array.hpp"

namespace hdb {
namespace {

std::size_t round_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t PageGeometry::bytes_for(std::size_t capacity) const noexcept {
  std::size_t bytes = round_up(capacity * ops.size_bytes, 8);
  if (!ops.trivial) bytes += (capacity + 63) / 64 * 8 + sizeof(Graveyard::Link);
  return round_up(bytes, kPageAlignment);
}

std::uint64_t* PageGeometry::constructed_bits(std::byte* page,
                                              std::size_t capacity) const noexcept {
  return reinterpret_cast<std::uint64_t*>(page + round_up(capacity * ops.size_bytes, 8));
}

std::byte* PageGeometry::link_bytes(std::byte* page, std::size_t capacity) const noexcept {
  return page + round_up(capacity * ops.size_bytes, 8) + (capacity + 63) / 64 * 8;
}

PageGeometry PageGeometry::of(const RecordOps& ops, std::size_t target_bytes) noexcept {
  PageGeometry geometry;
  geometry.ops = ops;
  geometry.shift = shift_for(ops.size_bytes, target_bytes);
  geometry.page_bytes = geometry.bytes_for(geometry.per_page());
  return geometry;
}

// --- FrozenPages

std::uint64_t FrozenPages::bytes_not_in(const FrozenPages& other) const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t page = 0; page < ids_.size(); ++page) {
    // Both hold a reference, so that one number is one page.
    const bool is_shared = page < other.ids_.size() && ids_[page] == other.ids_[page];
    if (!is_shared) bytes += geometry_.bytes_for(page == 0 ? first_capacity_ : per_page());
  }
  return bytes;
}

FrozenPages::~FrozenPages() {
  if (pool_ == nullptr) return;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    const Page gone{pages_[page], ids_[page]};
    const std::size_t capacity = page == 0 ? first_capacity_ : per_page();
    // Before the reference goes: the page's owner may write to it then.
    if (!hashes_.empty()) {
      require_unwritten(geometry_, *graveyard_, page, gone.data, capacity, hashes_[page]);
    }
    if (!pool_->drop_reference(gone.id)) continue;
    if (geometry_.ops.trivial) {
      pool_->recycle(gone, geometry_.bytes_for(capacity));
      continue;
    }
    std::unique_lock lock(graveyard_->mutex);
    if (graveyard_->owner_is_alive) {
      graveyard_->first = ::new (geometry_.link_bytes(gone.data, capacity))
          Graveyard::Link{gone, capacity, graveyard_->first};
      graveyard_->occupied.store(true, std::memory_order_relaxed);
      if (graveyard_->notice != nullptr) {
        graveyard_->notice->fetch_or(PagedArray::kParked, std::memory_order_release);
      }
    } else {
      lock.unlock();
      destroy_page(*pool_, geometry_, gone, capacity);
    }
  }
}

void FrozenPages::swap(FrozenPages& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(ids_, other.ids_);
  std::swap(first_capacity_, other.first_capacity_);
  std::swap(geometry_, other.geometry_);
  std::swap(pool_, other.pool_);
  std::swap(graveyard_, other.graveyard_);
  std::swap(hashes_, other.hashes_);
}

// --- captures of a PagedArray

FrozenPages PagedArray::freeze() {
  if (has_hashes(geometry_)) remember_hashes();
  FrozenPages frozen;
  frozen.pages_ = pages_;
  frozen.ids_ = ids_;
  frozen.hashes_ = hashes_;
  frozen.first_capacity_ = first_capacity_;
  frozen.geometry_ = geometry_;
  frozen.graveyard_ = graveyard_;
  for (const PageId id : ids_) pool_->add_reference(id);
  frozen.pool_ = pool_;  // last: from here on the references are the frozen set's to drop
  std::fill(owned_.begin(), owned_.end(), std::uint8_t{0});
  return frozen;
}

void PagedArray::reserve_hashes(std::size_t count) {
  hashes_.reserve(count);
  hashed_stamps_.reserve(count);
}

void PagedArray::remember_hashes() {
  hashes_.resize(pages_.size());
  hashed_stamps_.resize(pages_.size());
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    const std::uint64_t stamp = pool_->stamp(ids_[page]);
    if (hashed_stamps_[page] == stamp) {
      check_unwritten(page);
      continue;
    }
    hashes_[page] = hash_of(geometry_, pages_[page], capacity_of(page));
    hashed_stamps_[page] = stamp;
  }
}

void PagedArray::check_unwritten(std::size_t page) const noexcept {
  if (!has_hashes(geometry_) || page >= hashed_stamps_.size()) return;
  if (hashed_stamps_[page] != pool_->stamp(ids_[page])) return;
  require_unwritten(geometry_, *graveyard_, page, pages_[page], capacity_of(page), hashes_[page]);
}

void PagedArray::prepare_thaw(const FrozenPages& frozen) {
  HDB_REQUIRE(frozen.pool_ == pool_ && frozen.pages_.shift() == shift() &&
                  frozen.pages_.stride() == stride(),
              "a capture must be restored into a table of the same pool and geometry");
  reserve_parked(pages_.size());
  reserve_pages(frozen.pages_.size());
  reserve_hashes(frozen.hashes_.size());
}

void PagedArray::thaw(const FrozenPages& frozen) {
  prepare_thaw(frozen);
  const std::size_t common = std::min(pages_.size(), frozen.pages_.size());
  const auto is_kept = [&](std::size_t page) {
    return page < common && ids_[page] == frozen.ids_[page];
  };
  for (std::size_t page = 0; page < frozen.pages_.size(); ++page) {
    if (!is_kept(page)) pool_->add_reference(frozen.ids_[page]);
    if (frozen.hashes_.empty()) continue;
    const std::size_t capacity = page == 0 ? frozen.first_capacity_ : per_page();
    require_unwritten(geometry_, *graveyard_, page, frozen.pages_[page], capacity,
                      frozen.hashes_[page]);
  }
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!is_kept(page)) park(page);
  }
  pages_ = frozen.pages_;
  ids_ = frozen.ids_;
  owned_.assign(pages_.size(), 0);
  hashes_ = frozen.hashes_;
  hashed_stamps_.resize(hashes_.size());
  for (std::size_t page = 0; page < hashes_.size(); ++page) {
    hashed_stamps_[page] = pool_->stamp(ids_[page]);
  }
  first_capacity_ = frozen.first_capacity_;
  capacity_ = pages_.empty() ? 0 : first_capacity_ + (pages_.size() - 1) * (per_page());
}

void PagedArray::adopt(PagedArray& other) noexcept {
  for (std::size_t page = 0; page < pages_.size(); ++page) park(page);
  pages_.clear();
  ids_.clear();
  owned_.clear();
  std::swap(pages_, other.pages_);
  std::swap(ids_, other.ids_);
  std::swap(owned_, other.owned_);
  first_capacity_ = std::exchange(other.first_capacity_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
}

}  // namespace hdb
