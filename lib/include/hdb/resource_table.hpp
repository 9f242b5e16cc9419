// ResourceTable: named records that are shared by reference, and destroyed by flush().
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
#include "hdb/detail/database/resources/strong_marks.hpp"
#include "hdb/error.hpp"
#include "hdb/ref.hpp"

namespace hdb {

struct FlushOptions {
  /// How many records to destroy at most; the next flush goes on after the last one looked at.
  /// Bounds the destruction, not the search: each flush looks at every Strong field.
  std::size_t max_destroyed = std::numeric_limits<std::size_t>::max();
  /// Also destroys records that only rings of Strong fields keep (see strong_rings): of this table;
  /// what their rings keep in other tables is destroyed by a flush of those.
  bool rings = false;
};

struct FlushReport {
  std::size_t destroyed = 0;
  bool finished =
      true;  ///< Nothing unused is left; false when the budget ran out, or inside another flush.
};

/// A table of resources: textures, sounds, meshes.
///
/// Code outside of records holds Ref<Record>, records hold Strong<Record>. Releasing either
/// destroys nothing: flush() does, when told to, for records that no Ref holds and no Strong field
/// of any record of the database names. How often a record is named from inside is derived by
/// looking at those fields, so captures and restores cannot spoil it; outside references are
/// neither captured nor saved: after a load in a new process, adopt() them by their bits, then
/// flush().
///
/// Used by the database's thread. Source: "Resource Management System" (reference counts, deferred
/// flush); Bilas' `TextureMgr` (find or load by name).
template <class Record, class L = DefaultLayout, class Tag = Record>
class ResourceTable {
 public:
  using TableType = Table<Record, L, Tag>;
  using HandleType = Handle<Tag, L>;
  using RefType = Ref<Record, L, Tag>;

  ResourceTable(Database& database, TableType& table)
      : database_(&database), table_(&table), counts_(new RefCounts(&table)) {}
  ~ResourceTable() { counts_->leave_table(); }
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  /// The records, with all that a table offers. Erasing one here destroys it at once; references
  /// then give null.
  [[nodiscard]] TableType& table() noexcept { return *table_; }
  [[nodiscard]] const TableType& table() const noexcept { return *table_; }

  /// The resource of this name; when there is none, `load(name)` makes it. `load` gives a
  /// std::optional<Record>, a Result<Record> or anything else that is true when it holds one; when
  /// it fails (or throws, which is passed on) the Ref holds nothing and no entry is left behind.
  /// `load` may ask for other resources; asking for one that is being loaded, by any name that is
  /// the same by the table's rule, returns null (a cycle). When `load` itself inserts the name,
  /// that record is taken.
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
  /// The resource of this name; holds nothing when there is none.
  [[nodiscard]] RefType find(std::string_view name) { return adopt(table_->find_named(name)); }
  /// Inserts a resource; holds nothing when the name is used, or the table is full.
  [[nodiscard]] RefType insert(std::string_view name, Record record) {
    return adopt(table_->insert_named(name, std::move(record)));
  }
  /// Brings an erased or flushed resource back under its handle (Table::revive), so that the
  /// references kept from before name it again; holds nothing where that cannot be, or the name is
  /// used.
  [[nodiscard]] RefType revive(HandleType handle, std::string_view name, Record record) {
    return table_->revive_named(handle, name, std::move(record)) ? adopt(handle) : RefType();
  }
  /// Holds the record that a handle names (from a record, or from saved bits after a load); nothing
  /// when it is stale.
  [[nodiscard]] RefType adopt(HandleType handle) {
    return table_->contains(handle) ? RefType(*counts_, handle) : RefType();
  }

  /// The references from outside, of all handles.
  [[nodiscard]] const RefCounts& references() const noexcept { return *counts_; }
  /// How many outside references hold the handle, whether or not its record lives.
  [[nodiscard]] std::uint32_t count(HandleType handle) const noexcept {
    return counts_->count(handle.index(), handle.generation());
  }
  /// Adds an outside reference by hand, for handles kept as bits; false when the handle is stale.
  bool add_reference(HandleType handle) {
    if (!table_->contains(handle)) return false;
    counts_->add(slot_number(handle), handle.generation());
    return true;
  }
  /// Takes back what add_reference added; false, and nothing changed, when the handle is not held.
  bool release_reference(HandleType handle) noexcept {
    return counts_->release(handle.index(), handle.generation());
  }

  /// The records that nothing holds, neither from outside nor from records: what a flush would
  /// destroy first. Errors and complexity: as flush.
  [[nodiscard]] Result<std::vector<HandleType>> unreferenced() {
    StrongMarks marks(*database_, detail::core_of(*table_), handle_key<Tag, L>());
    if (auto marked = marks.mark_all(); !marked) return fail(std::move(marked.error()));
    std::vector<HandleType> found;
    for (std::uint32_t slot = 0; slot < detail::core_of(*table_).counters().slot_count; ++slot) {
      if (is_unused(slot, marks)) found.push_back(handle_at(slot));
    }
    return found;
  }

  /// Destroys the records that nothing holds, in rising order of slots from where the last flush
  /// stopped; calls `before(handle, record)` with each. `before` may release references, so that
  /// more is destroyed by this flush; may take one to the record itself, which then stays; may
  /// insert and erase; what it throws is passed on, and the record stays. A flush inside of a flush
  /// does nothing.
  ///
  /// Resources that hold each other by Strong fields keep each other, and what they hold: a flush
  /// destroys such rings only on request (FlushOptions::rings). A Ref to one of a ring, or a record
  /// of an ordinary table that holds one, keeps the ring.
  ///
  /// Complexity: not constant. Linear in the Strong fields of this kind in the database (with
  /// `rings`, of all kinds) and in the slots of this table, plus the destroyed records; once more
  /// for each round in which destroyed records, or `before`, let go of others.
  /// Errors: a record's `serialize` that fails while its Strong fields are looked for; then nothing
  /// is destroyed.
  /// Invalidates: as erase; and mutable pointers to all records.
  template <class Before>
  Result<FlushReport> flush(Before&& before, const FlushOptions& options = {}) {
    FlushReport report;
    if (is_flushing_) return FlushReport{0, false};
    is_flushing_ = true;
    struct Done {
      bool& flag;
      ~Done() { flag = false; }
    } const done{is_flushing_};
    for (;;) {
      StrongMarks marks(*database_, detail::core_of(*table_), handle_key<Tag, L>(),
                        options.rings ? Keeps::reachable : Keeps::strong_fields);
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
  Result<FlushReport> flush(const FlushOptions& options = {}) { return flush(Nothing{}, options); }

 private:
  struct Nothing {
    void operator()(HandleType, const Record&) const noexcept {}
  };
  [[nodiscard]] HandleType handle_at(std::uint32_t slot) const noexcept {
    return make_handle<Tag, L>(detail::core_of(*table_), slot,
                               detail::core_of(*table_).slots().tag(slot));
  }
  [[nodiscard]] bool is_unused(std::uint32_t slot, const StrongMarks& marks) const noexcept {
    const std::uint32_t tag = detail::core_of(*table_).slots().tag(slot);
    return slot_tag::is_live(tag) && !marks.is_marked(slot) && counts_->count(slot, tag) == 0;
  }

  // A bit for each of the 64 slots from 64 * word on: whether nothing holds its record.
  [[nodiscard]] std::uint64_t unused_of(std::uint64_t word,
                                        const StrongMarks& marks) const noexcept {
    const Slots& slots = detail::core_of(*table_).slots();
    const std::uint64_t first = 64 * word;
    if (first >= slots.counters().slot_count) return 0;
    std::uint32_t buffer[64];
    const std::span tags(buffer, static_cast<std::size_t>(std::min<std::uint64_t>(
                                     64, slots.counters().slot_count - first)));
    slots.read_tags(static_cast<std::uint32_t>(first), tags);
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < tags.size(); ++i)
      live |= std::uint64_t{slot_tag::is_live(tags[i])} << i;
    return live & ~marks.marks_of(static_cast<std::size_t>(word)) &
           ~counts_->held_among(static_cast<std::uint32_t>(first), tags);
  }

  // Looks once at each slot, from the cursor around.
  template <class Before>
  Status flush_round(StrongMarks& marks, Before& before, std::size_t max_destroyed,
                     FlushReport& report) {
    const TableCore& core = detail::core_of(*table_);
    const std::uint64_t count = core.counters().slot_count;
    const std::uint64_t start = core.flush_cursor() < count ? core.flush_cursor() : 0;
    if (Status status = flush_slots(start, count, marks, before, max_destroyed, report);
        !status || !report.finished) {
      return status;
    }
    return flush_slots(0, start, marks, before, max_destroyed, report);
  }
  template <class Before>
  Status flush_slots(std::uint64_t begin, std::uint64_t end, StrongMarks& marks, Before& before,
                     std::size_t max_destroyed, FlushReport& report) {
    TableCore& core = detail::core_of(*table_);
    for (std::uint64_t at = begin; at < end; at = (at / 64 + 1) * 64) {
      // The slots of a word that are looked at from `at` on.
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
          unused = unused_from(std::uint64_t{slot} + 1);  // it may have let go of others
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
  RefCounts* counts_;
  std::vector<std::string> loading_;
  bool is_flushing_ = false;
};

template <class Record, class L, class Tag>
ResourceTable<Record, L, Tag>& Database::create_resource_table(std::string_view name,
                                                               TableOptions options) {
  if (options.names == Names::none) options.names = Names::exact;
  using Made = ResourceTable<Record, L, Tag>;
  Made* resources = nullptr;
  value_or_end(make_table<Record, L, Tag, Access::checked>(
      name, options, [&](Table<Record, L, Tag>& table, TableEntry& entry) {
        auto face = std::make_shared<Made>(*this, table);
        resources = face.get();
        entry.face = std::move(face);
        entry.face_type = type_key<Made>();
        entry.references = &resources->references();
      }));
  return *resources;
}

class Database;

/// A resource that only rings of Strong fields keep: no Ref holds it, no chain of Strong fields
/// leads to it from a resource that a Ref holds or from a record of an ordinary table, and flush()
/// never destroys it.
struct RingResource {
  std::string table;
  std::uint64_t handle = 0;  ///< Its bits; Handle::from_bits makes a handle of them.
  std::string name;
  /// The ring that it is part of, from 1; resources with the same number hold each other, directly
  /// or through others of the ring. 0: it is part of none; a resource that a ring keeps holds it.
  std::uint32_t ring = 0;
};

/// Finds all resources that only rings of Strong fields keep, in all resource tables of the
/// database. Sorted by table, then by slot. Break a ring by nulling one of its Strong fields, or
/// destroy it by flush({.rings = true}).
///
/// Complexity: one look at each Strong field in the database and at each slot of a resource table.
/// Errors: a record's `serialize` that fails while its Strong fields are looked for.
[[nodiscard]] Result<std::vector<RingResource>> strong_rings(const Database& database);

}  // namespace hdb
