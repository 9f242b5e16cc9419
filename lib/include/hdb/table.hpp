// Table<Record>: the records of one type, named by handles. Games create tables in a Database.
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
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/detail/core/tables/table_sort.hpp"
#include "hdb/fwd.hpp"
#include "hdb/handle.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The records of one type. One thread changes a table; several threads may read it at the same
/// time while no thread changes it.
///
/// `L` is the layout of the handles. `Tag` is the type that handles carry: the record type, or
/// another type if two tables hold the same record type. `A` says how a lookup checks handles.
///
/// Requires, for all members: the constructors, copies, moves and destructors of a record, and the
/// comparison of a sort, do not insert, erase, sort, rename or reserve in the record's own table,
/// and do not capture, restore or load. Every build ends the program with a message if they do.
/// They may read and edit other records. A record whose constructor inserts into its own table must
/// be built before the insert: `table.insert(Node(table, depth))`.
///
/// Invalidates, for all members: a const pointer to a record of a stable table is valid until the
/// record is erased, and until clear, reset and load; of a dense table also until any erase, sort
/// or restore. It shows the current value of the record. An exact restore keeps the address of a
/// record of a stable table that exists before and after it, unless the table was cleared, reset,
/// dropped or loaded since the capture. A mutable pointer is valid as a const one, but at most
/// until the next capture or restore. An insert moves no record, except if the database has a
/// PageSource, if the platform is not Linux, or if the system refuses to reserve addresses: then an
/// insert beyond capacity() moves all. Keep handles across frames, not pointers.
///
/// Source: Bilas, Game Programming Gems (2000): handles. Briggs and Torczon (1993): sparse sets.
///
/// Example:
/// @code
/// hdb::Table<Monster> monsters;
/// const hdb::Handle<Monster> imp = monsters.insert({.name = "imp"});
/// monsters.edit(imp)->hp -= 60;
/// for (const auto& [handle, monster] : monsters.entries()) assert(monster.hp == 40);
/// assert(monsters.erase(imp) && monsters.find(imp) == nullptr);
/// assert(monsters.insert({.name = "orc"}) != imp);  // the same slot, another generation
/// @endcode
template <class Record, class L, class Tag, HandleCheck A>
class Table {
 public:
  using HandleType = Handle<Tag, L>;
  using RecordType = Record;

  explicit Table(const TableOptions& options = {},
                 const std::shared_ptr<detail::UndoLog>& log = detail::make_undo_log())
      : core_(log, L::value, options, detail::record_ops<Record>()) {
    HDB_REQUIRE(L::type_bits == 0 || (options.type_id >= 1 && options.type_id >> L::type_bits == 0),
                "handles with a type id need a type id of 1 or more that fits their layout");
  }

  // --- single records

  /// Copies or moves `record`, which may be one of the table. Returns the null handle if the table
  /// is full. Complexity: amortised constant; the first write after a capture logs what was there.
  HDB_INLINE HandleType insert(const Record& record) { return emplace(record); }
  HDB_INLINE HandleType insert(Record&& record) { return emplace(std::move(record)); }
  /// Constructs a record from `args` in the table. Returns the null handle if the table is full.
  /// Nothing changes if the constructor throws. Complexity: as insert.
  template <class... Args>
  HandleType emplace(Args&&... args);

  /// Looks up the record that `handle` names; null if the handle is null, stale or foreign.
  /// Complexity: constant.
  [[nodiscard]] const Record* find(HandleType handle) const noexcept {
    if constexpr (A != HandleCheck::checked) {
      if constexpr (A == HandleCheck::asserted)
        HDB_ASSERT(is_live(handle), "the handle is null, stale or foreign");
      return reinterpret_cast<const Record*>(
          core_.record_at(core_.place_of(detail::slot_number(handle))));
    }
    // Before the branches, so that a compiler can read it once before a loop of lookups.
    const Record* const records = records_begin();
    const std::uint64_t place = live_place(handle);
    return place == detail::kNoPlace ? nullptr : record_of(records, place);
  }
  /// As find, for writing. If a snapshot needs the record as it is, it is logged first.
  /// Complexity: constant; in the first writes after a capture up to 64 neighbours are copied.
  [[nodiscard]] Record* edit(HandleType handle) {
    std::uint64_t place = 0;
    if constexpr (A == HandleCheck::checked) {
      place = live_place(handle);
      if (place == detail::kNoPlace) return nullptr;
    } else {
      if constexpr (A == HandleCheck::asserted)
        HDB_ASSERT(is_live(handle), "the handle is null, stale or foreign");
      place = core_.place_of(detail::slot_number(handle));
    }
    core_.template touch<detail::record_page_shift<Record>>(static_cast<std::uint32_t>(place));
    return const_cast<Record*>(record_of(records_begin(), place));
  }
  /// Whether `handle` names a record.
  [[nodiscard]] bool contains(HandleType handle) const noexcept { return is_live(handle); }
  /// The record that `handle` names. Always checks the handle, whatever `A` is.
  /// Errors: throws std::out_of_range, which names the table and the handle, if the handle is null,
  /// stale or foreign. If hdb is built without exceptions, ends the program with that message.
  [[nodiscard]] const Record& at(HandleType handle) const {
    if (!is_live(handle)) core_.no_record(handle.index(), handle.generation());
    return *reinterpret_cast<const Record*>(
        core_.record_at(core_.place_of(detail::slot_number(handle))));
  }
  /// The record that `handle` names. Requires: contains(handle). With HandleCheck::checked, every
  /// build ends the program with a message if the handle names no record.
  [[nodiscard]] const Record& operator[](HandleType handle) const noexcept {
    const Record* const record = find(handle);
    HDB_REQUIRE(record != nullptr, "Table::operator[]: the handle is null, stale or foreign");
    return *record;
  }
  /// Destroys the record and frees its slot; false if the handle is null, stale or foreign. The
  /// next record in the slot gets another generation, so the erased handle stays stale. A dense
  /// table moves its last record into the gap.
  /// Complexity: constant; the first write after a capture logs what was there.
  /// Invalidates: pointers to this record (stable table); all pointers (dense table).
  bool erase(HandleType handle);
  /// Undoes an erase: constructs a record from `args` under the erased record's handle. The record
  /// comes last in the dense order. It has no name, components or sidecar values. Handles and Refs
  /// that were kept name it again. Nothing changes if the constructor throws.
  ///
  /// Returns false and changes nothing if the slot has held another record since or is retired, if
  /// the table is full, or if the handle is null, foreign, live, or older than a reset. A record
  /// that only another timeline had does not come back, and one that was erased before a fork
  /// (TimelineMode::fork) does not if its slot was in the second half of its generations. Under
  /// Overflow::wrap, a very old handle whose generation was issued again is accepted. The other
  /// free slots keep their order: undoing erases in reverse order restores the free list exactly.
  /// Complexity: as insert. Unless the free list is FreeList::lowest, a revival of a record that
  /// was not among the last 64 erased may allocate 4 bytes for each slot, and the next inserts and
  /// erases, at most as many as there are free slots, take a slower path.
  template <class... Args>
  bool revive(HandleType handle, Args&&... args) {
    if (!can_revive(handle)) return false;
    return bool{insert_under(handle, {}, std::forward<Args>(args)...)};
  }
  bool revive(HandleType handle, const Record& record) {
    return revive<const Record&>(handle, record);
  }
  bool revive(HandleType handle, Record&& record) {
    return revive<Record>(handle, std::move(record));
  }
  /// Inserts a record under a handle that another program issued, for example the server of a
  /// network game. Slots that the table adds before it are unissued: no record was ever there.
  /// Inserts use them, lowest first, when no slot is free.
  ///
  /// Returns false and changes nothing if the table could not issue the handle itself one day: the
  /// slot is live or retired; the slot, or under Generations::table_counter the table, has issued
  /// this generation or a later one; the handle is null, foreign or beyond the layout. Also returns
  /// false if the table is full, or would have more than 16,777,216 unissued slots, or more slots
  /// that are not retired than TableOptions::max_records.
  /// Complexity: as revive, plus linear in the slots that are added: up to 8 bytes are written for
  /// each; a stable table also reserves room for their records.
  template <class R = Record>
  bool insert_as(HandleType handle, R&& record) {
    if (!can_insert_as(handle)) return false;
    return bool{insert_under(handle, {}, std::forward<R>(record))};
  }
  /// As erase, but keeps the dense order: each record after this one moves down one place. A table
  /// that sort or sort_step left sorted stays sorted. Nothing changes if memory runs out.
  /// Requires: dense storage. Complexity: linear in the records after this one.
  bool erase_keeping_order(HandleType handle);

  // --- positions: 0 to size() - 1 in dense order in a dense table; the slot in a stable table

  /// The position of a record. Requires: contains(handle).
  [[nodiscard]] std::uint32_t position(HandleType handle) const noexcept {
    HDB_REQUIRE(contains(handle), "Table::position: the handle is null, stale or foreign");
    return core_.place_of(detail::slot_number(handle));
  }
  /// The handle of the record at `position`; null if there is none. Any number is safe.
  /// Complexity: constant.
  [[nodiscard]] HandleType handle_at(std::uint64_t position) const noexcept {
    if (!core_.is_live_place(position)) return {};
    return detail::handle_at_place<Tag, L>(core_, static_cast<std::uint32_t>(position));
  }
  /// The record at `position`; null if there is none. Any number is safe. Complexity: constant.
  [[nodiscard]] const Record* record_at(std::uint64_t position) const noexcept {
    if (!core_.is_live_place(position)) return nullptr;
    return reinterpret_cast<const Record*>(core_.record_at(static_cast<std::uint32_t>(position)));
  }

  // --- names, in tables made with them (TableOptions::names): in others, each call that has to do
  // with a name ends the program with a message.

  /// Inserts a record with a name; an empty name means no name. Returns the null handle if another
  /// record has the name or the table is full. Complexity: amortised constant, linear in the name.
  template <class R = Record>
  HandleType insert_named(std::string_view name, R&& record) {
    return emplace_named(name, std::forward<R>(record));
  }
  /// As insert_named, constructing the record from `args`.
  template <class... Args>
  HandleType emplace_named(std::string_view name, Args&&... args);
  /// As revive, with a name. Also returns false if another record has the name.
  template <class R = Record>
  bool revive_named(HandleType handle, std::string_view name, R&& record);
  /// The handle of the record with this name; null if there is none. Complexity: O(name).
  [[nodiscard]] HandleType find_named(std::string_view name) const noexcept {
    const auto slot = core_.slot_named(name);
    return slot ? detail::make_handle<Tag, L>(core_, *slot, core_.slots().tag(*slot))
                : HandleType{};
  }
  /// The record's name; empty if it has no name or the handle is null, stale or foreign.
  /// Invalidates: as a const pointer to a record.
  [[nodiscard]] std::string_view name(HandleType handle) const noexcept {
    return is_live(handle) ? core_.name_of(detail::slot_number(handle)) : std::string_view();
  }
  /// Gives the record another name, or no name if `name` is empty. Returns false and changes
  /// nothing if the handle is null, stale or foreign or another record has the name.
  bool rename(HandleType handle, std::string_view name);
  [[nodiscard]] bool has_names() const noexcept { return core_.names() != nullptr; }

  // --- many records

  /// Inserts `records` in order until the table is full. Writes the handles to `handles`. Returns
  /// the number of records inserted. If memory runs out, the records inserted before stay, and
  /// `handles` names them.
  std::size_t insert_batch(std::span<const Record> records, std::span<HandleType> handles = {});
  /// Constructs `count` records from the same arguments, or fewer if the table becomes full.
  /// Returns the number constructed. If memory runs out: as insert_batch.
  template <class... Args>
  std::size_t emplace_batch(std::size_t count, std::span<HandleType> handles, const Args&... args);
  /// Erases the records of `handles` in order; prefetches. Skips stale handles. Returns the number
  /// erased. If memory runs out, the records erased before stay erased.
  std::size_t erase_batch(std::span<const HandleType> handles);
  /// Looks up many handles; prefetches, so that cache misses overlap. `out[i]` is null where find
  /// would return null. Returns the number found. Requires: out.size() >= handles.size().
  std::size_t find_batch(std::span<const HandleType> handles,
                         std::span<const Record*> out) const noexcept;

  /// Erases all records; their handles become stale for good. The freed slots are reused lowest
  /// first, after (FIFO) or before (LIFO) the slots that were free already.
  void clear() { core_.clear(); }
  /// Makes the table as if new. Fast, but handles issued earlier can name new records.
  void reset() { core_.reset(); }
  /// Makes room for `records` records in total.
  void reserve(std::size_t records) { core_.reserve(records); }

  /// The number of records.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(core_.counters().live_count);
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The number of records that fit into the memory already held; at least size().
  [[nodiscard]] std::size_t capacity() const noexcept { return core_.records().capacity(); }
  [[nodiscard]] const SlotCounters& counters() const noexcept { return core_.counters(); }
  [[nodiscard]] const TableOptions& options() const noexcept { return core_.options(); }

  // --- iteration
  //
  // A dense table is visited in dense order, O(records); a stable table in the order of its slots,
  // O(records + slots / 64).
  //
  // A loop over begin() to end(), rbegin() to rend(), entries() or entries_backward() may insert
  // into the table and erase from it. The loop always ends and never reaches an erased record.
  // Advance with `++` only, also after an erase. The current record is valid as one from find.
  //   - A record that exists from the start of the loop to its end is visited exactly once, if the
  //     loop erases only the current record (backward: also records already visited). Another erase
  //     in a dense table can move the last record across the loop's position: a forward loop then
  //     skips that record, a backward loop visits it twice.
  //   - Dense: a record that the loop inserts is not visited; but if the loop erases the current
  //     record and then inserts one, a forward loop visits the new record in place of an old one.
  //   - Stable: an inserted record is visited if its slot lies ahead and existed at the start.
  //   - After clear, reset, sort, restore or load, the loop continues at the same position.

  using const_iterator = detail::RecordIterator<Record, L, Tag>;
  using const_reverse_iterator = detail::RecordIterator<Record, L, Tag, detail::BackwardCursor>;
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(core_); }
  [[nodiscard]] const_iterator end() const noexcept { return {}; }
  /// The records from the last to the first.
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept {
    return const_reverse_iterator(core_);
  }
  [[nodiscard]] const_reverse_iterator rend() const noexcept { return {}; }
  /// The records with their handles: for (auto [handle, record] : table.entries()).
  [[nodiscard]] detail::EntryRange<Record, L, Tag> entries() const noexcept {
    return detail::EntryRange<Record, L, Tag>(core_);
  }
  /// As entries, from the last record to the first.
  [[nodiscard]] detail::EntryRange<Record, L, Tag, detail::BackwardCursor> entries_backward()
      const noexcept {
    return detail::EntryRange<Record, L, Tag, detail::BackwardCursor>(core_);
  }
  /// All records of a dense table, in dense order: record i has handle_at(i). Requires: dense
  /// storage. Complexity: constant. Invalidates: as a const pointer, and insert.
  [[nodiscard]] std::span<const Record> records() const noexcept {
    HDB_REQUIRE(core_.is_dense(), "Table::records: only dense tables have their records in a row");
    return {records_begin(), size()};
  }
  /// As records, for writing. Complexity: linear in the records that a snapshot needs, else
  /// constant for each 64.
  [[nodiscard]] std::span<Record> edit_records() {
    HDB_REQUIRE(core_.is_dense(),
                "Table::edit_records: only dense tables have their records in a row");
    if (empty()) return {};
    return {reinterpret_cast<Record*>(core_.edit_range(0, size())), size()};
  }
  /// Calls `visit(PageSpan<Record, L, Tag>)` for each run of adjacent records: once with all
  /// records of a dense table, with each run of live slots of a stable table. The fastest way to
  /// visit a stable table.
  /// Requires: `visit` does not change the structure of the table and does not capture; every build
  /// ends the program with a message if it does.
  template <class Visit>
  void for_each_span(Visit&& visit) const {
    detail::visit_spans<Record, L, Tag>(core_, visit);
  }
  /// As for_each_span, with mutable records. What snapshots need of the records of a run is logged
  /// before its visit; if the copy of a record throws, the runs before it were visited.
  template <class Visit>
  void edit_each_span(Visit&& visit) {
    detail::visit_mutable_spans<Record, L, Tag>(core_, visit);
  }
  /// Calls `visit(handle, record)` with every record, mutable. Requires: as for_each_span.
  template <class Visit>
  void edit_each(Visit&& visit) {
    edit_each_span([&](const detail::MutablePageSpan<Record, L, Tag>& span) {
      for (std::size_t i = 0; i < span.size(); ++i) visit(span.handle(i), span[i]);
    });
  }

  // --- the order of a dense table

  /// Sorts the records of a dense table, stably. `compare(const Record&, const Record&)` is a
  /// strict weak order. The records move; their handles stay valid. Nothing changes if `compare`
  /// throws or memory runs out.
  /// Requires: dense storage; `compare` does not change the table (asserted).
  /// Complexity: O(n log n) comparisons; n comparisons and no write if already in order.
  template <class Compare>
  void sort(Compare compare);
  /// Continues a stable sort of a dense table for about `budget` comparisons and moves. Returns
  /// true if the table is sorted and nothing has changed since; a budget of 0 only asks. The table
  /// may change between steps: what changes in the part that is sorted already is sorted again when
  /// the steps have reached the end. Captures and saves contain the progress. The progress stays if
  /// `compare` throws or memory runs out.
  /// Requires: as sort; the same order in all steps, or restart_sort() before another order.
  /// Complexity: constant if sorted and unchanged. In total O(n sqrt n): an insertion sort that
  /// inserts sqrt n records at once; O(n) for each record that is alone out of order. A step
  /// exceeds its budget by O(sqrt n log n): by at most about 4,000 for 10,000 records, 15,000 for a
  /// million.
  template <class Compare>
  bool sort_step(Compare compare, std::uint64_t budget) {
    return core_.sort_step(detail::record_order<Record>(compare), budget);
  }
  /// Discards the progress of sort_step. Call this before a sort_step with another order.
  void restart_sort() noexcept { core_.set_sort_progress({}); }

  /// Checks all invariants in O(slots). Null if all hold; else the id and text of a broken one.
  [[nodiscard]] const char* check_invariants() const { return core_.check_invariants(); }

  /// The handle that the next insert will return; null if the table is full.
  [[nodiscard]] HandleType next_handle() const noexcept {
    const auto next = core_.slots().next();
    return next ? handle_of(next) : HandleType{};
  }

 private:
  friend struct detail::CoreOf;
  template <class Component, class Owner, class OwnerLayout>
  friend class ComponentTable;

  // The rows of a component table.
  Table(detail::TableCore& owner, const ComponentOptions& options,
        std::shared_ptr<detail::UndoLog> log)
      : core_(owner, std::move(log), options, detail::record_ops<Record>()) {}

  template <class... Args>
  HandleType insert_at(void* memory, Args&&... args) {
    if (memory == nullptr) return {};
    construct(memory, std::forward<Args>(args)...);
    return handle_of(core_.commit_insert());
  }
  // As insert_at of prepare(), which may move all records: the arguments may lie in one of them.
  // `slot`: the chosen one, or 0.
  template <class Prepare, class... Args>
  HandleType insert_made(std::uint64_t slot, const Prepare& prepare, Args&&... args);
  template <class... Args>
  HandleType insert_under(HandleType handle, std::string_view name, Args&&... args);
  template <class... Args>
  void construct(void* memory, Args&&... args);
  // The slot that `handle` may name; above any slot count if the type id or unused bits are wrong.
  [[nodiscard]] HDB_INLINE std::uint64_t slot_of(HandleType handle) const noexcept {
    constexpr unsigned kUsedBits = L::index_bits + L::generation_bits;
    constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << L::index_bits) - 1;
    if constexpr (L::type_bits != 0) {
      if (handle.bits() >> kUsedBits != core_.options().type_id) return ~std::uint64_t{0};
      return handle.index();
    } else if constexpr (kUsedBits < 8 * sizeof(typename L::Bits)) {
      // With an unused bit set, the number is above any count: one comparison checks both.
      return handle.bits() & (kIndexMask | ~((std::uint64_t{1} << kUsedBits) - 1));
    } else {
      return handle.index();
    }
  }
  // How many handles ahead of the one at hand batches fetch a slot, and what the slot leads to.
  static constexpr std::size_t kFetchSlots = 16;
  static constexpr std::size_t kFetchRecords = 8;
  void fetch_slot(HandleType handle) const noexcept {
    const std::uint64_t slot = slot_of(handle);
    if (slot < core_.counters().slot_count)
      HDB_PREFETCH(core_.slots().entries().at(static_cast<std::size_t>(slot)));
  }
  // The tag that the slot has if it is live and `handle` names it.
  [[nodiscard]] HDB_INLINE static std::uint32_t tag_of(HandleType handle) noexcept {
    if constexpr (L::type_bits != 0) return handle.generation();
    return static_cast<std::uint32_t>(handle.bits() >> L::index_bits);
  }
  [[nodiscard]] bool is_live(HandleType handle) const noexcept {
    return live_place(handle) != detail::kNoPlace;
  }
  [[nodiscard]] bool can_revive(HandleType handle) const noexcept {
    return slot_of(handle) < core_.counters().slot_count && !core_.slots().is_full() &&
           core_.slots().can_revive(detail::slot_number(handle), handle.generation());
  }
  [[nodiscard]] bool can_insert_as(HandleType handle) const noexcept {
    return slot_of(handle) < L::value.max_slots() && !core_.slots().is_full() &&
           core_.slots().can_issue(detail::slot_number(handle), handle.generation());
  }
  // The place of the record that `handle` names; kNoPlace if it names none. What is the same for
  // every handle is read before the first branch, and the storage is asked for only once: so a
  // compiler can take both out of a loop, and many lookups are under way at once.
  [[nodiscard]] HDB_INLINE std::uint64_t live_place(HandleType handle) const noexcept {
    const std::byte* const entries = core_.slots().entries().data();
    const bool is_dense = core_.is_dense();
    const std::uint64_t slot = slot_of(handle);
    if (slot >= core_.counters().slot_count) return detail::kNoPlace;
    if (is_dense) {
      const auto entry = reinterpret_cast<const detail::SlotEntry*>(entries)[slot];
      return entry.tag == tag_of(handle) ? entry.position : detail::kNoPlace;
    }
    const std::uint32_t tag = reinterpret_cast<const std::uint32_t*>(entries)[slot];
    return tag == tag_of(handle) ? slot : detail::kNoPlace;
  }
  // The record at a place where there is one: the result is not null.
  [[nodiscard]] HDB_INLINE static const Record* record_of(const Record* records,
                                                          std::uint64_t place) noexcept {
    if (records == nullptr) HDB_UNREACHABLE();
    return records + place;
  }
  [[nodiscard]] HDB_INLINE const Record* records_begin() const noexcept {
    return reinterpret_cast<const Record*>(core_.records().data());
  }
  [[nodiscard]] HandleType handle_of(const detail::Slots::Next& next) const noexcept {
    return detail::make_handle<Tag, L>(core_, next.slot, next.generation);
  }

  detail::TableCore core_;
};

namespace detail {
template <class Record, class L, class Tag, HandleCheck A>
inline constexpr NameParts name_parts<Table<Record, L, Tag, A>> =
    NameParts::of("hdb::Table")
        .with(name_parts<Record>)
        .with(name_parts<L>)
        .with(name_parts<Tag>)
        .with({static_cast<std::uint64_t>(A)});
}  // namespace detail

}  // namespace hdb

#include "hdb/detail/core/tables/table_calls.hpp"  // IWYU pragma: keep
