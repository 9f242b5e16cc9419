// Growing an array, and what becomes of its blocks when captures see them.
#include "core/arrays/array_core.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "core/arrays/undo_log.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

// Of an epoch, blocks of a page that are logged one by one before the others are logged at once:
// then a frame that writes everything costs what copying everything costs. Neighbours that are
// written one after another make it sooner.
constexpr std::size_t kFewBlocks = 20;
constexpr std::size_t kFewPart = 3;  // of the blocks of an array of one page: a third
constexpr unsigned kFewNeighbours = 3;
// Not of pages that are longer: a write of one record must not copy so much.
constexpr std::size_t kMostEagerBytes = 16384;

// Whether the blocks before this one are owned.
constexpr bool follows(std::uint64_t owned, std::size_t block) noexcept {
  constexpr std::uint64_t kNeighbours = blocks_below(kFewNeighbours);
  return (owned << kFewNeighbours >> block & kNeighbours) == kNeighbours;
}

// Calls visit(i) for the bits that are set below `end`.
template <class Visit>
void for_each_bit(const std::vector<std::uint64_t>& bits, std::size_t end, const Visit& visit) {
  for (std::size_t word = 0; word * 64 < end; ++word) {
    for_each_run(bits[word], [&](std::size_t first, std::size_t count) {
      for (std::size_t i = word * 64 + first; i < word * 64 + first + count; ++i) visit(i);
    });
  }
}

// Elements that copy constructors are making in a log entry: they end unless kept.
class ElementsInMaking {
 public:
  explicit ElementsInMaking(LogEntry& entry) noexcept : entry_(&entry) { entry.constructed() = 0; }
  ~ElementsInMaking() {
    if (entry_ != nullptr) entry_->destroy_elements();
  }
  ElementsInMaking(const ElementsInMaking&) = delete;
  ElementsInMaking& operator=(const ElementsInMaking&) = delete;
  void keep() noexcept { entry_ = nullptr; }

 private:
  LogEntry* entry_;
};

}  // namespace

// --- ArrayCore

ArrayCore::ArrayCore(std::shared_ptr<UndoLog> log, const RecordOps& ops, Addresses addresses,
                     std::uint64_t max_elements)
    : log_(log.get()),
      number_(log_->pool().next_array_number()),
      created_(log_->epoch()),
      geometry_(PageGeometry::of(ops)),
      plain_entry_bytes_(ops.trivial && geometry_.block_bytes <= kShortBlock &&
                                 geometry_.log_alignment == PageGeometry::kLeastLogAlignment
                             ? LogEntry::size_for(*this, 1)
                             : 0),
      few_blocks_(ops.trivial && geometry_.page_bytes() <= kMostEagerBytes ? kFewBlocks
                                                                           : kBlocksPerPage),
      max_elements_(max_elements),
      shared_log_(std::move(log)),
      addresses_(addresses) {}

std::unique_ptr<ArrayCore> ArrayCore::make_empty() const {
  auto empty = std::make_unique<ArrayCore>(shared_log_, geometry_.ops, addresses_, max_elements_);
  empty->set_label(label_, elements_);
  return empty;
}

ArrayCore::~ArrayCore() { clear(); }

void ArrayCore::retire(std::unique_ptr<ArrayCore> core) noexcept {
  const std::shared_ptr<UndoLog> log = std::move(core->shared_log_);
  log->retire(std::move(core));
}

bool ArrayCore::is_seen() const noexcept { return log_->newest_end() > created_; }

std::uint64_t ArrayCore::stamp(std::size_t page, std::uint64_t moment) const noexcept {
  const std::uint64_t live = word(page).epoch();
  return live <= moment ? live : log_->find_stamp(*this, page, moment);
}

std::size_t ArrayCore::capacity_of(std::size_t page) const noexcept {
  return std::min(geometry_.per_page(), capacity_ - (page << geometry_.shift));
}

std::size_t ArrayCore::logged_page_bytes() const noexcept {
  const std::size_t single = LogEntry::size_for(*this, 1);
  if (few_blocks_ == kBlocksPerPage) return kBlocksPerPage * single;
  return kFewBlocks * single + LogEntry::size_for(*this, kBlocksPerPage - kFewBlocks);
}

std::size_t ArrayCore::reserved_elements() const noexcept {
  return memory_ ? memory_->reserved_bytes() / geometry_.stride() : 0;
}

bool ArrayCore::adds_zeros() const noexcept { return memory_ && memory_->is_new_range(); }

void ArrayCore::grow(std::size_t capacity) {
  const std::size_t stride = geometry_.stride();
  if (capacity > ~std::size_t{0} / 2 / stride) out_of_memory();
  if (!geometry_.ops.trivial) constructed_.resize((capacity + 63) / 64);
  add_words((capacity + geometry_.per_page() - 1) >> geometry_.shift);
  const std::size_t bytes = capacity * stride;
  if (!memory_ || bytes > memory_->reserved_bytes()) {
    move_to(bytes);
  } else if (!memory_->commit(bytes)) {
    out_of_memory();
  }
  // No capture sees the new elements; but a restore must know which ones were not there.
  const bool is_owned = geometry_.ops.trivial || !is_seen();
  const std::size_t pages = page_count();
  if (const std::size_t last = capacity_ >> geometry_.shift; last < pages && !is_owned) {
    const std::uint64_t owned = word(last).owned() & existing_blocks(last);
    word(last).set(word(last).epoch(), owned, count_blocks(owned));
  }
  capacity_ = capacity;
  if (few_blocks_ != kBlocksPerPage)
    few_blocks_ = std::min(kFewBlocks, count_blocks(existing_blocks(0)) / kFewPart);
  for (std::size_t page = pages; page < page_count(); ++page)
    word(page).set(log_->epoch(), is_owned ? kAllBlocks : 0, is_owned ? kBlocksPerPage : 0);
}

// Room for the words of `count` pages. Readers may still look at the old ones: they stay.
void ArrayCore::add_words(std::size_t count) {
  if (count <= word_room_) return;
  const std::size_t room = std::max(count, 2 * word_room_);
  words_blocks_.reserve(words_blocks_.size() + 1);
  std::unique_ptr<PageWord[]> block(new (std::nothrow) PageWord[room]);
  if (block == nullptr) out_of_memory();
  const PageWord* const old = words();
  for (std::size_t page = 0; page < page_count(); ++page)
    block[page].set(old[page].epoch(), old[page].owned(), count_blocks(old[page].owned()));
  words_.store(block.get(), std::memory_order_release);
  words_blocks_.push_back(std::move(block));
  word_room_ = room;
}

void ArrayCore::move_to(std::size_t bytes) {
  constexpr std::size_t kUnlimited = ~std::size_t{0} / 2;
  const std::size_t stride = geometry_.stride();
  const std::size_t wanted = max_elements_ > kUnlimited / stride
                                 ? kUnlimited
                                 : static_cast<std::size_t>(max_elements_) * stride;
  ArrayMemory memory(log_->pool(), bytes, wanted, geometry_.ops.alignment, addresses_);
  for (std::size_t page = 0; page < page_count(); ++page) own(page, kAllBlocks);
  std::byte* const to = memory.data();
  if (std::byte* const from = data(); from != nullptr) {
    if (geometry_.ops.trivial) {
      std::memcpy(to, from, capacity_ * stride);
    } else {
      for_each_bit(constructed_, capacity_, [&](std::size_t i) {
        geometry_.ops.relocate(to + i * stride, from + i * stride);
      });
    }
  }
  data_.store(to, std::memory_order_release);
  memory_ = std::move(memory);
}

std::uint64_t ArrayCore::existing_blocks(std::size_t page) const noexcept {
  const std::size_t elements = capacity_of(page) + geometry_.per_block() - 1;
  return blocks_below(elements >> geometry_.block_shift);
}

// What is logged for `blocks`, all of which exist.
std::uint64_t ArrayCore::wanted_blocks(std::size_t page, std::uint64_t owned,
                                       std::uint64_t blocks) const noexcept {
  const std::uint64_t wanted = blocks & ~owned;
  if (owned == 0 || wanted == 0 || few_blocks_ == kBlocksPerPage) return wanted;
  const std::uint64_t others = existing_blocks(page) & ~owned;
  if (count_blocks(owned | blocks) > few_blocks_) return others;
  const std::size_t first = block_index(blocks);
  return follows(owned, first) ? others & ~blocks_below(first) : wanted;
}

void ArrayCore::own(std::size_t page, std::uint64_t blocks) {
  own_existing(page, blocks & existing_blocks(page));
}

// Most calls: the first write to one block of plain bytes, of which few others of the page were
// written.
void ArrayCore::own_block(std::size_t page, std::size_t block) {
  check_unwritten(page);
  PageWord& word = this->word(page);
  const std::uint64_t mark = word.mark();
  const std::uint64_t stamp = epoch_of_mark(mark);
  const bool is_newer = stamp >= log_->newest_end();  // than the newest capture
  const std::uint64_t owned = is_newer ? word.owned() : 0;
  const std::uint64_t bit = block_bit(block);
  const bool is_owned = (owned & bit) != 0;  // since an older epoch
  const std::size_t count = (is_newer ? PageWord::count_of_mark(mark) : 0) + 1;
  if (is_owned || count > few_blocks_ || follows(owned, block) || plain_entry_bytes_ == 0)
    return own_existing(page, bit);
  LogEntry* const entry = log_->begin_plain(*this, page, bit, stamp, plain_entry_bytes_);
  if (entry == nullptr) return own_existing(page, bit);
  was_logged_ = true;
  copy_short_block(reinterpret_cast<std::byte*>(entry + 1),
                   data() + ((page << kBlocksShift) + block) * geometry_.block_bytes,
                   geometry_.block_bytes);
  log_->end_plain(*entry);
  publish(word, page, owned | bit, count);
}

inline void ArrayCore::publish(PageWord& word, std::size_t page, std::uint64_t owned,
                               std::size_t count) noexcept {
  HDB_CAPTURE_STEP(publishes);
  word.set(log_->epoch(), owned, count);
  log_->wait_for_readers(page_key(page));
}

void ArrayCore::own_existing(std::size_t page, std::uint64_t blocks) {
  check_unwritten(page);
  PageWord& word = this->word(page);
  const std::uint64_t stamp = word.epoch();
  const std::uint64_t newest_end = log_->newest_end();
  std::uint64_t owned = kAllBlocks;
  if (newest_end > created_) {
    owned = stamp >= newest_end ? word.owned() : 0;  // else a capture came between
    const std::uint64_t wanted = wanted_blocks(page, owned, blocks);
    if (wanted != 0) {
      was_logged_ = true;
      log_->append(*this, page, wanted, stamp);
    }
    owned |= wanted;
  }
  if ((existing_blocks(page) & ~owned) == 0) owned = kAllBlocks;
  publish(word, page, owned, count_blocks(owned));
}

void ArrayCore::copy_page(std::size_t page, const ArrayCore& from, std::uint64_t moment,
                          std::size_t count) {
  PastPage past;
  if (from.word(page).epoch() > moment) from.log_->find(from, page, moment, past, nullptr);
  const std::size_t stride = geometry_.stride();
  const std::size_t first = page << geometry_.shift;
  std::byte* const to = data() + first * stride;
  const std::byte* const live = from.data() + first * stride;
  const std::size_t blocks = (count + geometry_.per_block() - 1) >> geometry_.block_shift;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t offset = block * geometry_.block_bytes;
    const bool is_live = (past.blocks() & block_bit(block)) == 0;
    if (geometry_.ops.trivial) {
      const std::byte* const source = is_live ? live + offset : past.content_of(block);
      std::memcpy(to + offset, source, std::min(geometry_.block_bytes, count * stride - offset));
      continue;
    }
    const bool is_there = is_live ? from.is_constructed(first + block) : past.has_element(block);
    if (!is_there) continue;
    geometry_.ops.copy_construct(to + offset, is_live ? live + offset : past.content_of(block));
    set_constructed(first + block, true);
  }
}

void ArrayCore::clear() noexcept {
  if (geometry_.ops.trivial) return;
  for_each_bit(constructed_, capacity_,
               [this](std::size_t i) { geometry_.ops.destroy(data() + i * geometry_.stride()); });
  std::fill(constructed_.begin(), constructed_.end(), std::uint64_t{0});
}

void ArrayCore::release_elements() noexcept {
  clear();
  capacity_ = 0;
  data_.store(nullptr, std::memory_order_release);
  memory_.reset();
}

// --- log entries

void ArrayCore::copy_content(LogEntry& to) const {
  const std::size_t block_bytes = geometry_.block_bytes;
  const std::size_t first_block = std::size_t{to.page} << kBlocksShift;
  const std::byte* const page = data() + first_block * block_bytes;
  std::byte* out = to.content();
  if (geometry_.ops.trivial) {
    for_each_run(to.blocks, [&](std::size_t first, std::size_t count) {
      std::memcpy(out, page + first * block_bytes, count * block_bytes);
      out += count * block_bytes;
    });
    return;
  }
  ElementsInMaking made(to);
  for_each_run(to.blocks & constructed_[to.page], [&](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block) {
      geometry_.ops.copy_construct(to.content_of(block), page + block * block_bytes);
      to.constructed() |= block_bit(block);
    }
  });
  made.keep();
}

void ArrayCore::copy_content(LogEntry& from, LogEntry& to) {
  const PageGeometry& geometry = from.core->geometry_;
  if (geometry.ops.trivial) return move_content(from, to);
  ElementsInMaking made(to);
  for_each_run(to.blocks & from.constructed(), [&](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block) {
      geometry.ops.copy_construct(to.content_of(block), from.content_of(block));
      to.constructed() |= block_bit(block);
    }
  });
  made.keep();
}

void ArrayCore::move_content(LogEntry& from, LogEntry& to) noexcept {
  const PageGeometry& geometry = from.core->geometry_;
  if (!geometry.ops.trivial) {
    to.constructed() = from.constructed() & to.blocks;
    from.constructed() &= ~to.blocks;
  }
  for_each_run(to.blocks, [&](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block) {
      if (geometry.ops.trivial) {
        std::memcpy(to.content_of(block), from.content_of(block), geometry.block_bytes);
      } else if ((to.constructed() & block_bit(block)) != 0) {
        geometry.ops.relocate(to.content_of(block), from.content_of(block));
      }
    }
  });
}

void ArrayCore::put_back(LogEntry& from, std::uint64_t blocks) noexcept {
  const std::size_t block_bytes = geometry_.block_bytes;
  const std::size_t first_block = std::size_t{from.page} << kBlocksShift;
  std::byte* const page = data() + first_block * block_bytes;
  for_each_run(blocks, [&](std::size_t first, std::size_t count) {
    if (geometry_.ops.trivial) {
      std::memcpy(page + first * block_bytes, from.content_of(first), count * block_bytes);
      return;
    }
    for (std::size_t block = first; block < first + count; ++block) {
      std::byte* const to = page + block * block_bytes;
      if (is_constructed(first_block + block)) geometry_.ops.destroy(to);
      const bool is_there = (from.constructed() & block_bit(block)) != 0;
      if (is_there) geometry_.ops.relocate(to, from.content_of(block));
      set_constructed(first_block + block, is_there);
    }
    from.constructed() &= ~(blocks_below(first + count) & ~blocks_below(first));
  });
}

// --- sums and hashes

bool ArrayCore::find_hash(std::size_t page, const HashKey& key, Hash128& sum) const noexcept {
  const std::lock_guard lock(log_->mutex_);
  if (page >= sums_.size() || sums_[page].key != key) return false;
  sum = sums_[page].sum;
  return true;
}

void ArrayCore::store_hash(std::size_t page, const HashKey& key,
                           const Hash128& sum) const noexcept {
  const std::lock_guard lock(log_->mutex_);
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
    const std::uint64_t stamp = word(page).epoch();
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
  if (hashes_[page].stamp != word(page).epoch()) return;
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
