// The memory of an array, and what becomes of its pages when captures see them.
#include "hdb/detail/core/arrays/array_core.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "core/arrays/address_range.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

// Calls visit(i) for the bits that are set among [first, end).
template <class Visit>
void for_each_bit(const std::uint64_t* bits, std::size_t first, std::size_t end,
                  const Visit& visit) {
  for (std::size_t word = first / 64; word * 64 < end; ++word) {
    std::uint64_t left = bits[word];
    if (word * 64 < first) left = left >> (first % 64) << (first % 64);
    for (; left != 0; left &= left - 1) {
      const std::size_t i = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (i >= end) return;
      visit(i);
    }
  }
}

std::uint64_t* bits_of(const PageGeometry& geometry, const PageVersion& version) noexcept {
  return reinterpret_cast<std::uint64_t*>(version.data + geometry.bits_offset(version.capacity));
}

}  // namespace

// --- PageGeometry and PageCopy

std::size_t PageGeometry::bits_offset(std::size_t count) const noexcept {
  return round_up(count * ops.size_bytes, alignof(PageVersion));
}

std::size_t PageGeometry::version_offset(std::size_t count) const noexcept {
  return bits_offset(count) + (ops.trivial ? 0 : (count + 63) / 64 * sizeof(std::uint64_t));
}

std::size_t PageGeometry::copy_bytes(std::size_t count) const noexcept {
  return round_up(version_offset(count) + sizeof(PageVersion), kPageAlignment);
}

PageCopy::PageCopy(PagePool& pool, const PageGeometry& geometry, std::size_t capacity)
    : pool_(&pool), geometry_(&geometry) {
  std::byte* const page = pool.acquire(geometry.copy_bytes(capacity));
  version_ = ::new (page + geometry.version_offset(capacity)) PageVersion;
  version_->data = page;
  version_->capacity = capacity;
  if (!geometry.ops.trivial)
    std::fill_n(bits_of(geometry, *version_), (capacity + 63) / 64, std::uint64_t{0});
}

PageCopy::~PageCopy() {
  if (version_ != nullptr) ArrayCore::destroy(*pool_, *geometry_, version_);
}

PageCopy::PageCopy(PageCopy&& other) noexcept
    : pool_(other.pool_), geometry_(other.geometry_), version_(other.take()) {}

PageCopy& PageCopy::operator=(PageCopy&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(geometry_, other.geometry_);
  std::swap(version_, other.version_);
  return *this;
}

PageVersion* PageCopy::take() noexcept { return std::exchange(version_, nullptr); }

void PageCopy::copy(const std::byte* from, const std::uint64_t* constructed, std::size_t first) {
  const RecordOps& ops = geometry_->ops;
  if (ops.trivial) {
    std::memcpy(version_->data, from, version_->capacity * ops.size_bytes);
    return;
  }
  std::uint64_t* const bits = bits_of(*geometry_, *version_);
  for_each_bit(constructed, first, first + version_->capacity, [&](std::size_t index) {
    const std::size_t i = index - first;
    ops.copy_construct(version_->data + i * ops.size_bytes, from + i * ops.size_bytes);
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  });
}

void PageCopy::copy(const PageVersion& version) {
  copy(version.data, geometry_->ops.trivial ? nullptr : bits_of(*geometry_, version), 0);
}

void ArrayCore::destroy(PagePool& pool, const PageGeometry& geometry,
                        PageVersion* version) noexcept {
  if (!geometry.ops.trivial) {
    for_each_bit(bits_of(geometry, *version), 0, version->capacity, [&](std::size_t i) {
      geometry.ops.destroy(version->data + i * geometry.ops.size_bytes);
    });
  }
  pool.recycle(version->data, geometry.copy_bytes(version->capacity));
}

// --- ArrayMemory

/// Memory for elements: a block of the heap, or reserved address space.
class ArrayMemory {
 public:
  ArrayMemory(PagePool& pool, std::size_t bytes, std::size_t wanted, std::size_t alignment,
              Addresses addresses)
      : pool_(pool) {
    constexpr std::size_t kLargeBlock = 65536;
    if (!pool.has_program_source() && (addresses == Addresses::stay || bytes > kLargeBlock)) {
      range_ = AddressRange::reserve(bytes, wanted);
      if (range_.data() != nullptr && commit(bytes)) return;
      range_ = {};
    }
    // A block is aligned to kPageAlignment only.
    const std::size_t slack = alignment > kPageAlignment ? alignment : 0;
    block_bytes_ = round_up(bytes, kPageAlignment) + slack;
    block_ = pool.allocate_block(block_bytes_);
    const auto address = reinterpret_cast<std::uintptr_t>(block_);
    offset_ = round_up(address, alignment) - address;
  }
  ~ArrayMemory() {
    pool_.subtract_memory(used_bytes_);
    if (block_ != nullptr) pool_.deallocate_block(block_, block_bytes_);
  }
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept {
    return block_ != nullptr ? block_ + offset_ : range_.data();
  }
  [[nodiscard]] std::size_t reserved_bytes() const noexcept {
    return block_ != nullptr ? block_bytes_ - offset_ : range_.size();
  }
  [[nodiscard]] bool commit(std::size_t bytes) noexcept {
    if (block_ != nullptr) return bytes <= reserved_bytes();
    if (!range_.commit(bytes)) return false;
    pool_.add_memory(bytes - used_bytes_);
    used_bytes_ = bytes;
    return true;
  }

 private:
  PagePool& pool_;
  AddressRange range_;
  std::size_t used_bytes_ = 0;  // of the range
  std::byte* block_ = nullptr;
  std::size_t block_bytes_ = 0;
  std::size_t offset_ = 0;  // of the elements in the block
};

// --- ArrayCore

ArrayCore::ArrayCore(std::shared_ptr<Captures> captures, const RecordOps& ops,
                     std::size_t page_bytes, Addresses addresses, std::uint64_t max_elements)
    : captures_(std::move(captures)),
      geometry_(PageGeometry::of(ops, page_bytes)),
      page_bytes_(page_bytes),
      max_elements_(max_elements),
      addresses_(addresses),
      number_(captures_->next_core_++),
      created_(captures_->now()) {}

std::unique_ptr<ArrayCore> ArrayCore::make_empty() const {
  auto empty =
      std::make_unique<ArrayCore>(captures_, geometry_.ops, page_bytes_, addresses_, max_elements_);
  empty->set_label(label_, elements_);
  return empty;
}

ArrayCore::~ArrayCore() { clear(); }

void ArrayCore::retire(std::unique_ptr<ArrayCore> core) noexcept {
  const std::shared_ptr<Captures> captures = core->captures_;
  captures->retire(std::move(core));
}

std::size_t ArrayCore::capacity_of(std::size_t page) const noexcept {
  return std::min(geometry_.per_page(), capacity_ - (page << geometry_.shift));
}

std::size_t ArrayCore::reserved_elements() const noexcept {
  return memory_ == nullptr ? 0 : memory_->reserved_bytes() / geometry_.stride();
}

void ArrayCore::grow(std::size_t capacity) {
  const std::size_t stride = geometry_.stride();
  if (capacity > ~std::size_t{0} / 2 / stride) out_of_memory();
  if (!geometry_.ops.trivial) constructed_.resize((capacity + 63) / 64);
  add_states((capacity + geometry_.per_page() - 1) >> geometry_.shift);
  const std::size_t bytes = capacity * stride;
  if (memory_ == nullptr || bytes > memory_->reserved_bytes()) {
    move_to(bytes);
  } else if (!memory_->commit(bytes)) {
    out_of_memory();
  }
  PageState* const states = states_.load(std::memory_order_relaxed);
  const std::size_t pages = page_count();
  capacity_ = capacity;
  for (std::size_t page = pages; page < page_count(); ++page) {
    states[page].written.store(captures_->now(), std::memory_order_relaxed);
    states[page].stamp.store(captures_->pool().next_stamp(), std::memory_order_relaxed);
  }
}

// Room for the states of `count` pages. Readers may still look at the old ones: they stay.
void ArrayCore::add_states(std::size_t count) {
  if (count <= state_room_) return;
  const std::size_t room = std::max(count, 2 * state_room_);
  states_blocks_.reserve(states_blocks_.size() + 1);
  std::unique_ptr<PageState[]> block(new (std::nothrow) PageState[room]);
  if (block == nullptr) out_of_memory();
  const std::lock_guard lock(captures_->mutex_);
  const PageState* const old = states_.load(std::memory_order_relaxed);
  for (std::size_t page = 0; page < page_count(); ++page) {
    block[page].written.store(old[page].written.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    block[page].stamp.store(old[page].stamp.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    block[page].newest = old[page].newest;
  }
  states_.store(block.get(), std::memory_order_seq_cst);
  states_blocks_.push_back(std::move(block));
  state_room_ = room;
}

void ArrayCore::move_to(std::size_t bytes) {
  constexpr std::size_t kUnlimited = ~std::size_t{0} / 2;
  const std::size_t stride = geometry_.stride();
  const std::size_t wanted = max_elements_ > kUnlimited / stride
                                 ? kUnlimited
                                 : static_cast<std::size_t>(max_elements_) * stride;
  auto memory = std::make_unique<ArrayMemory>(captures_->pool(), bytes, wanted,
                                              geometry_.ops.alignment, addresses_);
  for (std::size_t page = 0; page < page_count(); ++page) make_private(page);
  std::byte* const to = memory->data();
  if (std::byte* const from = data(); from != nullptr) {
    if (geometry_.ops.trivial) {
      std::memcpy(to, from, capacity_ * stride);
    } else {
      for_each_bit(constructed_.data(), 0, capacity_, [&](std::size_t i) {
        geometry_.ops.relocate(to + i * stride, from + i * stride);
      });
    }
  }
  data_.store(to, std::memory_order_release);
  memory_ = std::move(memory);
}

void ArrayCore::make_private(std::size_t page) {
  check_unwritten(page);
  PageState& state = this->state(page);
  const std::uint64_t stamp = captures_->pool().next_stamp();
  const std::uint64_t written = state.written.load(std::memory_order_relaxed);
  if (!captures_->is_shared(written)) {
    state.stamp.store(stamp, std::memory_order_relaxed);
    state.written.store(captures_->now(), std::memory_order_relaxed);
    return;
  }
  const std::size_t first = page << geometry_.shift;
  PageCopy copy(captures_->pool(), geometry_, capacity_of(page));
  copy.copy(data() + first * geometry_.stride(), constructed_.data(), first);
  HDB_CAPTURE_STEP(publishes);
  {
    const std::lock_guard lock(captures_->mutex_);
    const bool is_shared = !captures_->open_.empty() && captures_->open_.back().number >= written;
    if (is_shared) {
      PageVersion& version = *copy.take();
      version.core = this;
      version.page = page;
      version.since = written;
      version.stamp = state.stamp.load(std::memory_order_relaxed);
      version.older = state.newest;
      if (version.older != nullptr) version.older->newer = &version;
      version.next = std::exchange(captures_->open_.back().versions, &version);
      state.newest = &version;
      ++versions_;
    }
    state.stamp.store(stamp, std::memory_order_relaxed);
    state.written.store(captures_->now(), std::memory_order_seq_cst);
  }
  captures_->wait_for_readers(page_key(page));
}

const PageVersion* ArrayCore::find(std::size_t page, std::uint64_t moment) const noexcept {
  const std::lock_guard lock(captures_->mutex_);
  const PageState& state = this->state(page);
  if (state.written.load(std::memory_order_relaxed) <= moment) return nullptr;
  const PageVersion* version = state.newest;
  while (version != nullptr && version->since > moment) version = version->older;
  HDB_REQUIRE(version != nullptr, "CA2: a capture's page is lost");
  return version;
}

std::uint64_t ArrayCore::stamp(std::size_t page, std::uint64_t moment) const noexcept {
  const std::lock_guard lock(captures_->mutex_);
  const PageState& state = this->state(page);
  if (state.written.load(std::memory_order_relaxed) <= moment)
    return state.stamp.load(std::memory_order_relaxed);
  const PageVersion* version = state.newest;
  while (version->since > moment) version = version->older;
  return version->stamp;
}

void ArrayCore::replace(std::size_t page, const PageVersion& version,
                        std::uint64_t stamp) noexcept {
  const std::size_t stride = geometry_.stride();
  const std::size_t first = page << geometry_.shift;
  std::byte* const to = data() + first * stride;
  if (geometry_.ops.trivial) {
    std::memcpy(to, version.data, version.capacity * stride);
  } else {
    destroy_elements(page);
    std::uint64_t* const bits = bits_of(geometry_, version);
    for_each_bit(bits, 0, version.capacity, [&](std::size_t i) {
      geometry_.ops.relocate(to + i * stride, version.data + i * stride);
      set_constructed(first + i, true);
    });
    std::fill_n(bits, (version.capacity + 63) / 64, std::uint64_t{0});
  }
  // Elements that the version does not have are left as they are: no earlier hash covers them.
  if (page < hashes_.size() && hashes_[page].elements != version.capacity) hashes_[page] = {};
  PageState& state = this->state(page);
  state.stamp.store(stamp, std::memory_order_relaxed);
  state.written.store(captures_->now(), std::memory_order_relaxed);
}

void ArrayCore::copy_page(std::size_t page, const ArrayCore& from, std::uint64_t moment,
                          std::size_t count) {
  const std::size_t stride = geometry_.stride();
  const std::size_t first = page << geometry_.shift;
  std::byte* const to = data() + first * stride;
  const PageVersion* const version = from.find(page, moment);
  const std::byte* const source = version != nullptr ? version->data : from.data() + first * stride;
  if (geometry_.ops.trivial) {
    std::memcpy(to, source, count * stride);
  } else {
    const std::uint64_t* const bits =
        version != nullptr ? bits_of(geometry_, *version) : from.constructed_.data();
    const std::size_t begin = version != nullptr ? 0 : first;
    for_each_bit(bits, begin, begin + count, [&](std::size_t index) {
      const std::size_t i = index - begin;
      geometry_.ops.copy_construct(to + i * stride, source + i * stride);
      set_constructed(first + i, true);
    });
  }
  state(page).stamp.store(from.stamp(page, moment), std::memory_order_relaxed);
}

void ArrayCore::destroy_elements(std::size_t page) noexcept {
  if (geometry_.ops.trivial) return;
  const std::size_t first = page << geometry_.shift;
  for_each_bit(constructed_.data(), first, first + capacity_of(page), [this](std::size_t i) {
    geometry_.ops.destroy(data() + i * geometry_.stride());
    set_constructed(i, false);
  });
}

void ArrayCore::clear() noexcept {
  for (std::size_t page = 0; page < page_count(); ++page) destroy_elements(page);
}

bool ArrayCore::is_seen() const noexcept { return captures_->is_shared(created_); }

// --- sums and hashes

bool ArrayCore::find_hash(std::size_t page, const HashKey& key, Hash128& sum) const noexcept {
  const std::lock_guard lock(captures_->mutex_);
  if (page >= sums_.size() || sums_[page].key != key) return false;
  sum = sums_[page].sum;
  return true;
}

void ArrayCore::store_hash(std::size_t page, const HashKey& key,
                           const Hash128& sum) const noexcept {
  const std::lock_guard lock(captures_->mutex_);
  if (page >= sums_.size()) {
#if defined(__cpp_exceptions)
    try {
      sums_.resize(page + 1 + sums_.size() / 2);
    } catch (...) {
      return;
    }
#else
    sums_.resize(page + 1 + sums_.size() / 2);
#endif
  }
  sums_[page] = {key, sum};
}

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

void ArrayCore::remember_hashes() {
  if (!geometry_.ops.trivial) return;
  hashes_.resize(page_count());
  for (std::size_t page = 0; page < hashes_.size(); ++page) {
    const std::uint64_t stamp = state(page).stamp.load(std::memory_order_relaxed);
    const std::size_t elements = capacity_of(page);
    if (hashes_[page].stamp == stamp) {
      check_unwritten(page);
      if (hashes_[page].elements == elements) continue;
    }
    const std::byte* const from = data() + (page << geometry_.shift) * geometry_.stride();
    hashes_[page] = {hash64({from, elements * geometry_.stride()}), stamp, elements};
  }
}

void ArrayCore::check_unwritten(std::size_t page) const noexcept {
  if (page >= hashes_.size()) return;
  if (hashes_[page].stamp != state(page).stamp.load(std::memory_order_relaxed)) return;
  require_hash(page, data() + (page << geometry_.shift) * geometry_.stride(), hashes_[page]);
}

void ArrayCore::require_hash(std::size_t page, const std::byte* data,
                             const PageHash& hash) const noexcept {
  if (hash64({data, hash.elements * geometry_.stride()}) == hash.hash) return;
  const std::size_t first = page << geometry_.shift;
  char text[768];
  std::snprintf(text, sizeof text,
                "%s: page %zu (%s %zu to %zu) changed after it was captured: the program wrote "
                "through a pointer kept "
                "from edit() or an iteration before the capture. Get new pointers "
                "after each capture and restore",
                label_.c_str(), page, elements_, first, first + hash.elements - 1);
  fatal(text, __FILE__, __LINE__);
}

#else

void ArrayCore::remember_hashes() {}
void ArrayCore::check_unwritten(std::size_t) const noexcept {}
void ArrayCore::require_hash(std::size_t, const std::byte*, const PageHash&) const noexcept {}

#endif

}  // namespace hdb::detail
