// Slots: generations, liveness and the free list. Not a template; every table uses this one class,
// and it alone is what "exactly" is proved about.
//
//   H1  All-zero bits name nothing.
//   H2  A handle resolves to the record it was issued for, or to nothing: for ever under `retire`,
//       within one timeline (an exact restore starts another).
//   H3  No bit pattern resolves through a slot that is not live.
//   H4  The free list holds every free slot exactly once, in the order of use; no other slot. Under
//       FreeList::lowest the order of use is that of the slots. Gaps (H11) do not count.
//   H5  position(s) == d exactly when s is live and the table's slot_of[d] == s (dense tables).
//   H6  slot_count = live + free + retired + unissued. A slot is unissued if no record was ever in
//       it; the lowest of these is used when no slot is free, before a slot is added.
//   H7  No slot's generation exceeds highest_generation, but for retired ones, which stand at the
//       layout's last. Nor does a table counter.
//   H8  With generations per slot and retirement, a released slot whose generation is at most
//       `counter` retires when highest_generation is the layout's last: it was live at a fork, and
//       may have used up its generations elsewhere.
//   H9  The slots of a component table are those of its owner: each is live, under the handle of a
//       live record of the owner, or unissued. No slot is free or retired. The free list holds the
//       holes: the positions below live + holes that have no record. The hole that is used next
//       is the last entry.
//   H10 A free slot remembers the last generation that it issued in this timeline, or, after a fork
//       in the second half of its generations, one that no timeline had issued: so a record of an
//       abandoned timeline does not come back. The last record of a retired slot stays erased, too:
//       repairs and forks retire slots early, before they issued their last generation.
//   H11 Between the entries of the free list lie gap_count gaps: places of slots that were taken
//       out of the middle. The entry that is used next is not a gap. Gaps do not belong to the
//       state: only the time that a call takes depends on them.
//   H12 While *changes() is the same, places that have records keep having them, and no slot of a
//       stable table becomes live. Where a dense table cannot have holes, this is the number of
//       records, which inserts and erases write anyway. In other tables it is changes_, which only
//       grows and does not belong to the state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/slots/free_places.hpp"
#include "hdb/handle.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

namespace slot_tag {
// A tag is the generation (31 bits) with the top bit set unless the slot is live: so the tag of a
// live slot is what its handle holds, and lookups compare without more ado. A free slot keeps the
// last generation that it issued, an unissued one has issued none; a retired one has the tag
// kRetired, which no generation reaches (the last generation of 31 bits is 2^31 - 2). In component
// tables, the tag of an unissued slot may also be 0, as new memory is: most of their slots may
// never be touched. Elsewhere a lookup of a handle with generation 0 would take it for its record.
inline constexpr std::uint32_t kVacant = 0x8000'0000u;
inline constexpr std::uint32_t kUnissued = kVacant;
inline constexpr std::uint32_t kRetired = 0xffff'ffffu;

[[nodiscard]] constexpr bool is_live(std::uint32_t tag) noexcept { return tag - 1 < kVacant - 1; }
[[nodiscard]] constexpr SlotState kind(std::uint32_t tag) noexcept {
  if (is_live(tag)) return SlotState::live;
  if (tag == 0 || tag == kUnissued) return SlotState::unissued;
  return tag == kRetired ? SlotState::retired : SlotState::free;
}
[[nodiscard]] constexpr std::uint32_t generation(std::uint32_t tag,
                                                 const HandleLayout& layout) noexcept {
  return tag == kRetired ? layout.max_generation() : tag & ~kVacant;
}
}  // namespace slot_tag

/// The most unissued slots that inserts under chosen handles may leave in a table: each costs up to
/// 8 bytes, so a handle far beyond the others must not add any number of them.
inline constexpr std::uint64_t kMaxUnissued = std::uint64_t{1} << 24;

/// An entry of a free list that is a gap (H11). No slot has this number.
inline constexpr std::uint32_t kGap = 0xffffffff;

/// What a table knows of a slot.
struct SlotEntry {
  std::uint32_t tag = 0;
  std::uint32_t position = 0;  ///< Dense tables: where the record of a live slot lies.
};

struct FrozenGaps;
struct FrozenSlots;
class Issued;

/// The state of the slots of a dense table, for code that keeps a table equal to the state of
/// another library and writes in place. It must leave H1-H12 true.
struct SlotParts {
  FlatArray& entries;    ///< One SlotEntry for each slot.
  FlatArray& free_list;  ///< A stack, top last: free slots or, in a component table, holes.
  SlotCounters& counters;
  std::uint64_t& free_head;
  std::uint64_t& gap_count;
  std::uint64_t& first_unissued;
  std::uint64_t& hole_count;
  std::uint64_t& changes;
};

/// Generations, liveness, dense positions and the free list of one table.
class HDB_API Slots {
 public:
  Slots(const std::shared_ptr<UndoLog>& log, const TablePolicy& policy,
        std::uint64_t max_live = kNoLimit);

  [[nodiscard]] const TablePolicy& policy() const noexcept { return policy_; }
  [[nodiscard]] HDB_INLINE const SlotCounters& counters() const noexcept { return counters_; }

  /// Whether the slot is live with this generation. Total: any values are safe.
  [[nodiscard]] bool matches(std::uint32_t slot, std::uint32_t generation) const noexcept {
    return slot < counters_.slot_count && slot_tag::is_live(generation) && tag(slot) == generation;
  }
  [[nodiscard]] HDB_INLINE std::uint32_t tag(std::uint32_t slot) const noexcept {
    return *entry(slot);
  }
  /// Dense tables: where the record of a live slot lies.
  [[nodiscard]] std::uint32_t position(std::uint32_t slot) const noexcept {
    return entries_.as<SlotEntry>(slot).position;
  }
  [[nodiscard]] HDB_INLINE const FlatArray& entries() const noexcept { return entries_; }
  [[nodiscard]] const FlatArray& live_bits() const noexcept { return live_bits_; }
  /// H12
  [[nodiscard]] HDB_INLINE const std::uint64_t* changes() const noexcept {
    const bool counts = !is_stable() && policy_.removal == Removal::swap;
    return counts ? &counters_.live_count : &changes_;
  }

  /// Whether as many slots are live as may be.
  [[nodiscard]] bool is_full() const noexcept { return counters_.live_count >= max_live_; }
  /// A slot and the generation of its next record; generation 0: there is none, the table is full.
  struct Next {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;

    explicit operator bool() const noexcept { return generation != 0; }
  };

  // The steps of an insert and an erase.

  /// What the next acquire will give.
  [[nodiscard]] Next next() const noexcept;
  /// What the next `count` acquires will give, in this order; fewer if the table is full before.
  [[nodiscard]] std::vector<Next> next_handles(std::uint64_t count) const;
  /// Makes all pages that acquire(next) writes private, so that it cannot fail.
  void prepare_acquire(const Next& next);
  void acquire(const Next& next, std::uint32_t position) noexcept;
  /// Makes all pages that release(slot) writes private, so that it cannot fail.
  void prepare_release(std::uint32_t slot);
  /// Frees or retires a live slot.
  void release(std::uint32_t slot) noexcept;

  // The same in the common case, where nothing must be prepared: no page is copied, no room is
  // made, no slot retires. These call nothing. `storage` is policy().storage: a constant where they
  // are inlined. Requires: is_common().

  /// FreeList::lifo and Generations::per_slot, without gaps (H11).
  [[nodiscard]] bool is_common() const noexcept {
    return policy_.free_list == FreeList::lifo && policy_.generations == Generations::per_slot &&
           gap_count_ == 0;
  }
  /// The free slot that is used after `ahead` others. Requires: ahead < free_count.
  [[nodiscard]] std::uint32_t next_free(std::uint64_t ahead) const noexcept {
    return free_list_.as<std::uint32_t>(to_size(counters_.free_count - 1 - ahead));
  }
  /// The next free slot, or a new one, if acquire_ready may follow in private pages; else
  /// generation 0.
  [[nodiscard]] Next next_ready(Storage storage) const noexcept;
  void acquire_ready(Storage storage, const Next& next, std::uint32_t position) noexcept;
  /// Whether release_ready of a live slot of this generation may follow in private pages.
  [[nodiscard]] bool is_ready_to_release(std::uint32_t generation) const noexcept {
    return counters_.free_count < free_list_.capacity() && !retires_after(generation);
  }
  void release_ready(Storage storage, std::uint32_t slot, std::uint32_t generation) noexcept;
  /// Whether the pages are private that acquire_ready writes.
  [[nodiscard]] bool is_private(std::uint32_t slot) const noexcept {
    return entries_.is_private(slot) && (!is_stable() || live_bits_.is_private(slot / 64));
  }
  /// The same for release_ready.
  [[nodiscard]] bool is_private_for_release(std::uint32_t slot) const noexcept {
    return is_private(slot) &&
           free_list_.is_private(static_cast<std::size_t>(counters_.free_count));
  }
  /// Whether the slot is free and `generation` the last that it issued: nothing lived there since
  /// (H10). Total.
  [[nodiscard]] bool can_revive(std::uint32_t slot, std::uint32_t generation) const noexcept;
  /// Whether the table could issue this handle one day: the slot is not live or retired, it and its
  /// table have issued no generation as high, and it is not beyond addable_slots. Total.
  [[nodiscard]] bool can_issue(std::uint32_t slot, std::uint32_t generation) const noexcept;
  /// Makes all pages that take() of this slot writes writable, so that it cannot fail; gives its
  /// `free_place`.
  /// Complexity: constant, amortized; or linear in the slots that are added: a few bytes each are
  /// written.
  [[nodiscard]] std::size_t prepare_take(std::uint32_t slot);
  /// A chosen slot becomes live; the others of the free list keep their order. Slots that are added
  /// before it are unissued. Requires: can_revive or can_issue.
  void take(const Next& tenant, std::uint32_t position, std::size_t free_place) noexcept;
  /// Before calls that gaps slow down (H11). Closes the gaps when there were as many calls since
  /// the last take() as there are free slots. The content stays the same.
  void pass_gaps(std::uint64_t calls = 1);
  /// The same before a capture, which many calls may read.
  void pass_gaps_at_capture();

  // The slots of a component table (H9); take() makes one live.

  /// Becomes as many slots as the owner has; those that go are unissued. The owner's highest
  /// generation is that of this table, too. So the counters depend on nothing but the content of
  /// both tables. Complexity: linear in the slots that are added.
  void follow(const SlotCounters& owner);
  /// Room for unissued slots up to `end`, so that prepare_take of one cannot fail.
  void prepare_unissued(std::uint64_t end) { add_unissued(end); }
  /// Makes all pages private that vacate(slot) writes, so that it cannot fail.
  void prepare_vacate(std::uint32_t slot);
  /// A live slot becomes unissued.
  void vacate(std::uint32_t slot) noexcept;
  /// Makes the pages of all slots private.
  void prepare_vacate_all();
  [[nodiscard]] HDB_INLINE std::uint64_t hole_count() const noexcept { return hole_count_; }
  /// Hole `ahead` of the order of use. Requires: ahead < hole_count().
  [[nodiscard]] std::uint32_t hole(std::uint64_t ahead) const noexcept {
    return free_list_.as<std::uint32_t>(to_size(hole_count_ - 1 - ahead));
  }
  /// Room for one more hole than there are now and `more`, so that add_hole cannot fail.
  void prepare_holes(std::uint64_t more);
  /// The position becomes the hole that is used next.
  void add_hole(std::uint32_t position) noexcept {
    free_list_.owned_as<std::uint32_t>(to_size(hole_count_++)) = position;
  }
  /// The hole that is used next is used.
  void use_hole() noexcept { --hole_count_; }
  /// Forgets all holes.
  void drop_holes() noexcept {
    ++changes_;
    hole_count_ = 0;
  }

  /// Makes everything private, with room to release all live slots.
  void prepare_release_all();
  /// Frees all live slots: in rising order under FIFO, in falling order under LIFO, so that either
  /// way the lowest of them is used first.
  void release_all() noexcept;
  void prepare_move(std::uint32_t slot) { entries_.make_private(slot); }
  void set_position(std::uint32_t slot, std::uint32_t position) noexcept {
    entries_.owned_as<SlotEntry>(slot).position = position;
  }

  /// As if newly made. Cannot fail after prepare_reset.
  void reset() noexcept;
  void prepare_reset();
  void reserve(std::uint64_t slots);
  void set_label(const std::string& label);
  /// See FlatArray; of all arrays.
  [[nodiscard]] std::size_t logged_bytes() const noexcept {
    return entries_.logged_bytes() + live_bits_.logged_bytes() + free_list_.logged_bytes();
  }

  [[nodiscard]] FrozenSlots freeze(const std::shared_ptr<const Moment>& moment);
  void prepare_thaw(const FrozenSlots& frozen);
  void commit_thaw(const FrozenSlots& frozen) noexcept;
  void adopt(Slots& other) noexcept;
  /// Fork: every handle issued from now on has a generation above `floor`. Requires: floor <
  /// max_generation().
  void raise_generations(std::uint32_t floor) noexcept;
  /// Whether rise_above is possible: not where generations wrap, nor where a table counter has
  /// reached the last one.
  [[nodiscard]] bool can_rise_above(const Issued& issued) const noexcept;
  /// From now on issues no handle that is among `issued`; live records keep theirs. A slot whose
  /// generations are used up retires: at once when it is free, else when its record is erased.
  /// Requires: can_rise_above. When memory runs out, the slots may only be reset or destroyed.
  /// Complexity: linear in the slots of `issued`.
  void rise_above(const Issued& issued);

  /// As FrozenSlots::read_free_list; under FreeList::lowest, too, in O(first + out.size()).
  void read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept;

  // Building from stored state (load): room for `counters` and `holes`, then every slot, then the
  // free list or the holes.
  void begin_fill(const SlotCounters& counters, std::uint64_t holes = 0);
  /// Sets neighbours, of which each has a state and a generation, and in dense tables each live one
  /// a position. Slots of different groups of 64 may be set by different threads.
  void fill_slots(std::uint32_t first, std::span<const std::uint8_t> states,
                  std::span<const std::uint32_t> generations,
                  std::span<const std::uint32_t> positions) noexcept;
  /// After all slots. Empty under FreeList::lowest, which needs no list.
  void fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept;

  /// H4, H6, H7, H11, in O(slots). Null when all hold, else what does not.
  [[nodiscard]] const char* check_invariants() const;

  [[nodiscard]] SlotParts parts() noexcept {
    return {entries_,   free_list_,      counters_,   free_head_,
            gap_count_, first_unissued_, hole_count_, changes_};
  }
  /// Makes room for the slots up to `end`, unissued. The counters stay.
  void add_unissued(std::uint64_t end);
  /// The lowest unissued slot from `slot` on; counters().slot_count if there is none.
  [[nodiscard]] std::uint64_t unissued_from(std::uint64_t slot) const noexcept;

 private:
  [[nodiscard]] std::uint32_t generation_after(std::uint32_t last) const noexcept {
    if (last < max_generation_) return last + 1;
    return policy_.overflow == Overflow::wrap ? 1 : 0;
  }
  // The tag of a slot and, in dense tables, the position after it.
  [[nodiscard]] HDB_INLINE const std::uint32_t* entry(std::uint32_t slot) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(entries_.data() +
                                                  (std::size_t{slot} << entry_shift_));
  }
  [[nodiscard]] std::uint32_t* private_entry(std::uint32_t slot) noexcept {
    return const_cast<std::uint32_t*>(entry(slot));
  }
  [[nodiscard]] const std::uint32_t* entry(Storage storage, std::uint32_t slot) const noexcept {
    const std::size_t words = storage == Storage::stable ? 1 : 2;
    return reinterpret_cast<const std::uint32_t*>(entries_.data()) + slot * words;
  }
  [[nodiscard]] HDB_INLINE bool is_stable() const noexcept {
    return policy_.storage == Storage::stable;
  }
  [[nodiscard]] bool uses_lowest() const noexcept { return policy_.free_list == FreeList::lowest; }
  // What a slot issues next, when the table's counter is `counter` then.
  [[nodiscard]] Next next_of(std::uint64_t slot, std::uint32_t counter) const noexcept;
  [[nodiscard]] std::uint64_t list_size() const noexcept {
    return policy_.is_component ? hole_count_ : counters_.free_count;
  }
  // Room for the slots [first, end), which there were not yet.
  void add_slots(std::uint64_t first, std::uint64_t end);
  // How many slots from slot_count on a take under a chosen handle may reach.
  [[nodiscard]] std::uint64_t addable_slots() const noexcept;
  // The first slot of the free list, or any of FreeList::lowest, is not free any more.
  void take_free(std::uint32_t slot) noexcept;
  // The same where the program chose the slot; `free_place`: see prepare_take.
  void leave_free_list(std::uint32_t slot, std::size_t free_place) noexcept;
  // The end of the entries of the free list and their gaps. Requires: not FreeList::lowest.
  [[nodiscard]] std::size_t list_end() const noexcept {
    return to_size(free_head_ + counters_.free_count + gap_count_);
  }
  // Entry `ahead` of the order of use, where gaps count. Requires: LIFO or FIFO.
  [[nodiscard]] std::uint32_t listed(std::uint64_t ahead) const noexcept {
    const bool is_queue = policy_.free_list == FreeList::fifo;
    return free_list_.as<std::uint32_t>(is_queue ? to_size(free_head_ + ahead)
                                                 : list_end() - 1 - to_size(ahead));
  }
  // H11, when an entry was used or taken out.
  void drop_end_gaps() noexcept;
  void close_gaps();
  [[nodiscard]] std::shared_ptr<FrozenGaps> freeze_gaps() const;
  [[nodiscard]] const char* check_free_list() const;
  // Makes the set of free slots from the tags. Requires: an empty set.
  void fill_set() noexcept;
  // Puts the tenant into the slot, when slot_count and the free list are seen to.
  void occupy(Storage storage, const Next& tenant, std::uint32_t position) noexcept;
  // Takes the record out of a slot; the tag says what becomes of it.
  void vacate(Storage storage, std::uint32_t slot, std::uint32_t tag) noexcept;
  // The slot becomes the last of the free list.
  void add_free(std::uint32_t slot) noexcept;
  // Whether a live slot of this generation retires when it is released.
  [[nodiscard]] bool retires_after(std::uint32_t generation) const noexcept {
    // No generation is above the highest (H7): in most tables one comparison decides.
    return counters_.highest_generation == retired_after_ &&
           (generation == retired_after_ || generation <= counters_.counter);  // H8
  }
  // Room for `more` entries at the end of the free list.
  void make_free_room(std::uint64_t more);
  void raise_slots(const Issued& issued);
  void raise_live_slots(std::span<const std::uint32_t> issued) noexcept;
  void raise_vacant_slots(std::span<const std::uint32_t> issued);
  void release_full() noexcept;
  static void set_live_bit(std::uint64_t& word, std::uint32_t slot, bool live) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    word = live ? word | bit : word & ~bit;
  }

  FlatArray entries_;  // tag, and for dense tables the position after it
  unsigned entry_shift_;
  SlotCounters counters_;
  TablePolicy policy_;
  std::uint32_t max_generation_;
  std::uint32_t
      retired_after_;  // a slot retires after this generation; kRetired if slots never retire
  std::uint64_t max_live_;
  std::uint64_t free_head_ = 0;
  std::uint64_t first_unissued_ = 0;  // the lowest unissued slot, if there is one; see H9
  std::uint64_t hole_count_ = 0;
  std::uint64_t gap_count_ = 0;        // H11
  std::uint64_t calls_past_gaps_ = 0;  // see pass_gaps
  std::uint64_t changes_ = 0;          // H12
  FreePlaces places_;                  // of slots that take() gets
  FlatArray live_bits_;                // stable tables: one bit a slot
  FlatArray free_list_;  // LIFO, holes: a stack, top last. FIFO: a queue from free_head_. Lowest: a
                         // set
};

}  // namespace hdb::detail

#include "hdb/detail/core/slots/slot_steps.hpp"  // IWYU pragma: keep
