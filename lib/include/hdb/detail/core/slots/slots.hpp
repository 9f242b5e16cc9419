// Slots: generations, liveness and the free list. Not a template; every table uses this one class,
// and it alone is what "exactly" is proved about.
//
//   H1  All-zero bits name nothing.
//   H2  A handle resolves to the record it was issued for, or to nothing: for ever under `retire`,
//       within one timeline (an exact restore starts another).
//   H3  No bit pattern resolves through a slot that is not live.
//   H4  The free list holds every free slot exactly once, in the order of use; no other slot.
//   H5  position(s) == d exactly when s is live and the table's slot_of[d] == s (dense tables).
//   H6  slot_count = live + free + retired.
//   H7  No slot's generation exceeds highest_generation, but for retired ones, which stand at the
//       layout's last.
//   H8  With generations per slot and retirement, a released slot whose generation is at most
//       `counter` retires when highest_generation is the layout's last: it was live at a fork, and
//       may have used up its generations elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/core/arrays/page_access.hpp"
#include "hdb/detail/core/arrays/paged_array.hpp"
#include "hdb/handle.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

/// How lookups go: pages of the default size let the compiler know their geometry, others are
/// looked up in general.
enum class Lookup : std::uint8_t { stable, dense, general };

namespace slot_tag {
// A tag is the generation (31 bits) with the top bit set unless the slot is live: so the tag of a
// live slot is what its handle holds, and lookups compare without more ado. A free slot keeps the
// last generation that it issued; a retired one has the tag kRetired, which no generation reaches
// (the last generation of 31 bits is 2^31 - 2).
inline constexpr std::uint32_t kVacant = 0x8000'0000u;
inline constexpr std::uint32_t kRetired = 0xffff'ffffu;

[[nodiscard]] constexpr bool is_live(std::uint32_t tag) noexcept { return (tag & kVacant) == 0; }
[[nodiscard]] constexpr SlotState kind(std::uint32_t tag) noexcept {
  if (is_live(tag)) return SlotState::live;
  return tag == kRetired ? SlotState::retired : SlotState::free;
}
[[nodiscard]] constexpr std::uint32_t generation(std::uint32_t tag,
                                                 const HandleLayout& layout) noexcept {
  return tag == kRetired ? layout.max_generation() : tag & ~kVacant;
}
}  // namespace slot_tag

/// The slots of a table at one moment, immutable.
struct FrozenSlots {
  TablePolicy policy;
  SlotCounters counters;
  std::uint64_t free_head = 0;  ///< FIFO: elements of the first page already used.
  FrozenPages entries;
  FrozenPages live_bits;
  FrozenPages free_list;

  /// The tag of a slot and, in dense tables, the position behind it.
  [[nodiscard]] const std::uint32_t* entry(std::uint64_t slot) const noexcept {
    return &entries.as<std::uint32_t>(static_cast<std::size_t>(slot));
  }
  [[nodiscard]] std::uint32_t tag(std::uint64_t slot) const noexcept { return *entry(slot); }
  /// Dense tables: where the record of a live slot lies.
  [[nodiscard]] std::uint32_t position(std::uint64_t slot) const noexcept { return entry(slot)[1]; }
  /// Copies free-list entries [first, first + out.size()) in the order of use.
  void read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept;
};

/// How a step reaches the slots of a table: see AnyPages and OwnedPages; the latter knows the
/// storage as well.
struct AnySlots;
template <Storage S>
struct OwnedSlots;
class Issued;

/// Generations, liveness, dense positions and the free list of one table.
class Slots {
 public:
  Slots(std::shared_ptr<PagePool> pool, const TablePolicy& policy, std::size_t page_bytes,
        std::uint64_t max_live = kNoLimit);

  [[nodiscard]] const TablePolicy& policy() const noexcept { return policy_; }
  [[nodiscard]] const SlotCounters& counters() const noexcept { return counters_; }

  /// Whether the slot is live with this generation. Total: any values are safe.
  [[nodiscard]] bool matches(std::uint32_t slot, std::uint32_t generation) const noexcept {
    return slot < counters_.slot_count && slot_tag::is_live(generation) && tag(slot) == generation;
  }
  [[nodiscard]] std::uint32_t tag(std::uint32_t slot) const noexcept {
    return entries_.as<std::uint32_t>(slot);
  }
  /// Copies the tags of slots [first, first + out.size()).
  void read_tags(std::uint32_t first, std::span<std::uint32_t> out) const noexcept;
  [[nodiscard]] std::uint32_t position(std::uint32_t slot) const noexcept {
    return (&entries_.as<std::uint32_t>(slot))[1];
  }
  /// The tag of a slot, and behind it the position in dense tables; `Bytes` is 8 there, else 4. For
  /// tables whose pages have `PageBytes`.
  template <std::size_t PageBytes, std::size_t Bytes>
  [[nodiscard]] const std::uint32_t* entry(std::size_t slot) const noexcept {
    constexpr unsigned kShift = PageGeometry::shift_for(Bytes, PageBytes);
    return reinterpret_cast<const std::uint32_t*>(entries_.at_fixed<kShift, Bytes>(slot));
  }
  /// The number of slots where lookups of this kind are right, else 0: one comparison tells kind
  /// and range.
  [[nodiscard]] std::uint64_t bound(Lookup lookup) const noexcept {
    return bounds_[static_cast<std::size_t>(lookup)];
  }
  [[nodiscard]] Lookup lookup() const noexcept { return lookup_; }
  [[nodiscard]] const PagedArray& entries() const noexcept { return entries_; }
  [[nodiscard]] const PagedArray& live_bits() const noexcept { return live_bits_; }

  /// Whether as many slots are live as may be.
  [[nodiscard]] bool is_full() const noexcept { return counters_.live_count >= max_live_; }
  /// The slot and generation that the next acquire will give; none when the table is full.
  struct Next {
    std::uint32_t slot;
    std::uint32_t generation;
  };
  [[nodiscard]] std::optional<Next> next() const noexcept { return next<AnySlots>(); }

  /// Where an acquire or a release of one slot writes; good until the next capture, restore, clear
  /// or growth.
  struct Places {
    std::uint32_t* entry = nullptr;
    std::uint64_t* live_word = nullptr;  ///< Stable tables.
    std::uint32_t* free_end = nullptr;   ///< Of release: behind the last of the free list.
  };
  /// Makes all pages that acquire(next) writes writable, so that it cannot fail.
  void prepare_acquire(const Next& next) { static_cast<void>(places_to_acquire<AnySlots>(next)); }
  void acquire(const Next& next, std::uint32_t position) noexcept;
  /// Makes all pages that release(slot) writes writable, so that it cannot fail.
  void prepare_release(std::uint32_t slot) { static_cast<void>(places_to_release<AnySlots>(slot)); }
  /// Frees or retires a live slot.
  void release(std::uint32_t slot) noexcept;
  /// Whether the slot is vacant and `generation` the last that it issued: nothing lived there
  /// since. Total. A retired slot counts where its last generation is known to be issued: repairs
  /// and forks retire slots before that.
  [[nodiscard]] bool can_revive(std::uint32_t slot, std::uint32_t generation) const noexcept;
  /// Makes all pages that revive() of this slot writes writable, so that it cannot fail; gives its
  /// `free_place`.
  /// Complexity: linear in the slots that are free and were freed later.
  [[nodiscard]] std::size_t prepare_revive(std::uint32_t slot);
  /// The opposite of release: the slot is live again, and the others of the free list keep their
  /// order. Counters of generations stay. Requires: can_revive.
  void revive(const Next& tenant, std::uint32_t position, std::size_t free_place) noexcept;

  // The same for both kinds of page access (`Pages`: AnySlots or OwnedSlots; see slot_steps.hpp).
  // Places without an entry tell that a page is not writable, under OwnedSlots.
  template <class Pages>
  [[nodiscard]] std::optional<Next> next() const noexcept;
  template <class Pages>
  [[nodiscard]] Places places_to_acquire(const Next& next);
  template <class Pages>
  void acquire(const Next& next, std::uint32_t position, const Places& places) noexcept;
  template <class Pages>
  [[nodiscard]] Places places_to_release(std::uint32_t slot);
  template <class Pages>
  void release(std::uint32_t slot, const Places& places) noexcept;
  /// Entry `ahead` of the order of use. Requires: ahead < free_count.
  template <class Pages>
  [[nodiscard]] std::uint32_t free_slot(std::uint64_t ahead) const noexcept;
  /// The tag of a slot, and behind it the position in dense tables.
  template <class Pages>
  [[nodiscard]] const std::uint32_t* entry_at(std::uint32_t slot) const noexcept;
  template <class Pages>
  [[nodiscard]] std::uint32_t* edit_entry(std::uint32_t slot);
  /// Makes everything writable, with room to release all live slots.
  void prepare_release_all();
  /// Frees all live slots: in rising order under FIFO, in falling order under LIFO, so that either
  /// way the lowest of them is used first.
  void release_all() noexcept;
  void prepare_move(std::uint32_t slot) { static_cast<void>(entries_.edit(slot)); }
  void set_position(std::uint32_t slot, std::uint32_t position) noexcept {
    (&entries_.owned_as<std::uint32_t>(slot))[1] = position;
  }

  /// As if newly made.
  void reset() noexcept;
  void reserve(std::uint64_t slots);
  /// See PagedArray::notify.
  void notify(std::atomic<std::uint8_t>& notice) noexcept;
  /// See PagedArray::set_label.
  void set_label(const std::string& label);
  void release_parked() noexcept;
  void count_pages(std::vector<PagePool::PageCount>& counts) const;

  [[nodiscard]] FrozenSlots freeze();
  void thaw(const FrozenSlots& frozen);
  void prepare_thaw(const FrozenSlots& frozen);
  void adopt(Slots& other) noexcept;
  void prepare_adopt();
  /// Fork: every handle issued from now on has a generation above `floor`. Requires: floor <
  /// max_generation().
  void raise_generations(std::uint32_t floor) noexcept;
  /// Whether rise_above is possible: not where generations wrap, nor where a table counter has
  /// reached the last one.
  [[nodiscard]] bool can_rise_above(const Issued& issued) const noexcept;
  /// From now on issues no handle that is among `issued`; live records keep theirs. A slot whose
  /// generations are used up retires: at once when it is free, else when its record is erased.
  /// Requires: can_rise_above. When memory runs out, the slots may only be reset or destroyed.
  /// Complexity: linear in the slots.
  void rise_above(const Issued& issued);

  void read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept;

  // Building from stored state (load): room for `counters`, then every slot, then the free list.
  void begin_fill(const SlotCounters& counters);
  /// Sets one slot; slots of different groups of 64 may be set by different threads.
  void fill_slot(std::uint32_t slot, SlotState kind, std::uint32_t generation,
                 std::uint32_t position) noexcept;
  void fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept;

  /// H4, H6, H7, in O(slots). Null when all hold, else what does not.
  [[nodiscard]] const char* check_invariants() const;

 private:
  [[nodiscard]] std::uint32_t generation_after(std::uint32_t last) const noexcept {
    if (last < max_generation_) return last + 1;
    return policy_.overflow == Overflow::wrap ? 1 : 0;
  }
  [[nodiscard]] bool is_stable() const noexcept { return policy_.storage == Storage::stable; }
  // As places_to_acquire, where all pages are writable.
  [[nodiscard]] Places places_of(std::uint32_t slot) noexcept;
  template <class Pages>
  [[nodiscard]] bool has_live_bits() const noexcept;
  template <class Pages>
  [[nodiscard]] bool add_slot(std::uint32_t slot);
  // Puts the tenant into the slot, when counters and free list are seen to.
  template <class Pages>
  void occupy(const Next& tenant, std::uint32_t position, const Places& places) noexcept;
  void raise_live_slots(std::span<const std::uint32_t> issued) noexcept;
  void raise_vacant_slots(std::span<const std::uint32_t> issued);
  void take_first_free() noexcept;
  void release_full() noexcept;
  void set_counters(const SlotCounters& counters) noexcept {
    counters_ = counters;
    bounds_[static_cast<std::size_t>(lookup_)] = counters_.slot_count;
  }
  static void set_live_bit(std::uint64_t& word, std::uint32_t slot, bool live) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    word = live ? word | bit : word & ~bit;
  }

  PagedArray entries_;            // tag, and for dense tables the position behind it
  std::uint64_t bounds_[3] = {};  // by Lookup
  SlotCounters counters_;
  TablePolicy policy_;
  Lookup lookup_;
  std::uint32_t max_generation_;
  std::uint32_t
      retired_after_;  // a slot retires after this generation; kRetired if slots never retire
  std::uint64_t max_live_;
  std::uint64_t free_head_ = 0;
  PagedArray live_bits_;  // stable tables: one bit a slot
  PagedArray free_list_;  // LIFO: a stack, top last. FIFO: a queue from free_head_
};

}  // namespace hdb::detail

#include "hdb/detail/core/slots/slot_steps.hpp"  // IWYU pragma: keep
