// An array at one address: growing, private pages, capture and restore.
#include "hdb/detail/core/arrays/flat_array.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hdb::detail {

FlatArray::FlatArray(const std::shared_ptr<Captures>& captures, const RecordOps& ops,
                     std::size_t page_bytes, Addresses addresses, std::uint64_t max_elements)
    : stride_(ops.size_bytes),
      core_(std::make_unique<ArrayCore>(captures, ops, page_bytes, addresses, max_elements)) {
  shift_ = geometry().shift;
}

FlatArray::~FlatArray() {
  staged_.clear();  // of a restore that failed elsewhere; it uses what the core has
  set_shared_pages(0);
  ArrayCore::retire(std::move(core_));
}

void FlatArray::own(std::size_t page) {
  core_->make_private(page);
  private_[page] = 1;
  set_shared_pages(shared_pages_ - 1);
}

void FlatArray::set_shared_pages(std::size_t count) noexcept {
  core_->captures().add_shared_pages(count - shared_pages_);
  shared_pages_ = count;
}

std::size_t FlatArray::count_shared_pages() const noexcept {
  return static_cast<std::size_t>(
      std::count(private_pages_.begin(), private_pages_.end(), std::uint8_t{0}));
}

void FlatArray::make_private(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  for (std::size_t page = begin >> shift_; page <= (end - 1) >> shift_; ++page) {
    if (private_[page] == 0) own(page);
  }
}

void FlatArray::grow(std::size_t count) {
  constexpr std::size_t kFirstBytes = 512;
  const std::size_t per_page = this->per_page();
  std::size_t wanted = (count + per_page - 1) / per_page * per_page;
  if (count <= per_page) {
    wanted = std::min(
        per_page,
        std::bit_ceil(std::max<std::size_t>({count, std::bit_floor(kFirstBytes / stride_), 1})));
  }
  if (wanted > core_->reserved_elements()) wanted = std::max(wanted, 2 * capacity_);
  const std::size_t pages = (wanted + per_page - 1) / per_page;
  if (private_pages_.capacity() < pages) private_pages_.reserve(std::max(pages, 2 * page_count()));
  private_ = private_pages_.data();
  core_->grow(wanted);
  private_pages_.resize(pages, 1);
  if (core_->data() != data_) {
    std::fill(private_pages_.begin(), private_pages_.end(), std::uint8_t{1});
    set_shared_pages(0);
  }
  data_ = core_->data();
  capacity_ = core_->capacity();
}

void FlatArray::take_core(std::unique_ptr<ArrayCore> core) noexcept {
  staged_.clear();
  std::swap(core, core_);
  data_ = core_->data();
  capacity_ = core_->capacity();
  ArrayCore::retire(std::move(core));
}

void FlatArray::prepare_drop() { fresh_ = core_->is_seen() ? core_->make_empty() : nullptr; }

void FlatArray::drop_all() noexcept {
  if (fresh_ != nullptr) {
    private_pages_.clear();
    set_shared_pages(0);
    take_core(std::move(fresh_));
  } else {
    HDB_ASSERT(!core_->is_seen(), "prepare_drop comes before drop_all");
    staged_.clear();
    core_->clear();
  }
}

void FlatArray::adopt(FlatArray& other) noexcept {
  staged_.clear();
  other.staged_.clear();
  std::swap(data_, other.data_);
  std::swap(private_, other.private_);
  std::swap(capacity_, other.capacity_);
  std::swap(core_, other.core_);
  std::swap(private_pages_, other.private_pages_);
  std::swap(shared_pages_, other.shared_pages_);
}

void FlatArray::watch_writes() noexcept {
  std::fill(private_pages_.begin(), private_pages_.end(), std::uint8_t{0});
  set_shared_pages(private_pages_.size());
}

void FlatArray::count_pages(std::vector<PagePool::PageCount>& counts, std::size_t count) const {
  const auto add = [&counts](std::size_t size_bytes, std::size_t pages) {
    if (pages == 0) return;
    for (PagePool::PageCount& known : counts) {
      if (known.size_bytes != size_bytes) continue;
      known.count += pages;
      return;
    }
    counts.push_back({size_bytes, pages});
  };
  if (count == 0) return;
  const std::size_t last = (count - 1) >> shift_;
  add(geometry().copy_bytes(per_page()), last);
  add(geometry().copy_bytes(core_->capacity_of(last)), 1);
}

bool FlatArray::check() const noexcept {
  if (data_ != core_->data() || capacity_ != core_->capacity()) return false;
  if (private_pages_.size() != page_count() || private_ != private_pages_.data()) return false;
  if (shared_pages_ != count_shared_pages()) return false;
  for (std::size_t page = 0; page < page_count(); ++page) {
    const PageState& state = core_->state(page);
    if (private_[page] != 0 &&
        core_->captures().is_shared(state.written.load(std::memory_order_relaxed))) {
      return false;
    }
  }
  return true;
}

// --- capture and restore

FrozenArray FlatArray::freeze(std::shared_ptr<const Moment> moment, std::size_t count) {
  core_->remember_hashes();
  FrozenArray frozen(std::move(moment), *core_, std::min(round_up(count, per_page()), capacity_));
  watch_writes();
  return frozen;
}

void FlatArray::prepare_thaw(const FrozenArray& frozen) {
  const ArrayCore& from = frozen.core();
  HDB_REQUIRE(&from.captures().pool() == &core_->captures().pool() &&
                  from.geometry().shift == shift_ && from.geometry().stride() == stride_,
              "a capture must be restored into a table of the same pool and geometry");
  staged_.clear();
  fresh_.reset();
  const std::uint64_t moment = frozen.moment().number();
  if (&from != core_.get()) return stage_all(frozen);
  for (std::size_t page = 0; page < page_count(); ++page) {
    core_->check_unwritten(page);
    if (core_->state(page).written.load(std::memory_order_relaxed) <= moment) continue;
    const PageVersion* const version =
        page < frozen.page_count() ? core_->find(page, moment) : nullptr;
    if (private_[page] == 0) {
      if (version != nullptr && version->stamp == stamp(page)) continue;  // restored before
      own(page);  // younger captures may see it
    }
    staged_.push_back({page, version, {}});
    if (version == nullptr || is_trivial()) continue;
    PageCopy copy(core_->captures().pool(), geometry(), version->capacity);
    copy.copy(*version);
    staged_.back().copy = std::move(copy);
  }
}

// The content of another array.
void FlatArray::stage_all(const FrozenArray& frozen) {
  auto fresh = core_->make_empty();
  const std::size_t capacity = std::max(frozen.capacity(), capacity_);
  if (capacity != 0) fresh->grow(capacity);
  fresh_pages_.assign(fresh->page_count(), 0);
  for (std::size_t page = 0; page < frozen.page_count(); ++page) {
    const std::size_t count = std::min(per_page(), frozen.capacity() - (page << shift_));
    fresh->copy_page(page, frozen.core(), frozen.moment().number(), count);
  }
  fresh_ = std::move(fresh);
}

void FlatArray::commit_thaw() noexcept {
  if (fresh_ != nullptr) {
    std::swap(private_pages_, fresh_pages_);
    private_ = private_pages_.data();
    set_shared_pages(count_shared_pages());
    return take_core(std::move(fresh_));
  }
  for (Staged& staged : staged_) {
    if (staged.version == nullptr) {  // the page was not there yet
      core_->destroy_elements(staged.page);
      continue;
    }
    const PageVersion* const content = is_trivial() ? staged.version : staged.copy.version();
    core_->replace(staged.page, *content, staged.version->stamp);
    private_[staged.page] = 0;  // the next write gives it a stamp of its own
  }
  set_shared_pages(count_shared_pages());
  staged_.clear();
}

}  // namespace hdb::detail
