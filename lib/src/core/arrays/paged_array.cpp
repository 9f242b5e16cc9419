// An array of copy-on-write pages: growing, copying on the first write, capture and restore.
#include "hdb/detail/core/arrays/paged_array.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "core/arrays/page_content.hpp"

namespace hdb::detail {
namespace {

constexpr std::size_t kFirstPageBytes = 512;

}  // namespace

PagedArray::PagedArray(std::shared_ptr<PagePool> pool, const RecordOps& ops, std::size_t page_bytes)
    : pages_(PageGeometry::shift_for(ops.size_bytes, page_bytes), ops.size_bytes),
      geometry_(PageGeometry::of(ops, page_bytes)),
      pool_(std::move(pool)),
      graveyard_(std::make_shared<Graveyard>()) {}

PagedArray::~PagedArray() {
  drop_all();
  release_parked_pages();
  const Graveyard::Link* link = nullptr;
  {
    const std::lock_guard lock(graveyard_->mutex);
    graveyard_->owner_is_alive = false;
    link = std::exchange(graveyard_->first, nullptr);
  }
  destroy_list(*pool_, geometry_, link);
}

void PagedArray::own(std::size_t page) {
  check_unwritten(page);
  if (pool_->references(ids_[page]) == 1) {  // every capture that shared it is gone
    pool_->renew_stamp(ids_[page]);
    owned_[page] = 1;
    return;
  }
  reserve_parked(1);
  PageInProgress copy(*pool_, geometry_, capacity_of(page));
  copy.copy_from(pages_[page], capacity_of(page));
  park(page);
  const Page fresh = copy.take();
  pages_.set(page, fresh.data);
  ids_[page] = fresh.id;
  owned_[page] = 1;
}

void PagedArray::reserve_parked(std::size_t more) {
  const std::size_t wanted = parked_.size() + more;
  if (parked_.capacity() < wanted) parked_.reserve(std::max(wanted, 2 * parked_.capacity()));
}

void PagedArray::park(std::size_t page) noexcept {
  parked_.push_back({{pages_[page], ids_[page]}, capacity_of(page)});
  if (notice_ != nullptr) notice_->fetch_or(kParked, std::memory_order_relaxed);
}

void PagedArray::notify(std::atomic<std::uint8_t>& notice) noexcept {
  notice_ = &notice;
  const std::lock_guard lock(graveyard_->mutex);
  graveyard_->notice = &notice;
}

void PagedArray::release_parked_pages() noexcept {
  for (const auto& entry : parked_) {
    if (pool_->drop_reference(entry.page.id)) {
      destroy_page(*pool_, geometry_, entry.page, entry.capacity);
    }
  }
  parked_.clear();
  if (!graveyard_->occupied.load(std::memory_order_relaxed)) return;
  const Graveyard::Link* link = nullptr;
  {
    const std::lock_guard lock(graveyard_->mutex);
    link = std::exchange(graveyard_->first, nullptr);
    graveyard_->occupied.store(false, std::memory_order_relaxed);
  }
  destroy_list(*pool_, geometry_, link);
}

void PagedArray::grow(std::size_t count) {
  const std::size_t per_page = this->per_page();
  if (pages_.size() <= 1 && first_capacity_ < per_page) {
    std::size_t wanted = std::max<std::size_t>(std::bit_floor(kFirstPageBytes / stride()), 1);
    while (wanted < per_page && wanted < count) wanted *= 2;
    wanted = std::min(wanted, per_page);
    if (pages_.empty()) {
      PageInProgress page(*pool_, geometry_, wanted);
      reserve_pages(1);
      first_capacity_ = wanted;
      append_page(page.take());
      capacity_ = wanted;
    } else if (wanted > first_capacity_) {
      grow_first_page(wanted);
    }
  }
  while (capacity_ < count) {
    reserve_pages(pages_.size() + 1);
    PageInProgress page(*pool_, geometry_, per_page);
    append_page(page.take());
    capacity_ += per_page;
  }
}

void PagedArray::reserve_pages(std::size_t count) {
  const auto reserve = [count](auto& list) {
    if (list.capacity() < count) list.reserve(std::max(count, 2 * list.capacity()));
  };
  reserve(pages_);
  reserve(ids_);
  reserve(owned_);
}

void PagedArray::append_page(Page page) noexcept {
  pages_.push_back(page.data);
  ids_.push_back(page.id);
  owned_.push_back(1);
}

void PagedArray::grow_first_page(std::size_t capacity) {
  reserve_parked(1);
  PageInProgress bigger(*pool_, geometry_, capacity);
  bigger.copy_from(pages_[0], first_capacity_);
  park(0);
  const Page fresh = bigger.take();
  pages_.set(0, fresh.data);
  ids_[0] = fresh.id;
  owned_[0] = 1;
  first_capacity_ = capacity;
  capacity_ = capacity;
}

void PagedArray::shrink_to(std::size_t count) noexcept {
  const std::size_t needed = (count + per_page() - 1) >> shift();
  while (pages_.size() > needed + 1 && pages_.size() > 1) {
    const std::size_t last = pages_.size() - 1;
    if (pool_->drop_reference(ids_[last])) {
      destroy_page(*pool_, geometry_, {pages_[last], ids_[last]}, capacity_of(last));
    }
    pages_.pop_back();
    ids_.pop_back();
    owned_.pop_back();
    capacity_ -= per_page();
  }
}

void PagedArray::drop_first_page() noexcept {
  HDB_ASSERT(first_capacity_ == per_page(), "the first page is full-sized");
  if (pool_->drop_reference(ids_[0])) {
    destroy_page(*pool_, geometry_, {pages_[0], ids_[0]}, first_capacity_);
  }
  pages_.pop_front();
  ids_.erase(ids_.begin());
  owned_.erase(owned_.begin());
  capacity_ -= per_page();
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

void PagedArray::set_constructed(std::size_t index, bool constructed) noexcept {
  const std::size_t page = index >> shift();
  const std::size_t element = index & pages_.mask();
  std::uint64_t& word = geometry_.constructed_bits(pages_[page], capacity_of(page))[element / 64];
  const std::uint64_t bit = std::uint64_t{1} << (element % 64);
  word = constructed ? word | bit : word & ~bit;
}

void PagedArray::mark_constructed_shared(std::size_t index) noexcept {
  if (geometry_.ops.trivial) return;
  const std::size_t page = index >> shift();
  const std::size_t element = index & pages_.mask();
  std::uint64_t& word = geometry_.constructed_bits(pages_[page], capacity_of(page))[element / 64];
  // Not std::atomic_ref: libc++ has none before 19.
  __atomic_fetch_or(&word, std::uint64_t{1} << (element % 64), __ATOMIC_RELAXED);
}

void PagedArray::count_pages(std::vector<PagePool::PageCount>& counts) const {
  const auto add = [&counts](std::size_t size_bytes, std::size_t count) {
    if (count == 0) return;
    for (PagePool::PageCount& known : counts) {
      if (known.size_bytes != size_bytes) continue;
      known.count += count;
      return;
    }
    counts.push_back({size_bytes, count});
  };
  if (pages_.empty()) return;
  add(geometry_.bytes_for(first_capacity_), 1);
  add(geometry_.page_bytes, pages_.size() - 1);
}

bool PagedArray::check() const noexcept {
  if (pages_.size() != ids_.size() || pages_.size() != owned_.size()) return false;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (owned_[page] && pool_->references(ids_[page]) != 1) return false;
  }
  const std::size_t room =
      pages_.empty() ? 0 : first_capacity_ + (pages_.size() - 1) * (per_page());
  return room == capacity_ && (pages_.size() <= 1 || first_capacity_ == per_page());
}

// --- capture and restore

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

}  // namespace hdb::detail
