// An array at one address: growing, owned blocks, capture and restore.
#include "hdb/detail/core/arrays/flat_array.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/arrays/array_core.hpp"
#include "core/arrays/frozen_array.hpp"
#include "core/arrays/undo_log.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

// The blocks of page `page` that elements [begin, end) lie in.
std::uint64_t blocks_of(const PageGeometry& geometry, std::size_t page, std::size_t begin,
                        std::size_t end) noexcept {
  const std::size_t first = page << geometry.shift;
  const std::size_t last = first + geometry.per_page() - 1;
  const std::uint64_t below = begin <= first ? 0 : blocks_below(geometry.block_of(begin));
  return (end > last ? kAllBlocks : blocks_below(geometry.block_of(end - 1) + 1)) & ~below;
}

void retire(Owned<ArrayCore> core) noexcept {
  ArrayCore::retire(std::unique_ptr<ArrayCore>(core.release()));
}

}  // namespace

FlatArray::FlatArray(const std::shared_ptr<UndoLog>& log, const RecordOps& ops, Addresses addresses,
                     std::uint64_t max_elements)
    : stride_(ops.size_bytes),
      whole_mark_(&log->whole_mark()),
      core_(std::make_unique<ArrayCore>(log, ops, addresses, max_elements)) {
  follow_core();
  shift_ = geometry().shift;
  block_shift_ = geometry().block_shift;
}

FlatArray::~FlatArray() { retire(std::move(core_)); }

void FlatArray::own(std::size_t index) { core_->own_block(index >> shift_, block_of(index)); }

void FlatArray::make_private(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  HDB_ASSERT(end <= capacity_, "elements exist before they are made private");
  for (std::size_t page = begin >> shift_; page <= (end - 1) >> shift_; ++page) {
    const std::uint64_t blocks = blocks_of(geometry(), page, begin, end);
    const std::uint64_t owned = whole_mark(stamp(page)) == *whole_mark_ ? words_[page].owned() : 0;
    if ((blocks & ~owned) != 0) core_->own(page, blocks);
  }
}

bool FlatArray::is_private(std::size_t begin, std::size_t end) const noexcept {
  for (std::size_t index = begin; index < end;
       index = ((index >> block_shift_) + 1) << block_shift_) {
    if (!is_private(index)) return false;
  }
  return true;
}

void FlatArray::grow(std::size_t count) {
  constexpr std::size_t kFirstBytes = 512;
  const std::size_t per_page = this->per_page();
  std::size_t wanted = round_up(count, per_page);
  if (count <= per_page) {
    const std::size_t fewest =
        std::max(std::bit_floor(kFirstBytes / stride_), geometry().per_block());
    wanted = std::min(per_page, std::bit_ceil(std::max(count, fewest)));
  }
  if (wanted > core_->reserved_elements()) wanted = std::max(wanted, 2 * capacity_);
  struct Follow {  // the words may have moved, also when the elements found no room
    FlatArray& array;
    ~Follow() { array.follow_core(); }
  } follow{*this};
  core_->grow(wanted);
}

void FlatArray::follow_core() noexcept {
  data_ = core_->data();
  words_ = core_->words();
  capacity_ = core_->capacity();
  geometry_ = &core_->geometry();
  constructed_ = core_->constructed();
  whole_mark_ = &core_->log().whole_mark();
}

void FlatArray::take_core(Owned<ArrayCore> core) noexcept {
  std::swap(core, core_);
  follow_core();
  retire(std::move(core));
}

void FlatArray::prepare_drop() {
  fresh_ = {};
  if (core_->is_seen()) fresh_ = core_->make_empty();
}

void FlatArray::drop_all() noexcept {
  core_->log().abandon_restore();  // one that failed elsewhere
  if (fresh_) return take_core(std::move(fresh_));
  HDB_ASSERT(!core_->is_seen(), "prepare_drop comes before drop_all");
  core_->clear();
}

void FlatArray::adopt(FlatArray& other) noexcept {
  core_->log().abandon_restore();
  std::swap(core_, other.core_);
  follow_core();
  other.follow_core();
}

bool FlatArray::moves_to_hold(std::size_t count) const noexcept {
  return capacity_ != 0 && count > capacity_ && count > core_->reserved_elements();
}

bool FlatArray::adds_zeros() const noexcept { return core_->adds_zeros(); }

void FlatArray::set_label(std::string label, const char* elements) noexcept {
  core_->set_label(std::move(label), elements);
}

std::uint64_t FlatArray::number() const noexcept { return core_->number(); }

std::size_t FlatArray::logged_bytes() const noexcept {
  return page_count() * core_->logged_page_bytes();
}

bool FlatArray::check() const noexcept {
  return data_ == core_->data() && words_ == core_->words() && capacity_ == core_->capacity() &&
         whole_mark_ == &core_->log().whole_mark() && geometry_ == &core_->geometry() &&
         constructed_ == core_->constructed();
}

void FlatArray::watch_writes() noexcept { watched_ = core_->log().begin_epoch(); }

void FlatArray::check_unwritten() const noexcept {
  for (std::size_t page = 0; page < page_count(); ++page) core_->check_unwritten(page);
}

// --- capture and restore

FrozenArray FlatArray::freeze(const std::shared_ptr<const Moment>& moment) {
  return freeze(moment, capacity_);
}

FrozenArray FlatArray::freeze(const std::shared_ptr<const Moment>& moment, std::size_t count) {
  core_->remember_hashes();
  return {moment, *core_, std::min(round_up(count, per_page()), capacity_)};
}

void FlatArray::prepare_thaw(const FrozenArray& frozen) {
  const ArrayCore& from = frozen.core();
  HDB_REQUIRE(&from.log().pool() == &core_->log().pool() && from.geometry().shift == shift_ &&
                  from.geometry().stride() == stride_,
              "a capture must be restored into a table of the same pool and geometry");
  fresh_ = {};
  if (&from == core_.get()) {
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
    check_unwritten();
#endif
    return;
  }
  auto fresh = core_->make_empty();
  const std::size_t capacity = std::max(frozen.capacity(), capacity_);
  if (capacity != 0) fresh->grow(capacity);
  for (std::size_t page = 0; page < frozen.page_count(); ++page) {
    const std::size_t count = std::min(per_page(), frozen.capacity() - (page << shift_));
    fresh->copy_page(page, from, frozen.moment().number(), count);
  }
  fresh_ = std::move(fresh);
}

void FlatArray::commit_thaw() noexcept {
  if (fresh_) take_core(std::move(fresh_));
}

}  // namespace hdb::detail
