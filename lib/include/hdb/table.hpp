// Table<Record>: the records of one type, and the handles that name them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/assert.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/detail/core/tables/table_sort.hpp"
#include "hdb/handle.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The records of one type. One thread mutates a table; several may read it while none does.
///
/// `L` is the layout of its handles, `Tag` what they are typed with: the record, or another type where two tables hold
/// the same record type. `A` is how much a lookup checks.
///
/// Requires (stated once for all members): no constructor, copy, move or destructor of a record, and no comparison of a
/// sort, makes a structural call on the record's own table (insert, emplace, revive, erase, clear, reset, reserve, rename,
/// sort) or a capture, restore or load. Every build ends the program with a message there. Reading and editing other
/// records is allowed. A record whose constructor inserts others of its type is constructed first and then inserted:
/// `table.insert(Node(table, depth))`. What is to be erased with a record is collected and erased after it.
///
/// Invalidates (stated once for all members): a const pointer is good until the next non-const call on the table or its
/// database; a mutable one until the next insert, erase, clear, sort, capture or restore. What one keeps is handles.
///
/// Source: Bilas, Game Programming Gems (2000), for handles; sparse set with dense storage for Storage::dense.
template <class Record, class L = DefaultLayout, class Tag = Record, Access A = Access::checked>
class Table {
 public:
  using HandleType = Handle<Tag, L>;
  using RecordType = Record;

  explicit Table(const TableOptions& options = {},
                 std::shared_ptr<PagePool> pool = std::make_shared<PagePool>())
      : core_(std::move(pool), L::value, options, record_ops<Record>()) {
    HDB_REQUIRE(L::type_bits == 0 || (options.type_id >= 1 && options.type_id >> L::type_bits == 0),
                "handles with a type id need a type id of 1 or more that fits their layout");
  }

  // --- single records

  /// Copies or moves `record` into the table. Null when the table is full.
  /// Complexity: amortised constant; O(page) for the first write to a page after a capture.
  HandleType insert(const Record& record) { return emplace(record); }
  HandleType insert(Record&& record) { return emplace(std::move(record)); }
  /// Constructs a record from `args` in the table. Null when the table is full; nothing changes when the constructor
  /// throws.
  /// Requires: the constructor does not insert into the table or erase from it (see above; the program ends).
  template <class... Args>
  HandleType emplace(Args&&... args);

  /// Looks up the record that `handle` names; null when the handle is null, stale or foreign.
  /// Complexity: constant.
  [[nodiscard]] const Record* find(HandleType handle) const noexcept {
    if constexpr (A != Access::checked) {
      if constexpr (A == Access::asserted)
        HDB_ASSERT(is_live(handle), "the handle is null, stale or foreign");
      return reinterpret_cast<const Record*>(core_.record_at(core_.place_of(slot_number(handle))));
    }
    // Few instructions: so many lookups are under way at once that their cache misses overlap.
    const std::uint64_t slot = slot_of(handle);
    const std::uint32_t tag = tag_of(handle);
    const Slots& slots = core_.slots();
    if (slot < slots.bound(Lookup::stable)) {
      return *slots.template entry<kDefaultPageBytes, 4>(slot) == tag ? fixed_record_at(slot)
                                                                      : nullptr;
    }
    if (slot < slots.bound(Lookup::dense)) {
      const std::uint32_t* const entry = slots.template entry<kDefaultPageBytes, 8>(slot);
      return entry[0] == tag ? fixed_record_at(entry[1]) : nullptr;
    }
    if (slot < slots.bound(Lookup::general) && slots.tag(slot_number(handle)) == tag) {
      return reinterpret_cast<const Record*>(core_.record_at(core_.place_of(slot_number(handle))));
    }
    return nullptr;
  }
  /// As find, for writing: un-shares the record's page first.
  /// Complexity: constant; O(page) for the first write to a page after a capture.
  [[nodiscard]] Record* edit(HandleType handle) {
    if constexpr (A == Access::checked) {
      if (!is_live(handle)) return nullptr;
    } else if constexpr (A == Access::asserted) {
      HDB_ASSERT(is_live(handle), "the handle is null, stale or foreign");
    }
    return reinterpret_cast<Record*>(core_.edit_at(core_.place_of(slot_number(handle))));
  }
  /// Whether `handle` names a record.
  [[nodiscard]] bool contains(HandleType handle) const noexcept { return is_live(handle); }
  /// The record that `handle` names, looked up as by Access::checked whatever the table's policy.
  /// Errors: throws std::out_of_range, with a text that names the table and the handle, when the handle is null, stale or
  /// foreign; where hdb is built without exceptions, it ends the program with that text.
  [[nodiscard]] const Record& at(HandleType handle) const {
    if (!is_live(handle)) core_.no_record(handle.index(), handle.generation());
    return *reinterpret_cast<const Record*>(core_.record_at(core_.place_of(slot_number(handle))));
  }
  /// The record that `handle` names.
  /// Requires: contains(handle). Under Access::checked every build ends the program with a message where it does not.
  [[nodiscard]] const Record& operator[](HandleType handle) const noexcept {
    const Record* const record = find(handle);
    HDB_REQUIRE(record != nullptr, "Table::operator[]: the handle is null, stale or foreign");
    return *record;
  }
  /// Destroys the record and frees its slot; false when the handle is null, stale or foreign. The slot's next record has
  /// another generation, so the handle stays stale. A dense table moves its last record into the hole.
  /// Requires: the destructor does not insert into the table or erase from it (see above; the program ends).
  /// Complexity: constant; O(page) for each page (of two at most) that a capture shares.
  /// Invalidates: in a stable table pointers to this record, in a dense one all pointers.
  bool erase(HandleType handle);
  /// Brings an erased record back under its handle, made from `args` as by emplace: undo. False, and nothing changed, when
  /// the slot has had another tenant since, the table is full, or the handle is null, foreign, live, or older than a reset;
  /// under Overflow::wrap a handle so old that its generation was issued again passes. A retired slot lives again, unless a
  /// repair or a fork retired it before its last generation. The others of the free
  /// list keep their order: erases undone in reverse leave no trace in it. The record stands last in the dense order, as an inserted one does. It has no name, and no value in a sidecar;
  /// Refs and handles kept from before name it again. Nothing changes when the constructor throws.
  /// Complexity: as insert, and linear in the slots that are free and were freed later: constant when undone in reverse.
  template <class... Args>
  bool revive(HandleType handle, Args&&... args) {
    if (!can_revive(handle)) return false;
    return bool{insert_at(core_.prepare_revive(slot_number(handle), handle.generation()),
                          std::forward<Args>(args)...)};
  }
  bool revive(HandleType handle, const Record& record) {
    return revive<const Record&>(handle, record);
  }
  bool revive(HandleType handle, Record&& record) {
    return revive<Record>(handle, std::move(record));
  }
  /// As erase, in a dense table, but the records after this one move down one place each: their order stays, and all other
  /// handles stay valid. A table that sort or sort_step left sorted stays sorted. Nothing changes when memory runs out.
  /// False when the handle is null, stale or foreign. Requires: dense storage; as erase.
  /// Complexity: linear in the records after this one.
  bool erase_keeping_order(HandleType handle);

  // --- positions: in a dense table 0 to size() - 1 in dense order, in a stable one the slot

  /// The position of a record. Requires: contains(handle).
  [[nodiscard]] std::uint32_t position(HandleType handle) const noexcept {
    HDB_REQUIRE(contains(handle), "Table::position: the handle is null, stale or foreign");
    return core_.place_of(slot_number(handle));
  }
  /// The handle of the record at `position`; null when there is none. Total: any number is safe. Complexity: constant.
  [[nodiscard]] HandleType handle_at(std::uint64_t position) const noexcept {
    if (!core_.is_live_place(position)) return {};
    const std::uint32_t slot = core_.slot_of_place(static_cast<std::uint32_t>(position));
    return make_handle<Tag, L>(core_, slot, core_.slots().tag(slot));
  }
  /// The record at `position`; null when there is none. Total: any number is safe. Complexity: constant.
  [[nodiscard]] const Record* record_at(std::uint64_t position) const noexcept {
    if (!core_.is_live_place(position)) return nullptr;
    return reinterpret_cast<const Record*>(core_.record_at(static_cast<std::uint32_t>(position)));
  }

  // --- names, in tables made with them (TableOptions::names)

  /// Inserts a record with a name; an empty one is no name. Null when another record has the name, or the table is full.
  /// Complexity: amortised constant, linear in the name.
  template <class R = Record>
  HandleType insert_named(std::string_view name, R&& record) {
    return emplace_named(name, std::forward<R>(record));
  }
  /// As insert_named, constructing the record from `args`.
  template <class... Args>
  HandleType emplace_named(std::string_view name, Args&&... args);
  /// As revive, with a name; false, too, when another record has it.
  template <class R = Record>
  bool revive_named(HandleType handle, std::string_view name, R&& record);
  /// The record that has this name; null when there is none.
  /// Complexity: constant, linear in the name.
  [[nodiscard]] HandleType find_named(std::string_view name) const noexcept {
    const auto slot = names().find(name);
    return slot ? make_handle<Tag, L>(core_, *slot, core_.slots().tag(*slot)) : HandleType{};
  }
  /// The record's name; empty when it has none, or the handle is null, stale or foreign.
  /// Invalidates: as a const pointer to a record.
  [[nodiscard]] std::string_view name(HandleType handle) const noexcept {
    return is_live(handle) ? std::string_view(names().name(slot_number(handle)))
                           : std::string_view();
  }
  /// Gives the record another name, or none. False, and nothing changed, when the handle is stale or another record has
  /// the name.
  bool rename(HandleType handle, std::string_view name);
  [[nodiscard]] bool has_names() const noexcept { return core_.names() != nullptr; }

  // --- many records

  /// Inserts `records` in order until the table is full; fills as many `handles` and returns how many.
  std::size_t insert_batch(std::span<const Record> records, std::span<HandleType> handles = {});
  /// Constructs up to `count` records from the same arguments; returns how many.
  template <class... Args>
  std::size_t emplace_batch(std::size_t count, std::span<HandleType> handles, const Args&... args);
  /// Erases the records of `handles` in order, as if one by one; stale ones are passed over. Returns how many went.
  std::size_t erase_batch(std::span<const HandleType> handles);
  /// Looks up many handles at once, prefetching ahead so that cache misses overlap; `out[i]` is null where find would
  /// give null. Requires: out.size() >= handles.size(). Returns how many were found.
  std::size_t find_batch(std::span<const HandleType> handles,
                         std::span<const Record*> out) const noexcept;

  /// Erases all records; their handles are stale afterwards and stay so. The freed slots are re-used lowest first, after
  /// (FIFO) or before (LIFO) those already free.
  void clear() { core_.clear(); }
  /// Makes the table as if new: fast, but handles issued before are no longer told from new ones.
  void reset() { core_.reset(); }
  /// Makes room for `records` in all.
  void reserve(std::size_t records) { core_.reserve(records); }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(core_.counters().live_count);
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Records that the memory held now has room for; at least size().
  [[nodiscard]] std::size_t capacity() const noexcept { return core_.records().capacity(); }
  [[nodiscard]] const SlotCounters& counters() const noexcept { return core_.counters(); }
  [[nodiscard]] const TableOptions& options() const noexcept { return core_.options(); }

  // --- iteration
  //
  // Dense tables are visited in dense order, stable ones by rising slot. Complexity: O(records) for dense tables, O(records
  // + slots / 64) for stable ones, a word of the bitmap for each 64 slots.
  //
  // A loop over begin() to end(), rbegin() to rend(), entries() or entries_backward() may insert into the table and erase
  // from it. It always ends, and never reaches a record that was erased. `++` is the only way on, after an erase too.
  //   - Each record that is there from the beginning of the loop to its end is visited exactly once if the loop erases no
  //     record but the one in hand; backward, records already visited too. Any other erase in a dense table can move the
  //     last record across the position of the loop: forward it is then passed over, backward it is visited again.
  //   - A record inserted by the loop is not visited in a dense table. In a stable table it is visited if its slot
  //     lies on the way that is left and was one of the table's when the loop began.
  //   - Forward in a dense table, a pass that erases the record in hand and then inserts another makes the loop visit the
  //     new record in place of one of the old ones. Backward it does not.
  //   - After clear, reset, sort, restore or load the loop goes on at the same place.
  // The record in hand is a const reference, valid until the next non-const call on the table: after an insert or erase,
  // use the handle.

  using const_iterator = RecordIterator<Record, L, Tag>;
  using const_reverse_iterator = RecordIterator<Record, L, Tag, BackwardWay>;
  /// The records.
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(core_); }
  [[nodiscard]] const_iterator end() const noexcept { return {}; }
  /// The records from the last to the first.
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept {
    return const_reverse_iterator(core_);
  }
  [[nodiscard]] const_reverse_iterator rend() const noexcept { return {}; }
  /// The records with their handles: for (auto [handle, record] : table.entries()).
  [[nodiscard]] EntryRange<Record, L, Tag> entries() const noexcept {
    return EntryRange<Record, L, Tag>(core_);
  }
  /// As entries, from the last record to the first.
  [[nodiscard]] EntryRange<Record, L, Tag, BackwardWay> entries_backward() const noexcept {
    return EntryRange<Record, L, Tag, BackwardWay>(core_);
  }
  /// Calls `visit(PageSpan<Record, L, Tag>)` for each run of neighbouring records: a page of a dense table, a run of live
  /// slots within a page of a stable one. The fastest way through a table.
  /// Requires: `visit` makes no structural call (insert, erase, clear, sort and the like) and no capture (asserted).
  template <class Visit>
  void for_each_span(Visit&& visit) const {
    visit_spans<Record, L, Tag>(core_, visit);
  }
  /// As for_each_span with mutable records; un-shares every page that it visits.
  /// Requires: as for_each_span.
  template <class Visit>
  void edit_each_span(Visit&& visit) {
    visit_mutable_spans<Record, L, Tag>(core_, visit);
  }
  /// Calls `visit(handle, record)` with every record, mutable.
  /// Requires: as for_each_span.
  template <class Visit>
  void edit_each(Visit&& visit) {
    edit_each_span([&](const MutablePageSpan<Record, L, Tag>& span) {
      for (std::size_t i = 0; i < span.size(); ++i) visit(span.handle(i), span[i]);
    });
  }

  // --- the order of a dense table

  /// Sorts the records of a dense table, stably, by `compare(const Record&, const Record&)`, a strict weak order: they
  /// move, their handles stay good. Nothing changes when `compare` throws or memory runs out.
  /// Requires: dense storage; `compare` does not change the table (asserted).
  /// Complexity: O(n log n) comparisons; n of them, and no page touched, when the records stand in order already.
  template <class Compare>
  void sort(Compare compare);
  /// Goes on sorting a dense table, stably, for about `budget` comparisons and moves of records (at most a block of
  /// SortWork::kBlock records more); true when it is sorted and nothing has changed since. A budget of 0 only asks. The table
  /// may change between steps: what is done is kept, and the steps go round until they find nothing changed. Captures
  /// hold how far sorting has come. What was done stays when `compare` throws or memory runs out.
  /// Requires: dense storage; the same order in all steps, or restart_sort() before another; `compare` does not change
  /// the table (asserted).
  /// Complexity: constant when sorted and not changed since; in total O(n log^2 n), O(n) comparisons for a few records out
  /// of order.
  /// Source: Kim and Kutzner, Stable Minimum Storage Merging by Symmetric Comparisons (2004).
  template <class Compare>
  bool sort_step(Compare compare, std::uint64_t budget) {
    return core_.sort_step(record_order<Record>(compare), budget);
  }
  /// Forgets how far sort_step has come, and that the table is sorted: for steps by another order.
  void restart_sort() noexcept { core_.set_sort_work({}); }

  /// Checks every invariant in O(slots); null when all hold, else the id and text of one that does not.
  [[nodiscard]] const char* check_invariants() const { return core_.check_invariants(); }

  /// The handle that the next insert will issue; null when the table is full.
  [[nodiscard]] HandleType next_handle() const noexcept {
    const auto next = core_.slots().next();
    return next ? handle_of(*next) : HandleType{};
  }

 private:
  friend struct detail::CoreOf;
  using PlainDense = PlainTable<Storage::dense, sizeof(Record)>;
  using PlainStable = PlainTable<Storage::stable, sizeof(Record)>;

  template <class... Args>
  HandleType insert_at(void* memory, Args&&... args) {
    if (memory == nullptr) return {};
    construct(memory, std::forward<Args>(args)...);
    return handle_of(core_.commit_insert());
  }
  template <class... Args>
  void construct(void* memory, Args&&... args) {
    if constexpr (std::is_trivially_constructible_v<Record, Args...>) {
      ::new (memory) Record(std::forward<Args>(args)...);
    } else {
      const TableCore::Occupied constructor(core_, TableCore::Busy::record);
      if constexpr (std::is_constructible_v<Record, Args...>) {
        ::new (memory) Record(std::forward<Args>(args)...);
      } else {
        ::new (memory) Record{std::forward<Args>(args)...};
      }
    }
  }
  [[nodiscard]] const NameIndex& names() const noexcept {
    HDB_REQUIRE(core_.names() != nullptr, "the table was created without names");
    return *core_.names();
  }
  // The slot that `handle` may name; above any count of slots where its type id or unused bits are not this table's.
  [[nodiscard]] std::uint64_t slot_of(HandleType handle) const noexcept {
    constexpr unsigned kUsedBits = L::index_bits + L::generation_bits;
    constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << L::index_bits) - 1;
    if constexpr (L::type_bits != 0) {
      if (handle.bits() >> kUsedBits != core_.options().type_id) return ~std::uint64_t{0};
      return handle.index();
    } else if constexpr (kUsedBits < 8 * sizeof(typename L::Bits)) {
      // With an unused bit set the number is above any count: one mask and one comparison do for both.
      return handle.bits() & (kIndexMask | ~((std::uint64_t{1} << kUsedBits) - 1));
    } else {
      return handle.index();
    }
  }
  // The tag of a live slot that `handle` names, where slot_of found no unused bit set.
  [[nodiscard]] static std::uint32_t tag_of(HandleType handle) noexcept {
    if constexpr (L::type_bits != 0) return handle.generation();
    return static_cast<std::uint32_t>(handle.bits() >> L::index_bits);
  }
  [[nodiscard]] bool is_live(HandleType handle) const noexcept {
    return slot_of(handle) < core_.counters().slot_count &&
           core_.slots().tag(slot_number(handle)) == tag_of(handle);
  }
  [[nodiscard]] bool can_revive(HandleType handle) const noexcept {
    return slot_of(handle) < core_.counters().slot_count && !core_.slots().is_full() &&
           core_.slots().can_revive(slot_number(handle), handle.generation());
  }
  // The record at a place of a table whose pages have the default size.
  [[nodiscard]] const Record* fixed_record_at(std::size_t place) const noexcept {
    constexpr unsigned kShift = PageGeometry::shift_for(
        sizeof(Record), is_plain_bytes<Record> ? kDefaultPageBytes : kNonTrivialPageBytes);
    return reinterpret_cast<const Record*>(
        core_.records().template at_fixed<kShift, sizeof(Record)>(place));
  }
  [[nodiscard]] HandleType handle_of(const Slots::Next& next) const noexcept {
    return make_handle<Tag, L>(core_, next.slot, next.generation);
  }

  TableCore core_;
};

namespace detail {
template <class Record, class L, class Tag, Access A>
inline constexpr NameParts name_parts<Table<Record, L, Tag, A>> =
    NameParts::of("hdb::Table")
        .with(name_parts<Record>)
        .with(name_parts<L>)
        .with(name_parts<Tag>)
        .with({static_cast<std::uint64_t>(A)});
}  // namespace detail

}  // namespace hdb

#include "hdb/detail/core/tables/table_calls.hpp"  // IWYU pragma: keep
