// ComponentTable<Component, Owner>: parts of records that only some records have, for example the
// positions and healths of entities. Games create component tables in a Database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/fwd.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// The components of one type that records of an owner table have: at most one for each record. A
/// component is found by the handle of its record. Erasing the record, in whatever way, erases its
/// components too; so a component exists only as long as its record does.
///
/// A component table issues no handles: it has a slot for each slot of its owner, and one lookup
/// checks a handle without a look at the owner. It holds no history: two tables with the same
/// components in the same order have the same state hash, however they came there.
///
/// Any Table of records may be an owner, also one with names or that of a ResourceTable. A
/// component table cannot be an owner. Dropping the owner from a database drops its component
/// tables.
///
/// `Owner` is the tag of the owner's handles, `L` their layout. All contracts of Table about
/// threads, about calls inside of constructors and destructors, and about pointers hold here too.
/// Also: while a record of the owner is destroyed, neither the owner nor its component tables may
/// be changed (every build ends the program with a message); inserting a component moves no other
/// component; and erasing a record of the owner invalidates pointers as erasing its components
/// does.
///
/// Source: the pools of EnTT (Michele Caini), with in_place_delete as Removal::in_place.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// auto& weapons = db.create_component_table<Weapon>("weapon", monsters);
/// const auto imp = monsters.insert({.name = "imp"});
/// weapons.insert(imp, {.damage = 8});
/// assert(weapons.find(imp)->damage == 8 && weapons.size() == 1);
/// assert(weapons.insert(imp, {.damage = 9}) == nullptr);  // it has one
/// assert(monsters.erase(imp) && weapons.find(imp) == nullptr && weapons.empty());
/// @endcode
template <class Component, class Owner, class L>
class ComponentTable {
 public:
  using HandleType = Handle<Owner, L>;
  using RecordType = Component;
  /// A run of adjacent components; see for_each_span.
  using Span = detail::PageSpan<Component, L, Owner>;
  using MutableSpan = detail::MutablePageSpan<Component, L, Owner>;

  /// A component table of `owner` outside of a database. Table and owner may be destroyed in either
  /// order; without its owner, a component table takes no component.
  /// Requires: `owner` is a Table of records; Removal::in_place only with dense storage.
  template <class Record, HandleCheck A>
  explicit ComponentTable(Table<Record, L, Owner, A>& owner, const ComponentOptions& options = {},
                          std::shared_ptr<detail::UndoLog> log = detail::make_undo_log())
      : rows_(detail::core_of(owner), options, std::move(log)), core_(rows_.core_) {}

  // --- the component of one record

  /// Gives the record a component and returns it, for writing: valid as a pointer from edit.
  /// Returns null and changes nothing if the record has one already, if the handle is null, stale
  /// or foreign, or if the table is full (ComponentOptions::max_records).
  /// Complexity: amortised constant; the first write after a capture logs what was there.
  Component* insert(HandleType record, const Component& component) {
    return emplace(record, component);
  }
  Component* insert(HandleType record, Component&& component) {
    return emplace(record, std::move(component));
  }
  /// As insert, constructing the component from `args`. Nothing changes if the constructor throws.
  template <class... Args>
  Component* emplace(HandleType record, Args&&... args) {
    if (!is_owned(record) || contains(record)) return nullptr;
    void* memory = nullptr;
    const std::uint32_t slot = detail::slot_number(record);
    const HandleType inserted = rows_.insert_made(
        slot, [&] { return memory = core_.prepare_component(slot); }, std::forward<Args>(args)...);
    return inserted ? static_cast<Component*>(memory) : nullptr;
  }
  /// As insert, but replaces the component that the record has.
  template <class C = Component>
  Component* insert_or_assign(HandleType record, C&& component) {
    Component* const known = edit(record);
    if (known == nullptr) return emplace(record, std::forward<C>(component));
    *known = std::forward<C>(component);
    return known;
  }
  /// The component of a record; null if it has none, or if the handle is null, stale or foreign.
  /// Complexity: constant.
  [[nodiscard]] const Component* find(HandleType record) const noexcept {
    return is_sound(record) ? rows_.find(record) : nullptr;
  }
  /// As find, for writing: valid until the next capture or restore.
  /// Complexity: constant; the first write after a capture logs what was there.
  [[nodiscard]] Component* edit(HandleType record) {
    return is_sound(record) ? rows_.edit(record) : nullptr;
  }
  /// Whether the record has a component.
  [[nodiscard]] bool contains(HandleType record) const noexcept {
    return is_sound(record) && rows_.contains(record);
  }
  /// The component of a record. Errors: as Table::at if there is none.
  [[nodiscard]] const Component& at(HandleType record) const {
    const Component* const component = find(record);
    if (component == nullptr) core_.no_record(record.index(), record.generation());
    return *component;
  }
  /// The component of a record. Requires: contains(record); checked in every build.
  [[nodiscard]] const Component& operator[](HandleType record) const noexcept {
    HDB_REQUIRE(is_sound(record), "ComponentTable::operator[]: the handle is null");
    return rows_[record];
  }
  /// Destroys the component of a record, which stays; false if there is none.
  /// Complexity: constant; the first write after a capture logs what was there.
  /// Invalidates: under Removal::swap in a dense table, all pointers; else those to this component.
  bool erase(HandleType record) { return is_sound(record) && rows_.erase(record); }

  // --- positions: those of a dense table, in order; the owner's slots in a stable one

  /// The position of a component. Requires: contains(record).
  [[nodiscard]] std::uint32_t position(HandleType record) const noexcept {
    HDB_REQUIRE(is_sound(record), "ComponentTable::position: the handle is null");
    return rows_.position(record);
  }
  /// The handle of the record whose component is at `position`; null if there is none. Any number
  /// is safe. Complexity: constant.
  [[nodiscard]] HandleType handle_at(std::uint64_t position) const noexcept {
    return rows_.handle_at(position);
  }
  /// The component at `position`; null if there is none. Any number is safe. Complexity: constant.
  [[nodiscard]] const Component* record_at(std::uint64_t position) const noexcept {
    return rows_.record_at(position);
  }

  // --- all components; see Table for what loops may do. With Removal::in_place, a component that a
  // loop inserts may fill a hole that lies ahead, and is visited then.

  /// The components with the handles of their records: for (auto [handle, component] : entries()).
  [[nodiscard]] auto entries() const noexcept { return rows_.entries(); }
  /// As entries, from the last component to the first.
  [[nodiscard]] auto entries_backward() const noexcept { return rows_.entries_backward(); }
  /// Calls `visit(handle, component)` with every component.
  /// Requires: `visit` does not change the structure of the table and does not capture (asserted).
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_span([&](const Span& span) {
      for (std::size_t i = 0; i < span.size(); ++i) visit(span.handle(i), span[i]);
    });
  }
  /// As for_each, for writing.
  template <class Visit>
  void edit_each(Visit&& visit) {
    rows_.edit_each(std::forward<Visit>(visit));
  }
  /// Calls `visit(Span)` for each run of adjacent components. Requires: as for_each.
  template <class Visit>
  void for_each_span(Visit&& visit) const {
    rows_.for_each_span(std::forward<Visit>(visit));
  }
  /// As for_each_span, for writing: `visit(MutableSpan)`.
  template <class Visit>
  void edit_each_span(Visit&& visit) {
    rows_.edit_each_span(std::forward<Visit>(visit));
  }
  /// All components of a dense table without holes, in dense order: component i belongs to the
  /// record handle_at(i). Complexity: constant. Invalidates: as a const pointer, and insert.
  [[nodiscard]] std::span<const Component> records() const noexcept {
    require_no_holes();
    return rows_.records();
  }
  /// As records, for writing.
  [[nodiscard]] std::span<Component> edit_records() {
    require_no_holes();
    return rows_.edit_records();
  }

  // --- the order of a dense table

  /// Sorts the components of a dense table, stably; see Table::sort. Closes the holes first, as
  /// compact does.
  template <class Compare>
  void sort(Compare compare) {
    core_.compact();
    rows_.sort(std::move(compare));
  }
  /// The positions without a component (Removal::in_place).
  [[nodiscard]] std::size_t hole_count() const noexcept {
    return detail::to_size(core_.slots().hole_count());
  }
  /// Moves the last component into the hole with the lowest position, until there is no hole.
  /// Complexity: linear in the positions. Invalidates: all pointers.
  void compact() { core_.compact(); }

  /// Destroys all components. The records stay.
  void clear() { core_.clear(); }
  /// Makes room for `components` components in total.
  void reserve(std::size_t components) { core_.reserve(components); }
  /// The number of components.
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// The number of positions for which there is memory; at least size() + hole_count().
  [[nodiscard]] std::size_t capacity() const noexcept { return rows_.capacity(); }
  [[nodiscard]] Storage storage() const noexcept { return core_.policy().storage; }
  [[nodiscard]] Removal removal() const noexcept { return core_.policy().removal; }

  /// Checks all invariants in O(slots). Null if all hold; else the id and text of a broken one.
  [[nodiscard]] const char* check_invariants() const { return core_.check_invariants(); }

 private:
  friend struct detail::CoreOf;

  void require_no_holes() const noexcept {
    HDB_REQUIRE(!core_.has_holes(),
                "ComponentTable::records: the table has holes; call compact() or for_each_span()");
  }
  // Whether a record may have the handle. A lookup would find a component under any other: a slot
  // that was never touched has the tag of a handle with generation 0 (see slot_tag).
  [[nodiscard]] static bool is_sound(HandleType record) noexcept {
    return record.generation() != 0;
  }
  // Whether the handle names a record of the owner.
  [[nodiscard]] bool is_owned(HandleType record) const noexcept {
    const std::uint64_t slot = rows_.slot_of(record);
    return core_.owner() != nullptr && slot < core_.owner()->counters().slot_count &&
           core_.owner()->slots().matches(static_cast<std::uint32_t>(slot), record.generation());
  }

  Table<Component, L, Owner> rows_;
  detail::TableCore& core_;  // of rows_
};

namespace detail {
template <class Component, class Owner, class L>
inline constexpr NameParts name_parts<ComponentTable<Component, Owner, L>> =
    NameParts::of("hdb::ComponentTable")
        .with(name_parts<Component>)
        .with(name_parts<Owner>)
        .with(name_parts<L>);
}  // namespace detail

}  // namespace hdb
