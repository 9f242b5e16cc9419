// ResourceTable: named records that are shared by reference and destroyed by flush(). For the
// textures, sounds and meshes of a game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/database.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/database/resources/flush.hpp"
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
      if (detail::core_of(*table_).is_same_name(other, name)) return {};
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
    auto slots = detail::unreferenced_slots(resources());
    if (!slots) return fail(std::move(slots.error()));
    std::vector<HandleType> found;
    for (const std::uint32_t slot : *slots) found.push_back(handle_at(slot));
    return found;
  }

  /// Destroys the records without references, in ascending order of slots, starting where the last
  /// flush stopped. Calls `before(handle, record)` for each record that it is about to destroy.
  /// `before` may release references; this flush then destroys those records too. `before` may take
  /// a reference to the record; the record then stays. `before` may insert and erase, but must
  /// not drop a table, restore or load. If it throws, the record stays and the exception is passed
  /// on. A flush inside `before` does nothing.
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
    struct Call {
      ResourceTable& table;
      std::remove_reference_t<Before>& before;
    } call{*this, before};
    return flush_calling(options, {[](void* context, std::uint32_t slot) {
                                     const Call& own = *static_cast<Call*>(context);
                                     const HandleType handle = own.table.handle_at(slot);
                                     own.before(handle, *own.table.table_->find(handle));
                                   },
                                   &call});
  }
  /// As above, calling nothing.
  [[nodiscard]] Result<FlushReport> flush(const FlushOptions& options = {}) {
    return flush_calling(options, {});
  }

 private:
  [[nodiscard]] Result<FlushReport> flush_calling(const FlushOptions& options,
                                                  const detail::BeforeDestroy& before) {
    if (is_flushing_) return FlushReport{0, false};
    is_flushing_ = true;
    struct Done {
      bool& flag;
      ~Done() { flag = false; }
    } const done{is_flushing_};
    return detail::flush_resources(resources(), options, before);
  }
  [[nodiscard]] detail::Resources resources() noexcept {
    return {*database_, detail::core_of(*table_), handle_key<Tag, L>(), *counts_};
  }
  [[nodiscard]] HandleType handle_at(std::uint32_t slot) const noexcept {
    return detail::make_handle<Tag, L>(detail::core_of(*table_), slot,
                                       detail::core_of(*table_).slots().tag(slot));
  }

  Database* database_;
  TableType* table_;
  detail::RefCounts* counts_;
  std::vector<std::string> loading_;
  bool is_flushing_ = false;
};

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
[[nodiscard]] HDB_API Result<std::vector<CycleResource>> strong_cycles(const Database& database);

}  // namespace hdb
