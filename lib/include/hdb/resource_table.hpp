// ResourceTable: named records that are shared by reference and destroyed by flush(). For the
// textures, sounds and meshes of a game.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/database.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/database/resources/reference_scan.hpp"
#include "hdb/error.hpp"
#include "hdb/fwd.hpp"
#include "hdb/ref.hpp"

namespace hdb {

/// The options of ResourceTable::flush.
struct FlushOptions {
  /// Destroys at most this many records; the next flush continues after the last slot visited.
  /// Limits the destruction, not the search: each flush reads every Strong field.
  std::size_t max_destroyed = std::numeric_limits<std::size_t>::max();
  /// Also destroys records of this table that only cycles of Strong fields keep (strong_cycles).
  /// Flush the other tables to destroy what the cycles keep there.
  bool cycles = false;
};

/// What a flush did.
struct FlushReport {
  std::size_t destroyed = 0;
  bool finished =
      true;  ///< No unused record is left; false if the budget ran out or inside a flush.
};

/// A table of shared resources, such as textures, sounds and meshes.
///
/// Code outside of records holds Ref<Record>; records hold Strong<Record>. Releasing a reference
/// destroys nothing. flush() destroys the records that no Ref holds and no Strong field of any
/// record in the database names. hdb finds the Strong fields by scanning, so captures and restores
/// cannot make the counts wrong. Refs are neither captured nor saved: after a load in a new
/// process, adopt() the handles that outside code needs, then flush().
///
/// Threads: the thread that changes the database.
/// Source: "Resource Management System" (reference counts, deferred flush); Bilas' `TextureMgr`
/// (find or load by name).
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& weapons = db.create_resource_table<Weapon>("weapons");
/// const auto load = [](std::string_view) -> hdb::Result<Weapon> { return Weapon{.damage = 8}; };
/// hdb::Ref<Weapon> claw = weapons.find_or_load("claw", load);
/// assert(weapons.find_or_load("claw", load) == claw);  // loaded once
/// assert(weapons.table().name(claw) == "claw" && claw->damage == 8);
/// claw.reset();
/// const auto flushed = weapons.flush();
/// assert(flushed && flushed->destroyed == 1);
/// @endcode
template <class Record, class L, class Tag>
class ResourceTable {
 public:
  using TableType = Table<Record, L, Tag>;
  using HandleType = Handle<Tag, L>;
  using RefType = Ref<Record, L, Tag>;

  ResourceTable(Database& database, TableType& table)
      : database_(&database), table_(&table), counts_(new detail::RefCounts(&table)) {}
  ~ResourceTable() { counts_->leave_table(); }
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  /// The underlying table. Erasing a record there destroys it at once; references then return null.
  [[nodiscard]] TableType& table() noexcept { return *table_; }
  [[nodiscard]] const TableType& table() const noexcept { return *table_; }

  /// The resource with this name. If there is none, `load(name)` makes it: `load` returns a
  /// std::optional<Record>, a Result<Record>, or another type that is true if it holds a record. If
  /// `load` fails or throws, no entry is left and the Ref is empty (exceptions are passed on).
  /// `load` may request other resources. Requesting one that is being loaded, under any name that
  /// is equal by the table's rule, returns an empty Ref (a cycle). If `load` itself inserts the
  /// name, that record is used.
  template <class Load>
  [[nodiscard]] RefType find_or_load(std::string_view name, Load&& load) {
    if (RefType known = find(name)) return known;
    for (const std::string& other : loading_) {
      if (detail::core_of(*table_).names()->same(other, name)) return {};
    }
    loading_.emplace_back(name);
    struct Done {
      std::vector<std::string>& names;
      ~Done() { names.pop_back(); }
    } const done{loading_};
    auto loaded = load(name);
    if (!loaded) return {};
    if (RefType known = find(name)) return known;
    return adopt(table_->insert_named(name, *std::move(loaded)));
  }
  /// The resource with this name; an empty Ref if there is none.
  [[nodiscard]] RefType find(std::string_view name) { return adopt(table_->find_named(name)); }
  /// Inserts a resource; an empty Ref if the name is taken or the table is full.
  [[nodiscard]] RefType insert(std::string_view name, Record record) {
    return adopt(table_->insert_named(name, std::move(record)));
  }
  /// Brings an erased or flushed resource back under its handle (Table::revive); references kept
  /// from before name it again. An empty Ref if that is not possible or the name is taken.
  [[nodiscard]] RefType revive(HandleType handle, std::string_view name, Record record) {
    return table_->revive_named(handle, name, std::move(record)) ? adopt(handle) : RefType();
  }
  /// Makes a Ref from a handle, for example of a record, or from saved bits after a load. An empty
  /// Ref if the handle is stale.
  [[nodiscard]] RefType adopt(HandleType handle) {
    return table_->contains(handle) ? RefType(*counts_, handle) : RefType();
  }

  /// The number of outside references to all handles of this table.
  [[nodiscard]] const detail::RefCounts& references() const noexcept { return *counts_; }
  /// The number of outside references to this handle, whether or not its record is live.
  [[nodiscard]] std::uint32_t count(HandleType handle) const noexcept {
    return counts_->count(handle.index(), handle.generation());
  }
  /// Adds an outside reference, for handles kept as bits. Returns false if the handle is stale.
  bool add_reference(HandleType handle) {
    if (!table_->contains(handle)) return false;
    counts_->add(detail::slot_number(handle), handle.generation());
    return true;
  }
  /// Removes a reference that add_reference added. Returns false and changes nothing if the handle
  /// has none.
  bool release_reference(HandleType handle) noexcept {
    return counts_->release(handle.index(), handle.generation());
  }

  /// The records without references: those that flush would destroy first. Errors and complexity:
  /// as flush.
  [[nodiscard]] Result<std::vector<HandleType>> unreferenced() {
    detail::ReferenceScan marks(*database_, detail::core_of(*table_), handle_key<Tag, L>());
    if (auto marked = marks.mark_all(); !marked) return fail(std::move(marked.error()));
    std::vector<HandleType> found;
    for (std::uint32_t slot = 0; slot < detail::core_of(*table_).counters().slot_count; ++slot) {
      if (is_unused(slot, marks)) found.push_back(handle_at(slot));
    }
    return found;
  }

  /// Destroys the records without references, in ascending order of slots, starting where the last
  /// flush stopped. Calls `before(handle, record)` for each record that it is about to destroy.
  /// `before` may release references; this flush then destroys those records too. `before` may take
  /// a reference to the record; the record then stays. `before` may insert and erase. If `before`
  /// throws, the record stays and the exception is passed on. A flush inside `before` does nothing.
  ///
  /// Records that hold each other by Strong fields keep each other and all that they hold. A flush
  /// destroys such cycles only on request (FlushOptions::cycles). A Ref to a record of the cycle,
  /// or a Strong field of an ordinary table that names one, keeps the cycle.
  ///
  /// Complexity: not constant. Linear in the Strong fields of this kind in the database (with
  /// `cycles`: of all kinds), in the slots of this table and in the destroyed records; repeated for
  /// each round in which destroyed records or `before` release others.
  /// Errors: a record's `serialize` fails while its Strong fields are scanned; nothing is
  /// destroyed.
  /// Invalidates: as erase; also mutable pointers to all records.
  template <class Before>
  requires(!std::is_same_v<std::remove_cvref_t<Before>, FlushOptions>)
      [[nodiscard]] Result<FlushReport> flush(Before&& before, const FlushOptions& options = {}) {
    FlushReport report;
    if (is_flushing_) return FlushReport{0, false};
    is_flushing_ = true;
    struct Done {
      bool& flag;
      ~Done() { flag = false; }
    } const done{is_flushing_};
    for (;;) {
      detail::ReferenceScan marks(
          *database_, detail::core_of(*table_), handle_key<Tag, L>(),
          options.cycles ? detail::Keeps::reachable : detail::Keeps::strong_fields);
      if (auto marked = marks.mark_all(); !marked) return fail(std::move(marked.error()));
      const std::uint64_t releases = counts_->releases();
      const std::size_t destroyed = report.destroyed;
      auto round = flush_round(marks, before, options.max_destroyed, report);
      if (!round) return fail(std::move(round.error()));
      // Destroyed records may have held others, and `before` may have released some.
      const bool may_free_more = counts_->releases() != releases || marks.holds_itself();
      if (!report.finished || report.destroyed == destroyed || !may_free_more) return report;
    }
  }
  /// As above, calling nothing.
  [[nodiscard]] Result<FlushReport> flush(const FlushOptions& options = {}) {
    return flush(Nothing{}, options);
  }

 private:
  struct Nothing {
    void operator()(HandleType, const Record&) const noexcept {}
  };
  [[nodiscard]] HandleType handle_at(std::uint32_t slot) const noexcept {
    return detail::make_handle<Tag, L>(detail::core_of(*table_), slot,
                                       detail::core_of(*table_).slots().tag(slot));
  }
  [[nodiscard]] bool is_unused(std::uint32_t slot,
                               const detail::ReferenceScan& marks) const noexcept {
    const std::uint32_t tag = detail::core_of(*table_).slots().tag(slot);
    return detail::slot_tag::is_live(tag) && !marks.is_marked(slot) &&
           counts_->count(slot, tag) == 0;
  }

  // One bit for each of the 64 slots from 64 * word on: whether the record is live and not held.
  [[nodiscard]] std::uint64_t unused_of(std::uint64_t word,
                                        const detail::ReferenceScan& marks) const noexcept {
    const detail::Slots& slots = detail::core_of(*table_).slots();
    const std::uint64_t first = 64 * word;
    if (first >= slots.counters().slot_count) return 0;
    std::uint32_t buffer[64];
    const std::span tags(buffer, static_cast<std::size_t>(std::min<std::uint64_t>(
                                     64, slots.counters().slot_count - first)));
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      buffer[i] = slots.tag(static_cast<std::uint32_t>(first + i));
      live |= std::uint64_t{detail::slot_tag::is_live(buffer[i])} << i;
    }
    return live & ~marks.marks_of(detail::to_size(word)) &
           ~counts_->held_among(static_cast<std::uint32_t>(first), tags);
  }

  // Visits each slot once, starting at the cursor.
  template <class Before>
  [[nodiscard]] Status flush_round(detail::ReferenceScan& marks, Before& before,
                                   std::size_t max_destroyed, FlushReport& report) {
    const detail::TableCore& core = detail::core_of(*table_);
    const std::uint64_t count = core.counters().slot_count;
    const std::uint64_t start = core.flush_cursor() < count ? core.flush_cursor() : 0;
    if (Status status = flush_slots(start, count, marks, before, max_destroyed, report);
        !status || !report.finished) {
      return status;
    }
    return flush_slots(0, start, marks, before, max_destroyed, report);
  }
  template <class Before>
  [[nodiscard]] Status flush_slots(std::uint64_t begin, std::uint64_t end,
                                   detail::ReferenceScan& marks, Before& before,
                                   std::size_t max_destroyed, FlushReport& report) {
    detail::TableCore& core = detail::core_of(*table_);
    for (std::uint64_t at = begin; at < end; at = (at / 64 + 1) * 64) {
      // The unused slots of this word from `from` on.
      const auto unused_from = [&](std::uint64_t from) {
        const std::uint64_t left =
            from % 64 == 0 && from != at ? 0 : ~std::uint64_t{0} << from % 64;
        const std::uint64_t stop = end - at / 64 * 64;
        const std::uint64_t within =
            stop >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << stop) - 1;
        return unused_of(at / 64, marks) & left & within;
      };
      std::uint64_t unused = unused_from(at);
      for (std::uint64_t bits = unused; bits != 0; bits &= bits - 1) {
        core.fetch_name(static_cast<std::uint32_t>(at / 64 * 64 + lowest_bit(bits)));
      }
      for (std::uint64_t bits = unused; bits != 0; bits &= bits - 1) {
        core.fetch(static_cast<std::uint32_t>(at / 64 * 64 + lowest_bit(bits)));
      }
      while (unused != 0) {
        const auto slot = static_cast<std::uint32_t>(at / 64 * 64 + lowest_bit(unused));
        unused &= unused - 1;
        if (slot >= core.counters().slot_count || !is_unused(slot, marks)) continue;
        if (report.destroyed == max_destroyed) {
          core.set_flush_cursor(slot);
          report.finished = false;
          return {};
        }
        if constexpr (!std::is_same_v<std::remove_cvref_t<Before>, Nothing>) {
          const HandleType handle = handle_at(slot);
          before(handle, *table_->find(handle));
          if (auto marked = marks.mark_written(); !marked) return marked;
          unused = unused_from(std::uint64_t{slot} + 1);  // it may have released others
          if (!table_->contains(handle) || !is_unused(slot, marks)) continue;
        }
        core.erase_slot(slot);
        marks.own_write_done();
        ++report.destroyed;
      }
    }
    return {};
  }
  [[nodiscard]] static std::uint64_t lowest_bit(std::uint64_t bits) noexcept {
    return static_cast<std::uint64_t>(std::countr_zero(bits));
  }

  Database* database_;
  TableType* table_;
  detail::RefCounts* counts_;
  std::vector<std::string> loading_;
  bool is_flushing_ = false;
};

template <class Record, class L, class Tag>
ResourceTable<Record, L, Tag>& Database::create_resource_table(std::string_view name,
                                                               TableOptions options) {
  if (options.names == RecordNames::none) options.names = RecordNames::exact;
  using Made = ResourceTable<Record, L, Tag>;
  detail::TableEntry entry = detail::value_or_end(
      begin_table(name, options, detail::kind_of<Record, L, Tag, HandleCheck::checked>()));
  auto wrapper =
      std::make_shared<Made>(*this, *static_cast<Table<Record, L, Tag>*>(entry.table.get()));
  Made& resources = *wrapper;
  entry.wrapper = std::move(wrapper);
  entry.wrapper_type = detail::type_key<Made>();
  entry.references = &resources.references();
  add(std::move(entry));
  return resources;
}

/// A resource that only cycles of Strong fields keep: no Ref holds it, and no chain of Strong
/// fields leads to it from a resource with a Ref or from a record of an ordinary table. A plain
/// flush() never destroys it.
struct CycleResource {
  std::string table;
  std::uint64_t handle = 0;  ///< Its bits; Handle::from_bits makes a handle of them.
  std::string name;
  /// The number of the cycle that the resource is part of, starting at 1. Resources of one cycle
  /// hold each other, directly or through others of the cycle. 0: not part of a cycle, but a cycle
  /// holds it.
  std::uint32_t cycle = 0;
};

/// Finds all resources that only cycles of Strong fields keep, in all resource tables of the
/// database, sorted by table and slot. To break a cycle, null one of its Strong fields or call
/// flush({.cycles = true}).
///
/// Complexity: linear in the Strong fields of the database and in the slots of resource tables.
/// Errors: a record's `serialize` fails while its Strong fields are scanned.
[[nodiscard]] Result<std::vector<CycleResource>> strong_cycles(const Database& database);

}  // namespace hdb
