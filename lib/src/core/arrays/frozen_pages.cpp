// The pages of one capture, and where elements lie in a page.
#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "core/arrays/page_content.hpp"
#include "hdb/detail/core/arrays/paged_array.hpp"

namespace hdb::detail {
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

}  // namespace hdb::detail
