// A table without its record type: slots, records and (dense) order kept in step.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/arrays/log_state.hpp"
#include "hdb/detail/core/slots/slots.hpp"
#include "hdb/detail/core/tables/sort_progress.hpp"
#include "hdb/detail/core/tables/table_content.hpp"
#include "hdb/detail/core/tables/table_observer.hpp"

namespace hdb::detail {

/// Dense positions without a record: the slot that slot_of has there. No slot has this number.
inline constexpr std::uint32_t kHole = 0xffffffff;

/// How many inserts or erases ahead the memory that they will write is fetched.
inline constexpr std::uint32_t kPrefetchAhead = 8;

class ErasedSlots;
class NameIndex;
class PlaceMover;
struct TableMarks;

/// Slots, records and order of one table; Table<Record> is a thin typed wrapper over it.
//
//   T1  Dense: records [0, size) are constructed, record d belongs to slot_of[d], and H5 holds.
//   T2  Stable: exactly the records at live slots are constructed.
//   T3  Every structural call either does all of its work or, when memory runs out, none.
//   T4  A component table has a live slot only where its owner has a live record, with the same
//       generation. While records of the owner are erased, its component tables refuse structural
//       calls.
//   T5  Under Removal::in_place, dense positions are those below live + holes; at a hole no record
//       is constructed, and slot_of is kHole.
//   T6  While is_changed() is false, all but the content of arrays is as it was at settle(), and
//       try_insert and try_erase do nothing: also if the capture then found no memory.
class HDB_API TableCore final : public TableContent {
 public:
  TableCore(const std::shared_ptr<UndoLog>& log, const HandleLayout& layout,
            const TableOptions& options, const RecordOps& ops);
  /// A component table of `owner`. Either may be destroyed first.
  TableCore(TableCore& owner, const std::shared_ptr<UndoLog>& log, const ComponentOptions& options,
            const RecordOps& ops);
  ~TableCore() override;

  [[nodiscard]] TableCore& core() noexcept override { return *this; }

  [[nodiscard]] const TableOptions& options() const noexcept { return options_; }
  [[nodiscard]] const TablePolicy& policy() const noexcept { return slots_.policy(); }
  [[nodiscard]] HDB_INLINE const SlotCounters& counters() const noexcept {
    return slots_.counters();
  }
  [[nodiscard]] HDB_INLINE const Slots& slots() const noexcept { return slots_; }
  /// Of all arrays of the table, and of what belongs to it.
  [[nodiscard]] const std::shared_ptr<UndoLog>& log() const noexcept override { return log_; }
  [[nodiscard]] const RecordOps& ops() const noexcept { return records_.geometry().ops; }
  [[nodiscard]] HDB_INLINE bool is_dense() const noexcept { return dense_; }
  /// Where the record of a live slot lies: its dense position, or the slot itself.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t slot) const noexcept {
    return dense_ ? slots_.position(slot) : slot;
  }
  /// The slot of the record at a place.
  [[nodiscard]] std::uint32_t slot_of_place(std::uint32_t place) const noexcept {
    return dense_ ? slot_of_.as<std::uint32_t>(place) : place;
  }
  /// One past the last place: dense positions or slots.
  [[nodiscard]] HDB_INLINE std::uint64_t end_place() const noexcept {
    return dense_ ? counters().live_count + slots_.hole_count() : counters().slot_count;
  }
  /// Whether some dense positions have no record.
  [[nodiscard]] HDB_INLINE bool has_holes() const noexcept { return slots_.hole_count() != 0; }
  /// Whether a dense position below end_place() has no record.
  [[nodiscard]] HDB_INLINE bool is_hole(std::uint64_t place) const noexcept {
    return has_holes() && slot_of_.as<std::uint32_t>(to_size(place)) == kHole;
  }
  /// Whether a record is at `place`. Total: any number is safe.
  [[nodiscard]] HDB_INLINE bool is_live_place(std::uint64_t place) const noexcept {
    if (place >= end_place()) return false;
    return dense_ ? !is_hole(place)
                  : slot_tag::is_live(slots_.tag(static_cast<std::uint32_t>(place)));
  }
  [[nodiscard]] const std::byte* record_at(std::uint32_t place) const noexcept {
    return records_.at(place);
  }
  /// Logs the record if a capture needs it, for writing. `PageShift`: of records().
  template <unsigned PageShift>
  void touch(std::uint32_t place) {
    if (!records_.is_page_private<PageShift>(place)) [[unlikely]]
      own_records(place, std::uint64_t{place} + 1);
    note_edit(place);
  }
  [[nodiscard]] std::byte* edit_at(std::uint32_t place) {
    return edit_range(place, std::uint64_t{place} + 1);
  }
  /// As edit_at of each of the places [begin, end).
  [[nodiscard]] std::byte* edit_range(std::uint64_t begin, std::uint64_t end) {
    own_records(begin, end);
    note_edit(static_cast<std::uint32_t>(begin));
    return records_.owned_at(to_size(begin));
  }
  [[nodiscard]] HDB_INLINE const FlatArray& records() const noexcept { return records_; }
  [[nodiscard]] HDB_INLINE const FlatArray& slot_of() const noexcept { return slot_of_; }

  /// The names of the records; null in tables without.
  [[nodiscard]] const NameIndex* names() const noexcept { return names_.get(); }
  /// The slot of the record with this name; none when no record has it, or the name is empty.
  /// Requires: names. Complexity: linear in the name.
  [[nodiscard]] std::optional<std::uint32_t> slot_named(std::string_view name) const noexcept;
  /// Whether two names are the same by the table's rule. Requires: names.
  [[nodiscard]] bool is_same_name(std::string_view a, std::string_view b) const noexcept;
  /// The name of a live slot. Requires: names.
  [[nodiscard]] std::string_view name_of(std::uint32_t slot) const noexcept;
  /// Where the next flush goes on; state.
  [[nodiscard]] std::uint32_t flush_cursor() const noexcept { return flush_cursor_; }
  void set_flush_cursor(std::uint32_t slot) noexcept;

  /// Memory for one more record; the caller constructs it there and then calls commit_insert, which
  /// cannot fail. Null when the table is full. Requires: no other record has the name, if one is
  /// given.
  [[nodiscard]] void* prepare_insert(std::string_view name = {});
  /// As prepare_insert, of a record under a chosen handle; never null.
  /// Requires: slots().can_revive or can_issue(slot, generation), !slots().is_full(); no other
  /// record has the name, if one is given.
  [[nodiscard]] void* prepare_insert_at(std::uint32_t slot, std::uint32_t generation,
                                        std::string_view name = {});
  /// Whether an insert, under `slot` if it is chosen, moves all records to other memory.
  [[nodiscard]] bool may_move_records(std::uint64_t slot) const noexcept {
    return HDB_UNLIKELY(std::max(end_place(), slot) >= records_.capacity()) && moves_records(slot);
  }
  /// Issues the handle for the record constructed at the memory of prepare_insert or
  /// prepare_insert_at.
  Slots::Next commit_insert() noexcept;

  // Insert and erase where there is nothing to do but to write to slots and records: inlined where
  // they are called, and they call nothing. In all other cases, such as a table with names or the
  // first write to a page after a capture, they do nothing; then the calls above and erase_slot do
  // the work. `RecordBytes`: the size of the records. Requires: trivial records.

  /// Issues a handle and sets `place`, where the caller must then write the record; generation 0 if
  /// nothing was done.
  template <std::size_t RecordBytes>
  [[nodiscard]] Slots::Next try_insert(std::uint32_t& place) noexcept;
  /// Erases the record of a live slot, which is at `place`; false if nothing was done.
  template <std::size_t RecordBytes>
  [[nodiscard]] bool try_erase(std::uint32_t slot, std::uint32_t generation,
                               std::uint32_t place) noexcept;
  /// The record at a place that try_insert gave.
  template <std::size_t RecordBytes>
  [[nodiscard]] void* new_record(std::uint32_t place) noexcept {
    return records_.owned_at(0) + std::size_t{place} * RecordBytes;
  }

  /// Makes everything writable that the inserts of these handles write, so that as many calls of
  /// insert_from cannot fail. The content stays the same.
  /// Requires: slots().next_handles() of the table as it is.
  /// Complexity: linear in the handles and in the captured pages that they lie in; with names, also
  /// in the index of names.
  void prepare_inserts(std::span<const Slots::Next> handles);
  /// Inserts the record of a live slot of `other`, a filled result of make_empty, and takes it away
  /// there, with its name if `with_name`. `other` may only give more records or end afterwards.
  /// Requires: prepare_inserts; no other record has the name.
  Slots::Next insert_from(TableCore& other, std::uint32_t slot, bool with_name) noexcept;

  void erase_slot(std::uint32_t slot) override;
  /// As erase_slot of a dense table, with the records behind it moved one place down each.
  /// Complexity: linear in these.
  void erase_slot_keeping_order(std::uint32_t slot);
  /// Fetches ahead what fetch() of a live slot will look at.
  void fetch_name(std::uint32_t slot) const noexcept;
  /// Fetches ahead what erase_slot of a live slot will look at, as far as it is scattered.
  void fetch(std::uint32_t slot) const noexcept;
  /// Gives the record of a live slot another name. Requires: names, and no other record has this
  /// one.
  void rename_slot(std::uint32_t slot, std::string_view name);
  /// Erases all; stale handles stay detected. See Slots::release_all for the order of the freed
  /// slots.
  void clear();

  // Component tables. Their records belong to the slots of the owner (H9, T4).

  /// The owner; null in other tables, and when the owner is destroyed.
  [[nodiscard]] const TableCore* owner() const noexcept { return owner_; }
  /// Memory for the component of a slot; the caller constructs it and calls commit_insert. Null
  /// when the table is full.
  /// Requires: the owner's slot is live, and has no component here.
  [[nodiscard]] void* prepare_component(std::uint32_t slot);
  /// As prepare_component, in a table whose owner is not linked to it: the content of a load.
  [[nodiscard]] void* prepare_component(std::uint32_t slot, std::uint32_t generation);
  /// As insert_from, of the component of a slot of `other` for a slot of the owner.
  /// Requires: prepare_components of this slot.
  void take_component(TableCore& other, std::uint32_t from, std::uint32_t to,
                      std::uint32_t generation) noexcept;
  /// Makes everything writable that take_component of as many slots writes. The content stays the
  /// same. Requires: slots without a component here, below `end`.
  void prepare_components(std::span<const std::uint32_t> slots, std::uint64_t end);
  /// Moves the last records into the holes, so that there are none.
  void compact();
  /// Makes everything private that drop_orphans writes, so that it cannot fail.
  void prepare_drop_orphans();
  /// Erases the components of all slots that are not live in `owner` with the same generation.
  /// Complexity: linear in the slots.
  void drop_orphans(const Slots& owner);
  /// The first slot whose component is an orphan, if any. Complexity: linear in the slots.
  [[nodiscard]] std::optional<std::uint32_t> find_orphan(const Slots& owner) const noexcept;
  void reset() override;
  /// Notes from now on which records in slots below `slots` are erased.
  void watch_erases(std::uint64_t slots);
  /// The records that were erased since it was cleared last; null if they are not noted.
  [[nodiscard]] ErasedSlots* erased() noexcept { return erased_.get(); }
  void reserve(std::size_t records);

  /// See FlatArray::watch_writes: of the records.
  void watch_records() noexcept {
    begin_change();
    records_.watch_writes();
  }

  /// Goes on sorting a dense table; see Table::sort_step. A comparison may not change the table
  /// (asserted).
  bool sort_step(const RecordOrder& order, std::uint64_t budget);
  /// Moves to each place i of a dense table the record that is at `places[i]` (a permutation, used
  /// up; empty: all stay). That order is a sorted one: the table counts as sorted afterwards.
  void take_sorted_order(std::uint32_t* places, std::size_t count);
  [[nodiscard]] SortProgress sort_progress() const noexcept { return sort_; }
  /// Requires: a sound one for the records of a dense table, {} for a stable one.
  void set_sort_progress(SortProgress progress) noexcept;

  /// Throws std::out_of_range (see out_of_range) with a text that names the table and the handle,
  /// which names no record.
  [[noreturn]] void no_record(std::uint64_t slot, std::uint32_t generation) const;
  /// Says what messages about broken rules call the table. Before the first capture.
  void set_label(std::string_view label);
  [[nodiscard]] std::size_t logged_bytes() const noexcept override;

  /// Before a moment is opened.
  void prepare_freeze();

  // What a capture shares with the one before: the state beside the content of arrays, such as
  // counters and the order. A table that was captured is settled until that may change.

  /// Whether the state may be another one than at settle().
  [[nodiscard]] bool is_changed() const noexcept { return is_changed_; }
  /// Call it before the state changes; structural calls do.
  void note_change() noexcept {
    if (!is_changed_) [[unlikely]]
      unsettle();
  }
  /// The component tables have counters of this one, which changed.
  void note_change_of_components() noexcept;
  /// The state was captured.
  void settle() noexcept;
  /// Notes changes in `marks` from now on, under this number. The table counts as changed.
  void set_marks(std::shared_ptr<TableMarks> marks, std::size_t number) noexcept;
  using TableContent::freeze;
  [[nodiscard]] FrozenTable freeze(const std::shared_ptr<const Moment>& moment) override;
  void prepare_thaw(const FrozenTable& frozen) override;
  void commit_thaw(const FrozenTable& frozen) noexcept override;
  void adopt(TableContent& other) noexcept override;
  void prepare_adopt() override;
  void set_type_id(std::uint16_t type_id) noexcept override;
  [[nodiscard]] std::unique_ptr<TableContent> make_empty() const override;
  /// See Slots::raise_generations.
  void raise_generations(std::uint32_t floor) noexcept {
    note_change();
    slots_.raise_generations(floor);
  }
  /// See Slots::rise_above.
  void rise_above(const Issued& issued);
  /// Where the table notes what it has issued before thaw, adopt or reset takes its slots away;
  /// null: nowhere.
  void set_issued(std::shared_ptr<Issued> issued) noexcept { issued_ = std::move(issued); }
  void note_issued();

  // Building from stored state (load). After begin_fill, threads may fill different row groups;
  // place and slot must lie within the counters.
  void begin_fill(const SlotCounters& counters, std::uint64_t holes = 0) override;
  /// Default-constructs the records at `places`; adds where they are.
  void fill_records(std::span<const std::uint32_t> places, std::vector<void*>& records);
  /// A record that fill_records made, to be filled.
  [[nodiscard]] std::byte* filled_at(std::uint32_t place) noexcept {
    return records_.owned_at(place);
  }
  /// As Slots::fill_slots, of which `live` are live.
  void fill_slots(std::uint32_t first, std::span<const std::uint8_t> states,
                  std::span<const std::uint32_t> generations,
                  std::span<const std::uint32_t> positions,
                  std::span<const std::uint32_t> live) noexcept;
  /// Component tables: the holes.
  void fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept;
  /// Names: of each live slot, by several threads; then `index_names`, which gives two slots of one
  /// name, if any.
  void fill_name(std::uint32_t slot, std::string_view name);
  struct Twins {
    std::uint32_t first;
    std::uint32_t second;
  };
  [[nodiscard]] std::optional<Twins> index_names();

  void add_observer(TableObserver& observer);
  void remove_observer(TableObserver& observer) noexcept;
  /// Tells the observers that thaw or adopt replaced the content, once all tables are in place.
  void tell_replaced() noexcept;
  /// Lets go of the observers, the owner and the component tables, as if the table were destroyed.
  /// For a database that ends while snapshots hold the table, which may be destroyed on any thread
  /// then.
  void release_observers() noexcept;

  /// What may be under way while no structural call and no capture is allowed: code of the program
  /// that runs amid a change or holds mutable pointers.
  enum class Busy : std::uint8_t { no, iteration, comparison, record, owner, component };
  /// Says so for as long as it lives. Every build then ends the program at such a call, with a
  /// message.
  class Occupied {
   public:
    HDB_API Occupied(TableCore& core, Busy with) noexcept;
    HDB_API ~Occupied();
    Occupied(const Occupied&) = delete;
    Occupied& operator=(const Occupied&) = delete;

   private:
    TableCore& core_;
    Busy before_;
  };
  /// As Occupied by a record, while the undo log restores the content. Requires: not busy.
  void set_restored(bool restored) noexcept {
    busy_ = restored ? Busy::record : Busy::no;
    update_path();
  }
  /// Ends the program unless a structural call may be made, which then is.
  void begin_change() noexcept {
    require_not_busy();
    note_change();
  }
  /// Only the first.
  void require_not_busy() const noexcept {
    if (busy_ != Busy::no) refuse();
    require_no_span_visit();
  }
  void require_no_span_visit() const noexcept {
    if (span_visits_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      refuse();
  }

  /// H, T but for T3 and T6, N, A and O, in O(slots). Null when all hold, else what does not.
  [[nodiscard]] const char* check_invariants() const override;
  void check_unwritten() const noexcept override { records_.check_unwritten(); }

  /// Whether another object keeps its state in the table, which must not be dropped before it ends.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }
  void set_held(bool held) noexcept { is_held_ = held; }

  /// Somebody visits spans: the same is refused. From any thread that reads the table.
  void begin_span_visit() const noexcept {
    span_visits_.fetch_add(1, std::memory_order_relaxed);
    log_state_.add_span_visit(1);
  }
  void end_span_visit() const noexcept {
    log_state_.add_span_visit(-1);
    span_visits_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// The state of a dense table, for code that keeps it equal to the state of another library and
  /// writes in place. It must leave the invariants true.
  struct Parts {
    SlotParts slots;
    FlatArray& slot_of;
    FlatArray& records;
  };
  [[nodiscard]] Parts parts() noexcept { return {slots_.parts(), slot_of_, records_}; }
  /// Makes room for the slots up to `end`, unissued. The counters stay.
  void add_unissued(std::uint64_t end) {
    note_change();
    slots_.add_unissued(end);
  }

 private:
  [[noreturn]] void refuse() const noexcept;
  [[nodiscard]] bool moves_records(std::uint64_t slot) const noexcept;
  void unsettle() noexcept;
  void observers_changed() noexcept;
  // The record at a place is another one now.
  void note_edit(std::uint32_t place) noexcept {
    if (place >= sort_.sorted) return;
    note_change();
    sort_.note_change(place);
  }
  void own_records(std::uint64_t begin, std::uint64_t end);
  void prepare_drop_all();
  void drop_records() noexcept;
  // How try_insert and try_erase find the record: not at all while it is busy or settled, nor in
  // tables with names, observers, components or another policy than the common one.
  enum class Path : std::uint8_t { none, dense, stable };
  void update_path() noexcept {
    const bool is_simple = busy_ == Busy::no && is_changed_ && !names_ && observers_.empty() &&
                           !erased_ && components_.empty() && !policy().is_component &&
                           slots_.is_common();
    path_ = !is_simple ? Path::none : dense_ ? Path::dense : Path::stable;
  }
  // Whether blocks must be owned before they are written.
  [[nodiscard]] bool is_tracking() const noexcept { return HDB_UNLIKELY(log_state_.is_tracking()); }
  // Whether the blocks are owned that try_insert and try_erase write. Not inlined: it would take
  // registers from them.
  [[nodiscard]] bool is_private_to_insert(std::uint32_t slot, std::uint32_t place) const noexcept;
  [[nodiscard]] bool is_private_to_erase(std::uint32_t slot, std::uint32_t place) const noexcept;
  template <std::size_t RecordBytes, Storage S>
  [[nodiscard]] Slots::Next try_insert_in(std::uint32_t& place) noexcept;
  template <std::size_t RecordBytes>
  [[nodiscard]] bool try_erase_dense(std::uint32_t slot, std::uint32_t generation,
                                     std::uint32_t place) noexcept;
  // What an insert prepares and then does.
  struct Insertion {
    Slots::Next next;
    std::uint32_t place = 0;
  };
  static constexpr std::size_t kNoFreePlace = ~std::size_t{0};
  [[nodiscard]] void* begin_insert(Insertion& insertion);
  [[nodiscard]] void* begin_record(Insertion& insertion);
  void end_record(const Insertion& insertion) noexcept;
  Slots::Next end_insert(const Insertion& insertion) noexcept;
  void erase_record(std::uint32_t slot);
  // The last record of a dense table moves to the place of an erased one: what may fail, and the
  // rest.
  void prepare_erase_dense(std::uint32_t slot);
  void erase_dense(std::uint32_t slot) noexcept;
  void remove(std::uint32_t slot);
  // --- components (component_steps.cpp)
  // The component tables refuse structural calls for as long as it lives.
  class OwnerBusy;
  // As begin_record and end_record; `free_place`: see Slots::prepare_take.
  [[nodiscard]] void* begin_component(Insertion& insertion);
  void end_component(const Insertion& insertion, std::size_t free_place) noexcept;
  // As erase_record: what may fail, and the rest.
  void prepare_erase_component(std::uint32_t slot);
  void erase_component(std::uint32_t slot) noexcept;
  [[nodiscard]] bool has_component(std::uint32_t slot) const noexcept {
    return slot < counters().slot_count && slot_tag::is_live(slots_.tag(slot));
  }
  // Of all component tables of this one.
  void prepare_erase_components(std::uint32_t slot);
  void erase_components(std::uint32_t slot) noexcept;
  void prepare_drop_components();
  void drop_components() noexcept;
  void leave_owner() noexcept;
  [[nodiscard]] const char* check_component() const;
  TableCore(const std::shared_ptr<UndoLog>& log, const TablePolicy& policy,
            const TableOptions& options, const RecordOps& ops);
  [[nodiscard]] bool is_watched() const noexcept { return erased_ || !observers_.empty(); }
  void tell_erased(std::uint32_t slot, std::uint32_t generation) noexcept;
  void tell_cleared(bool table_is_gone) noexcept;
  [[nodiscard]] const char* check_names() const;
  [[nodiscard]] PlaceMover mover() noexcept;

  Busy busy_ = Busy::no;
  Path path_ = Path::none;
  bool dense_;
  bool is_held_ = false;
  bool is_changed_ = true;
  mutable std::atomic<int> span_visits_{0};  // beside path_: both are read before each insert
  std::shared_ptr<UndoLog> log_;
  LogState& log_state_;  // of log_
  Slots slots_;
  FlatArray records_;
  FlatArray slot_of_;
  Owned<NameIndex> names_;
  std::uint32_t flush_cursor_ = 0;
  Owned<ErasedSlots> erased_;
  std::vector<TableObserver*> observers_;
  std::vector<TableCore*> components_;  // whose owner this is
  TableCore* owner_ = nullptr;
  SortProgress sort_;
  Insertion pending_;                              // prepared, not yet committed
  std::size_t pending_free_place_ = kNoFreePlace;  // of a revival
  TableOptions options_;
  std::string label_ = "a table";
  std::shared_ptr<Issued> issued_;
  std::shared_ptr<TableMarks> marks_;  // null: in no list of captured tables
  std::size_t number_ = 0;             // there
};

}  // namespace hdb::detail

#include "hdb/detail/core/tables/table_steps.hpp"  // IWYU pragma: keep
#include "hdb/table_options.hpp"
