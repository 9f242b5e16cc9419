// Copy-on-write pages: sharing, copying on the first write, and giving back.
#include "hdb/core/paged_array.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

namespace hdb {
namespace {

constexpr std::size_t kFirstPageBytes = 512;

std::size_t round_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

// Calls visit(element) for each constructed element of a page.
template <class Visit>
void for_each_constructed(const PageGeometry& geometry, std::byte* page, std::size_t capacity,
                          const Visit& visit) {
  const std::uint64_t* const bits = geometry.constructed_bits(page, capacity);
  for (std::size_t word = 0; word * 64 < capacity; ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

void destroy_page(PagePool& pool, const PageGeometry& geometry, Page page,
                  std::size_t capacity) noexcept {
  if (!geometry.ops.trivial) {
    for_each_constructed(geometry, page.data, capacity, [&](std::size_t element) {
      geometry.ops.destroy(page.data + element * geometry.ops.size_bytes);
    });
  }
  pool.recycle(page, geometry.bytes_for(capacity));
}

// Gives a page back while it is being filled, should a copy constructor throw.
class PageInProgress {
 public:
  PageInProgress(PagePool& pool, const PageGeometry& geometry, std::size_t capacity)
      : pool_(pool), geometry_(geometry), capacity_(capacity) {
    page_ = pool.acquire(geometry.bytes_for(capacity));
    if (!geometry.ops.trivial) {
      bits_ = geometry.constructed_bits(page_.data, capacity);
      std::fill_n(bits_, (capacity + 63) / 64, std::uint64_t{0});
    }
  }
  ~PageInProgress() {
    if (page_.data != nullptr && pool_.drop_reference(page_.id)) {
      destroy_page(pool_, geometry_, page_, capacity_);
    }
  }
  PageInProgress(const PageInProgress&) = delete;
  PageInProgress& operator=(const PageInProgress&) = delete;

  void copy_from(std::byte* source, std::size_t source_capacity) {
    const std::size_t size = geometry_.ops.size_bytes;
    if (geometry_.ops.trivial) {
      std::memcpy(page_.data, source, source_capacity * size);
      return;
    }
    for_each_constructed(geometry_, source, source_capacity, [&](std::size_t element) {
      geometry_.ops.copy_construct(page_.data + element * size, source + element * size);
      bits_[element / 64] |= std::uint64_t{1} << (element % 64);
    });
  }
  // Ends the guard; the caller owns the page now.
  [[nodiscard]] Page take() noexcept { return std::exchange(page_, {}); }

 private:
  PagePool& pool_;
  const PageGeometry& geometry_;
  std::size_t capacity_;
  Page page_;
  std::uint64_t* bits_ = nullptr;
};

}  // namespace

std::size_t PageGeometry::bytes_for(std::size_t capacity) const noexcept {
  std::size_t bytes = round_up(capacity * ops.size_bytes, 8);
  if (!ops.trivial) bytes += (capacity + 63) / 64 * 8;
  return round_up(bytes, kPageAlignment);
}

std::uint64_t* PageGeometry::constructed_bits(std::byte* page, std::size_t capacity) const noexcept {
  return reinterpret_cast<std::uint64_t*>(page + round_up(capacity * ops.size_bytes, 8));
}

PageGeometry PageGeometry::of(const RecordOps& ops, std::size_t target_bytes) noexcept {
  PageGeometry geometry;
  geometry.ops = ops;
  const std::size_t fitting = std::max<std::size_t>(target_bytes / ops.size_bytes, 1);
  geometry.shift = static_cast<unsigned>(std::bit_width(fitting)) - 1;
  geometry.page_bytes = geometry.bytes_for(geometry.per_page());
  return geometry;
}

// --- FrozenPages

FrozenPages::~FrozenPages() {
  if (pool_ == nullptr) return;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!pool_->drop_reference(ids_[page])) continue;
    const Page gone{pages_[page], ids_[page]};
    const std::size_t capacity = page == 0 ? first_capacity_ : mask_ + 1;
    if (geometry_.ops.trivial) {
      destroy_page(*pool_, geometry_, gone, capacity);
      continue;
    }
    std::unique_lock lock(graveyard_->mutex);
    if (graveyard_->owner_is_alive) {
      graveyard_->entries.push_back({gone, capacity});
      graveyard_->occupied.store(true, std::memory_order_relaxed);
    } else {
      lock.unlock();
      destroy_page(*pool_, geometry_, gone, capacity);
    }
  }
}

void FrozenPages::swap(FrozenPages& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(ids_, other.ids_);
  std::swap(shift_, other.shift_);
  std::swap(mask_, other.mask_);
  std::swap(stride_, other.stride_);
  std::swap(first_capacity_, other.first_capacity_);
  std::swap(geometry_, other.geometry_);
  std::swap(pool_, other.pool_);
  std::swap(graveyard_, other.graveyard_);
}

// --- PagedArray

PagedArray::PagedArray(std::shared_ptr<PagePool> pool, const RecordOps& ops, std::size_t page_bytes)
    : geometry_(PageGeometry::of(ops, page_bytes)),
      pool_(std::move(pool)),
      graveyard_(std::make_shared<Graveyard>()) {
  shift_ = geometry_.shift;
  mask_ = geometry_.mask();
  stride_ = ops.size_bytes;
}

PagedArray::~PagedArray() {
  drop_all();
  release_parked_pages();
  std::vector<Graveyard::Entry> entries;
  {
    const std::lock_guard lock(graveyard_->mutex);
    graveyard_->owner_is_alive = false;
    entries.swap(graveyard_->entries);
  }
  for (const auto& entry : entries) destroy_page(*pool_, geometry_, entry.page, entry.capacity);
}

void PagedArray::own(std::size_t page) {
  if (pool_->references(ids_[page]) == 1) {  // every capture that shared it is gone
    pool_->renew_stamp(ids_[page]);
    owned_[page] = 1;
    return;
  }
  parked_.reserve(parked_.size() + 1);
  PageInProgress copy(*pool_, geometry_, capacity_of(page));
  copy.copy_from(pages_[page], capacity_of(page));
  park(page);
  const Page fresh = copy.take();
  pages_[page] = fresh.data;
  ids_[page] = fresh.id;
  owned_[page] = 1;
}

void PagedArray::park(std::size_t page) {
  parked_.push_back({{pages_[page], ids_[page]}, capacity_of(page)});
}

void PagedArray::release_parked_pages() noexcept {
  for (const auto& entry : parked_) {
    if (pool_->drop_reference(entry.page.id)) {
      destroy_page(*pool_, geometry_, entry.page, entry.capacity);
    }
  }
  parked_.clear();
  if (graveyard_->occupied.load(std::memory_order_relaxed)) {
    std::vector<Graveyard::Entry> entries;
    {
      const std::lock_guard lock(graveyard_->mutex);
      entries.swap(graveyard_->entries);
      graveyard_->occupied.store(false, std::memory_order_relaxed);
    }
    for (const auto& entry : entries) destroy_page(*pool_, geometry_, entry.page, entry.capacity);
  }
}

void PagedArray::grow(std::size_t count) {
  const std::size_t per_page = mask_ + 1;
  if (pages_.size() <= 1 && first_capacity_ < per_page) {
    std::size_t wanted = std::max<std::size_t>(std::bit_floor(kFirstPageBytes / stride_), 1);
    while (wanted < per_page && wanted < count) wanted *= 2;
    wanted = std::min(wanted, per_page);
    if (pages_.empty()) {
      PageInProgress page(*pool_, geometry_, wanted);
      pages_.reserve(1);
      ids_.reserve(1);
      owned_.reserve(1);
      first_capacity_ = wanted;
      append_page(page.take());
      capacity_ = wanted;
    } else if (wanted > first_capacity_) {
      grow_first_page(wanted);
    }
  }
  while (capacity_ < count) {
    if (pages_.size() == pages_.capacity()) {
      const std::size_t room = pages_.size() * 2;
      pages_.reserve(room);
      ids_.reserve(room);
      owned_.reserve(room);
    }
    PageInProgress page(*pool_, geometry_, per_page);
    append_page(page.take());
    capacity_ += per_page;
  }
}

void PagedArray::append_page(Page page) {
  pages_.push_back(page.data);
  ids_.push_back(page.id);
  owned_.push_back(1);
}

void PagedArray::grow_first_page(std::size_t capacity) {
  parked_.reserve(parked_.size() + 1);
  PageInProgress bigger(*pool_, geometry_, capacity);
  bigger.copy_from(pages_[0], first_capacity_);
  park(0);
  const Page fresh = bigger.take();
  pages_[0] = fresh.data;
  ids_[0] = fresh.id;
  owned_[0] = 1;
  first_capacity_ = capacity;
  capacity_ = capacity;
}

void PagedArray::shrink_to(std::size_t count) noexcept {
  const std::size_t needed = (count + mask_) >> shift_;
  while (pages_.size() > needed + 1 && pages_.size() > 1) {
    const std::size_t last = pages_.size() - 1;
    if (pool_->drop_reference(ids_[last])) {
      destroy_page(*pool_, geometry_, {pages_[last], ids_[last]}, capacity_of(last));
    }
    pages_.pop_back();
    ids_.pop_back();
    owned_.pop_back();
    capacity_ -= mask_ + 1;
  }
}

void PagedArray::drop_first_page() noexcept {
  HDB_ASSERT(first_capacity_ == mask_ + 1, "the first page is full-sized");
  if (pool_->drop_reference(ids_[0])) {
    destroy_page(*pool_, geometry_, {pages_[0], ids_[0]}, first_capacity_);
  }
  pages_.erase(pages_.begin());
  ids_.erase(ids_.begin());
  owned_.erase(owned_.begin());
  capacity_ -= mask_ + 1;
  if (pages_.empty()) first_capacity_ = 0;
}

void PagedArray::drop_all() noexcept {
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (pool_->drop_reference(ids_[page])) {
      destroy_page(*pool_, geometry_, {pages_[page], ids_[page]}, capacity_of(page));
    }
  }
  pages_.clear();
  ids_.clear();
  owned_.clear();
  capacity_ = 0;
  first_capacity_ = 0;
}

void PagedArray::mark_constructed(std::size_t index) noexcept {
  if (geometry_.ops.trivial) return;
  const std::size_t page = index >> shift_;
  const std::size_t element = index & mask_;
  geometry_.constructed_bits(pages_[page], capacity_of(page))[element / 64] |=
      std::uint64_t{1} << (element % 64);
}

void PagedArray::mark_destroyed(std::size_t index) noexcept {
  if (geometry_.ops.trivial) return;
  const std::size_t page = index >> shift_;
  const std::size_t element = index & mask_;
  geometry_.constructed_bits(pages_[page], capacity_of(page))[element / 64] &=
      ~(std::uint64_t{1} << (element % 64));
}

void PagedArray::mark_constructed_shared(std::size_t index) noexcept {
  if (geometry_.ops.trivial) return;
  const std::size_t page = index >> shift_;
  const std::size_t element = index & mask_;
  std::uint64_t& word = geometry_.constructed_bits(pages_[page], capacity_of(page))[element / 64];
  std::atomic_ref<std::uint64_t>(word).fetch_or(std::uint64_t{1} << (element % 64),
                                                std::memory_order_relaxed);
}

FrozenPages PagedArray::freeze() {
  FrozenPages frozen;
  frozen.pages_ = pages_;
  frozen.ids_ = ids_;
  frozen.shift_ = shift_;
  frozen.mask_ = mask_;
  frozen.stride_ = stride_;
  frozen.first_capacity_ = first_capacity_;
  frozen.geometry_ = geometry_;
  frozen.graveyard_ = graveyard_;
  for (const PageId id : ids_) pool_->add_reference(id);
  frozen.pool_ = pool_;  // last: from here on the references are the frozen set's to drop
  std::fill(owned_.begin(), owned_.end(), std::uint8_t{0});
  return frozen;
}

void PagedArray::prepare_thaw(const FrozenPages& frozen) {
  parked_.reserve(parked_.size() + pages_.size());
  pages_.reserve(frozen.pages_.size());
  ids_.reserve(frozen.pages_.size());
  owned_.reserve(frozen.pages_.size());
}

void PagedArray::thaw(const FrozenPages& frozen) {
  prepare_thaw(frozen);
  const std::size_t common = std::min(pages_.size(), frozen.pages_.size());
  const auto is_kept = [&](std::size_t page) {
    return page < common && ids_[page] == frozen.ids_[page];
  };
  for (std::size_t page = 0; page < frozen.pages_.size(); ++page) {
    if (!is_kept(page)) pool_->add_reference(frozen.ids_[page]);
  }
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!is_kept(page)) park(page);
  }
  pages_ = frozen.pages_;
  ids_ = frozen.ids_;
  owned_.assign(pages_.size(), 0);
  first_capacity_ = frozen.first_capacity_;
  capacity_ = pages_.empty() ? 0 : first_capacity_ + (pages_.size() - 1) * (mask_ + 1);
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

bool PagedArray::check() const noexcept {
  if (pages_.size() != ids_.size() || pages_.size() != owned_.size()) return false;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (owned_[page] && pool_->references(ids_[page]) != 1) return false;
  }
  const std::size_t room =
      pages_.empty() ? 0 : first_capacity_ + (pages_.size() - 1) * (mask_ + 1);
  return room == capacity_ && (pages_.size() <= 1 || first_capacity_ == mask_ + 1);
}

}  // namespace hdb
